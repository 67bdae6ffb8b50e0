import assert from 'node:assert/strict';
import test from 'node:test';
import { analysisErrors, type TaskRequest } from '../../../../actors/analysis/contract.ts';
import { peopleErrors } from '../../../../actors/index/people/contract.ts';
import { peopleRequestErrors } from '../../../../actors/library/people/contract.ts';
import { createPeople } from '../../../../actors/library/people/people.ts';
import { SamplesRequest } from '../../../../actors/library/people/requests/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { filled } from '../../../filled.ts';
import { FakeIndex, fakeJob } from './fake-index.ts';

const cache_dir = '/cache';
const named = { cache_dir, cluster_job_name: 'Family' };
const all = filled(SamplesRequest, named);
const plainFaces = { include_entry_ids: false, include_places: false, include_noise: false };
const withIds = { ...plainFaces, include_entry_ids: true };

/** Ann has c1, Ben c2 and c4, c3 has no name. */
function people(mostLetters?: number) {
  const index = new FakeIndex();
  const started: [TaskRequest, unknown][] = [];
  let busy: Error | null = null;
  const job = fakeJob('Family', { c1: 30, c2: 5, c3: 3, c4: 2 });
  for (const [i, name] of ['Ann', 'Ben', '', 'Ben'].entries()) job.clusters[i]!.name = name;
  const legacy = fakeJob('Old', { o1: 2 }, { version: 1, clustered_ms: 0 });
  index.put(cache_dir, job, legacy);
  const whole = createPeople({
    index: index.ref,
    tasks: {
      start: async (request, options) => {
        if (busy) throw busy;
        started.push([request, options]);
        return { task_id: 'task-1' };
      },
    },
    ...(mostLetters !== undefined && { mostLetters }),
  });
  const beBusy = () => {
    busy = analysisErrors.ANOTHER_TASK('task-0');
  };
  return { index, whole, job, started, beBusy };
}

const text = (base64: string) => Buffer.from(base64, 'base64').toString();

test('clusterings are told with their times in seconds, unknown ones null, and damaged ones in a warning', async () => {
  const { index, whole } = people();
  const { cluster_jobs, jobs, warning } = await whole.jobs(cache_dir);
  assert.deepEqual(cluster_jobs, ['Family', 'Old']);
  assert.deepEqual(
    jobs.map(({ clustered }) => clustered),
    [1_700_000_000.5, null],
  );
  assert.ok(!('clustered_ms' in jobs[0]!));
  assert.equal(warning, undefined);
  index.unreadable.push('Broken');
  assert.match((await whole.jobs(cache_dir)).warning!, /Broken/);
  assert.deepEqual(await people().whole.jobs('/nothing'), { cluster_jobs: [], jobs: [] });
});

test('everything a person waits for goes in the lane now, with the signal of the caller', async () => {
  const { index, whole } = people();
  const { signal } = new AbortController();
  await whole.jobs(cache_dir, signal);
  await whole.samples({ ...all, include_noise: true }, signal);
  await whole.samples({ ...all, max_clusters: 4, limit_per_cluster: 2000 }, signal);
  await whole.faces({ ...named, cluster_ids: ['c1'], limit: 1, offset: 0, ...withIds }, signal);
  await whole.name({ ...named, assignments: [{ cluster_id: 'c3', name: 'Cem' }] }, signal);
  await whole.modify({ ...named, merges: [{ cluster_ids: ['c2', 'c4'] }], moves: [], apart: [] }, signal);
  await whole.undo(named, signal);
  await whole.appearances({ ...named, people: [] }, signal);
  await whole.remove({ ...named, cluster_id: 'c1' }, signal);
  const asked = index.asked.filter(({ name }) => name !== 'compact_faces');
  assert.deepEqual([...new Set(asked.map(({ options }) => options.lane))], ['now']);
  assert.ok(index.asked.every(({ options }) => options.signal === signal));
});

