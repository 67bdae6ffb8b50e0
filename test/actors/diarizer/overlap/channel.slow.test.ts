import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { campplusFbank, Fbank, wespeakerFbank } from '../../../../actors/acoustics/fbank.ts';
import { OverlapChannel, overlapDetectorOf } from '../../../../actors/diarizer/overlap/channel.ts';
import {
  adjustedProbabilities,
  type OverlapSpan,
  overlapSpans,
} from '../../../../actors/diarizer/overlap/spans.ts';
import { modelErrors } from '../../../../actors/models/contract.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { overlapFile } from '../../../../actors/models/starter/speaker.ts';
import { createLog } from '../../../../runtime/log.ts';
import { sharedPath, skipWithout } from '../../../shared.ts';
import { askSound } from '../../decoder/ask-decoder.ts';
import { voiceGraph } from '../tiny-models.ts';

const rate = 16_000;
const options = { device: 'cpu', threads: 1, log: createLog('test', () => {}) } as const;
const session = await openSession(overlapFile.path, options);
after(() => session.release());
const detect = overlapDetectorOf(session, overlapFile.path);

/**
 * The times in which two speak in a sound that is heard in blocks of so many samples; `border`: where one
 * turn ends.
 */
async function spansIn(
  sound: Float32Array,
  border = sound.length / rate,
  block = 12 * rate,
  kind = wespeakerFbank,
): Promise<OverlapSpan[]> {
  const fbank = new Fbank(kind);
  const channel = new OverlapChannel();
  for (let at = 0; at < sound.length; at += block) {
    const end = Math.min(sound.length, at + block);
    channel.push(0, fbank.push(sound.subarray(at, end)), [[at, end]], end);
    await channel.detect(detect);
  }
  channel.end([]);
  await channel.detect(detect);
  const turns = [
    { start: 0, end: border, label: 0 },
    { start: border, end: sound.length / rate, label: 1 },
  ];
  return overlapSpans(adjustedProbabilities(channel.probabilities, 0, turns), 0);
}

const total = (spans: readonly OverlapSpan[]) => spans.reduce((sum, [start, end]) => sum + end - start, 0);

test('the network is small and answers a probability for every second frame', async () => {
  assert.ok(statSync(overlapFile.path).size < 1_000_000);
  for (const frames of [1, 2, 33, 1160]) {
    const found = await detect(new Float32Array(frames * 80).fill(-3));
    assert.equal(found.length, Math.ceil(frames / 2));
    assert.ok(found.every((one) => one >= 0 && one <= 1));
  }
});

test('a graph with other ports is refused by name', async () => {
  const other = await openSession(voiceGraph({ input: 'x', output: 'embs', of: 'level' }), options);
  try {
    assert.throws(
      () => overlapDetectorOf(other, 'other.onnx'),
      (error) =>
        modelErrors.MODEL_LOAD_FAILED.is(error) &&
        /other\.onnx: has .* x, embs, not feats and overlap/.test(String(error)),
    );
  } finally {
    await other.release();
  }
});

test('an answer of another length is a failed run', async () => {
  const dims = [1, 7];
  const run = async () => ({ overlap: { data: new Float32Array(7), dims } });
  const broken = overlapDetectorOf({ ...session, run }, 'broken.onnx');
  await assert.rejects(broken(new Float32Array(80 * 10)), (error) => modelErrors.MODEL_RUN_FAILED.is(error));
});

test('nothing is found in silence, in noise and in sound that is no number', async () => {
  let state = 1;
  const noise = Float32Array.from({ length: 15 * rate }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 / 5 - 0.1;
  });
  assert.deepEqual(await spansIn(noise), []);
  assert.deepEqual(await spansIn(new Float32Array(15 * rate)), []);
  assert.deepEqual(await spansIn(new Float32Array(3 * rate).fill(Number.NaN)), []);
  assert.deepEqual(await spansIn(new Float32Array(0)), []);
});

