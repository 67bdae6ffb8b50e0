import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { facesComplaints } from '../../../../actors/analysis/stages/faces/request.ts';
import { Top } from '../../../../actors/index/people/comparison.ts';
import { peopleErrors } from '../../../../actors/index/people/contract.ts';
import { idOf, idText, positionsOf, someIds } from '../../../../actors/index/people/entry-id.ts';
import { eachHasOwn } from '../../../../actors/index/people/moments.ts';
import { mostNameLetters, nameProblem, plainName } from '../../../../actors/index/people/person-name.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { seeded } from '../footage.ts';
import { indexActor } from '../handlers.ts';
import { cluster, modelKey, people, storeFaces } from './faces.ts';

const cast = [[1, 2], [1, 2], [1], [], [2, 3]];

test('faces are stored, clustered, named and shown', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  assert.deepEqual(await storeFaces(index, cache_dir, 'aa', cast), { faces: 7, kept_ids: 0 });
  await storeFaces(index, cache_dir, 'bb', [[], []]);
  const request = { cache_dir, model_key: modelKey, hashes: ['aa', 'bb', 'cc'] };
  assert.deepEqual(await index.call('faces_stored', request), {
    faces: [7, 0, null],
    from_previews: [false, false, false],
  });
  const { report, begun } = await cluster(index, cache_dir, ['aa', 'bb', 'cc']);
  assert.deepEqual([begun.entries, begun.missing, begun.before], [7, ['cc'], null]);
  assert.deepEqual([report.clusters, report.faces, report.noise, report.kept_clusters], [2, 7, 1, 0]);
  const names = [{ cluster_id: 'c1', name: ' Ada  Lovelace ' }];
  const named = await index.call('name_clusters', { cache_dir, cluster_job_name: 'job', assignments: names });
  assert.deepEqual(named.changes, { c1: 'Ada Lovelace' });
  const { clusters, noise, job } = await people(index, cache_dir);
  assert.deepEqual([job.total_entries, job.num_clusters, job.noise_entries], [7, 2, 1]);
  assert.deepEqual(job.cluster_ids, ['c1', 'c2']);
  assert.deepEqual(
    clusters.map(({ name, size, available_faces, shown }) => [size, available_faces, name, shown.toSorted()]),
    [
      [3, 3, clusters[0]!.name, clusters[0]!.shown.toSorted()],
      [3, 3, clusters[1]!.name, clusters[1]!.shown.toSorted()],
    ],
  );
  for (const { shown } of clusters) assert.equal(new Set(shown.map((one) => one.split(' ')[2])).size, 1);
  assert.deepEqual(clusters.map(({ name }) => name).sort(), ['', 'Ada Lovelace']);
  assert.deepEqual(noise.shown, ['aa 4 3']);
});

// Media whose faces are away for a while: damaged, or not looked at by the models that are used now.

const cluster_job_name = 'job';

test('the name of somebody all of whose media are away comes back with them', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', [[1], [1], [1]]);
  await storeFaces(index, cache_dir, 'bb', [[2], [2], [2]]);
  const { cluster_ids, clusters } = await cluster(index, cache_dir, ['aa', 'bb']);
  const assignments = [{ cluster_id: cluster_ids[clusters[3]!]!, name: 'Ben' }];
  await index.call('name_clusters', { cache_dir, cluster_job_name, assignments });
  const model_key = 'other+model';
  await storeFaces(index, cache_dir, 'aa', [[1], [1], [1]], { model_key });
  const away = await cluster(index, cache_dir, ['aa', 'bb'], { model_key });
  assert.deepEqual([away.begun.missing, away.report.lost_names], [['bb'], ['Ben']]);
  await storeFaces(index, cache_dir, 'bb', [[2], [2], [2]], { model_key });
  const back = await cluster(index, cache_dir, ['aa', 'bb'], { model_key });
  assert.equal(back.names[back.clusters[back.begun.entries - 1]!], 'Ben');
});

test('a clustering that was deleted and made again meanwhile is not written over', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', [[1], [1], [1]]);
  await cluster(index, cache_dir, ['aa'], {}, 'other');
  await cluster(index, cache_dir, ['aa']);
  const request = { cache_dir, cluster_job_name, model_key: modelKey, hashes: ['aa'] };
  const begun = { ...request, eps: 0.2, min_samples: 2 };
  const { clustering, entries } = await index.call('begin_clustering', begun);
  await index.call('delete_people', { cache_dir, cluster_job_name, cluster_id: null });
  await cluster(index, cache_dir, ['aa']);
  const labels = new Int32Array(entries).fill(-1);
  const found = { labels, neighbours: labels.slice(), eps: 0.2, clear_names: false };
  const committed = index.call('commit_clustering', { clustering, ...found });
  await assert.rejects(committed, peopleErrors.CLUSTERING_CHANGED.is);
  assert.equal((await people(index, cache_dir)).clusters.length, 1);
});