test('pictures for many clients are asked for one after the other, and who has gone does not wait', async () => {
  let [inside, most] = [0, 0];
  const gate = Promise.withResolvers<void>();
  const look = async () => {
    most = Math.max(most, ++inside);
    await gate.promise;
    inside--;
  };
  const index = new FakeIndex({ look });
  index.put(cache_dir, fakeJob('Family', { c1: 30 }));
  const whole = createPeople({ index: index.ref, tasks: { start: () => assert.fail('no task is started') } });
  const gone = new AbortController();
  const asked = Array.from({ length: 50 }, () => whole.samples(all));
  const left = whole.samples(all, gone.signal);
  gone.abort();
  await assert.rejects(left);
  assert.equal(index.asked.length, 1);
  gate.resolve();
  for (const one of asked) assert.ok('clusters' in (await one));
  assert.equal(most, 1);
});

test('an aborted signal ends what is asked', async () => {
  const { whole } = people();
  await assert.rejects(whole.samples(all, AbortSignal.abort()), engineErrors.CANCELLED.is);
});

test('samples are the clusters of the sizes that are asked for, the largest first, as base64', async () => {
  const { whole } = people();
  const answer = await whole.samples({
    ...all,
    limit_per_cluster: 2,
    min_cluster_size: 3,
    include_noise: true,
  });
  assert.ok('clusters' in answer);
  const { clusters, noise_sample, ...counts } = answer;
  assert.deepEqual(counts, {
    cluster_job_name: 'Family',
    num_clusters: 4,
    num_clusters_after_filter: 3,
    total_entries: 42,
    noise_size: 2,
  });
  assert.deepEqual(
    clusters.map((one) => [one.cluster_id, one.name, one.size, one.sample_faces.map(text)]),
    [
      ['c1', 'Ann', 30, ['c1-0', 'c1-1']],
      ['c2', 'Ben', 5, ['c2-0', 'c2-1']],
      ['c3', '', 3, ['c3-0', 'c3-1']],
    ],
  );
  assert.deepEqual(noise_sample?.map(text), ['n-0', 'n-1']);
  const zero = await whole.samples({ ...all, min_cluster_size: 0, max_clusters: 1, limit_per_cluster: 0 });
  assert.ok('clusters' in zero && zero.clusters.length === 1 && !('noise_size' in zero));
});

test('samples of many clusters are the same when they come in parts', async () => {
  const { index, whole } = people();
  const parts = await whole.samples({ ...all, limit_per_cluster: 1500 });
  const inParts = index.asked.map(({ request }) => request['limit']);
  assert.deepEqual(inParts, [0, 1500, 1500, 1500, 1500]);
  const [before, one] = [index.asked.length, await whole.samples({ ...all, limit_per_cluster: 12 })];
  assert.equal(index.asked.length, before + 1);
  assert.ok('clusters' in parts && 'clusters' in one);
  const shown = parts.clusters.map((cluster) => ({
    ...cluster,
    sample_faces: cluster.sample_faces.slice(0, 12),
  }));
  assert.deepEqual({ ...parts, clusters: shown }, one);
});

test('without saved face data there is a warning alone, with the name that was meant', async () => {
  const { whole } = people();
  const answer = await whole.samples({ ...all, cluster_job_name: 'family2' });
  assert.deepEqual(Object.keys(answer), ['warning']);
  assert.match(answer.warning!, /no face clustering named "family2"; did you mean Family\?/);
  const page = { ...plainFaces, cluster_ids: ['c1'], limit: 5, offset: 2 };
  const { warning, ...faces } = await whole.faces({ ...named, cluster_job_name: 'x', ...page });
  assert.deepEqual(faces, { cluster_job_name: 'x', limit: 5, offset: 2, clusters: [] });
  assert.match(warning!, /no face clustering named "x"$/);
});

