// People in real footage through the service: clustered, shown, named, corrected, clustered again, searched
// for, removed; and an engine that is killed while it clusters.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type {
  AppearancesAnswer,
  ClusterFacesAnswer,
  FaceClusterJob,
  FaceClusterJobs,
} from '../../actors/library/people/contract.ts';
import type { FacetAnswer, SearchAnswer } from '../../actors/search/contract.ts';
import type { ProgressEvent } from '../../events/protocol.ts';
import { facesModels, yunetWeights } from '../actors/faces/stand-in-embedder.ts';
import { sharedPath, skipWithout, untilRelease } from '../shared.ts';
import { newHome } from './command-line.ts';
import { startService } from './service.ts';

const skip = skipWithout('media/faces', yunetWeights);
const signers = sharedPath('media/faces/signers');
const clip = (name: string) => join(signers, `${name}.mkv`);
/** Who is in which clip, as LICENSES.md says; somebody else stands at the edge of milk. */
const people = { A: ['again', 'brother'], B: ['bird', 'milk'], C: ['book', 'learn'], D: ['eat', 'night'] };
const cluster_job_name = 'signers';

async function faceService(t: TestContext) {
  const home = newHome();
  await facesModels(join(home.folder, 'home', 'models'));
  const service = await startService(['--no-guardian'], home);
  t.after(service.end);
  await service.modelReady();
  const cache_dir = join(home.folder, 'analysis');
  const ask = <T>(path: string, more: object = {}, method?: string) =>
    service.ok<T>(path, { cache_dir, cluster_job_name, ...more }, method);
  const run = async (path: string, body: object): Promise<ProgressEvent[]> => {
    const { task_id } = await service.ok<{ task_id: string }>(path, { cache_dir, ...body });
    const events = await service.follow(task_id);
    assert.equal(events.at(-1)?.error, undefined, JSON.stringify(events.at(-1)));
    return events;
  };
  const job = async () => {
    const { jobs } = await service.ok<FaceClusterJobs>(
      `/faces/clusters?cache_dir=${encodeURIComponent(cache_dir)}`,
    );
    return jobs.find(({ name }) => name === cluster_job_name)!;
  };
  return { ...service, cache_dir, ask, run, job };
}

type Service = Awaited<ReturnType<typeof faceService>>;

/** The cluster that is seen in each clip most. */
async function clusterOf({ ask }: Service): Promise<Map<string, string>> {
  const { people } = await ask<AppearancesAnswer>('/faces/appearances', { people: await idsOf(ask) });
  const found = new Map<string, { id: string; faces: number }>();
  for (const { cluster_id, media } of people) {
    for (const { media_path, faces } of media) {
      const name = basename(media_path, '.mkv');
      if ((found.get(name)?.faces ?? 0) < faces) found.set(name, { id: cluster_id, faces });
    }
  }
  return new Map([...found].map(([name, { id }]) => [name, id]));
}

async function idsOf(ask: Service['ask']): Promise<string[]> {
  const { clusters } = await ask<{ clusters: { cluster_id: string }[] }>('/faces/clusters/samples');
  return clusters.map(({ cluster_id }) => cluster_id);
}

test('people of real clips are found, named, corrected, clustered again, searched for and removed', {
  skip: skip || untilRelease,
}, async (t) => {
  const service = await faceService(t);
  await t.test('each person is one cluster, and a name is given by a picture', () => analyse(service));
  await t.test('clusters are shown with pictures of their faces', () => show(service));
  await t.test('a search with Anna finds her clips and nobody else', () => searchFor(service));
  await t.test('a move, a merge and names are still there when everything is clustered again', () =>
    correct(service),
  );
  await t.test('a person is removed with all that is stored of their faces', () => remove(service));
  assert.equal(await service.stop(), 0);
});

