import assert from 'node:assert/strict';
import test from 'node:test';
import { appearanceLines, clusterRows, jobLine } from '../../../cli/faces/clusters.ts';
import { widthOf } from '../../../cli/terminal.ts';
import { clusterJob } from './fake-people.ts';

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
  assert.equal(jobLine(one), 'family: 1 cluster of 1 face in 1 media, 0 in no cluster');
});

test('of many times the first are told, and how many follow', () => {
  const ranges = Array.from({ length: 14 }, (_, i): [number, number] => [i * 10, i * 10 + 2]);
  const media = [{ media_path: '/f/a.mp4', hash_str: 'a', faces: 28, ranges }];
  const answer = { cluster_job_name: 'family', people: [{ cluster_id: 'c1', name: '', media }] };
  const [who, path, times] = appearanceLines(answer);
  assert.deepEqual([who, path], ['c1', '  /f/a.mp4  (28 faces)']);
  assert.match(times!, /^ {4}00:00:00–00:00:02, .*00:01:50–00:01:52, and 2 more$/);
});
