import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gridLength } from '../../../../actors/decoder/frames/grid.ts';
import { sharedPath, skipWithout } from '../../../shared.ts';
import { askFrames, askPicture, askProbe, stampShape, turnFor, walkCounts } from '../ask-decoder.ts';
import { clips } from '../clips.ts';
import { fullDecode, meanDifference, shownAt } from '../full-decode.ts';
import { readStamp } from '../stamp.ts';

const { width, height } = stampShape;

for (const clip of clips) {
  describe(clip.name, () => {
    const { facts } = clip;
    const shown = (second: number) => facts.frames.filter(({ seconds }) => seconds <= second + 0.0005).at(-1);

    test('every grid second has the picture that a full decode shows then', async () => {
      const path = await clip.make();
      const turn = turnFor();
      const got = await askFrames({ path }, turn);
      const full = await fullDecode(path, stampShape);
      assert.deepEqual(
        got.map(({ second }) => second),
        Array.from({ length: gridLength(facts.duration) }, (_, second) => second),
      );
      for (const { second, rgb } of got) {
        assert.equal(readStamp(rgb, width, height), shown(second)?.stamp, `second ${second}`);
        assert.deepEqual(rgb, shownAt(full, second)?.rgb, `second ${second}`);
      }
      assert.ok(walkCounts(turn).decoded <= facts.frames.length + 41);
    });

    test('the grid can be taken up in the middle', async () => {
      const path = await clip.make();
      const from = Math.floor(gridLength(facts.duration) / 2);
      const got = await askFrames({ path, from });
      assert.deepEqual(
        got.map(({ second, rgb }) => [second, readStamp(rgb, width, height)]),
        Array.from({ length: gridLength(facts.duration) - from }, (_, i) => [
          from + i,
          shown(from + i)?.stamp,
        ]),
      );
    });

    test('a single moment shows the same picture', async () => {
      const path = await clip.make();
      for (const moment of [0, facts.duration * 0.61, facts.duration + 10]) {
        const { rgb, preview } = await askPicture(path, moment);
        assert.equal(readStamp(rgb, width, height), shown(moment)?.stamp, `moment ${moment}`);
        assert.ok(preview && preview[0] === 0xff && preview[1] === 0xd8);
      }
    });

    test('the probe says what a player shows', async () => {
      const probe = await askProbe(await clip.make());
      assert.equal(probe.kind, 'video');
      assert.equal(probe.grid_frames, gridLength(facts.duration));
      assert.ok(Math.abs(probe.duration_seconds - facts.duration) < 0.1);
      assert.deepEqual([probe.width, probe.height], [facts.width, facts.height]);
      assert.equal(probe.audio.length, facts.soundTracks);
      assert.equal(probe.subtitles.length, facts.captionTracks);
      if (facts.frameRate) {
        const rate = probe.video!.frame_rate;
        assert.ok(Math.abs(rate.num / rate.den - facts.frameRate.num / facts.frameRate.den) < 1e-4);
      }
    });
  });
}

for (const name of ['car-detection.mp4', 'bottle-detection.mp4']) {
  const film = `media/video/${name}`;
  const path = sharedPath(film);
  test(`${name} gives the pictures of a full decode`, {
    skip: skipWithout(film),
  }, async () => {
    const shape = { width: 64, height: 64, fit: 'cover', resample: 'area' } as const;
    const full = await fullDecode(path, shape);
    const got = await askFrames({ path, shape });
    const { grid_frames } = await askProbe(path);
    assert.equal(got.length, grid_frames);
    for (const { second, rgb } of got) assert.equal(meanDifference(rgb, shownAt(full, second)!.rgb), 0);
  });
}
