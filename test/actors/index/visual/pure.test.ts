import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  joinRanges,
  lowerBound,
  packFrames,
  positionOf,
  unpackFrames,
} from '../../../../actors/index/visual/frames.ts';
import {
  readRow16,
  stride8,
  stride16,
  writeRow8,
  writeRow16,
} from '../../../../actors/index/visual/quantize.ts';
import {
  highest,
  lags,
  lowest,
  sceneStarts,
  sceneThreshold,
} from '../../../../actors/index/visual/scenes.ts';
import { Top } from '../../../../actors/index/visual/topk.ts';
import { footage, near, randomVector, seeded } from '../footage.ts';

test('the best k of any scores are those a sort gives, equal scores by lower item', () => {
  const scores = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 60 });
  fc.assert(
    fc.property(scores, fc.integer({ min: 0, max: 20 }), (values, k) => {
      const top = new Top(k);
      for (const [item, score] of values.entries()) top.offer(score, item);
      const sorted = values
        .map((score, item) => ({ score, item }))
        .sort((a, b) => b.score - a.score || a.item - b.item)
        .slice(0, k);
      assert.deepEqual(top.sorted(), sorted);
      assert.equal(top.threshold, k === 0 ? Infinity : sorted.length < k ? -Infinity : sorted.at(-1)!.score);
    }),
  );
});

const ascending = fc
  .uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 80 })
  .map((list) => list.sort((a, b) => a - b));

test('frames packed as runs are the same frames again', () => {
  fc.assert(
    fc.property(ascending, (frames) => {
      assert.deepEqual([...unpackFrames(packFrames(frames))], frames);
    }),
  );
  assert.deepEqual(packFrames([0, 1, 2, 7, 9, 10]), [0, 3, 7, 1, 9, 2]);
});

test('a position is found in a sorted list, or said not to be there', () => {
  fc.assert(
    fc.property(ascending, fc.integer({ min: -1, max: 301 }), (frames, value) => {
      assert.equal(positionOf(frames, value), frames.indexOf(value));
      assert.equal(lowerBound(frames, value), frames.filter((frame) => frame < value).length);
    }),
  );
});

test('joined ranges hold the same frames, ascend and do not touch', () => {
  const range = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }));
  fc.assert(
    fc.property(fc.array(range), (ranges) => {
      const joined = joinRanges(ranges);
      const holds = (list: readonly (readonly [number, number])[], frame: number) =>
        list.some(([start, end]) => frame >= start && frame < end);
      for (let frame = 0; frame < 42; frame++) assert.equal(holds(joined, frame), holds(ranges, frame));
      for (let i = 1; i < joined.length; i++) assert.ok(joined[i]![0] > joined[i - 1]![1]);
    }),
  );
});

test('a 16-bit row gives its vector back to one part in 20,000, and nothing when a bit is flipped', () => {
  const random = seeded(1);
  for (const dimensions of [1, 7, 64, 512]) {
    const vector = randomVector(dimensions, random);
    const bytes = new Uint8Array(stride16(dimensions));
    writeRow16(vector, 77, bytes, 0);
    const back = readRow16(bytes, dimensions, 77)!;
    const largest = Math.max(...vector.map(Math.abs));
    assert.ok(vector.every((value, i) => Math.abs(value - back[i]!) <= largest / 20000));
    assert.equal(readRow16(bytes, dimensions, 78), null);
    for (const at of [0, bytes.length - 16, bytes.length - 9]) {
      const flipped = Uint8Array.from(bytes);
      flipped[at]! ^= 1;
      assert.equal(readRow16(flipped, dimensions, 77), null, `byte ${at}`);
    }
  }
});

test('an 8-bit row is as long as its stride, a multiple of 16, and a zero vector has scale zero', () => {
  for (const dimensions of [1, 32, 33, 512]) {
    assert.equal(stride8(dimensions) % 16, 0);
    const bytes = new Uint8Array(stride8(dimensions) + 16).fill(9);
    writeRow8(new Float32Array(dimensions), bytes, 0);
    assert.ok(bytes.subarray(0, stride8(dimensions)).every((byte) => byte === 0));
    assert.ok(bytes.subarray(stride8(dimensions)).every((byte) => byte === 9));
  }
});

const distancesOf = (vectors: Float32Array, d: number, lag = 1) =>
  Float32Array.from({ length: Math.max(0, vectors.length / d - lag) }, (_, i) => {
    let dot = 0;
    for (let k = 0; k < d; k++) dot += vectors[i * d + k]! * vectors[(i + lag) * d + k]!;
    return 1 - dot;
  });
const startsOf = (vectors: Float32Array, d: number) =>
  sceneStarts(
    Array.from({ length: lags }, (_, i) => distancesOf(vectors, d, i + 1)),
    vectors.length / d,
  );

/** Frames made of named pictures: 'AABBA'. */
function film(shots: string, d: number, jitter: number): Float32Array {
  const random = seeded(8);
  const pictures = new Map([...new Set(shots)].map((name) => [name, randomVector(d, random)]));
  const vectors = new Float32Array(shots.length * d);
  [...shots].forEach((name, i) => {
    vectors.set(near(pictures.get(name)!, jitter, random), i * d);
  });
  return vectors;
}

test('cuts between calm or restless shots begin scenes, and nothing else does', () => {
  for (const jitter of [0.01, 0.1, 0.3]) {
    for (const shot of [5, 8, 40]) {
      const starts = startsOf(footage(200, 64, shot, jitter, 3), 64);
      const cuts = Array.from({ length: Math.ceil(200 / shot) }, (_, i) => i * shot);
      assert.deepEqual(starts, cuts, `jitter ${jitter}, shots of ${shot}`);
    }
  }
});

test('a still picture is one scene and a montage of one-second shots is all scenes', () => {
  assert.deepEqual(sceneStarts([new Float32Array(99).fill(0.001)], 100), [0]);
  assert.equal(startsOf(footage(50, 64, 1, 0, 4), 64).length, 50);
  assert.deepEqual(sceneStarts([], 0), []);
  assert.deepEqual(sceneStarts([], 1), [0]);
});

test('what interrupts a scene for at most four seconds belongs to it, and what stays longer is a scene', () => {
  for (const [shots, starts] of [
    ['AAAAAAxAAAAAABBBBBBB', [0, 13]],
    ['AAAAAAuvwxAAAAABBBBB', [0, 15]],
    ['AAAAAABBBBAAAABBBBAA', [0]],
    ['AAAAAABBBBBAAAAAAAAA', [0, 6, 11]],
    ['AAAAAABBBBBBCCCCCCxC', [0, 6, 12]],
  ] as const) {
    assert.deepEqual(startsOf(film(shots, 64, 0.05), 64), starts, shots);
  }
});

test('the threshold stays between its bounds whatever the film', () => {
  fc.assert(
    fc.property(fc.array(fc.float({ min: 0, max: 2, noNaN: true })), (distances) => {
      const threshold = sceneThreshold(Float32Array.from(distances));
      assert.ok(threshold >= lowest && threshold <= highest, `${threshold}`);
    }),
  );
});
