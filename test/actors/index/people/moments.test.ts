import assert from 'node:assert/strict';
import test from 'node:test';
import type { LoadedJob } from '../../../../actors/index/people/loaded-job.ts';
import { allOf, anyOf, momentsOf, rangesOf } from '../../../../actors/index/people/moments.ts';
import { seeded } from '../footage.ts';
import { type FakeFace, loadedJob, numbering } from './clusterings.ts';

const plain = (moments: Float64Array, hashes: readonly string[]) =>
  Object.fromEntries([...rangesOf(moments, hashes)].map(([hash, ranges]) => [hash, [...ranges]]));

const clustersOf = (job: LoadedJob, ...ids: string[]) => ({
  job,
  clusters: ids.map((id) => job.clusterIds.indexOf(id)),
});

test('frames that follow each other are one range, and those of several clusters are joined', () => {
  const { numberOf, hashes } = numbering();
  const faces: FakeFace[] = [
    ['b', 3, 'x'],
    ['b', 4, 'x'],
    ['b', 4, 'y'],
    ['b', 9, 'x'],
    ['a', 0, 'y'],
    ['a', 5, null],
    ['a', 6, 'z'],
  ];
  const job = loadedJob('j', faces, {}, numberOf);
  assert.deepEqual(plain(momentsOf(clustersOf(job, 'x')), hashes), { b: [3, 5, 9, 10] });
  assert.deepEqual(plain(momentsOf(clustersOf(job, 'y', 'x')), hashes), { b: [3, 5, 9, 10], a: [0, 1] });
  assert.deepEqual(plain(anyOf([clustersOf(job, 'z'), clustersOf(job, 'y')]), hashes), {
    b: [4, 5],
    a: [0, 1, 6, 7],
  });
  assert.deepEqual(plain(allOf([clustersOf(job, 'x'), clustersOf(job, 'y')]), hashes), { b: [4, 5] });
  assert.deepEqual(plain(allOf([clustersOf(job, 'x'), clustersOf(job, 'z')]), hashes), {});
});

test('one face that two clusterings call differently is not two people, and two faces are', () => {
  const { numberOf, hashes } = numbering();
  const first = loadedJob(
    'first',
    [
      ['a', 1, 'anna'],
      ['a', 2, 'anna'],
      ['a', 2, 'ben'],
      ['a', 3, 'anna'],
      ['a', 3, 'anna'],
    ],
    {},
    numberOf,
  );
  const second = loadedJob(
    'second',
    [
      ['c', 0, 'guest'],
      ['a', 1, 'host'],
      ['a', 2, 'guest'],
      ['a', 2, 'host'],
      ['a', 3, 'host'],
      ['a', 3, 'guest'],
    ],
    {},
    numberOf,
  );
  const [anna, ben] = [clustersOf(first, 'anna'), clustersOf(first, 'ben')];
  const host = clustersOf(second, 'host');
  // In frame 1 both mean the only face; in frame 3 there is another one that is Anna.
  assert.deepEqual(plain(allOf([anna, host]), hashes), { a: [2, 4] });
  // In frame 2 Ben and the host are the same face.
  assert.deepEqual(plain(allOf([ben, host]), hashes), {});
  assert.deepEqual(plain(allOf([anna, ben, clustersOf(second, 'guest')]), hashes), {});
  assert.deepEqual(plain(anyOf([ben, host]), hashes), { a: [1, 4] });
});

test('a face is known by its id, also where one clustering has lost another face of the frame', () => {
  const { numberOf, hashes } = numbering();
  // Somebody left of them was deleted from the first clustering, and the second found them in another order.
  const first = loadedJob(
    'first',
    [
      ['a', 1, 'anna', 'middle'],
      ['a', 1, 'ben', 'right'],
    ],
    {},
    numberOf,
  );
  const second = loadedJob(
    'second',
    [
      ['a', 1, 'guest', 'right'],
      ['a', 1, 'gone', 'left'],
      ['a', 1, 'host', 'middle'],
    ],
    {},
    numberOf,
  );
  const both = (one: string, other: string) =>
    plain(allOf([clustersOf(first, one), clustersOf(second, other)]), hashes);
  assert.deepEqual(both('anna', 'host'), {});
  assert.deepEqual(both('ben', 'guest'), {});
  assert.deepEqual(both('anna', 'guest'), { a: [1, 2] });
  assert.deepEqual(both('ben', 'host'), { a: [1, 2] });
  assert.deepEqual(both('anna', 'gone'), { a: [1, 2] });
});

test('moments of a large number of media and frames stay apart', () => {
  const { numberOf, hashes } = numbering();
  for (let i = 0; i < 300_000; i++) hashes.push(`m${i}`);
  const late = 2 ** 31;
  const job = loadedJob('j', [['m299999', late, 'x']], {}, (hash) => Number(hash.slice(1)));
  assert.deepEqual(plain(momentsOf(clustersOf(job, 'x')), hashes), { m299999: [late, late + 1] });
  assert.equal(numberOf('m1'), 1);
});

test('and and or are those of a search through every face', () => {
  const random = seeded(3);
  const ids = ['p', 'q', 'r', 's'];
  const faces: FakeFace[] = [];
  for (const hash of ['a', 'b', 'c', 'd', 'e'])
    for (let frame = 0; frame < 60; frame++)
      for (const id of ids) if (random() < 0.3) faces.push([hash, frame, random() < 0.1 ? null : id]);
  const { numberOf, hashes } = numbering();
  const job = loadedJob('j', faces, {}, numberOf);
  const shown = [clustersOf(job, 'p', 'q'), clustersOf(job, 'r')];
  const has = (hash: string, frame: number, ...of: string[]) =>
    faces.some(([h, f, id]) => h === hash && f === frame && id !== null && of.includes(id));
  const found = (moments: Float64Array) =>
    [...rangesOf(moments, hashes)].flatMap(([hash, ranges]) =>
      Array.from({ length: 60 }, (_, frame) => frame)
        .filter((frame) => ranges.some((start, i) => i % 2 === 0 && start <= frame && frame < ranges[i + 1]!))
        .map((frame) => `${hash}${frame}`),
    );
  const wanted = (both: boolean) =>
    ['a', 'b', 'c', 'd', 'e'].flatMap((hash) =>
      Array.from({ length: 60 }, (_, frame) => frame)
        .filter((frame) => {
          const [left, right] = [has(hash, frame, 'p', 'q'), has(hash, frame, 'r')];
          return both ? left && right : left || right;
        })
        .map((frame) => `${hash}${frame}`),
    );
  assert.deepEqual(found(allOf(shown)), wanted(true));
  assert.deepEqual(found(anyOf(shown)), wanted(false));
});
