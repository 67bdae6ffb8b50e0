import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { peakErrors } from '../../../../actors/decoder/peaks/contract.ts';
import { PeakGrid, PeakRuns } from '../../../../actors/decoder/peaks/runs.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { sharedPath, skipWithout } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { TestTurn } from '../ask-decoder.ts';

const folder = temporaryFolder();

/** Silence in the first second; then one channel at 0.25, and the last one at 0.75 in the third second. */
async function made(name: string, encoder: string, seconds = 3): Promise<string> {
  const path = join(folder, name);
  const fill = (start: number, samples: Float32Array) => {
    for (let i = 0; i < samples.length; i++) {
      const at = (start + Math.floor(i / 2)) / 48_000;
      const wave = Math.sin(2 * Math.PI * 400 * at);
      samples[i] = at < 1 ? 0 : i % 2 === 0 ? 0.25 * wave : at < 2 ? 0 : 0.75 * wave;
    }
  };
  await writeFilm({ path, sound: { encoder, sampleRate: 48_000, channels: 2, seconds, fill } });
  return path;
}

async function peaksOf(runs: PeakRuns, path: string, run = 'a') {
  for (let steps = 0; steps < 1000; steps++) {
    const { peaks } = await runs.step({ path, run, begins: steps === 0 }, new TestTurn(0));
    if (peaks !== null) return { ...peaks, steps: steps + 1 };
  }
  return assert.fail('it does not end');
}

for (const [name, encoder] of [
  ['16.wav', 'pcm_s16le'],
  ['32.wav', 'pcm_s32le'],
  ['float.wav', 'pcm_f32le'],
  ['lossless.flac', 'flac'],
  ['coded.m4a', 'aac'],
] as const) {
  test(`${name}: the loudest sample of any channel stands where it is heard`, async () => {
    const { per_second, values } = await peaksOf(new PeakRuns(), await made(name, encoder));
    assert.equal(per_second, 50);
    assert.ok(Math.abs(values.length - 150) <= 2, `${values.length}`);
    const near = (at: number, level: number) =>
      assert.ok(Math.abs(values[at]! / 255 - level) < 0.03, `${at}: ${values[at]} for ${level}`);
    for (const at of [5, 20, 40]) near(at, 0);
    for (const at of [55, 75, 95]) near(at, 0.25);
    for (const at of [105, 125, 145]) near(at, 0.75);
  });
}

test('the sound of one microphone on the second track is seen', async () => {
  const path = join(folder, 'microphones.mov');
  const sound = [0, 0.5].map((level) => ({
    encoder: 'pcm_s16le',
    sampleRate: 48_000,
    channels: 1,
    seconds: 2,
    fill: (_start: number, samples: Float32Array) => samples.fill(level),
  }));
  await writeFilm({ path, sound });
  const { values } = await peaksOf(new PeakRuns(), path);
  assert.ok(values.length >= 99 && values.every((value) => Math.abs(value - 128) <= 1), `${values}`);
});

/** One second of a WAV file whose bytes are given. */
function wav(name: string, format: number, data: Buffer): string {
  const head = Buffer.alloc(44);
  const width = data.length / 8000;
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(format, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000 * width, 28);
  head.writeUInt16LE(width, 32);
  head.writeUInt16LE(8 * width, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat([head, data]));
  return path;
}

test('samples of one byte and of eight are as loud as they are, and what is no number is silent', async () => {
  const bytes = Buffer.alloc(8000, 128).fill(128 - 64, 4000);
  const doubles = new Float64Array(8000).fill(-0.5, 4000).fill(Number.NaN, 0, 2000);
  for (const path of [wav('8.wav', 1, bytes), wav('64.wav', 3, Buffer.from(doubles.buffer))]) {
    const { values } = await peaksOf(new PeakRuns(), path);
    assert.deepEqual(
      [values.length, values[10], values[24], values[26], values[49]],
      [50, 0, 0, 128, 128],
      path,
    );
  }
});

test('a run goes on in parts, is ended by its caller, and no more than a few are open', async () => {
  const runs = new PeakRuns();
  const path = await made('long.m4a', 'aac', 20);
  const whole = await peaksOf(runs, path);
  assert.ok(whole.steps > 1, `${whole.steps} parts`);
  const step = (run: string, begins: boolean, turn = new TestTurn(0)) =>
    runs.step({ path, run, begins }, turn);
  for (const run of ['a', 'b', 'c', 'd', 'e']) assert.equal((await step(run, true)).peaks, null);
  await assert.rejects(step('a', false), peakErrors.PEAKS_LOST.is);
  runs.end('b');
  await assert.rejects(step('b', false), peakErrors.PEAKS_LOST.is);
  const turn = new TestTurn(0);
  turn.cancel();
  await assert.rejects(step('c', false, turn), engineErrors.CANCELLED.is);
  await assert.rejects(step('c', false), peakErrors.PEAKS_LOST.is);
  runs.close();
  await assert.rejects(step('d', false), peakErrors.PEAKS_LOST.is);
});

test('a file that changes while it is heard has no peaks, and neither has one without sound', async () => {
  const runs = new PeakRuns();
  const path = await made('changed.m4a', 'aac', 20);
  assert.equal((await runs.step({ path, run: 'a', begins: true }, new TestTurn(0))).peaks, null);
  utimesSync(path, 1000, 1000);
  const rest = async () => {
    for (let steps = 0; steps < 1000; steps++)
      await runs.step({ path, run: 'a', begins: false }, new TestTurn(0));
  };
  await assert.rejects(rest(), mediaErrors.FILE_CHANGED.is);
});

test('real speech is heard, and a film and a picture without sound say so', {
  skip: skipWithout('media'),
}, async () => {
  const { values } = await peaksOf(new PeakRuns(), sharedPath('media/speech/jfk.flac'));
  assert.ok(Math.abs(values.length / 50 - 11) < 0.1, `${values.length}`);
  assert.ok(Math.max(...values) > 100);
  for (const name of ['video/bottle-detection.mp4', 'images/rocket.jpg'])
    await assert.rejects(peaksOf(new PeakRuns(), sharedPath(`media/${name}`)), mediaErrors.NO_SOUND.is);
});

test('a grid that is full becomes coarser, and what lies before its start is left out', () => {
  const grid = new PeakGrid();
  grid.add(-1, 96_000, 48_000, (from) => (from < 48_000 ? 1 : 0.5));
  assert.deepEqual([grid.values.length, grid.values[0], grid.values[49]], [50, 128, 128]);
  grid.add(200_000, 100, 100, () => 1);
  assert.equal(grid.perSecond, 12.5);
  assert.deepEqual([grid.values[0], grid.values[13], grid.values.at(-1)], [128, 0, 255]);
  assert.ok(grid.values.length <= 24 * 3600 * 50);
});
