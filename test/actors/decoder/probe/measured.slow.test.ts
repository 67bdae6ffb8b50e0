// Length and rate that a container states, where the packets show something else.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PeakRun } from '../../../../actors/decoder/peaks/runs.ts';
import { type Film, writeFilm } from '../../../../bench/samples/writer/film.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askProbe, askSound, turnFor } from '../ask-decoder.ts';
import { cut } from '../clips/cut.ts';
import { stamped, tone } from '../footage/clip.ts';

const folder = temporaryFolder();

async function written(name: string, film: Omit<Film, 'path'>): Promise<string> {
  const path = join(folder, name);
  await writeFilm({ path, ...film });
  return path;
}

const twice = (path: string, name: string) => {
  const joined = join(folder, name);
  writeFileSync(joined, Buffer.concat([readFileSync(path), readFileSync(path)]));
  return joined;
};

/** Silence, which takes few bytes, and behind it as much of a tone with many harmonics. */
const rising = {
  fill: (start: number, samples: Float32Array) => {
    for (let i = 0; i < samples.length; i++) {
      const at = (start + i) / 44_100;
      samples[i] =
        at < 20 ? 0 : 0.4 * Math.sin(2 * Math.PI * 440 * at + 9 * Math.sin(2 * Math.PI * 777 * at));
    }
  },
  sampleRate: 44_100,
  channels: 1,
};

describe('sound whose length no header says lasts as long as its packets', () => {
  const variable = tone(40, 'libmp3lame', { ...rising, options: { global_quality: '236', flags: 'qscale' } });
  const kinds: readonly [what: string, make: () => Promise<string>, seconds: number][] = [
    [
      'MP3 of variable bit rate without a Xing header',
      () => written('variable.mp3', { sound: variable, container: { write_xing: '0' } }),
      40,
    ],
    ['MP3 with a Xing header', () => written('counted.mp3', { sound: variable }), 40],
    [
      'two joined MP3, the first with a Xing header',
      async () => twice(await written('first.mp3', { sound: tone(10, 'libmp3lame') }), 'joined.mp3'),
      20,
    ],
    ['ADTS', () => written('sound.aac', { sound: tone(40, 'aac', rising) }), 40],
    ['two joined ADTS', async () => twice(await written('a.aac', { sound: tone(10, 'aac') }), 'b.aac'), 20],
  ];
  for (const [what, make, seconds] of kinds) {
    test(what, async () => {
      const path = await make();
      const { duration_seconds } = await askProbe(path);
      assert.ok(Math.abs(duration_seconds - seconds) < 0.3, `${duration_seconds} s`);
      const [samples] = await askSound(path);
      assert.ok(Math.abs(samples!.length / 16_000 - duration_seconds) < 0.1);
      const run = await PeakRun.open(path, turnFor());
      for (let isDone = false; !isDone; ) isDone = await run.step(turnFor());
      assert.ok(Math.abs(run.grid.values.length / run.grid.perSecond - duration_seconds) < 0.2);
      run.close();
    });
  }
});

/** Times of 30 pictures a second of which every eighth was dropped. */
const dropped = Array.from({ length: 200 }, (_, i) => i).filter((i) => i % 8 !== 5);

test('a film of a phone that drops pictures has the rate of most of them', async () => {
  for (const [container, base] of [
    ['mp4', 600],
    ['mkv', 1000],
  ] as const) {
    const ticks = dropped.map((i) => Math.round((i * base) / 30));
    const times = { base: { num: 1, den: base }, ticks };
    const film = stamped('phone', { file: `phone.${container}`, frames: ticks.length, times });
    const { video, duration_seconds } = await askProbe(await film.make());
    assert.deepEqual(video!.frame_rate, { num: 30, den: 1 }, container);
    assert.ok(Math.abs(duration_seconds - 200 / 30) < 0.1);
  }
});

test('a fragmented film has the rate of its pictures, and so have clips of it', async () => {
  const film = stamped('fragments with sound', {
    file: 'fragments.mp4',
    frames: 100,
    frameRate: { num: 25, den: 1 },
    sound: tone(4, 'aac'),
    container: { movflags: 'frag_keyframe+empty_moov+default_base_moof' },
  });
  const path = await film.make();
  assert.deepEqual((await askProbe(path)).video!.frame_rate, { num: 25, den: 1 });
  const made = await cut(path, [1, 2]);
  assert.deepEqual((await askProbe(made.path)).video!.frame_rate, { num: 25, den: 1 });
});
