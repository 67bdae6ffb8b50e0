import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  Catalog,
  type FrameScope,
  type LoadedMedia,
  type Run,
} from '../../../../actors/index/visual/catalog.ts';
import { readRow16, stride16, writeRow8, writeRow16 } from '../../../../actors/index/visual/quantize.ts';
import { grouped, onePerScene, type Scored } from '../../../../actors/index/visual/rank.ts';
import { nearest, type Searched, search } from '../../../../actors/index/visual/search.ts';
import { RowBank } from '../../../../actors/index/visual/segment.ts';
import { footage, near, randomVector, seeded } from '../footage.ts';

interface Library extends Searched {
  /** The exact vector of a row. */
  exact(row: number): Float32Array;
}

/** Media in memory, in runs of `run` rows that take turns as files analysed side by side do. */
function library(media: readonly { vectors: Float32Array; scene: number }[], d: number, run = 1e9): Library {
  const bank = new RowBank(d, 1 << 20);
  const catalog = new Catalog();
  const runs = media.map((): Run[] => []);
  const exact: Float32Array[] = [];
  const loaded = media.map(({ vectors, scene }, m): LoadedMedia => {
    const count = vectors.length / d;
    const scenes = Int32Array.from({ length: Math.ceil(count / scene) }, (_, i) => i * scene);
    const frames = Int32Array.from({ length: count }, (_, i) => i * 2);
    return { hash: `a${m}`, path: `/${m}`, revision: 1, frames, scenes };
  });
  const done = media.map(() => 0);
  for (let left = true; left; ) {
    left = false;
    for (const [m, { vectors }] of media.entries()) {
      const position = done[m]!;
      const wanted = Math.min(run, vectors.length / d - position);
      if (wanted === 0) continue;
      const { row, count } = bank.allocate(wanted);
      const bytes = bank.bytes(row, count);
      for (let i = 0; i < count; i++) {
        exact[row + i] = vectors.slice((position + i) * d, (position + i + 1) * d);
        writeRow8(exact[row + i]!, bytes, i * bank.stride);
      }
      runs[m]!.push({ media: loaded[m]!, row, count, position, stored: 0, packs: 0 });
      done[m] = position + count;
      left = true;
    }
  }
  for (const [m, one] of loaded.entries()) catalog.add(one, runs[m]!);
  const fine = (_run: Run, row: number) => {
    const bytes = new Uint8Array(stride16(d));
    writeRow16(exact[row]!, 0, bytes, 0);
    return readRow16(bytes, d, 0);
  };
  return { bank, catalog, fine, pause: () => {}, exact: (row) => exact[row]! };
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

const all: FrameScope = { hashes: null, ranges: {} };
const only = (text: Float32Array) => ({ text, pictures: [], textWeight: 1, exclude: [] });

/** Share of the exact best 50 that is found. Frames within `tie` of the fiftieth score are the same frame to anybody. */
function recall(shot: number, jitter: number, tie: number): number {
  const d = 64;
  const media = [1, 2, 3].map((seed) => ({ vectors: footage(2000, d, shot, jitter, seed), scene: shot }));
  const at = library(media, d, 512);
  const random = seeded(shot);
  let hits = 0;
  for (let i = 0; i < 8; i++) {
    // Half of the queries are close to a shot, so that a whole shot of near duplicates stands at the border.
    const query = i % 2 === 0 ? randomVector(d, random) : near(at.exact(i * 700), 0.8, random);
    const scores = Array.from({ length: 6000 }, (_, row) => dot(at.exact(row), query));
    const least = scores.toSorted((a, b) => b - a)[49]!;
    const found = nearest(at, query, all, 50);
    assert.equal(found.length, 50);
    hits += found.filter(({ row }) => scores[row]! >= least - tie).length;
  }
  return hits / 400;
}

test('the best 50 of near-duplicate footage are those of exact floats: recall at least 0.999', () => {
  const cases = [
    [8, 0.2],
    [60, 0.05],
    [1, 1],
  ] as const;
  const mean = cases.reduce((sum, [shot, jitter]) => sum + recall(shot, jitter, 1e-8), 0) / cases.length;
  assert.ok(mean >= 0.999, `recall ${mean}`);
});

test('in minutes of a picture that hardly moves, only frames closer than 16 bits can tell are mixed up', () => {
  assert.equal(recall(300, 0.01, 1e-5), 1);
});

test('under any scope a search finds the best frame of every scene that is left, and looks at no other row', () => {
  const d = 32;
  const at = library(
    [1, 2, 3].map((seed) => ({ vectors: footage(90, d, 6, 0.3, seed), scene: 6 })),
    d,
    25,
  );
  const hash = fc.constantFrom<string>('a0', 'a1', 'a2', 'ff');
  const ranges = fc.array(fc.tuple(fc.nat(200), fc.nat(60)), { minLength: 1, maxLength: 3 });
  const scope = fc.record({
    hashes: fc.option(fc.array(hash)),
    ranges: fc.dictionary(
      hash,
      ranges.map((list) => list.map(([from, more]): [number, number] => [from, from + more + 1])),
    ),
  });
  const query = randomVector(d, seeded(9));
  fc.assert(
    fc.property(scope, ({ hashes, ranges: limits }) => {
      const best = new Map<string, number>();
      let rows = 0;
      for (const name of ['a0', 'a1', 'a2']) {
        if (hashes !== null && !hashes.includes(name)) continue;
        const media = at.catalog.get(name)!;
        for (const [position, frame] of media.frames.entries()) {
          const limit = limits[name];
          if (limit !== undefined && !limit.some(([start, end]) => frame >= start && frame < end)) continue;
          rows++;
          const scene = `${name}/${Math.floor(position / 6)}`;
          const score = dot(at.exact(at.catalog.rowOf(media, position).row), query);
          best.set(scene, Math.max(best.get(scene) ?? -2, score));
        }
      }
      const { matches, searched } = search(at, only(query), { hashes, ranges: limits }, 100);
      assert.equal(searched, rows);
      const ranking = matches.toSorted((a, b) => a.original_index - b.original_index);
      const expected = [...best.values()].sort((a, b) => b - a);
      assert.equal(ranking.length, expected.length);
      ranking.forEach(({ score }, i) => {
        assert.ok(Math.abs(score - expected[i]!) < 1e-4);
      });
    }),
    { numRuns: 60 },
  );
});

test('one long shot takes one place of the answer, and the others go to other scenes', () => {
  const d = 64;
  const at = library([{ vectors: footage(600, d, 100, 0.05, 2), scene: 100 }], d);
  const { matches } = search(at, only(at.exact(250)), all, 50);
  assert.equal(matches.length, 6);
  assert.equal(new Set(matches.map((match) => match.scene_start)).size, 6);
  assert.deepEqual([matches[0]!.scene_start, matches[0]!.scene_end], [400, 599]);
});

test('matches are grouped by video, best video first, and keep their place in the plain ranking', () => {
  const scored = (hash: string, frame: number, score: number): Scored => ({
    hash,
    path: `/${hash}`,
    frame,
    scene: [frame - (frame % 10), frame + 10],
    score,
  });
  const ranking = onePerScene([
    scored('a', 12, 0.5),
    scored('b', 3, 0.9),
    scored('a', 15, 0.8),
    scored('b', 40, 0.3),
    scored('a', 31, 0.6),
  ]);
  const seen = grouped(ranking, 3).map((match) => [match.hash_str, match.frame_index, match.original_index]);
  assert.deepEqual(seen, [
    ['b', 3, 0],
    ['a', 15, 1],
    ['a', 31, 2],
  ]);
  const more = grouped(ranking, 10).map((match) => [match.hash_str, match.original_index]);
  assert.deepEqual(more, [
    ['b', 0],
    ['b', 3],
    ['a', 1],
    ['a', 2],
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
    search(at, { ...only(first), exclude }, all, 100)
      .matches.toSorted((a, b) => a.original_index - b.original_index)
      .map((match) => match.frame_index / 2);
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
    search(at, { text: first, pictures: [second], textWeight, exclude: [] }, all, 5).matches[0]!.frame_index /
    2;
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
  const vectors = footage(5000, d, 1, 1, 9);
  vectors.set(near(picture, 0.2, random), 40 * d);
  vectors.set(near(mirrored, 0.1, random), 4711 * d);
  const at = library([{ vectors, scene: 1 }], d);
  const asked = { text: null, pictures: [picture, mirrored], textWeight: 1, exclude: [] };
  const first = (query: Parameters<typeof search>[1]) =>
    search(at, query, all, 2)
      .matches.toSorted((a, b) => a.original_index - b.original_index)
      .map((match) => match.frame_index / 2);
  assert.deepEqual(first(asked), [4711, 40]);
  assert.deepEqual(first({ ...asked, exclude: [apart] }), [4711, 40]);
  assert.equal(first({ ...asked, exclude: [mirrored] })[0], 40);
  assert.deepEqual(first({ ...asked, text, textWeight: 0.1 }), [4711, 40]);
  const scores = search(at, asked, all, 3).matches.map(({ score }) => score);
  const single = search(at, { ...asked, pictures: [mirrored] }, all, 1).matches[0]!.score;
  assert.ok(Math.abs(Math.max(...scores) - single) < 1e-4, 'a reading scores as it does alone');
});

test('with only a text the weight changes nothing', () => {
  const d = 64;
  const at = library([{ vectors: footage(60, d, 6, 0.3, 1), scene: 6 }], d);
  const text = randomVector(d, seeded(4));
  const answers = [0, 0.5, 1, 7].map((textWeight) => search(at, { ...only(text), textWeight }, all, 10));
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
    search(at, only(query), all, 4, perVideo).matches.map(({ hash_str }) => hash_str);
  assert.deepEqual(hashes(), ['a0', 'a0', 'a0', 'a0']);
  assert.deepEqual(hashes(2), ['a0', 'a0', 'a1', 'a1']);
  assert.deepEqual(hashes(1), ['a0', 'a1', 'a2']);
});

test('no more is looked at than it takes to find so many matches of every video', () => {
  const d = 32;
  const videos = [1, 2].map((seed) => ({ vectors: footage(4000, d, 1, 0, seed), scene: 1 }));
  const at = library(videos, d);
  let reads = 0;
  const counting: Searched = {
    ...at,
    fine: (run, row) => {
      reads++;
      return at.fine(run, row);
    },
  };
  const { matches } = search(counting, only(randomVector(d, seeded(9))), all, 20, 3);
  assert.deepEqual(
    ['a0', 'a1'].map((video) => matches.filter(({ hash_str }) => hash_str === video).length),
    [3, 3],
  );
  assert.ok(reads < 1000, `${reads} vectors are read for 6 matches`);
});