test('the best k of any scores are those a sort gives, equal scores by lower item', () => {
  const scores = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 60 });
  fc.assert(
    fc.property(scores, fc.integer({ min: 0, max: 20 }), (values, k) => {
      const top = new Top(k);
      for (const [item, score] of values.entries()) top.offer(score, item);
      const sorted = values
        .map((score, item) => ({ score, item }))
        .sort((a, b) => b.score - a.score || a.item - b.item)
        .slice(0, k);
      assert.deepEqual(top.sorted(), sorted);
      assert.equal(top.threshold, k === 0 ? Infinity : sorted.length < k ? -Infinity : sorted.at(-1)!.score);
    }),
  );
});

/** Ids of which many share their first bytes, or all of them. */
const some = fc.array(
  fc
    .tuple(fc.constantFrom('00', '7f', '80', 'ff'), fc.integer({ min: 0, max: 9 }))
    .map(([first, last]) => `${first.repeat(4)}-0000-4000-8000-00000000000${last}`),
  { maxLength: 60 },
);
const bytesOf = (ids: readonly string[]) =>
  Uint8Array.from(Buffer.concat(ids.map((id) => idOf(id) as Uint8Array)));

test('the ids that stand for a cluster are the lowest ones, in whatever order its faces come', () => {
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 8 }), (ids, most) => {
      const positions = Int32Array.from(ids, (_, at) => at);
      assert.deepEqual(someIds(bytesOf(ids), positions, most), ids.toSorted().slice(0, most));
    }),
  );
});

test('ids are found among all entries, and among some', () => {
  fc.assert(
    fc.property(some, some, (ids, wanted) => {
      const bytes = bytesOf(ids);
      const found = positionsOf(bytes, wanted);
      assert.deepEqual(new Set(found.keys()), new Set(ids.filter((id) => wanted.includes(id))));
      for (const [id, at] of found) assert.equal(idText(bytes, at), id);
      const odd = Int32Array.from(ids.keys()).filter((at) => at % 2 === 1);
      const among = new Set(ids.filter((id, at) => at % 2 === 1 && wanted.includes(id)));
      assert.deepEqual(new Set(positionsOf(bytes, wanted, odd).keys()), among);
    }),
  );
});

/** Every way to hand things out. */
function tried([first, ...others]: readonly (readonly number[])[], taken: readonly number[] = []): boolean {
  if (first === undefined) return true;
  return first.some((thing) => !taken.includes(thing) && tried(others, [...taken, thing]));
}

test('who can have one thing alone gets it from who can have another', () => {
  assert.equal(eachHasOwn([[1, 2], [1]]), true);
  assert.equal(eachHasOwn([[1, 2], [2, 3], [1], [3, 4]]), true);
  assert.equal(eachHasOwn([[1], [1]]), false);
  assert.equal(
    eachHasOwn([
      [1, 2],
      [1, 2],
      [1, 2],
    ]),
    false,
  );
  assert.equal(eachHasOwn([[1], []]), false);
  assert.equal(eachHasOwn([]), true);
});

test('a matching is found exactly where trying everything finds one', () => {
  const random = seeded(7);
  let matched = 0;
  for (let round = 0; round < 500; round++) {
    const choices = Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
      [0, 1, 2, 3, 4].filter(() => random() < 0.35),
    );
    const wanted = tried(choices);
    assert.equal(eachHasOwn(choices), wanted, JSON.stringify(choices));
    matched += Number(wanted);
  }
  assert.ok(matched > 50 && matched < 450, String(matched));
});

test('a name may have 200 letters, whatever a letter takes', () => {
  for (const letter of ['a', 'é', 'e\u0301', '字', '😀', '𝒜']) {
    assert.equal(nameProblem(letter.repeat(mostNameLetters)), null, letter);
    assert.equal(nameProblem(` ${letter.repeat(mostNameLetters)} `), null, letter);
    assert.equal(
      nameProblem(letter.repeat(mostNameLetters + 1)),
      'has 201 characters, more than the maximum of 200',
      letter,
    );
  }
});

test('a name that cannot be shown in one line is refused', () => {
  const unshowable = ['A\nnn', 'A\0nn', '\u001b[31mAnn', 'Ann\u0085', 'A\u2028nn', 'Ann\n', '\n'];
  for (const name of unshowable)
    assert.equal(nameProblem(name), 'contains a control character', JSON.stringify(name));
  assert.equal(nameProblem('Ann\ud800'), 'contains half of a character (a lone surrogate)');
  for (const name of ['   ', '\u3000']) assert.match(nameProblem(name)!, /is blank/);
  for (const name of ['', "O'Hara <b>", '👩‍👩‍👧', 'עברית', '__proto__'])
    assert.equal(nameProblem(name), null);
});

test('names that look alike are stored as one', () => {
  for (const name of [' Zoë  Lee ', 'Zoe\u0308 Lee', 'Zoë\u00a0Lee'])
    assert.equal(plainName(name), 'Zoë Lee');
});

test('the name of a sample picture keeps the same rule, and so does the second of one name', () => {
  const named = (...names: readonly string[]) =>
    facesComplaints({
      face_clustering_jobs: [],
      recluster_jobs: [],
      sample_faces: names.map((name) => ({ name, face_paths: ['/a.jpg'] })),
    }).map(({ field, what }) => `${field} ${what}`);
  assert.ok(named('A\nnn').includes('sample_faces[0].name contains a control character'));
  assert.ok(
    named('Ann Lee', 'Ann  Lee').some((one) => one.startsWith('sample_faces[1].name is the same person')),
  );
});
