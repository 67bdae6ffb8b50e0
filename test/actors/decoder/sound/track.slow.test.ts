import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Film, writeFilm } from '../../../../bench/samples/writer/film.ts';
import type { FilmPicture } from '../../../../bench/samples/writer/picture.ts';
import { untilRelease } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askSound, soundBlocks, soundSlotBytes, TestTurn } from '../ask-decoder.ts';
import { expectSilence, expectTone, pitches, type Tones, tones } from '../footage/tones.ts';

const folder = temporaryFolder();

const pitch = pitches[0]!;
const picture: FilmPicture = {
  width: 64,
  height: 36,
  frames: 75,
  frameRate: { num: 25, den: 1 },
  encoder: 'libx264',
  options: { preset: 'ultrafast' },
  draw: (n, rgb) => rgb.fill(n),
};

async function written(name: string, film: Omit<Film, 'path'>): Promise<string> {
  const path = join(folder, name);
  await writeFilm({ path, ...film });
  return path;
}

/** A film of sound alone; `rest` says which and how. */
const pcm = (rest: Partial<Tones> = {}) => tones({ encoder: 'pcm_s16le', ...rest });

for (const [name, encoder] of [
  ['late.mp4', 'aac'],
  ['late.mkv', 'aac'],
  ['late.mov', 'pcm_s16le'],
  ['late.ts', 'aac'],
] as const) {
  test(`${name}: sound that starts after the picture has silence before it`, async () => {
    const sound = tones({ encoder, ptsOf: (sample) => sample + 48000 * 0.75 });
    const [samples] = await askSound(await written(name, { picture, sound }));
    expectSilence(samples!, 0, 0.7);
    // Matroska counts in milliseconds: 8 samples are half of one.
    expectTone(samples!, pitch, { from: 1, to: 2.5, zero: 0.75, within: name.endsWith('.mkv') ? 9 : 0.2 });
  });
}

test('sound before the first picture is left out', async () => {
  const late = { ...picture, times: { base: { num: 1, den: 1000 }, ticks: pictureTimes(500) } };
  const [samples] = await askSound(await written('early.mkv', { picture: late, sound: pcm() }));
  assert.ok(Math.abs(samples!.length - 24000) < 9, `${samples!.length} samples`);
  expectTone(samples!, pitch, { from: 0, zero: -0.5, within: 9 });
});

const pictureTimes = (start: number) => Array.from({ length: 75 }, (_, n) => start + n * 40);

test('a gap becomes silence, and what follows is where its timestamp says', async () => {
  const sound = pcm({ ptsOf: (sample) => (sample < 48 * 1024 ? sample : sample + 24000) });
  const [samples] = await askSound(await written('gap.mkv', { sound }));
  assert.equal(samples!.length, 40000);
  expectTone(samples!, pitch, { from: 0, to: 1 });
  expectSilence(samples!, 1.024, 1.524);
  expectTone(samples!, pitch, { from: 1.6, to: 2.4, zero: 0.5 });
});

test('an overlap is cut', async () => {
  const sound = pcm({ ptsOf: (sample) => (sample < 48 * 1024 ? sample : sample - 960) });
  const [samples] = await askSound(await written('overlap.mkv', { sound }));
  assert.ok(Math.abs(samples!.length - 31680) < 9, `${samples!.length} samples`);
  expectTone(samples!, pitch, { from: 0, to: 1 });
  expectTone(samples!, pitch, { from: 1.1, to: 1.8, zero: -0.02, within: 9 });
});

test('small jitter and drift of timestamps are ignored', async () => {
  for (const off of [(n: number) => (n % 2) * 190, (n: number) => Math.floor(n / 2)]) {
    const sound = pcm({ ptsOf: (sample) => sample + off(sample / 1024) });
    const [samples] = await askSound(await written('drift.mkv', { sound }));
    assert.equal(samples!.length, 32000);
    expectTone(samples!, pitch, { from: 0.1, to: 1.9 });
  }
});

