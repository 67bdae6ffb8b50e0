import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { peopleErrors } from '../../../actors/index/people/contract.ts';
import {
  appearanceLines,
  clusterMeant,
  clusterRows,
  clustersMeant,
  jobLine,
  jobNamed,
  shellWord,
} from '../../../cli/faces/clusters.ts';
import { type Card, faceSheet, removeSheet, saveSheet } from '../../../cli/faces/show.ts';
import { widthOf } from '../../../cli/terminal.ts';
import { fakeHome } from '../fake-context.ts';
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

test('a name in a command is quoted where a shell would read it otherwise', () => {
  assert.deepEqual(['family', 'Zoë-2', 'my family', "Ann's", '-x', '$HOME', ''].map(shellWord), [
    'family',
    'Zoë-2',
    "'my family'",
    "'Ann'\\''s'",
    "'-x'",
    "'$HOME'",
    "''",
  ]);
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

test('the page of one cluster lies beside that of all, and both go with the clustering', async (t) => {
  const { home } = fakeHome(t);
  const all = await saveSheet(home, 'family', 'index.html', 'all');
  const one = await saveSheet(home, 'family', 'cluster.html', 'one');
  assert.equal(all, join(home, 'found', 'faces.family', 'index.html'));
  assert.deepEqual([readFileSync(all, 'utf8'), readFileSync(one, 'utf8')], ['all', 'one']);
  await removeSheet(home, 'family');
  assert.deepEqual([existsSync(all), existsSync(one)], [false, false]);
});

test('clusterings whose names a file system takes for one have pages of their own', async (t) => {
  const { home } = fakeHome(t);
  const long = 'x'.repeat(60);
  const names = [
    'family',
    'Family',
    'family!',
    'a b',
    'a-b',
    '🎬',
    '🎉',
    'search',
    `${long}1`,
    `${long}2`,
    '../family',
  ];
  const pages: string[] = [];
  for (const name of names) pages.push(await saveSheet(home, name, 'index.html', name));
  const folders = pages.map((page) => dirname(page).toLowerCase());
  assert.equal(new Set(folders).size, names.length, folders.join());
  for (const folder of folders) assert.equal(dirname(folder), join(home, 'found').toLowerCase());
  await removeSheet(home, '🎬');
  assert.deepEqual(
    pages.map((page) => existsSync(page)),
    names.map((name) => name !== '🎬'),
  );
});

const card: Card = { cluster_id: 'c1', name: 'Anna', size: 40, pictures: ['QQ==', 'Qg=='], entry_ids: [] };

test('a page has every picture in it, and asks nobody for anything', () => {
  const page = faceSheet(clusterJob(), [card], []);
  assert.match(page, /src="data:image\/jpeg;base64,QQ=="/);
  assert.match(page, /<bdi>Anna<\/bdi> <code>c1<\/code> <span class="size">40 faces, 2 shown</);
  assert.doesNotMatch(page, /https?:|<script|url\(|<link/);
  assert.match(page, /Content-Security-Policy" content="default-src 'none'; img-src data:;/);
  assert.match(page, /prefers-color-scheme:dark.*@media print/s);
});

test('names, ids and pictures are text on the page, never markup', () => {
  const evil = '<script>alert(1)</script>"\'&';
  const cards = [{ ...card, cluster_id: evil, name: evil, pictures: ['"><script>'], entry_ids: [evil] }];
  const page = faceSheet(clusterJob({ name: evil, model_key: evil }), cards, [evil]);
  assert.doesNotMatch(page, /<script/i);
  assert.ok(page.includes('<bdi>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;</bdi>'));
  assert.ok(page.includes('base64,&quot;&gt;&lt;script&gt;"'));
});

test('faces in no cluster, clusters without a name and without pictures say so', () => {
  const page = faceSheet(
    clusterJob(),
    [
      { ...card, name: '', pictures: [] },
      { ...card, cluster_id: null, name: '', size: 4 },
    ],
    [],
  );
  assert.match(page, /class="unnamed"><bdi>No name<\/bdi> <code>c1/);
  assert.match(page, /no picture stored/);
  assert.match(page, /<bdi>In no cluster<\/bdi> <span class="size">4 faces/);
  assert.match(faceSheet(clusterJob(), [], []), /There are no clusters to show/);
});

test('the id of a face stands below it, where ids are asked for', () => {
  const page = faceSheet(clusterJob(), [{ ...card, entry_ids: ['e1', 'e2'] }], []);
  assert.match(page, /QQ==" alt="Anna, 1"><figcaption><code>e1<\/code>.*Qg==.*<code>e2</s);
});
