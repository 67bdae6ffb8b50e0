// People and summaries of a cluster: workers look at the files, one of them clusters and summarises, and
// every front answers alike and can correct.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type { ClusterFacesAnswer, FaceClusterJobs } from '../../actors/library/people/contract.ts';
import type { SearchAnswer } from '../../actors/search/contract.ts';
import { facesModels, yunetWeights } from '../actors/faces/stand-in-embedder.ts';
import { sharedPath, skipWithout } from '../shared.ts';
import { until } from '../until.ts';
import { type Node, newWorld, type World } from './cluster-world.ts';
import { newHome, SLOW_MS } from './command-line.ts';
import { skipWithoutPostgres } from './postgres.ts';
import { readSummary } from './summary-tree.ts';

const names = ['again', 'bird', 'book', 'brother', 'eat', 'learn', 'milk', 'night'];
const signers = sharedPath('media/faces/signers');
const cluster_job_name = 'signers';

type Nodes = readonly [front: Node, worker: Node];

test('people and summaries are those of the whole cluster', {
  skip: skipWithoutPostgres || skipWithout('media/faces', yunetWeights),
}, async (t) => {
  const world = await newWorld(t, (footage) => {
    for (const name of names) cpSync(join(signers, `${name}.mkv`), join(footage, `${name}.mkv`));
  });
  const joinWithFaces = async (roles: string) => {
    const home = newHome();
    await facesModels(join(home.folder, 'home', 'models'));
    return world.join(roles, home);
  };
  const nodes: Nodes = [await joinWithFaces('front'), await joinWithFaces('front,worker')];
  for (const node of nodes) await node.modelReady();
  await t.test('a batch is analysed, clustered and summarised', () => analyse(world, nodes));
  await t.test('two fronts correct at once, and both know the same', () => correct(nodes));
  await t.test('a person is found on every front', () => searchFor(nodes));
  await t.test('a summary is read and found on every front', () => readSummaries(world, nodes));
  await t.test('faces of a film that is away are found in its previews', () => lookAtPreviews(world, nodes));
  await t.test('a task that was cancelled goes on', () => resume(world, nodes));
});

async function analyse({ footage }: World, [front, worker]: Nodes): Promise<void> {
  const { cacheDir: cache_dir } = front;
  const media = names.map((name) => join(footage, `${name}.mkv`));
  const { thumbnails } = await front.ok<{ thumbnails: { thumbnail: string }[] }>('/thumbnails', {
    cache_dir,
    requests: [{ media_path: join(footage, 'book.mkv'), time_seconds: 0 }],
  });
  const { task_id } = await front.ok<{ task_id: string }>('/analyze', {
    cache_dir,
    visual_media_paths: media,
    face_clustering_jobs: [{ cluster_job_name, face_media_paths: media, face_min_samples: 2 }],
    sample_faces: [{ name: 'Anna', face_images: thumbnails.map(({ thumbnail }) => thumbnail) }],
    summary_requests: [{ path: media[0], collection: 'Signs' }],
  });
  const events = await worker.follow(task_id);
  assert.equal(events.at(-1)?.error, undefined, JSON.stringify(events.at(-1)));
  const detail = await front.ok<TaskDetail>(`/tasks/${task_id}`);
  const { state, counts, results } = detail;
  assert.deepEqual([state, counts.failed, counts.jobs_done, counts.jobs_failed], ['completed', 0, 1, 0]);
  assert.equal(results.length, 2 * names.length + 2);
  const clustering = results.find(({ closing }) => closing)?.clustering;
  assert.equal(clustering?.media_hashes.length, names.length);
  assert.deepEqual(
    clustering.sample_face_naming?.assignments.map(({ name }) => name),
    ['Anna'],
  );
}

async function jobOn({ ok, cacheDir }: Node) {
  const { jobs } = await ok<FaceClusterJobs>(`/faces/clusters?cache_dir=${encodeURIComponent(cacheDir)}`);
  const { cluster_ids, ...job } = jobs.find(({ name }) => name === cluster_job_name)!;
  return { ...job, cluster_ids: cluster_ids.toSorted() };
}

async function same<T>(nodes: Nodes, read: (node: Node) => Promise<T>): Promise<T> {
  const both = () => Promise.all(nodes.map(read));
  const isSame = async () => {
    const [one, other] = await both();
    return JSON.stringify(one) === JSON.stringify(other);
  };
  await until(isSame, { within: SLOW_MS });
  return (await both())[0]!;
}