test('a clock reset leaves no gap', async () => {
  const sound = tones({ encoder: 'mp2', seconds: 14.4 });
  const once = await readFile(await written('once.ts', { sound }));
  const path = join(folder, 'anew.ts');
  await writeFile(path, Buffer.concat([once, once]));
  const [samples] = await askSound(path);
  assert.ok(Math.abs(samples!.length - 2 * 14.4 * 16000) < 1000, `${samples!.length} samples`);
});

test('what cannot be decoded is silent, and the rest is heard', async () => {
  const path = await written('broken.mkv', { sound: tones({ encoder: 'flac' }) });
  const bytes = await readFile(path);
  bytes.fill(0x55, bytes.length / 2, bytes.length / 2 + 400);
  await writeFile(path, bytes);
  const turn = new TestTurn(soundSlotBytes);
  const [samples] = await askSound(path, null, turn);
  assert.equal(samples!.length, 32000);
  expectTone(samples!, pitch, { from: 0, to: 0.8 });
  expectTone(samples!, pitch, { from: 1.3, to: 2 });
  assert.ok(turn.lines.some(({ level }) => level === 'warn'));
});

test('several tracks are decoded in one pass, none far ahead of the others', async () => {
  const seconds = untilRelease ? 20 : 40;
  const sound = [
    tones({ encoder: 'aac', channels: 2, seconds }),
    tones({ encoder: 'flac', channels: 1, seconds, from: 2, sampleRate: 44100 }),
    tones({ encoder: 'pcm_s16le', channels: 2, seconds, from: 3 }),
  ];
  const path = await written('tracks.mkv', { sound });
  const asked = [3, 2, 5, 2];
  const turn = new TestTurn(soundSlotBytes);
  const ends = asked.map(() => 0);
  for await (const { channel, first_sample, count, samples } of soundBlocks(path, asked, turn)) {
    const block = new Float32Array(turn.slot(samples).buffer, 0, count);
    if (first_sample === 0) {
      const within = asked[channel] === 2 ? 1024 : 0.2;
      expectTone(block, pitches[asked[channel]! - 1]!, { within });
    }
    ends[channel] = first_sample + count;
    assert.ok(Math.max(...ends) - Math.min(...ends) <= 2 * 128_000, `${ends}`);
  }
  for (const end of ends) assert.ok(Math.abs(end - seconds * 16_000) < 1000, `${end}`);
});

test('a cancelled turn ends before the next block and takes no other slot', async () => {
  const path = await written('long.flac', {
    sound: tones({ encoder: 'flac', seconds: 60, sampleRate: 16000 }),
  });
  const turn = new TestTurn(soundSlotBytes);
  let slots = 0;
  const free = turn.freeSlot.bind(turn);
  turn.freeSlot = () => {
    slots++;
    return free();
  };
  let blocks = 0;
  const all = (async () => {
    for await (const _ of soundBlocks(path, null, turn)) if (++blocks === 2) turn.cancel();
  })();
  await assert.rejects(all, { code: 'CANCELLED' });
  assert.deepEqual([blocks, slots], [2, 2]);
});

test('a file of whose sound nothing can be decoded is an error that names it', async () => {
  const path = await written('noise.mkv', { sound: tones({ encoder: 'flac', seconds: 0.2 }) });
  const bytes = await readFile(path);
  // From a little behind the start of the first cluster on.
  bytes.fill(0x55, bytes.indexOf(Buffer.of(0x1f, 0x43, 0xb6, 0x75)) + 30);
  await writeFile(path, bytes);
  await assert.rejects(askSound(path), { code: 'DECODE_FAILED', message: /noise\.mkv/ });
});

test('tracks of one recording are heard together, whichever of them the talk is on', async () => {
  const silent = { ...pcm(), fill: (_start: number, samples: Float32Array) => samples.fill(0) };
  const path = await written('microphones.mov', { picture, sound: [silent, pcm(), pcm({ from: 1 })] });
  const [samples] = await askSound(path);
  expectTone(samples!, pitches[0]!, { loud: 0.5 / 3 });
  expectTone(samples!, pitches[1]!, { loud: 0.5 / 3 });
  const [first, second] = await askSound(path, [1, 2]);
  expectSilence(first!, 0.1, 1.5);
  expectTone(second!, pitches[0]!);
});
