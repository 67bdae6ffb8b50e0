// One drawn library, laid out in memory by a drawn history, and one drawn question, answered by a search and
// by looking at every frame at 16 bits.
import assert from 'node:assert/strict';
import { spreadOver } from '../../../../actors/index/visual/background.ts';
import type { FrameScope } from '../../../../actors/index/visual/catalog.ts';
import { scorerOf } from '../../../../actors/index/visual/scan.ts';
import { scoreOf, scoringOf, type VectorQuery } from '../../../../actors/index/visual/scoring.ts';
import { search, searchAll, type VisualSearch } from '../../../../actors/index/visual/search.ts';
import { near, normalise, randomVector, seeded } from '../footage.ts';
import { type Film, Library } from './library.ts';

export interface Draw {
  /** Below `end`. */
  whole(end: number): number;
  chance(share: number): boolean;
  one<T>(list: readonly T[]): T;
  readonly random: () => number;
}

export function drawer(seed: number): Draw {
  const random = seeded(seed);
  const whole = (end: number) => Math.floor(random() * end);
  return { random, whole, chance: (share) => random() < share, one: (list) => list[whole(list.length)]! };
}

/** Now and then one value is most of the vector. */
export function drawnLook(draw: Draw, d: number): Float32Array {
  const look = randomVector(d, draw.random);
  if (draw.chance(0.2)) look[draw.whole(d)] = 4;
  return normalise(look);
}

/** Frames that are often nearly or wholly the same as the one before, or as one of other films. */
export function drawnFilm(draw: Draw, hash: string, looks: readonly Float32Array[]): Film {
  const vectors: Float32Array[] = [];
  const [scenes, frames]: [number[], number[]] = [[], []];
  const [shot, jitter] = [1 + draw.whole(12), draw.one([0, 1e-4, 0.02, 0.2])];
  let middle = draw.one(looks);
  let frame = draw.whole(3);
  for (let i = 0, count = 1 + draw.whole(draw.one([1, 20, 60])); i < count; i++) {
    if (i === 0 || draw.chance(1 / shot)) {
      scenes.push(i);
      middle = draw.one(looks);
      if (draw.chance(0.5)) middle = near(middle, 1, draw.random);
    }
    vectors.push(draw.chance(0.3) ? middle : near(middle, jitter, draw.random));
    frames.push(frame);
    frame += draw.chance(0.1) ? 3 : 1;
  }
  return { hash, vectors, scenes, frames };
}

/**
 * Analysed, forgotten and analysed again, in pieces, so that the rows of a film lie wherever there was room.
 */
function drawnLibrary(draw: Draw, d: number): Library {
  // Now and then of several segments.
  const at = new Library(d, draw.one([1 << 14, 1 << 20]));
  const hashes = Array.from(
    { length: 1 + draw.whole(draw.one([10, 10, 10, 80])) },
    (_, i) => `${draw.whole(1000)}-${i}`,
  );
  const looks = Array.from({ length: 4 }, () => drawnLook(draw, d));
  for (let step = 1 + draw.whole(3); step > 0; step--) {
    const some = hashes.filter(() => draw.chance(0.7)).map((hash) => drawnFilm(draw, hash, looks));
    at.add(some, draw.one([1, 3, 20, 1e9]));
    for (const hash of hashes) if (draw.chance(0.3)) at.forget(hash);
  }
  for (const { row, count } of at.catalog.picks({ hashes: null, ranges: {} }))
    for (let i = 0; i < count; i++) if (draw.chance(0.01)) at.damage(row + i);
  return at;
}

export function drawnQuery(draw: Draw, at: Library): VectorQuery {
  const d = at.bank.dimensions;
  const rows = at.catalog.picks({ hashes: null, ranges: {} }).map(({ row }) => row);
  const vector = () => {
    const known = rows.length > 0 ? at.vector(draw.one(rows)) : null;
    return known !== null && draw.chance(0.7)
      ? near(known, draw.one([0, 0.1, 0.7]), draw.random)
      : randomVector(d, draw.random);
  };
  const some = (most: number) => Array.from({ length: draw.whole(most + 1) }, vector);
  const pictures = draw.chance(0.5) ? some(3) : [];
  const text = pictures.length === 0 || draw.chance(0.5) ? vector() : null;
  return { text, pictures, textWeight: draw.one([0, 0.5, 1, 3]), exclude: draw.chance(0.5) ? some(2) : [] };
}

function drawnRanges(draw: Draw): [number, number][] {
  return Array.from({ length: 1 + draw.whole(3) }, () => {
    const start = draw.whole(40);
    return [start, start + 1 + draw.whole(20)];
  });
}

