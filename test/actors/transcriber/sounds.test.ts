// Music and singing: the features and windows of the network, its normalisation, and a network of others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fbank, fbankBands } from '../../../actors/acoustics/fbank.ts';
import { modelErrors } from '../../../actors/models/contract.ts';
import { openSession } from '../../../actors/models/session.ts';
import type { HeardSounds } from '../../../actors/transcriber/contract.ts';
import { readCmvn, SoundDetector, type SoundFiles } from '../../../actors/transcriber/sounds.ts';
import { createLog } from '../../../runtime/log.ts';
import { sharedPath, skipWithout } from '../../shared.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { askSound } from '../decoder/ask-decoder.ts';
import { readWav } from './voice/speech-media.ts';
import { wideGraph } from './wide-graph.ts';

async function opened(t: TestContext, files: SoundFiles): Promise<SoundDetector> {
  const log = createLog('test', () => {});
  const detector = await SoundDetector.open(files, (source) =>
    openSession(source, { device: 'cpu', threads: 1, log }),
  );
  t.after(() => detector.close());
  return detector;
}

async function written(t: TestContext, name: string, bytes: Uint8Array): Promise<string> {
  const path = join(temporaryFolder(t), name);
  await writeFile(path, bytes);
  return path;
}

async function heard(detector: SoundDetector, sound: Float32Array, block: number) {
  const seconds: HeardSounds['seconds'] = [];
  let before: HeardSounds | null = null;
  for (let at = 0; at < sound.length; at += block) {
    before = await detector.hear(sound.subarray(at, at + block), before, false);
    seconds.push(...before.seconds);
  }
  before = await detector.hear(new Float32Array(0), before, true);
  return { seconds: [...seconds, ...before.seconds], kept: before.remainder.byteLength / 4 };
}

const noise = (seconds: number) =>
  Float32Array.from(
    { length: Math.round(seconds * 16_000) },
    (_, i) => Math.sin(i * i * 1e-5) * Math.sin(i / 20_000),
  );

test('seconds are the same whatever the blocks, and the sound that is kept is short', async (t) => {
  const detector = await opened(t, { graph: await written(t, 'wide.onnx', wideGraph()), cmvn: null });
  const sound = noise(21.7);
  const whole = await heard(detector, sound, sound.length);
  assert.equal(whole.seconds.length, 21, 'an incomplete second is left out');
  assert.ok(
    whole.seconds.some(({ music }) => music > 0.55) && whole.seconds.some(({ music }) => music < 0.45),
  );
  for (const block of [128_000, 16_000, 7001]) {
    const { seconds, kept } = await heard(detector, sound, block);
    assert.ok(kept <= 5 * 16_000, `${kept} samples`);
    assert.equal(seconds.length, 21);
    for (const [i, { music, singing }] of seconds.entries()) {
      const expected = whole.seconds[i]!;
      assert.ok(Math.abs(music - expected.music) < 1e-5, `music in second ${i} by blocks of ${block}`);
      assert.ok(Math.abs(singing - expected.singing) < 1e-5, `singing in second ${i}`);
    }
  }
});

test('values that are no numbers, and no sound at all, are heard without harm', async (t) => {
  const detector = await opened(t, { graph: await written(t, 'wide.onnx', wideGraph()), cmvn: null });
  const broken = noise(2);
  broken.fill(Number.NaN, 100, 200);
  const { seconds } = await heard(detector, broken, 16_000);
  assert.ok(seconds.length === 2 && seconds.every(({ music }) => music >= 0 && music <= 1));
  assert.deepEqual((await heard(detector, new Float32Array(0), 16_000)).seconds, []);
});

test('features are normalised by the sums of a Kaldi file', async (t) => {
  const bands = Array.from({ length: fbankBands }, (_, band) => band);
  // The rows are sums of four frames with the mean `band` and the variance 4.
  const rows = [
    [...bands.map((band) => 4 * band), 4],
    [...bands.map((band) => 4 * (band * band + 4)), 0],
  ];
  const head = Buffer.from('\0BDM \x04\x02\0\0\0\x04\x51\0\0\0', 'latin1');
  const bytes = Buffer.concat([head, Buffer.from(Float64Array.from(rows.flat()).buffer)]);
  const { means, scales } = readCmvn(bytes, 'cmvn.ark');
  assert.deepEqual([...means], bands);
  assert.ok(scales.every((scale) => Math.abs(scale - 0.5) < 1e-9));
  for (const wrong of [bytes.subarray(1), bytes.subarray(0, 900), Buffer.alloc(bytes.length)])
    assert.throws(
      () => readCmvn(wrong, 'cmvn.ark'),
      (error: Error) => modelErrors.MODEL_LOAD_FAILED.is(error) && /^cmvn\.ark: /.test(error.message),
    );
  const graph = await written(t, 'wide.onnx', wideGraph());
  const cmvn = await written(t, 'cmvn.ark', bytes);
  const [plain, brought] = [await opened(t, { graph, cmvn: null }), await opened(t, { graph, cmvn })];
  const features = Float32Array.from({ length: 100 * fbankBands }, (_, i) => (i % fbankBands) + Math.sin(i));
  const ready = features.map((value, i) => (value - (i % fbankBands)) / 2);
  const [own, expected] = [await brought.probabilities(features), await plain.probabilities(ready)];
  for (const [i, value] of own.entries()) assert.ok(Math.abs(value - expected[i]!) < 1e-6);
});

test('a graph of something else is refused with its file and what it answers', async (t) => {
  const graph = await written(t, 'other.onnx', wideGraph(2));
  await assert.rejects(
    opened(t, { graph, cmvn: null }),
    (error: Error) =>
      modelErrors.MODEL_LOAD_FAILED.is(error) && /other\.onnx: answers 1×100×2/.test(error.message),
  );
});

const weights = 'weights/firered-aed';
const reading = 'media/speech/two_cities_16k.wav';

test('the network answers its golden values', {
  skip: skipWithout(weights, 'media/speech/jfk.flac'),
}, async (t) => {
  const golden = JSON.parse(readFileSync(sharedPath(`${weights}/golden.json`), 'utf8')) as {
    frames: number;
    aed: Record<string, [number, number, number]>;
  };
  const detector = await opened(t, { graph: sharedPath(`${weights}/firered-aed.onnx`), cmvn: null });
  const [samples] = await askSound(sharedPath('media/speech/jfk.flac'));
  const rounded = samples!.map((value) => Math.round(value * 32_768) / 32_768);
  const found = await detector.probabilities(new Fbank({ window: 'povey', scale: 32_768 }).whole(rounded));
  assert.equal(found.length, 3 * golden.frames);
  for (const [frame, values] of Object.entries(golden.aed))
    for (const [i, value] of values.entries())
      assert.ok(Math.abs(found[3 * Number(frame) + i]! - value) < 5e-3, `frame ${frame}, value ${i}`);
});

test('a reading is neither music nor singing', { skip: skipWithout(weights, reading) }, async (t) => {
  const detector = await opened(t, { graph: sharedPath(`${weights}/firered-aed.onnx`), cmvn: null });
  const { seconds } = await heard(detector, readWav(sharedPath(reading)), 128_000);
  assert.equal(seconds.length, 44);
  assert.ok(seconds.every(({ music, singing }) => music < 0.5 && singing < 0.5));
});
