import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peopleErrors } from '../../../actors/index/people/contract.ts';
import {
  appearanceLines,
  clusterMeant,
  clusterRows,
  clustersMeant,
  jobLine,
  jobNamed,
} from '../../../cli/commands/faces.ts';
import { widthOf } from '../../../cli/terminal.ts';
import { clusterJob } from './fake-people.ts';

const job = clusterJob({
  cluster_ids: ['c1', 'c2', 'c3', 'c4', 'Anna'],
  names: { c1: 'Anna', c2: 'Zoë', c3: 'zoë', c4: 'Bob', Anna: '👩‍👩‍👧' },
});

test('an id goes before a name, and a name as it is written before one in other letters', () => {
  assert.deepEqual(clustersMeant(job, 'Anna'), ['Anna']);
  assert.deepEqual(clustersMeant(job, 'Zoë'), ['c2']);
  assert.deepEqual(clustersMeant(job, 'ZOË'), ['c2', 'c3']);
  assert.deepEqual(clustersMeant(job, ' bob '), ['c4']);
  assert.deepEqual(clustersMeant(job, '👩‍👩‍👧'), ['Anna']);
});

test('a word that means no cluster is told with what was probably meant', () => {
  assert.throws(() => clustersMeant(job, 'Bbo'), { message: /with the id or name Bbo; did you mean Bob\?$/ });
  assert.throws(() => clustersMeant(job, 'c9'), peopleErrors.UNKNOWN_CLUSTER.is);
  assert.throws(() => clustersMeant(job, 'Ulrich'), /see: framehound faces show family$/);
  // A cluster without a name is not found by an empty one.
  assert.throws(() => clustersMeant({ ...job, names: { c1: '' } }, ''), peopleErrors.UNKNOWN_CLUSTER.is);
  assert.throws(() => clustersMeant(job, 'to\x1b[2Jp'), { message: /name to\\x1b\[2Jp/ });
});

test('where one cluster is wanted, a name of several is not enough', () => {
  assert.equal(clusterMeant(job, 'bob'), 'c4');
  assert.throws(() => clusterMeant(job, 'zOë'), /2 clusters are named zOë; use one of their ids: c2, c3$/);
});

test('a clustering that is not there is told with what was probably meant, or how to make one', () => {
  const jobs = { cluster_jobs: ['family'], jobs: [job] };
  assert.equal(jobNamed(jobs, 'family'), job);
  assert.throws(() => jobNamed(jobs, 'famly'), /named famly; did you mean family\?$/);
  assert.throws(() => jobNamed(jobs, 'work'), /; see: framehound faces list$/);
  assert.throws(() => jobNamed({ cluster_jobs: [], jobs: [] }, 'work'), {
    code: 'UNKNOWN_CLUSTER_JOB',
    message: /; to make one: framehound faces analyze JOB PATH$/,
  });
});

test('rows stand below each other, whatever the names are made of', () => {
  const names = ['Anna', '小林', '🎬 Ben', 'Zoe\u0308', 'x'.repeat(60), '', 'a\x1b[2Jb'];
  const rows = clusterRows(names.map((name, i) => ({ cluster_id: `c${i}`, name, size: 10 ** i })));
  const columns = rows.map((row, i) => widthOf(row.slice(0, row.indexOf(`c${i}`))));
  assert.deepEqual([...new Set(columns)], [44]);
  assert.ok(rows[4]!.includes(`${'x'.repeat(39)}…`));
  assert.ok(rows[6]!.includes('a\\x1b[2Jb'));
  assert.ok(rows[0]!.endsWith('  c0        1 face'));
});

test('where nobody has a name there is no column for it', () => {
  assert.deepEqual(clusterRows([{ cluster_id: 'c1', name: '', size: 3 }]), ['  c1  3 faces']);
  assert.deepEqual(clusterRows([]), []);
});

test('one of a thing is one', () => {
  const one = clusterJob({
    num_clusters: 1,
    total_entries: 1,
    noise_entries: 0,
    media_hashes: ['a'],
    names: {},
  });
  assert.equal(jobLine(one), 'family: 1 cluster of 1 face in 1 file, 0 in no cluster');
});

test('of many times the first are told, and how many follow', () => {
  const ranges = Array.from({ length: 14 }, (_, i): [number, number] => [i * 10, i * 10 + 2]);
  const media = [{ media_path: '/f/a.mp4', hash_str: 'a', faces: 28, ranges }];
  const answer = { cluster_job_name: 'family', people: [{ cluster_id: 'c1', name: '', media }] };
  const [who, path, times] = appearanceLines(answer);
  assert.deepEqual([who, path], ['c1', '  /f/a.mp4  (28 faces)']);
  assert.match(times!, /^ {4}00:00:00–00:00:02, .*00:01:50–00:01:52, and 2 more$/);
});