async function analyse(service: Service): Promise<void> {
  const { run, job, ok, cache_dir } = service;
  const media = readdirSync(signers).map((name) => join(signers, name));
  // A picture of the same room: the stand-in knows the four there only.
  const { thumbnails } = await ok<{ thumbnails: { thumbnail: string }[] }>('/thumbnails', {
    cache_dir,
    requests: [{ media_path: clip('book'), time_seconds: 0 }],
  });
  const face_images = thumbnails.map(({ thumbnail }) => thumbnail);
  const events = await run('/analyze', {
    visual_media_paths: media,
    face_clustering_jobs: [{ cluster_job_name, face_media_paths: media, face_min_samples: 2 }],
    sample_faces: [
      { name: 'Anna', face_images },
      { name: 'Nobody', face_paths: [sharedPath('media/images/coffee.png')] },
    ],
  });
  const closing = events.filter((event) => event.cluster_job_name === cluster_job_name);
  assert.ok(closing.every(({ is_cluster_job }) => is_cluster_job));
  const completed = closing.find(({ sample_face_naming }) => sample_face_naming)!;
  assert.equal(completed.cluster_media_hashes?.length, media.length);
  const naming = completed.sample_face_naming!;
  const clusters = await clusterOf(service);
  for (const names of Object.values(people)) {
    assert.equal(new Set(names.map((name) => clusters.get(name))).size, 1, names.join());
  }
  assert.equal(new Set(Object.values(people).map(([name]) => clusters.get(name!))).size, 4);
  assert.deepEqual(
    naming.assignments.map(({ name, cluster_id }) => [name, cluster_id]),
    [['Anna', clusters.get('book')]],
  );
  assert.deepEqual(naming.unassigned, [{ name: 'Nobody', reason: 'no_face' }]);
  const { names, num_clusters, media_hashes } = await job();
  assert.deepEqual(names, { [clusters.get('book')!]: 'Anna' });
  assert.ok(num_clusters >= 4);
  assert.equal(media_hashes.length, media.length);
}

async function show({ ask, call, cache_dir }: Service): Promise<void> {
  const shown = await ask<{ clusters: { size: number; sample_faces: string[] }[]; total_entries: number }>(
    '/faces/clusters/samples',
    { limit_per_cluster: 3 },
  );
  const sizes = shown.clusters.map(({ size }) => size);
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => b - a),
  );
  for (const { size, sample_faces } of shown.clusters) {
    assert.equal(sample_faces.length, Math.min(3, size));
    for (const face of sample_faces) assert.equal(Buffer.from(face, 'base64').readUInt16BE(0), 0xffd8);
  }
  const none = await call('/faces/clusters/samples', { cache_dir, cluster_job_name: 'others' });
  assert.deepEqual([none.status, Object.keys(none.body)], [200, ['warning']]);
}

async function searchFor({ ok, call, cache_dir }: Service): Promise<void> {
  const { message } = await ok<{ message: string }>('/analysis-data/load', { cache_dir });
  assert.match(message, /person|people/);
  const search = (people_filter: object[], more: object = {}) =>
    ok<SearchAnswer>('/search/text', { cache_dir, query: 'grey', people_filter, max_results: 100, ...more });
  const anna = { cluster_job_name, person_name: 'Anna' };
  const { matches } = await search([anna]);
  const found = new Set(matches.map(({ video_path }) => basename(video_path, '.mkv')));
  assert.deepEqual([...found].sort(), ['book', 'learn']);
  assert.deepEqual((await search([anna, anna])).matches, []);
  const refused = await call<{ message: string }>('/search/text', {
    cache_dir,
    query: 'grey',
    people_filter: [{ cluster_job_name, person_name: 'Ana' }],
  });
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /Ana.*Anna/);
  const { facets } = await ok<FacetAnswer>('/metadata/facets', { cache_dir, search_all: true });
  const named = facets.find(({ id }) => id === `people.${cluster_job_name}`);
  assert.deepEqual(
    named?.options.map(({ label, count }) => [label, count]),
    [['Anna', 2]],
  );
}