async function correct(nodes: Nodes): Promise<void> {
  const [front, other] = nodes;
  const { cluster_ids, names: named } = await same(nodes, jobOn);
  const [anna = ''] = Object.keys(named);
  const [one = '', two = '', ...others] = cluster_ids.filter((id) => id !== anna);
  assert.ok(others.length > 0, 'four people at least');
  const ask = ({ ok, cacheDir: cache_dir }: Node, path: string, more: object, method?: string) =>
    ok(path, { cache_dir, cluster_job_name, ...more }, method);
  await Promise.all([
    ask(front, '/faces/clusters/modify', { merges: [{ cluster_ids: [one, two] }] }),
    ask(other, '/faces/clusters/names', { assignments: [{ cluster_id: others[0], name: 'Dora' }] }, 'PUT'),
  ]);
  const after = await same(nodes, jobOn);
  assert.equal(after.num_clusters, cluster_ids.length - 1);
  assert.deepEqual(Object.values(after.names).toSorted(), ['Anna', 'Dora']);
  const facesOn = async ({ ok, cacheDir: cache_dir }: Node) => {
    const asked = { cache_dir, cluster_job_name, cluster_id: anna, include_entry_ids: true };
    const { clusters } = await ok<ClusterFacesAnswer>('/faces/clusters/faces', asked);
    return clusters[0]!.entry_ids;
  };
  assert.ok((await same(nodes, facesOn))!.length > 0);
}

async function searchFor(nodes: Nodes): Promise<void> {
  const found = async ({ ok, cacheDir: cache_dir }: Node) => {
    await ok('/analysis-data/load', { cache_dir });
    const people_filter = [{ cluster_job_name, person_name: 'Anna' }];
    const asked = { cache_dir, query: 'grey', people_filter, max_results: 100 };
    const { matches } = await ok<SearchAnswer>('/search/text', asked);
    return [...new Set(matches.map(({ video_path }) => basename(video_path, '.mkv')))].sort();
  };
  assert.deepEqual(await same(nodes, found), ['book', 'learn']);
}

async function readSummaries({ footage }: World, nodes: Nodes): Promise<void> {
  const path = join(footage, `${names[0]}.mkv`);
  const read = async (node: Node) => {
    const { overview, nodes: tree } = await readSummary(node, node.cacheDir, path);
    return [overview.summary_ref, tree.map(({ node: { node_id, text } }) => [node_id, text])];
  };
  const [, tree] = await same(nodes, read);
  const text = (tree as string[][])[0]![1]!;
  const [word = ''] = /[a-z]{5,}/.exec(text) ?? [];
  const search = async ({ ok, cacheDir: cache_dir }: Node) =>
    (await ok<{ total: number }>('/summaries/search', { cache_dir, query: word, search_all: true })).total;
  assert.ok((await same(nodes, search)) > 0, word);
}

async function lookAtPreviews({ footage }: World, [front]: Nodes): Promise<void> {
  const { cacheDir: cache_dir, ok } = front;
  const path = join(footage, 'away.mkv');
  // Another content than that of the film itself.
  writeFileSync(path, Buffer.concat([readFileSync(join(footage, 'book.mkv')), Buffer.of(0)]));
  const run = async (asked: object) => {
    const { task_id } = await ok<{ task_id: string }>('/analyze', { cache_dir, ...asked });
    await front.follow(task_id);
    return ok<TaskDetail>(`/tasks/${task_id}`);
  };
  assert.equal((await run({ visual_media_paths: [path] })).counts.analyzed, 1);
  rmSync(path);
  const job = { cluster_job_name: 'away', face_media_paths: [path], face_min_samples: 2 };
  const { state, results } = await run({ face_clustering_jobs: [job] });
  assert.equal(state, 'completed');
  assert.deepEqual(
    results.map(({ faces, clustering }) => [faces?.from_previews, clustering?.media_hashes.length]),
    [
      [true, undefined],
      [undefined, 1],
    ],
  );
}

async function resume({ footage }: World, [front, other]: Nodes): Promise<void> {
  const { cacheDir: cache_dir } = front;
  const visual_media_paths = names.map((name) => join(footage, `${name}.mkv`));
  const asked = { cache_dir, visual_media_paths, force: true };
  const { task_id } = await front.ok<{ task_id: string }>('/analyze', asked);
  await other.ok(`/tasks/${task_id}/cancel`, {});
  const cancelled = await front.ok<TaskDetail>(`/tasks/${task_id}`);
  assert.equal(cancelled.state, 'cancelled');
  assert.ok(cancelled.counts.cancelled > 0);
  await front.ok(`/tasks/${task_id}/resume`, {});
  await other.follow(task_id);
  const { state, counts, total_results } = await other.ok<TaskDetail>(`/tasks/${task_id}`);
  assert.deepEqual([state, counts.analyzed, total_results], ['completed', names.length, names.length]);
}