test('faces come page by page for each cluster by itself, in the order of the ids, each once', async () => {
  const { whole } = people();
  const page = { ...named, limit: 2, offset: 2, ...withIds };
  const { clusters, warning } = await whole.faces({ ...page, cluster_ids: ['c3', 'c9', 'c1', 'c3'] });
  assert.deepEqual(
    clusters.map(({ faces, ...one }) => ({ ...one, faces: faces.map(text) })),
    [
      { cluster_id: 'c3', name: '', size: 3, available_faces: 3, faces: ['c3-2'], entry_ids: ['c3-2'] },
      {
        cluster_id: 'c1',
        name: 'Ann',
        size: 30,
        available_faces: 30,
        faces: ['c1-2', 'c1-3'],
        entry_ids: ['c1-2', 'c1-3'],
      },
    ],
  );
  assert.match(warning!, /"Family" has no cluster "c9"/);
  const plain = await whole.faces({ ...page, cluster_ids: ['c1'], include_entry_ids: false });
  assert.ok(!('entry_ids' in plain.clusters[0]!) && !('warning' in plain));
});

test('faces in no cluster come page by page with their ids and places, and can be put into a cluster', async () => {
  const { whole } = people();
  const page = { ...named, cluster_ids: [], limit: 1, offset: 1 };
  const asked = { include_entry_ids: true, include_places: true, include_noise: true };
  const { clusters, noise } = await whole.faces({ ...page, ...asked });
  assert.deepEqual(clusters, []);
  assert.deepEqual(
    { ...noise, faces: noise!.faces.map(text) },
    {
      size: 2,
      available_faces: 2,
      faces: ['n-1'],
      entry_ids: ['n-1'],
      places: [{ hash_str: 'aa', media_path: '/aa.jpg', seconds: 1 }],
    },
  );
  await assert.rejects(whole.faces({ ...page, ...withIds }), peopleRequestErrors.WHICH_CLUSTER.is);
  const move = { from_cluster_id: null, to_cluster_id: 'c3', entry_ids: ['n-1'] };
  const { moves } = await whole.modify({ ...named, merges: [], moves: [move], apart: [] });
  assert.deepEqual(moves, [{ from: null, to: 'c3', moved: 1 }]);
  const { noise: rest } = await whole.faces({ ...page, offset: 0, ...asked });
  assert.equal(rest!.size, 1);
});

test('names that differ are the changes; an empty one or null takes the name away', async () => {
  const { index, whole } = people();
  const assignments = [
    { cluster_id: 'c1', name: null },
    { cluster_id: 'c2', name: 'Ben' },
    { cluster_id: 'c3', name: '  Çem 👩‍👩‍👧 ' },
    { cluster_id: 'c4', name: '' },
  ];
  const answer = await whole.name({ ...named, assignments });
  assert.deepEqual(answer, { updated: 3, changes: { c1: '', c3: 'Çem 👩‍👩‍👧', c4: '' } });
  assert.deepEqual(await whole.name({ ...named, assignments }), { updated: 0, changes: {} });
  assert.deepEqual(await whole.name({ ...named, assignments: [] }), { updated: 0, changes: {} });
  const [old] = (await whole.jobs(cache_dir)).jobs;
  assert.deepEqual(old?.names, { c2: 'Ben', c3: 'Çem 👩‍👩‍👧' });
  const legacy = { cache_dir, cluster_job_name: 'Old', assignments: [{ cluster_id: 'o1', name: 'Eva' }] };
  assert.deepEqual(await whole.name(legacy), { updated: 1, changes: { o1: 'Eva' } });
  assert.ok(index.asked.length > 0);
});

