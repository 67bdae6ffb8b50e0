import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ModelSession, openSession, type TensorIn } from '../../actors/models/session.ts';
import { joinDetected, type VoiceDetectors } from '../../actors/transcriber/voice/detector.ts';
import { openSilero, SileroStream } from '../../actors/transcriber/voice/selection.ts';
import { createLog } from '../../runtime/log.ts';
import { readWav } from '../actors/transcriber/voice/speech-media.ts';
import { sharedPath, skipWithout } from '../shared.ts';

const log = createLog('test', () => {});
const open = (source: string | Uint8Array) => openSession(source, { device: 'cpu', threads: 1, log });
const weights = 'weights/silero_vad.onnx';
const reading = 'media/speech/two_cities_16k.wav';
const [sileroPath, wav] = [sharedPath(weights), sharedPath(reading)];
const skip = skipWithout(weights);
const skipSpeech = skipWithout(weights, reading);

let session: ModelSession;
let silero: VoiceDetectors;
before(async () => {
  if (skip) return;
  session = await open(sileroPath);
  silero = await openSilero('silero-vad', sileroPath, open);
});
after(async () => {
  await session?.release();
  await silero?.close();
});

async function detectAll(samples: Float32Array, block: number, first = 0) {
  const detector = silero.open();
  let detected = { speech: [] as [number, number][], settled: first };
  for (let at = 0; at < samples.length; at += block) {
    const part = samples.subarray(at, at + block);
    const next = await detector.push(part, first + at);
    const lag = first + at + part.length - next.settled;
    assert.ok(lag >= 0 && lag <= 8000, `${lag} samples behind`);
    detected = joinDetected(detected, next);
  }
  return joinDetected(detected, await detector.end());
}

async function probabilities(samples: Float32Array): Promise<number[]> {
  const stream = new SileroStream(session, sileroPath);
  const found: number[] = [];
  for (let at = 0; at + 512 <= samples.length; at += 512) {
    found.push(await stream.probability(samples.subarray(at, at + 512)));
  }
  return found;
}

test('probabilities are the golden ones', { skip }, async () => {
  const golden = [
    { name: 'silence', sound: () => 0, values: [0.0016698, 0.0068839, 0.0089107] },
    {
      name: 'a tone of 440 Hz',
      sound: (i: number) => 0.5 * Math.sin((2 * Math.PI * 440 * i) / 16_000),
      values: [0.002363, 0.00047705, 0.0001927, 0.00012296, 0.000155],
    },
  ];
  for (const { name, sound, values } of golden) {
    const found = await probabilities(Float32Array.from({ length: 512 * values.length }, (_, i) => sound(i)));
    for (const [at, value] of values.entries()) {
      assert.ok(Math.abs(found[at]! - value) < 2e-7 + 1e-3 * value, `${name}: ${found[at]}, not ${value}`);
    }
  }
});

test('two cities: regions are the same for blocks of any size and every place of the file', {
  skip: skipSpeech,
}, async () => {
  const samples = readWav(wav).subarray(0, 20 * 16_000);
  const { speech, settled } = await detectAll(samples, samples.length);
  assert.equal(settled, samples.length);
  assert.ok(speech.length >= 5, `${speech.length} regions`);
  for (const block of [700, 4096, 100_000]) {
    assert.deepEqual((await detectAll(samples, block)).speech, speech);
  }
  const shifted = speech.map(([start, end]) => [start + 12_345, end + 12_345]);
  assert.deepEqual((await detectAll(samples, 16_000, 12_345)).speech, shifted);
});

interface Wrong {
  readonly context: boolean;
  readonly state: boolean;
  readonly scale: number;
}

/** Share of windows with speech when the graph is fed in a wrong way. */
async function wrongly(samples: Float32Array, { context, state, scale }: Wrong): Promise<number> {
  const input = new Float32Array(576);
  let carried = new Float32Array(256);
  let speech = 0;
  let windows = 0;
  for (let at = 0; at + 512 <= samples.length; at += 512) {
    input.copyWithin(0, 512);
    input.set(
      samples.subarray(at, at + 512).map((value) => value * scale),
      64,
    );
    const data = context ? input : input.slice(64);
    const { output, stateN } = await session.run({
      input: { data, dims: [1, data.length] },
      state: { data: carried, dims: [2, 1, 128] },
      sr: { data: BigInt64Array.of(16_000n), dims: [] },
    });
    if (state) carried = new Float32Array(stateN!.data as Float32Array);
    if (Number(output!.data[0]) >= 0.5) speech++;
    windows++;
  }
  return speech / windows;
}