export function drawnScope(draw: Draw, hashes: readonly string[]): FrameScope {
  const some = () => hashes.filter(() => draw.chance(0.6));
  const apart = () => {
    const flat: number[] = [];
    for (let at = draw.whole(4); at < 60; at += 1 + draw.whole(12)) {
      const end = at + 1 + draw.whole(6);
      flat.push(at, end);
      at = end;
    }
    return Uint32Array.from(flat);
  };
  return {
    hashes: draw.chance(0.3) ? some() : null,
    ranges: Object.fromEntries((draw.chance(0.3) ? some() : []).map((hash) => [hash, drawnRanges(draw)])),
    only: draw.chance(0.3) ? new Map(some().map((hash) => [hash, apart()])) : null,
  };
}

function isWithin({ hashes, ranges, only }: FrameScope, hash: string, frame: number): boolean {
  const holds = (list: readonly (readonly [number, number])[]) =>
    list.some(([start, end]) => frame >= start && frame < end);
  if (hashes !== null && !hashes.includes(hash)) return false;
  if (ranges[hash] !== undefined && !holds(ranges[hash])) return false;
  if (!only) return true;
  const flat = [...(only.get(hash) ?? [])];
  return holds(flat.flatMap((start, i) => (i % 2 === 0 ? [[start, flat[i + 1]!] as const] : [])));
}

/** Every frame is scored at 16 bits and sorted. */
function bruteForce(at: Library, query: VectorQuery, scope: FrameScope, most: number, perVideo: number) {
  const frames = at.catalog.hashes().flatMap((hash) => {
    const media = at.catalog.get(hash)!;
    return [...media.frames].flatMap((frame, position) => {
      const scene = media.scenes.findLastIndex((start) => start <= position);
      return isWithin(scope, hash, frame) ? [{ media, hash, frame, position, scene }] : [];
    });
  });
  const rows = frames.map(({ media, position }) => at.catalog.rowOf(media, position).row);
  const scoring = scoringOf(
    query,
    spreadOver(at.bank, () => Int32Array.from(rows)),
  );
  const scorer = scorerOf(at.bank, scoring);
  const ranked = frames
    .map((frame, i) => {
      const vector = at.vector(rows[i]!);
      return { ...frame, score: vector === null ? scorer.one(rows[i]!, 0) : scoreOf(scoring, vector) };
    })
    .sort((a, b) => b.score - a.score || (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : a.frame - b.frame));
  const seen = new Map<string, Set<number>>();
  const answer = ranked.filter(({ hash, scene }) => {
    const own = seen.get(hash) ?? new Set();
    if (own.has(scene) || own.size === perVideo) return false;
    seen.set(hash, own.add(scene));
    return true;
  });
  return { searched: frames.length, answer: answer.slice(0, most) };
}

export function drawnSearch(draw: Draw, at: Library): VisualSearch & { readonly query: VectorQuery } {
  const query = drawnQuery(draw, at);
  const scope = drawnScope(draw, at.catalog.hashes());
  const matches = draw.one([1, 3, 10, 50]);
  return { query, scope, matches, perVideo: draw.chance(0.4) ? 1 + draw.whole(3) : matches, pause: at.pause };
}

/** Throws where the search of this draw differs from brute force. */
export function checkDrawn(seed: number): void {
  const draw = drawer(seed);
  const at = drawnLibrary(draw, draw.one([3, 16, 33]));
  const { query, scope, matches, perVideo } = drawnSearch(draw, at);
  const found = search(at, query, scope, matches, perVideo);
  const expected = bruteForce(at, query, scope, matches, perVideo);
  assert.equal(found.searched, expected.searched, `seed ${seed}`);
  const ranked = found.matches.toSorted((a, b) => a.original_index - b.original_index);
  assert.deepEqual(
    ranked.map(({ hash_str, frame_index, score }) => ({ hash_str, frame_index, score })),
    expected.answer.map(({ hash, frame, score }) => ({ hash_str: hash, frame_index: frame, score })),
    `seed ${seed}`,
  );
}

/** Throws where searches of this draw together differ from each by itself. Some are given up meanwhile. */
export function checkTogether(seed: number): void {
  const draw = drawer(seed);
  const at = drawnLibrary(draw, draw.one([3, 16, 33]));
  const searches = Array.from({ length: 1 + draw.whole(20) }, () => drawnSearch(draw, at));
  const gone = new Error('nobody waits');
  const left = new Set(searches.filter(() => draw.chance(0.1)));
  const together = searches.map((one): VisualSearch => {
    let looks = draw.whole(4);
    const pause = () => {
      if (looks-- === 0) throw gone;
    };
    return left.has(one) ? { ...one, pause } : one;
  });
  for (const [i, answer] of searchAll(at, together).entries()) {
    const one = searches[i]!;
    if (left.has(one) && answer === gone) continue;
    assert.deepEqual(answer, search(at, one.query, one.scope, one.matches, one.perVideo), `seed ${seed}`);
  }
}