test('corrections are asked for as they were checked, and the last ones are taken back', async () => {
  const { index, whole } = people();
  const merges = [{ cluster_ids: ['c2', 'c4', 'c2'], target_cluster_id: 'c4' }];
  const moves = [{ from_cluster_id: 'c1', to_cluster_id: 'c3', entry_ids: ['c1-0', 'c1-0', 'c1-4'] }];
  assert.deepEqual(await whole.modify({ ...named, merges, moves, apart: [] }), {
    merges: [{ target_cluster_id: 'c4', cluster_ids: ['c2', 'c4'], size: 7 }],
    moves: [{ from: 'c1', to: 'c3', moved: 2 }],
    apart: [],
  });
  const { can_undo, cluster_ids } = await whole.undo(named);
  assert.deepEqual([can_undo, cluster_ids], [false, ['c1', 'c2', 'c3', 'c4']]);
  await assert.rejects(whole.undo(named), (error) => peopleErrors.NOTHING_TO_UNDO.is(error));
  const old = { cache_dir, cluster_job_name: 'Old', merges: [], moves: [], apart: [] };
  await assert.rejects(whole.modify(old), (error) => peopleErrors.LEGACY_STORAGE.is(error));
  assert.ok(index.asked.some(({ name }) => name === 'undo_clusters'));
});

test('suggestions show both clusters with their faces, and how alike they are by the thresholds of the face model', async () => {
  const { index, whole } = people();
  const request = { ...named, other_names: true, limit: 5, limit_per_cluster: 2 };
  const { suggestions, warning } = await whole.suggest(request);
  assert.equal(warning, undefined);
  const [{ samples, similarity, ...first }, ...rest] = suggestions as [(typeof suggestions)[number]];
  assert.deepEqual([first, rest], [{ cluster_ids: ['c1', 'c2'], names: ['Ann', 'Ben'] }, []]);
  // Clustered by a distance of .48, and the row of the model is not known: a cosine of .5 is just below.
  assert.ok(similarity > 0.45 && similarity < 0.5, `${similarity}`);
  assert.deepEqual(
    samples.map(({ cluster_id, name, size, sample_faces, entry_ids }) => {
      return [cluster_id, name, size, sample_faces.map(text), entry_ids];
    }),
    [
      ['c1', 'Ann', 30, ['c1-0', 'c1-1'], ['c1-0', 'c1-1']],
      ['c2', 'Ben', 5, ['c2-0', 'c2-1'], ['c2-0', 'c2-1']],
    ],
  );
  assert.ok(index.asked.every(({ options }) => options.lane === 'now'));
  const unknown = whole.suggest({ ...request, cluster_id: 'c9' });
  await assert.rejects(unknown, (error) => peopleErrors.UNKNOWN_CLUSTER.is(error));
  const old = whole.suggest({ ...request, cluster_job_name: 'Old' });
  await assert.rejects(old, (error) => peopleErrors.LEGACY_STORAGE.is(error));
});

test('clustering again is a task that stops no other one', async () => {
  const { whole, started, beBusy } = people();
  const request = { ...named, eps: 0.4, min_samples: 3, auto_detect_params: true, clear_names: false };
  const { signal } = new AbortController();
  assert.deepEqual(await whole.recluster(request, signal), { task_id: 'task-1' });
  const { cache_dir: _, ...job } = request;
  assert.deepEqual(started, [
    [
      { cache_dir, recluster_jobs: [job] },
      { whenBusy: 'refuse', signal },
    ],
  ]);
  const old = { ...request, cluster_job_name: 'Old' };
  await assert.rejects(whole.recluster(old), (error) => peopleErrors.LEGACY_STORAGE.is(error));
  const none = whole.recluster({ ...request, cluster_job_name: 'Famly' });
  await assert.rejects(none, /no face clustering named "Famly"; did you mean Family\?/);
  beBusy();
  await assert.rejects(whole.recluster(request), (error) => analysisErrors.ANOTHER_TASK.is(error));
  assert.equal(started.length, 1);
});