test('what fails without an error shows: no context, a state begun anew, samples of 16 bits', {
  skip: skipSpeech,
}, async () => {
  const samples = readWav(wav);
  const right = await probabilities(samples);
  const share = right.filter((value) => value >= 0.5).length / right.length;
  assert.ok(share > 0.7 && share < 0.8, `${share} of the windows are speech`);
  const feed: Wrong = { context: true, state: true, scale: 1 };
  assert.equal(await wrongly(samples, feed), share);
  assert.equal(await wrongly(samples, { ...feed, context: false }), 0);
  assert.ok((await wrongly(samples, { ...feed, state: false })) < 0.4);
  assert.ok((await wrongly(samples, { ...feed, scale: 32_768 })) < 0.6);
});

test('a sample that is no number does not spoil what follows', { skip: skipSpeech }, async () => {
  const samples = readWav(wav).slice(0, 10 * 16_000);
  const before = (await detectAll(samples, 16_000)).speech;
  samples[100] = Number.NaN;
  samples[200] = Infinity;
  assert.deepEqual((await detectAll(samples, 16_000)).speech, before);
});

/** A session that notes what it is fed. */
function noting(fed: Record<string, TensorIn>[], stateLength = 256): ModelSession {
  const port = (name: string) => ({ name, type: 'float32', shape: [] });
  return {
    inputs: ['input', 'state', 'sr'].map(port),
    outputs: ['output', 'stateN'].map(port),
    device: 'cpu',
    refused: [],
    run: async (feeds) => {
      fed.push(structuredClone(feeds) as Record<string, TensorIn>);
      const state = new Float32Array(stateLength).fill(fed.length);
      return {
        output: { data: Float32Array.of(0), dims: [1, 1] },
        stateN: { data: state, dims: [2, 1, stateLength / 2] },
      };
    },
    release: async () => {},
  };
}

test('every window comes with the 64 samples and the state before it, over the borders of blocks', async () => {
  const fed: Record<string, TensorIn>[] = [];
  const detectors = await openSilero('silero-vad', 'voice.onnx', async () => noting(fed));
  fed.length = 0;
  const sound = Float32Array.from({ length: 1300 }, (_, i) => (i + 1) / 2000);
  const detector = detectors.open();
  await detector.push(sound.subarray(0, 300), 0);
  await detector.push(sound.subarray(300), 300);
  await detector.end();
  const padded = new Float32Array(64 + 3 * 512);
  padded.set(sound, 64);
  assert.equal(fed.length, 3);
  for (const [index, { input, state, sr }] of fed.entries()) {
    assert.deepEqual(input, { data: padded.slice(index * 512, index * 512 + 576), dims: [1, 576] });
    assert.deepEqual(state, { data: new Float32Array(256).fill(index), dims: [2, 1, 128] });
    assert.deepEqual(sr, { data: BigInt64Array.of(16_000n), dims: [] });
  }
});

test('another graph is refused when it is opened, and freed', async () => {
  let freed = 0;
  const release = async () => {
    freed += 1;
  };
  const inputless = { ...noting([]), inputs: [], release };
  await assert.rejects(
    openSilero('mine', 'x.onnx', async () => inputless),
    { code: 'MODEL_LOAD_FAILED' },
  );
  const small = { ...noting([], 128), release };
  await assert.rejects(
    openSilero('mine', 'x.onnx', async () => small),
    { code: 'MODEL_RUN_FAILED' },
  );
  assert.equal(freed, 2);
});

test('a gap is refused, and a channel without a block has no speech', async () => {
  const detectors = await openSilero('silero-vad', 'voice.onnx', async () => noting([]));
  const detector = detectors.open();
  await detector.push(new Float32Array(100), 0);
  await assert.rejects(detector.push(new Float32Array(100), 99), RangeError);
  assert.deepEqual(await detectors.open().end(), { speech: [], settled: 0 });
});