const voices = 'media/speech/librispeech/test-other';

/** Speech of the first voices, twelve seconds or more each, at one loudness. */
async function recorded(count: number): Promise<Float32Array[]> {
  const folder = sharedPath(voices);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.flac'))
    .sort();
  const speakers = [...new Set(names.map((name) => name.split('-', 1)[0]!))].slice(0, count);
  const sounds: Float32Array[] = [];
  for (const speaker of speakers) {
    for (const name of names.filter((one) => one.startsWith(`${speaker}-`))) {
      const sound = (await askSound(join(folder, name)))[0]!;
      if (sound.length < 12 * rate) continue;
      const level = Math.sqrt(sound.reduce((sum, x) => sum + x * x, 0) / sound.length);
      sounds.push(sound.map((x) => (0.05 * x) / level));
      break;
    }
  }
  return sounds;
}

/** One voice, and from a second on another. */
function over(first: Float32Array, second: Float32Array, seconds: number): Float32Array {
  const start = Math.round(seconds * rate);
  const mixed = new Float32Array(Math.max(first.length, start + second.length));
  mixed.set(first);
  second.forEach((x, at) => {
    mixed[start + at]! += x;
  });
  return mixed;
}

/** A room whose echoes die within half a second, as loud together as the voice. */
function reverberant(sound: Float32Array): Float32Array {
  const wet = sound.slice();
  let state = 7;
  for (let echo = 0; echo < 60; echo++) {
    state = (state * 48_271) % 2_147_483_647;
    const delay = Math.round((0.004 + (0.5 * echo) / 60) * rate) + (state % 97);
    const gain = (state % 2 ? 0.25 : -0.25) * Math.exp((-6.9 * delay) / (0.5 * rate));
    for (let at = delay; at < sound.length; at++) wet[at]! += gain * sound[at - delay]!;
  }
  return wet;
}

test('two recorded voices at once are found, however the sound is cut and whatever is hidden in its level', {
  skip: skipWithout(voices),
}, async () => {
  const [one, other] = (await recorded(2)) as [Float32Array, Float32Array];
  const both = over(one.subarray(0, 9 * rate), other.subarray(0, 8 * rate), 6);
  const spans = await spansIn(both, 7.5);
  const inside = spans.map(([start, end]): OverlapSpan => [Math.max(6, start), Math.min(9, end)]);
  assert.ok(total(inside) > 1.5, `found ${JSON.stringify(spans)}`);
  assert.ok(total(spans) - total(inside) < 0.3, `found ${JSON.stringify(spans)}`);
  for (const block of [160, 1000, 7 * rate]) assert.deepEqual(await spansIn(both, 7.5, block), spans);
  assert.deepEqual(await spansIn(both, 7.5), spans);
  const near = (found: readonly OverlapSpan[]) => Math.abs(total(found) - total(spans)) < 0.15;
  assert.ok(
    near(
      await spansIn(
        both.map((x) => x / 16),
        7.5,
      ),
    ),
  );
  // The other kind of features differs by its window and by a level, which is removed.
  assert.ok(near(await spansIn(both, 7.5, rate, campplusFbank)));
});

test('one voice is not taken for two, in a room and right after another either', {
  skip: skipWithout(voices),
}, async () => {
  const sounds = await recorded(5);
  assert.equal(sounds.length, 5);
  const spans: OverlapSpan[] = [];
  let heard = 0;
  for (const [at, sound] of sounds.entries()) {
    const next = sounds[(at + 1) % sounds.length]!;
    const quick = over(sound.subarray(0, 5 * rate), next.subarray(0, 5 * rate), 5);
    const found = [await spansIn(sound), await spansIn(reverberant(sound)), await spansIn(quick, 5)];
    spans.push(...found.flat());
    heard += (2 * sound.length + quick.length) / rate;
  }
  assert.ok(total(spans) < 0.02 * heard, `${total(spans)} of ${heard} s`);
});