test('a name that several clusters have removes them all, and what is left behind is compacted', async () => {
  const { index, whole, job } = people();
  const { message, ...removed } = await whole.remove({ ...named, person_name: 'Ben' });
  assert.deepEqual(removed, { deleted_jobs: 0, deleted_clusters: 2, deleted_faces: 7, removed_faces: 7 });
  assert.match(message, /the next compaction deletes them from the disk/);
  assert.deepEqual(
    job.clusters.map(({ id }) => id),
    ['c1', 'c3'],
  );
  assert.equal(index.garbage, 0);
  const compactions = index.asked.filter(({ name }) => name === 'compact_faces');
  assert.deepEqual([compactions.length, compactions[0]?.options.lane], [3, 'later']);
  const rest = await whole.remove({ ...named });
  assert.deepEqual([rest.deleted_jobs, rest.deleted_clusters, rest.deleted_faces], [1, 2, 35]);
  assert.deepEqual((await whole.jobs(cache_dir)).cluster_jobs, ['Old']);
});

test('whom a removal means is certain, or nothing is removed', async () => {
  const { index, whole } = people();
  const both = whole.remove({ ...named, cluster_id: 'c1', person_name: 'Ann' });
  await assert.rejects(both, (error) => peopleRequestErrors.WHICH_PERSON.is(error));
  const typo = whole.remove({ ...named, person_name: 'Anne' });
  await assert.rejects(typo, /person_name: "Family" has no person named "Anne"; did you mean Ann\?/);
  const empty = whole.remove({ ...named, person_name: '' });
  await assert.rejects(empty, (error) => peopleErrors.UNKNOWN_PERSON.is(error));
  const unknown = whole.remove({ ...named, cluster_id: 'c9' });
  await assert.rejects(unknown, (error) => peopleErrors.UNKNOWN_CLUSTER.is(error));
  assert.ok(!index.asked.some(({ name }) => name === 'delete_people'));
});

test('appearances are of those who are named, by name or id, else of everybody with a name', async () => {
  const { whole } = people();
  const seen = async (...asked: string[]) => {
    const { people } = await whole.appearances({ ...named, people: asked });
    return people.map(({ cluster_id, name }) => `${cluster_id} ${name}`);
  };
  assert.deepEqual(await seen(), ['c1 Ann', 'c2 Ben', 'c4 Ben']);
  assert.deepEqual(await seen('c3', 'Ben', 'c2'), ['c2 Ben', 'c3 ', 'c4 Ben']);
  await assert.rejects(
    seen('Ann', 'Bne'),
    /people\[1\]: "Family" has no person named "Bne"; did you mean Ben\?/,
  );
  const [ann] = (await whole.appearances({ ...named, people: ['Ann'] })).people;
  assert.deepEqual(ann?.media, [{ hash_str: 'aa', media_path: '/f/a.mp4', faces: 30, ranges: [[0, 30]] }]);
});

test('where very many people are seen is asked for some of them at a time', async () => {
  const index = new FakeIndex();
  const job = fakeJob('Family', Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`c${i}`, 2])));
  for (const cluster of job.clusters) cluster.name = `Person ${cluster.id}`;
  index.put(cache_dir, job);
  const whole = createPeople({ index: index.ref, tasks: { start: () => assert.fail('no task is started') } });
  const { people } = await whole.appearances({ ...named, people: [] });
  assert.deepEqual(
    people.map(({ cluster_id }) => cluster_id),
    job.clusters.map(({ id }) => id),
  );
  const asked = index.asked.flatMap(({ name, request }) =>
    name === 'appearances' ? [(request['clusters'] as string[]).length] : [],
  );
  assert.deepEqual(asked, [16, 16, 8]);
});

test('of a person whose faces another clustering has it is told that they come back', async () => {
  const { index, whole } = people();
  index.shared = 3;
  const some = await whole.remove({ ...named, cluster_id: 'c2' });
  assert.deepEqual([some.deleted_faces, some.removed_faces], [5, 2]);
  assert.match(
    some.message,
    /^5 faces removed\. The vectors .* of 2 of them .*\. Other clusterings also contain 3 of them/,
  );
  index.shared = 100;
  assert.match(
    (await whole.remove({ ...named, cluster_id: 'c1' })).message,
    /also contain 30 of them, so they come back/,
  );
  assert.doesNotMatch((await whole.remove({ ...named })).message, /come back/);
});
