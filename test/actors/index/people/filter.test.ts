import assert from 'node:assert/strict';
import test from 'node:test';
import { filterErrors } from '../../../../actors/index/facets/contract.ts';
import { peopleErrors } from '../../../../actors/index/people/contract.ts';
import { meantTwice, personOf } from '../../../../actors/index/people/moments.ts';
import { EngineError } from '../../../../runtime/errors.ts';
import { loadedJob } from './clusterings.ts';

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
