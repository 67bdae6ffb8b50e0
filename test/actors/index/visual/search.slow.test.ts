import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { everything } from '../../../../actors/index/visual/catalog.ts';
import { lowerBound, packFrames, positionOf, unpackFrames } from '../../../../actors/index/visual/frames.ts';
import {
  readRow16,
  stride8,
  stride16,
  writeRow8,
  writeRow16,
} from '../../../../actors/index/visual/quantize.ts';
import { grouped, ranking } from '../../../../actors/index/visual/rank.ts';
import { search } from '../../../../actors/index/visual/search.ts';
import { joinRanges } from '../../../../runtime/ranges.ts';
import { draws } from '../../../shared.ts';
import { footage, near, randomVector, seeded } from '../footage.ts';
import { checkDrawn, checkTogether } from './drawn-search.ts';
import { Library, rowsOf, scenesEvery } from './library.ts';

const only = (text: Float32Array) => ({ text, pictures: [], textWeight: 1, exclude: [] });

/** Films a0, a1 … with scenes of `scene` frames. */
function library(films: readonly { vectors: Float32Array; scene: number }[], d: number): Library {
  const at = new Library(d);
  at.add(
    films.map(({ vectors, scene }, i) => {
      return { hash: `a${i}`, vectors: rowsOf(vectors, d), scenes: scenesEvery(scene, vectors.length / d) };
    }),
  );
  return at;
}

/** The matches in the order of the plain ranking. */
function rankedBy(...request: Parameters<typeof search>) {
  return search(...request).matches.toSorted((a, b) => a.original_index - b.original_index);
}

test('property: however rows lie in memory, a search answers what looking at every frame at 16 bits answers', () => {
  for (let seed = 0; seed < draws(500); seed++) checkDrawn(seed);
});

test('property: searches that are scanned together answer what each of them answers by itself', () => {
  for (let seed = 0; seed < draws(300); seed++) checkTogether(seed);
});

test('one long shot takes one place of the answer, and the others go to other scenes', () => {
  const d = 64;
  const vectors = footage(600, d, 100, 0.05, 2);
  const at = library([{ vectors, scene: 100 }], d);
  const { matches } = search(at, only(vectors.slice(250 * d, 251 * d)), everything, 50);
  assert.equal(matches.length, 6);
  assert.equal(new Set(matches.map((match) => match.scene_start)).size, 6);
  assert.deepEqual([matches[0]!.scene_start, matches[0]!.scene_end], [200, 300]);
});

test('matches are grouped by video, best video first, and keep their place in the plain ranking', () => {
  const media = (hash: string) => ({
    ...{ hash, path: `/${hash}`, revision: 1, file: '', start: 0 },
    frames: Int32Array.from({ length: 50 }, (_, i) => i),
    scenes: Int32Array.from(scenesEvery(10, 50)),
    shots: null,
  });
  const [a, b] = [media('a'), media('b')];
  const scored = (of: typeof a, position: number, score: number) => {
    return { media: of, position, scene: Math.floor(position / 10), score };
  };
  const all = [
    scored(a, 12, 0.5),
    scored(b, 3, 0.9),
    scored(a, 15, 0.8),
    scored(b, 40, 0.3),
    scored(a, 31, 0.6),
  ];
  const seen = (matches: number, perVideo: number) =>
    grouped(ranking(all, { matches, perVideo })).map((match) => {
      return [match.hash_str, match.frame_index, match.scene_end, match.original_index];
    });
  assert.deepEqual(seen(3, 3), [
    ['b', 3, 10, 0],
    ['a', 15, 20, 1],
    ['a', 31, 40, 2],
  ]);
  assert.deepEqual(seen(10, 10), [
    ['b', 3, 10, 0],
    ['b', 40, 50, 3],
    ['a', 15, 20, 1],
    ['a', 31, 40, 2],
  ]);
  assert.deepEqual(seen(3, 1), [
    ['b', 3, 10, 0],
    ['a', 15, 20, 1],
  ]);
});

/** Frames that hold two things in known amounts: the angle to `first` and `second`. */
function mixtures(d: number, amounts: readonly (readonly [number, number])[]) {
  const random = seeded(11);
  const [first, second] = [randomVector(d, random), randomVector(d, random)];
  const vectors = new Float32Array(amounts.length * d);
  for (const [i, [a, b]] of amounts.entries()) {
    const mixed = randomVector(d, random).map((value, k) => value + a * first[k]! + b * second[k]!);
    const length = Math.hypot(...mixed);
    vectors.set(
      mixed.map((value) => value / length),
      i * d,
    );
  }
  return { first, second, vectors };
}

