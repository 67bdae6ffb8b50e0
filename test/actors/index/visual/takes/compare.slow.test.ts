import assert from 'node:assert/strict';
import test from 'node:test';
import { sampledRows } from '../../../../../actors/index/visual/background.ts';
import { everything } from '../../../../../actors/index/visual/catalog.ts';
import { compareFrom, type TakesCursor } from '../../../../../actors/index/visual/takes/compare.ts';
import { near, randomVector, seeded } from '../../footage.ts';
import { type Film, Library } from '../library.ts';

const d = 64;
const random = seeded(29);
/** What a mirror does to these vectors: their halves change places. */
const mirror = Array.from({ length: d }, (_, i) => (i + d / 2) % d);
const black = randomVector(d, random);

interface Shots {
  readonly vectors: Float32Array[];
  readonly scenes: number[];
}

/** Shots of 5 to 14 s in which something moves. */
function shots(seconds: number): Shots {
  const film: Shots = { vectors: [], scenes: [] };
  while (film.vectors.length < seconds) {
    film.scenes.push(film.vectors.length);
    let look = randomVector(d, random);
    for (let i = 5 + Math.floor(random() * 10); i > 0; i--) {
      look = near(look, 0.2, random);
      film.vectors.push(look);
    }
  }
  film.vectors.length = seconds;
  return film;
}

const noisy = (some: readonly Float32Array[], by = 0.1) => some.map((one) => near(one, by, random));
const turned = (some: readonly Float32Array[]) => some.map((one) => one.map((_, i) => one[mirror[i]!]!));
const films: Film[] = Array.from({ length: 12 }, (_, i) => ({
  hash: `f${String(i).padStart(2, '0')}`,
  ...shots(150),
}));
const of = (film: number, from: number, to: number) => films[film]!.vectors.slice(from, to);

function libraryOf(more: readonly (Omit<Film, 'scenes'> & Partial<Film>)[]): Library {
  const at = new Library(d);
  at.add([...films, ...more.map((film) => ({ scenes: [0], ...film }))]);
  return at;
}

/** All steps. */
function compare(at: Library, only: string | null, { from = 0, end = 1e6, step = 1 } = {}) {
  const how = { only, from, end, step, least: 0.9, above: 0.2, mirror, blank: [black] };
  const rows = sampledRows(at.catalog.picks(everything));
  const all: string[] = [];
  const begun: string[] = [];
  for (let place: TakesCursor | null = null, steps = 0; steps === 0 || place !== null; steps++) {
    assert.ok(steps < 500);
    const found = compareFrom(at, how, place, rows);
    for (const { hash_str, start, end, offset, mirrored, equal } of found.takes) {
      const facts = `${mirrored ? ' mirrored' : ''}${equal ? ' equal' : ''}`;
      all.push(`${found.source_hash} ${start}-${end} ${hash_str} ${offset}${facts}`);
    }
    begun.push(...found.begun);
    place = found.next;
  }
  return { all, begun };
}

test('a part of ten seconds is found where it is, cut, coded anew and mirrored, and nothing else is', () => {
  const at = libraryOf([
    { hash: 'a-cut', vectors: of(3, 40, 50) },
    { hash: 'b-coded', vectors: noisy(of(3, 40, 50)) },
    { hash: 'c-mirrored', vectors: noisy(turned(of(3, 40, 50))) },
  ]);
  assert.deepEqual(compare(at, 'f03', { from: 40, end: 50 }).all.sort(), [
    'f03 40-50 a-cut -40 equal',
    'f03 40-50 b-coded -40',
    'f03 40-50 c-mirrored -40 mirrored',
  ]);
  assert.deepEqual(compare(at, 'a-cut').all.sort(), [
    'a-cut 0-10 b-coded 0',
    'a-cut 0-10 c-mirrored 0 mirrored',
    'a-cut 0-10 f03 40 equal',
  ]);
  for (const film of [0, 1, 2, 4, 5]) assert.deepEqual(compare(at, `f0${film}`).all, []);
});

