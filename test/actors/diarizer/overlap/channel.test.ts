import assert from 'node:assert/strict';
import test from 'node:test';
import { fbankBands } from '../../../../actors/acoustics/fbank.ts';
import {
  type DetectOverlap,
  OverlapChannel,
  overlapContext,
} from '../../../../actors/diarizer/overlap/channel.ts';

const hop = 160;

/**
 * Features of `count` frames: the first band tells a frame from its neighbours, the second which frame it is.
 */
function features(count: number): Float32Array {
  const all = new Float32Array(count * fbankBands);
  for (let at = 0; at < count; at++) {
    all[at * fbankBands] = ((at * 7919) % 101) / 101;
    all[at * fbankBands + 1] = at;
  }
  return all;
}

/**
 * Answers, for every second frame, the mean of the first band as far as the context reaches; notes what it
 * was given.
 */
function meanDetector() {
  const seen: { first: number; frames: number }[] = [];
  const detect: DetectOverlap = async (given) => {
    const frames = given.length / fbankBands;
    seen.push({ first: given[1]!, frames });
    return Float32Array.from({ length: Math.ceil(frames / 2) }, (_, at) => {
      let sum = 0;
      let count = 0;
      for (let frame = 2 * at - overlapContext; frame <= 2 * at + overlapContext; frame++) {
        if (frame < 0 || frame >= frames) continue;
        sum += given[frame * fbankBands]!;
        count++;
      }
      return sum / count;
    });
  };
  return { detect, seen };
}

/** Pushes all frames in blocks of these sizes, settled a little late. */
async function heard(all: Float32Array, blocks: (at: number) => number, detect: DetectOverlap, start = 0) {
  const channel = new OverlapChannel();
  const count = all.length / fbankBands;
  const end = start + count * hop;
  let told = start;
  for (let at = 0, block = 0; at < count; block++) {
    const next = Math.min(count, at + blocks(block));
    const settled = Math.max(told, start + (next - 40) * hop);
    const speech: [number, number][] = settled > told ? [[told, settled]] : [];
    channel.push(start, all.subarray(at * fbankBands, next * fbankBands), speech, settled);
    await channel.detect(detect);
    told = settled;
    at = next;
  }
  channel.end([[told, end]]);
  await channel.detect(detect);
  return channel;
}

test('probabilities do not depend on the blocks in which sound comes, nor on where windows meet', async () => {
  const all = features(2731);
  const once = await heard(all, () => 100_000, meanDetector().detect);
  assert.ok(once.probabilities.length >= 1366);
  for (const blocks of [() => 1, () => 1200, (at: number) => 1 + ((at * 37) % 211)]) {
    const found = await heard(all, blocks, meanDetector().detect);
    assert.deepEqual(found.probabilities.subarray(0, 1366), once.probabilities.subarray(0, 1366));
  }
  const whole = await meanDetector().detect(all);
  assert.deepEqual(
    once.probabilities.subarray(0, 1366),
    Uint8Array.from(whole, (x) => Math.round(255 * x)),
  );
});

test('a channel that begins late and one shorter than a window are heard as well', async () => {
  const { detect, seen } = meanDetector();
  const late = await heard(features(1500), () => 300, detect, 480_000);
  assert.equal(late.start, 480_000);
  assert.deepEqual(seen, [
    { first: 0, frames: 1080 },
    { first: 920, frames: 580 },
  ]);
  const short = meanDetector();
  const few = await heard(features(7), () => 3, short.detect);
  assert.deepEqual(short.seen, [{ first: 0, frames: 7 }]);
  assert.equal(few.probabilities.subarray(0, 4).filter((one) => one > 0).length, 4);
  assert.deepEqual((await heard(features(0), () => 1, short.detect)).probabilities, new Uint8Array(0));
});

test('where nobody speaks the detector does not run', async () => {
  const { detect, seen } = meanDetector();
  const channel = new OverlapChannel();
  const all = features(3500);
  channel.push(0, all, [[1100 * hop, 1200 * hop]], 3500 * hop);
  channel.end([]);
  await channel.detect(detect);
  assert.deepEqual(seen, [{ first: 920, frames: 1160 }]);
  assert.ok(channel.probabilities.subarray(0, 500).every((one) => one === 0));
  assert.ok(channel.probabilities.subarray(500, 1000).every((one) => one > 0));
});

test('nothing is decided before it is settled, and little sound is kept', async () => {
  const { detect, seen } = meanDetector();
  const channel = new OverlapChannel();
  channel.push(0, features(1200), [], 900 * hop);
  await channel.detect(detect);
  assert.deepEqual(seen, []);
  channel.push(0, features(1), [[900 * hop, 1000 * hop]], 1000 * hop);
  await channel.detect(detect);
  assert.deepEqual(seen, [{ first: 0, frames: 1080 }]);
});

test('features that are no numbers do not reach the detector', async () => {
  const all = features(300);
  all.fill(Number.NaN, 40 * fbankBands, 50 * fbankBands);
  all[60 * fbankBands] = Number.POSITIVE_INFINITY;
  const channel = await heard(
    all,
    () => 64,
    async (given) => {
      assert.ok(given.every((value) => Number.isFinite(value)));
      return new Float32Array(given.length / fbankBands / 2).fill(Number.NaN);
    },
  );
  // An answer of a detector that is no number is no overlap.
  assert.ok(channel.probabilities.every((one) => one === 0));
});

test('what the detector throws ends the call, and what was decided before stays', async () => {
  const channel = new OverlapChannel();
  channel.push(0, features(2500), [[0, 2500 * hop]], 2500 * hop);
  let runs = 0;
  const failing: DetectOverlap = async (given) => {
    if (++runs === 2) throw new Error('cancelled');
    return new Float32Array(given.length / fbankBands / 2).fill(1);
  };
  await assert.rejects(channel.detect(failing), /cancelled/);
  assert.ok(channel.probabilities.subarray(0, 500).every((one) => one === 255));
  assert.ok(channel.probabilities.subarray(500).every((one) => one === 0));
});