test('exclude sinks what resembles it, keeps the order of the rest, and removes nothing', () => {
  const d = 256;
  const amounts = [
    [3, 0],
    [3, 2],
    [1, 0],
    [0.8, 0],
  ] as [number, number][];
  for (let i = 0; i < 60; i++) amounts.push([0, 0]);
  const { first, second, vectors } = mixtures(d, amounts);
  const at = library([{ vectors, scene: 1 }], d);
  const order = (exclude: Float32Array[]) =>
    rankedBy(at, { ...only(first), exclude }, everything, 100).map((match) => match.frame_index);
  assert.deepEqual(order([]).slice(0, 4), [0, 1, 2, 3]);
  const without = order([second]);
  assert.deepEqual(without.slice(0, 3), [0, 2, 3]);
  assert.equal(without.length, amounts.length);
});

test('text and picture together prefer what fits both, and the weight moves between them', () => {
  const d = 256;
  const amounts = [[3, 0], [0, 3], [2, 2], ...Array.from({ length: 60 }, () => [0, 0])] as [number, number][];
  const { first, second, vectors } = mixtures(d, amounts);
  const at = library([{ vectors, scene: 1 }], d);
  const best = (textWeight: number) =>
    search(at, { text: first, pictures: [second], textWeight, exclude: [] }, everything, 5).matches[0]!
      .frame_index;
  assert.deepEqual([best(0), best(1), best(50)], [1, 2, 0]);
});

test('of several readings of a picture the nearest counts, with a text and with exclusions as by itself', () => {
  const d = 256;
  const random = seeded(3);
  const [picture, mirrored, text, apart] = [1, 2, 3, 4].map(() => randomVector(d, random)) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const vectors = footage(2000, d, 1, 1, 9);
  vectors.set(near(picture, 0.2, random), 40 * d);
  vectors.set(near(mirrored, 0.1, random), 1711 * d);
  const at = library([{ vectors, scene: 1 }], d);
  const request = { text: null, pictures: [picture, mirrored], textWeight: 1, exclude: [] };
  const first = (query: Parameters<typeof search>[1]) =>
    rankedBy(at, query, everything, 2).map((match) => match.frame_index);
  assert.deepEqual(first(request), [1711, 40]);
  assert.deepEqual(first({ ...request, exclude: [apart] }), [1711, 40]);
  assert.equal(first({ ...request, exclude: [mirrored] })[0], 40);
  assert.deepEqual(first({ ...request, text, textWeight: 0.1 }), [1711, 40]);
  const scores = search(at, request, everything, 3).matches.map(({ score }) => score);
  const single = search(at, { ...request, pictures: [mirrored] }, everything, 1).matches[0]!.score;
  assert.ok(Math.abs(Math.max(...scores) - single) < 1e-4, 'a reading scores as it does alone');
});

test('with only a text the weight changes nothing', () => {
  const d = 64;
  const at = library([{ vectors: footage(60, d, 6, 0.3, 1), scene: 6 }], d);
  const text = randomVector(d, seeded(4));
  const answers = [0, 0.5, 1, 7].map((textWeight) =>
    search(at, { ...only(text), textWeight }, everything, 10),
  );
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
});

test('a video that fills the front of the ranking leaves room for others when so many of one are wanted', () => {
  const d = 64;
  const random = seeded(5);
  const query = randomVector(d, random);
  const rows = (count: number, noise: number) => {
    const all = new Float32Array(count * d);
    for (let i = 0; i < count; i++) all.set(near(query, noise, random), i * d);
    return all;
  };
  // 900 scenes of one frame each: more than are kept of a scan for three matches.
  const at = library(
    [
      { vectors: rows(900, 0.05), scene: 1 },
      { vectors: rows(5, 0.6), scene: 1 },
      { vectors: rows(5, 0.9), scene: 1 },
    ],
    d,
  );
  const hashes = (perVideo?: number) =>
    search(at, only(query), everything, 4, perVideo).matches.map(({ hash_str }) => hash_str);
  assert.deepEqual(hashes(), ['a0', 'a0', 'a0', 'a0']);
  assert.deepEqual(hashes(2), ['a0', 'a0', 'a1', 'a1']);
  assert.deepEqual(hashes(1), ['a0', 'a1', 'a2']);
});

test('no more is read than it takes to find so many matches of every video', () => {
  const d = 32;
  const videos = [1, 2].map((seed) => ({ vectors: footage(4000, d, 1, 0, seed), scene: 1 }));
  const at = library(videos, d);
  const { matches } = search(at, only(randomVector(d, seeded(9))), everything, 20, 3);
  assert.deepEqual(
    ['a0', 'a1'].map((video) => matches.filter(({ hash_str }) => hash_str === video).length),
    [3, 3],
  );
  assert.ok(at.reads < 100, `${at.reads} vectors are read for 6 matches`);
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