async function correct(service: Service): Promise<void> {
  const { ask, run, job } = service;
  const before = await clusterOf(service);
  const [a, b, c, d] = [before.get('again')!, before.get('bird')!, before.get('book')!, before.get('eat')!];
  await ask('/faces/clusters/names', { assignments: [{ cluster_id: d, name: 'Dora 🎬' }] }, 'PUT');
  const page = await ask<ClusterFacesAnswer>('/faces/clusters/faces', {
    cluster_id: c,
    include_entry_ids: true,
  });
  const moved = page.clusters[0]!.entry_ids![0]!;
  const sizes = async () => {
    const { clusters } = await ask<ClusterFacesAnswer>('/faces/clusters/faces', {
      cluster_ids: [a, c, d],
      limit: 0,
    });
    return Object.fromEntries(clusters.map(({ cluster_id, size }) => [cluster_id, size]));
  };
  const first = await sizes();
  await ask('/faces/clusters/modify', {
    merges: [{ cluster_ids: [a, b] }],
    moves: [{ from_cluster_id: c, to_cluster_id: d, entry_ids: [moved] }],
  });
  const corrected = await sizes();
  const target = corrected[a] === undefined ? b : a;
  assert.equal(corrected[c], first[c]! - 1);
  assert.equal(corrected[d], first[d]! + 1);
  const undone = await ask<FaceClusterJob>('/faces/clusters/undo');
  assert.equal(undone.can_undo, false);
  assert.deepEqual(await sizes(), first);
  await ask('/faces/clusters/modify', {
    merges: [{ cluster_ids: [a, b], target_cluster_id: target }],
    moves: [{ from_cluster_id: c, to_cluster_id: d, entry_ids: [moved] }],
  });
  await run('/faces/recluster', { cluster_job_name, eps: 0.5, min_samples: 2 });
  const { names, cluster_ids, eps } = await job();
  assert.equal(eps, 0.5);
  assert.deepEqual(names, { [c]: 'Anna', [d]: 'Dora 🎬' });
  assert.ok(cluster_ids.includes(target) && !cluster_ids.includes(target === a ? b : a));
  const after = await ask<ClusterFacesAnswer>('/faces/clusters/faces', {
    cluster_id: d,
    include_entry_ids: true,
  });
  assert.ok(after.clusters[0]!.entry_ids!.includes(moved), 'the face that was moved stays moved');
}

async function remove({ ask, job, ok, cache_dir }: Service): Promise<void> {
  const before = await job();
  const gone = await ask<{ deleted_clusters: number; deleted_faces: number; removed_faces: number }>(
    '/faces/clusters/delete',
    { person_name: 'Anna' },
  );
  assert.equal(gone.deleted_clusters, 1);
  assert.ok(gone.deleted_faces > 0 && gone.removed_faces === gone.deleted_faces);
  const after = await job();
  assert.equal(after.total_entries, before.total_entries - gone.deleted_faces);
  assert.ok(!Object.values(after.names).includes('Anna'));
  await ask('/faces/clusters/delete');
  const { cluster_jobs } = await ok<FaceClusterJobs>(
    `/faces/clusters?cache_dir=${encodeURIComponent(cache_dir)}`,
  );
  assert.deepEqual(cluster_jobs, []);
}

test('an engine that is killed while it clusters goes on when the task is resumed', { skip }, async (t) => {
  const home = newHome();
  await facesModels(join(home.folder, 'home', 'models'));
  const first = await startService(['--no-guardian'], home);
  t.after(first.end);
  await first.modelReady();
  const cache_dir = join(home.folder, 'analysis');
  const media = readdirSync(signers).map((name) => join(signers, name));
  const { task_id } = await first.ok<{ task_id: string }>('/analyze', {
    cache_dir,
    face_clustering_jobs: [{ cluster_job_name, face_media_paths: media, face_min_samples: 2 }],
  });
  const killed = Promise.withResolvers<void>();
  const kill = ({ is_cluster_job, done }: ProgressEvent) => {
    if (!is_cluster_job && !done) return;
    first.process.child.kill('SIGKILL');
    killed.resolve();
  };
  first.follow(task_id, kill).catch(() => {});
  await killed.promise;
  await first.process.ended;
  const second = await startService(['--no-guardian'], home);
  t.after(second.end);
  await second.modelReady();
  const { state } = await second.ok<TaskDetail>(`/tasks/${task_id}`);
  if (state !== 'completed') {
    assert.equal(state, 'interrupted');
    await second.ok(`/tasks/${task_id}/resume`, {});
    assert.equal((await second.follow(task_id)).at(-1)?.error, undefined);
  }
  const { jobs } = await second.ok<FaceClusterJobs>(
    `/faces/clusters?cache_dir=${encodeURIComponent(cache_dir)}`,
  );
  assert.deepEqual(
    jobs.map(({ name, media_hashes }) => [name, media_hashes.length]),
    [[cluster_job_name, media.length]],
  );
});
