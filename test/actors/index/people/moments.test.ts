import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterErrors } from '../../../../actors/index/facets/contract.ts';
import { peopleErrors } from '../../../../actors/index/people/contract.ts';
import type { LoadedJob } from '../../../../actors/index/people/loaded-job.ts';
import {
  allOf,
  anyOf,
  meantTwice,
  momentsOf,
  personOf,
  rangesOf,
} from '../../../../actors/index/people/moments.ts';
import { EngineError } from '../../../../runtime/errors.ts';
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

const cast = loadedJob(
  'cast',
  [
    ['a', 0, 'c1'],
    ['a', 1, 'c2'],
    ['a', 2, 'c3'],
    ['a', 3, 'c4'],
    ['a', 4, 'c5'],
    ['a', 5, 'c6'],
  ],
  { c1: 'Anna', c2: 'Anna', c3: 'anna', c4: 'Zoë', c5: 'Groß' },
);
const crew = loadedJob(
  'crew',
  [
    ['a', 0, 'd1'],
    ['a', 1, 'd2'],
    ['a', 2, 'c1'],
  ],
  { d1: 'Ben', d2: 'Anna' },
);
const jobs = [cast, crew];
const idsOf = ({ job, clusters }: ReturnType<typeof personOf>) => clusters.map((one) => job.clusterIds[one]);

test('a name is meant exactly before it is meant in any case, and is all clusters that have it', () => {
  const of = (cluster_job_name: string, person_name: string) =>
    idsOf(personOf(jobs, { cluster_job_name, person_name }, 0));
  assert.deepEqual(of('cast', 'Anna'), ['c1', 'c2']);
  assert.deepEqual(of('cast', 'anna'), ['c3']);
  assert.deepEqual(of('cast', ' ZOË'), ['c4']);
  assert.deepEqual(of('cast', 'GROSS'), ['c5']);
  assert.deepEqual(of('crew', 'anna'), ['d2']);
});

test('without a clustering the only one that has the person is meant', () => {
  assert.deepEqual(idsOf(personOf(jobs, { person_name: 'ben' }, 0)), ['d1']);
  assert.deepEqual(idsOf(personOf(jobs, { cluster_id: 'c6' }, 0)), ['c6']);
  assert.deepEqual(idsOf(personOf(jobs, { person_name: 'anna' }, 0)), ['c3']);
});

test('some words of a name are enough where one person has them', () => {
  const news = loadedJob(
    'news',
    [
      ['a', 0, 'e1'],
      ['a', 1, 'e2'],
      ['a', 2, 'e3'],
    ],
    { e1: 'Barack Obama', e2: 'Michelle Obama', e3: 'Ann’s sister Eve' },
  );
  const of = (person_name: string) => idsOf(personOf([...jobs, news], { person_name }, 0));
  assert.deepEqual(of('barack'), ['e1']);
  assert.deepEqual(of("ann's sister"), ['e3']);
  assert.deepEqual(of('ben'), ['d1']);
  assert.throws(() => of('Obama'), /Obama may be Barack Obama or Michelle Obama/);
});

const refused = [
  [
    { cluster_job_name: 'cats', person_name: 'Ben' },
    filterErrors.UNKNOWN_CLUSTERING,
    '[2].cluster_job_name',
    /cats; did you mean cast\?/,
  ],
  [
    { cluster_job_name: 'crew', person_name: 'Bem' },
    peopleErrors.UNKNOWN_PERSON,
    '[2].person_name',
    /Bem is not in the face clustering crew; did you mean Ben\?/,
  ],
  [
    { person_name: 'Xaver' },
    peopleErrors.UNKNOWN_PERSON,
    '[2].person_name',
    /Xaver is in no face clustering$/,
  ],
  [
    { cluster_job_name: 'crew', cluster_id: 'c2' },
    peopleErrors.UNKNOWN_CLUSTER,
    '[2].cluster_id',
    /crew has no cluster c2/,
  ],
  [
    { cluster_id: 'e9' },
    peopleErrors.UNKNOWN_CLUSTER,
    '[2].cluster_id',
    /no face clustering has a cluster e9/,
  ],
  [{ person_name: 'Anna' }, filterErrors.WRONG_PEOPLE, '[2].cluster_job_name', /Anna .*\(cast, crew\)/],
  [{ cluster_id: 'c1' }, filterErrors.WRONG_PEOPLE, '[2].cluster_job_name', /c1 .*\(cast, crew\)/],
  [
    { cluster_job_name: 'cast', person_name: 'ANNA' },
    filterErrors.WRONG_PEOPLE,
    '[2].person_name',
    /Anna or anna/,
  ],
  [{ cluster_job_name: 'cast' }, filterErrors.WRONG_PEOPLE, '[2]', /exactly one of/],
  [
    { cluster_job_name: 'cast', person_name: 'Anna', cluster_id: 'c1' },
    filterErrors.WRONG_PEOPLE,
    '[2]',
    /exactly one of/,
  ],
] as const;
for (const [ref, row, field, message] of refused) {
  test(`${JSON.stringify(ref)} is a 400 that names ${field}`, () => {
    assert.throws(
      () => personOf(jobs, ref, 2),
      (error) => {
        assert.ok(error instanceof EngineError && row.is(error), String(error));
        assert.equal(error.status, 400);
        assert.equal(error.details['field'], `people_filter${field}`);
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

test('where there is no clustering at all it is said', () => {
  assert.throws(
    () => personOf([], { cluster_job_name: 'x', cluster_id: '1' }, 0),
    /there are no face clusterings/,
  );
});

test('a name, its clusters and the same name in another clustering are one person', () => {
  const people = (...refs: Parameters<typeof personOf>[1][]) => refs.map((ref, i) => personOf(jobs, ref, i));
  const anna = { cluster_job_name: 'cast', person_name: 'Anna' };
  assert.deepEqual(meantTwice(people(anna, { cluster_job_name: 'cast', cluster_id: 'c2' })), ['Anna']);
  assert.deepEqual(meantTwice(people(anna, { cluster_job_name: 'crew', person_name: 'Anna' })), ['Anna']);
  assert.deepEqual(meantTwice(people({ cluster_id: 'c6' }, { cluster_id: 'c6' })), ['cluster c6']);
  assert.deepEqual(meantTwice(people(anna, { person_name: 'anna' }, { person_name: 'Ben' })), []);
});