test('a sequence is found whole from any part of it, once, and a short interruption is bridged', () => {
  const [before, after] = [shots(30), shots(30)];
  const part = noisy(of(5, 20, 90));
  for (const at of [30, 31, 32, 33]) part[at] = randomVector(d, random);
  const vectors = [...before.vectors, ...part, ...after.vectors];
  const at = libraryOf([{ hash: 'part', vectors, scenes: vectors.map((_, i) => i) }]);
  const whole = ['f05 20-90 part 10'];
  assert.deepEqual(compare(at, 'f05', { step: 4 }).all, whole);
  assert.deepEqual(compare(at, 'f05', { from: 60, end: 66 }).all, whole);
});

test('a library is compared with itself once for each pair, and begins with each of its contents', () => {
  const at = libraryOf([
    { hash: 'a', vectors: of(2, 100, 140) },
    { hash: 'z', vectors: of(7, 0, 25) },
    { hash: 'still', vectors: of(1, 0, 1) },
  ]);
  const { all, begun } = compare(at, null, { step: 4 });
  assert.deepEqual(all, ['a 0-40 f02 100 equal', 'f07 0-25 z 0 equal']);
  assert.deepEqual(begun, at.catalog.hashes().toSorted());
});

test('the same shot elsewhere in a file is found, and the shot itself is not', () => {
  const own = shots(120);
  const vectors = [...own.vectors, ...noisy(own.vectors.slice(30, 50))];
  const scenes = [...own.scenes, 120];
  const at = libraryOf([{ hash: 'again', vectors, scenes }]);
  assert.deepEqual(compare(at, 'again', { from: 30, end: 50 }).all, ['again 30-50 again 90']);
  assert.deepEqual(compare(at, 'again', { from: 120, end: 140 }).all, ['again 120-140 again -90']);
  const still = Array.from({ length: 60 }, () => near(own.vectors[0]!, 0.05, random));
  assert.deepEqual(compare(libraryOf([{ hash: 'still', vectors: still }]), 'still').all, []);
});

test('a street that is empty now and then is found where its cars are, not where its light is nearest', () => {
  const empty = randomVector(d, random);
  const street = (light: number) =>
    Array.from({ length: 12 }, (_, i) =>
      i % 3 === 1 ? randomVector(d, random) : near(empty, light, random),
    );
  const [early, late] = [street(0.1), street(0.2)];
  // Half a second later a car is elsewhere in the picture.
  const part = early.map((one, i) => (i % 3 === 1 ? near(late[i]!, 0.7, random) : near(one, 0.02, random)));
  const at = libraryOf([
    { hash: 'street', vectors: [...early, ...shots(12).vectors, ...late] },
    { hash: 'part', vectors: part },
  ]);
  assert.deepEqual(compare(at, 'part').all, ['part 0-12 street 24']);
});

test('black, and a title that many files have, are no shot', () => {
  const blacks = ['p', 'q'].map((hash) => ({
    hash,
    vectors: noisy(
      Array.from({ length: 20 }, () => black),
      0.05,
    ),
  }));
  assert.deepEqual(compare(libraryOf(blacks), 'p').all, []);
  const title = randomVector(d, random);
  const titled = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      hash: `t${i}`,
      vectors: noisy(
        Array.from({ length: 6 }, () => title),
        0.05,
      ),
    }));
  assert.equal(compare(libraryOf(titled(3)), 't0').all.length, 2);
  assert.deepEqual(compare(libraryOf(titled(40)), 't0').all, []);
});

test('what is less alike than a copy, or too short, is not found', () => {
  const at = libraryOf([
    { hash: 'other', vectors: noisy(of(4, 10, 40), 0.6) },
    { hash: 'short', vectors: of(6, 10, 12) },
  ]);
  assert.deepEqual(compare(at, 'other').all, []);
  assert.deepEqual(compare(at, 'short').all, []);
  assert.deepEqual(compare(at, 'gone'), { all: [], begun: ['gone'] });
});
