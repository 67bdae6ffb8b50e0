import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type Section, SectionTable } from '../../../../actors/decoder/frames/contract.ts';
import { sampled, sharedPath, skipWithout } from '../../../shared.ts';
import { askFrames, askPicture, askProbe, askSections, type Got } from '../ask-decoder.ts';
import { longFilm, someClips } from '../footage/clips.ts';

const preview = { max_side: 64, quality: 80 };

/** Short, so that a difference can be read. */
const marksOf = (frames: readonly Got[]) =>
  frames.map(({ second, seconds, rgb, preview }) => {
    const bytes = createHash('sha256').update(rgb).update(preview!).digest('hex');
    return `${second} ${seconds} ${bytes}`;
  });

/** The frames that two decoders send between them, by section. */
async function together(path: string, all: readonly Section[]): Promise<Got[]> {
  const table = SectionTable.of(all.length);
  const asks = [1, 2].map((taker) =>
    askFrames({ path, preview, sections: { all: [...all], table: table.memory, taker } }),
  );
  const got = await Promise.all(asks);
  const sectionOf = (second: number) => all.findLastIndex(({ frame }) => frame <= second);
  for (const [i, frames] of got.entries()) {
    const takers = new Set(frames.map(({ second }) => table.takerOf(sectionOf(second))));
    assert.deepEqual([...takers], frames.length > 0 ? [i + 1] : [], 'frames of sections of its own');
    assert.deepEqual(
      frames.map(({ second }) => second),
      frames.map(({ second }) => second).sort((a, b) => a - b),
    );
  }
  return got.flat().sort((a, b) => a.second - b.second);
}

/** Answers how many sections there were at most. */
async function expectSame(path: string): Promise<number> {
  const all = await askFrames({ path, preview });
  let most = 0;
  for (const frames of [1, 3]) {
    const sections = await askSections(path, frames);
    most = Math.max(most, sections.length);
    if (sections.length === 0) continue;
    const later = all.filter(({ second }) => second >= sections[0]!.frame);
    assert.deepEqual(marksOf(await together(path, sections)), marksOf(later));
  }
  return most;
}

for (const clip of someClips) {
  test(`two decoders send the pictures of one, byte for byte: ${clip.name}`, async () => {
    await expectSame(await clip.make());
  });
}

for (const name of sampled(
  ['video/car-detection.mp4', 'video/bottle-detection.mp4', 'odd/avchd-fields.mts'],
  2,
)) {
  const path = sharedPath(`media/${name}`);
  test(`two decoders send the pictures of one, byte for byte: ${name}`, {
    skip: skipWithout(`media/${name}`),
  }, async () => {
    assert.equal((await expectSame(path)) > 1, name.endsWith('.mp4'));
  });
}

test('a moment late in a long film is reached by a seek', async () => {
  const path = await longFilm.make();
  const { seconds, rgb } = await askPicture(path, 10_000.5);
  assert.equal(seconds, 10_000);
  assert.ok(rgb.some((level) => level > 0));
  assert.equal((await askProbe(path)).grid_frames, longFilm.facts.duration);
});

/** What is taken up in the middle is what a pass from the start gives there, byte for byte. */
for (const clip of someClips) {
  test(`pictures from a later second on are those of a pass from the start: ${clip.name}`, async () => {
    const path = await clip.make();
    for (const mode of ['exact', 'keyframes'] as const) {
      const all = await askFrames({ path, mode, preview: null });
      for (const from of [1, 3, 7]) {
        const rest = await askFrames({ path, mode, preview: null, from });
        assert.deepEqual(
          rest,
          all.filter(({ second }) => second >= from),
          `${mode} from ${from}`,
        );
      }
    }
  });
}
