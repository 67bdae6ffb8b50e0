// Clusterings and summaries of a cluster: made once, corrected anywhere, and the same everywhere.
import assert from 'node:assert/strict';
import test from 'node:test';
import { peopleErrors } from '../../../actors/index/people/contract.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { begin, cluster, labelsOf, modelKey, people, storeFaces } from '../index/people/faces.ts';
import { summarise, tree } from '../index/summaries/trees.ts';
import { clusterNodes, type Replica } from './replicas.ts';

/** Two people, alone and together. */
const cast = [[1], [1, 2], [2], [3], [3]];

test('the whole library of a cluster', { skip: skipWithoutPostgres }, async (t) => {
  const nodes = await clusterNodes(t);
  for (const hash of ['aa', 'bb']) await nodes.found((index, at) => storeFaces(index, at, hash, cast));
  const both = [await nodes.join('/footage'), await nodes.join('/mnt/nas')] as const;
  for (const node of both) {
    node.begin();
    await node.caughtUp();
  }
  await t.test('faces and people are the same everywhere', () => clusterOnce(both));
  await t.test('of two corrections at once the second one is refused everywhere', () => correctTwice(both));
  await t.test('what was made of other corrections does not count', () => clusterLate(both));
  await t.test('a summary has one id everywhere', () => summarize(both));
});

type Both = readonly [Replica, Replica];

async function same<T>(both: Both, read: (node: Replica) => Promise<T>): Promise<T> {
  for (const node of both) await node.caughtUp();
  const [one, other] = await Promise.all(both.map(read));
  assert.deepEqual(other, one);
  return one!;
}

/** With entry ids, and pictures as they say whom they show. Paths are those of each machine. */
async function peopleOf({ index, cacheDir }: Replica) {
  const { job, clusters, noise } = await people(index, cacheDir);
  const everywhere = ({ places, ...cluster }: typeof noise) => {
    return { ...cluster, places: places.map(({ path: _, ...place }) => place) };
  };
  return { job, clusters: clusters.map(everywhere), noise: everywhere(noise) };
}

async function clusterOnce(both: Both): Promise<void> {
  const [here] = both;
  const { report, cluster_ids } = await cluster(here.whole, here.cacheDir, ['aa', 'bb']);
  assert.deepEqual([report.clusters, report.faces], [3, 12]);
  const { job, clusters } = await same(both, peopleOf);
  assert.deepEqual(
    clusters.map(({ size, shown }) => [size, shown.length]),
    [
      [4, 4],
      [4, 4],
      [4, 4],
    ],
  );
  assert.deepEqual(job.cluster_ids, cluster_ids);
}

async function correctTwice(both: Both): Promise<void> {
  const [here, there] = both;
  const [one = '', two = '', three = ''] = (await peopleOf(here)).job.cluster_ids;
  const merge = ({ writes, cacheDir: cache_dir }: Replica, ...cluster_ids: string[]) =>
    writes.ask('modify_clusters', {
      ...{ cache_dir, cluster_job_name: 'job', moves: [] },
      merges: [{ cluster_ids, target_cluster_id: cluster_ids[0]! }],
    });
  const ends = await Promise.allSettled([merge(here, one, two), merge(there, three, two)]);
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  assert.equal(refused.length, 1);
  assert.ok(peopleErrors.UNKNOWN_CLUSTER.is(refused[0]), String(refused[0]));
  const { clusters } = await same(both, peopleOf);
  assert.deepEqual(clusters.map(({ size }) => size).toSorted(), [4, 8]);
  const [name] = clusters;
  const named = { cluster_job_name: 'job', assignments: [{ cluster_id: name!.cluster_id, name: 'Ada' }] };
  await there.writes.ask('name_clusters', { ...named, cache_dir: there.cacheDir });
  assert.equal((await same(both, peopleOf)).job.names[name!.cluster_id], 'Ada');
}

async function clusterLate(both: Both): Promise<void> {
  const [here, there] = both;
  const asked = { cluster_job_name: 'job', model_key: modelKey, hashes: ['aa'], eps: 0.2, min_samples: 2 };
  const { clustering, entries } = await begin(here.whole, { ...asked, cache_dir: here.cacheDir });
  const { vectors } = await here.whole.call('clustering_vectors', { clustering, from: 0, most: entries });
  const before = (await peopleOf(there)).job;
  await there.writes.ask('undo_clusters', { cache_dir: there.cacheDir, cluster_job_name: 'job' });
  const found = labelsOf(vectors, 0.2, 2);
  const late = here.whole.call('commit_clustering', { clustering, ...found, eps: 0.2, clear_names: false });
  await assert.rejects(late, (error: unknown) => peopleErrors.CLUSTERING_CHANGED.is(error));
  await here.whole.call('end_clustering', { clustering });
  const { job } = await same(both, peopleOf);
  assert.equal(job.clustered_ms, before.clustered_ms);
  const again = await cluster(here.whole, here.cacheDir, ['aa']);
  assert.equal(again.begun.before?.labels.length, 12, 'what each replica knows of its entries is used');
  assert.ok((await same(both, peopleOf)).job.clustered_ms > before.clustered_ms);
}

async function summarize(both: Both): Promise<void> {
  const [here, there] = both;
  const told = { name: 'short', collection: { name: 'Day 1', description: '' }, nodes: tree(40) };
  const made = await summarise(here.whole, here.cacheDir, 'aa', told);
  const read = async ({ index, cacheDir: cache_dir }: Replica) => {
    const asked = { cache_dir, hash_str: 'aa', analysis_id: null, node_id: null, evidence: false };
    const { summary, node, children } = await index.call('read_summary', asked);
    const { media_path, ...held } = summary!;
    const page = { cache_dir, after: null, limit: 10 };
    const { collections } = await index.call('list_collections', page);
    return { held, text: node?.text, children: children.length, collections };
  };
  const { held, children, collections } = await same(both, read);
  assert.deepEqual(
    [held.analysis_id, held.collection_id, children, collections.map(({ members }) => members)],
    [made.analysis_id, made.collection_id, 4, [1]],
  );
  const again = summarise(there.whole, there.cacheDir, 'aa', told);
  await assert.rejects(again, { code: 'SUMMARY_NAME_TAKEN' });
  const summaries = [{ hash_str: 'aa', analysis_id: held.analysis_id }];
  const asked = { cache_dir: there.cacheDir, summaries, collections: [held.collection_id!] };
  assert.deepEqual((await there.writes.ask('remove_summaries', asked)).removed, [true]);
  const left = async ({ index, cacheDir: cache_dir }: Replica) =>
    (await index.call('list_summaries', { cache_dir, hashes: ['aa'], after: null, limit: 5 })).summaries;
  assert.deepEqual(await same(both, left), []);
}
