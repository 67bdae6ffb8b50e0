// Which clusters may be one person, and which ones nobody is asked about.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { likeness } from '../../../../actors/index/people/comparison.ts';
import { peopleErrors } from '../../../../actors/index/people/contract.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord, near, randomVector, seeded } from '../footage.ts';
import { type Harness, indexActor } from '../handlers.ts';
import { chunk, cluster, compactFaces, d, face, modelKey } from './faces.ts';

const cluster_job_name = 'job';

/** A person in two looks: near enough to be one, too far to be clustered together. */
const middle = (person: number) => randomVector(d, seeded(person * 31 + 7));
const look = (person: number, which: number) => near(middle(person), 0.4, seeded(person * 131 + which));

/** Each content shows one look of a person in four frames; answers the cluster of each content. */
async function clustered(t: TestContext, looks: readonly (readonly [string, number, number])[]) {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  for (const [hash, person, which] of looks) await storeLook(index, cache_dir, hash, person, which);
  const hashes = looks.map(([hash]) => hash);
  const { cluster_ids, clusters } = await cluster(index, cache_dir, hashes, { eps: 0.05 });
  assert.equal(cluster_ids.length, looks.length, 'each look is a cluster of its own');
  const of = Object.fromEntries(hashes.map((hash, at) => [hash, cluster_ids[clusters[at * 4]!]!]));
  return { cache_dir, index, of };
}

async function storeLook(index: Harness, cache_dir: string, hash: string, person: number, which: number) {
  const { stage } = await index.call('begin_faces', {
    ...{ cache_dir, hash_str: hash, model_key: modelKey, dimensions: d },
  });
  const faces = chunk(hash, [[1], [1], [1], [1]]);
  const vectors = new Float32Array(4 * d);
  for (let i = 0; i < 4; i++) vectors.set(near(look(person, which), 0.05, seeded(i + 5 * which)), i * d);
  const frames = faces.frames.map(({ frame_index }) => ({ frame_index, faces: [face(1)] }));
  await index.call('append_faces', { stage, ...faces, frames, vectors });
  await index.call('commit_faces', { stage, media: mediaRecord(hash) });
}

interface Asked {
  readonly cluster_id?: string;
  readonly other_names?: boolean;
  readonly limit?: number;
  readonly least?: number;
}

async function suggested(index: Harness, cache_dir: string, query: Asked = {}) {
  const { cluster_id = null, other_names = false, limit = 20, least = 0.3 } = query;
  const request = { cache_dir, cluster_job_name, cluster_id, other_names, limit, least };
  let answer = await index.call('suggest_clusters', request);
  for (let steps = 0; !answer.done; steps++) {
    assert.ok(steps < 100);
    answer = await index.call('suggest_clusters', { ...request, begun: answer.comparison });
  }
  return answer;
}

const pairsOf = async (index: Harness, cache_dir: string, request?: Asked) =>
  (await suggested(index, cache_dir, request)).pairs.map(({ cluster_ids }) =>
    cluster_ids.toSorted().join(' '),
  );

const modify = (index: Harness, cache_dir: string, asked: object) =>
  index.call('modify_clusters', { cache_dir, cluster_job_name, merges: [], moves: [], ...asked } as never);

const three: [string, number, number][] = [
  ['a1', 1, 1],
  ['a2', 1, 2],
  ['b1', 2, 1],
  ['b2', 2, 2],
  ['c1', 3, 1],
];
const pair = (of: Record<string, string>, one: string, other: string) =>
  [of[one]!, of[other]!].toSorted().join(' ');

test('two looks of one person are suggested before anything else, and strangers are not', async (t) => {
  const { cache_dir, index, of } = await clustered(t, three);
  const { pairs, left_out } = await suggested(index, cache_dir);
  const found = pairs.map(({ cluster_ids }) => cluster_ids.toSorted().join(' '));
  assert.deepEqual(new Set(found.slice(0, 2)), new Set([pair(of, 'a1', 'a2'), pair(of, 'b1', 'b2')]));
  assert.ok(pairs.every(({ cosine }, at) => at === 0 || cosine <= pairs[at - 1]!.cosine));
  assert.equal(left_out, 0);
  assert.deepEqual(await pairsOf(index, cache_dir, { limit: 1 }), found.slice(0, 1));
  assert.deepEqual((await pairsOf(index, cache_dir, { cluster_id: of['b2']! }))[0], pair(of, 'b1', 'b2'));
  assert.deepEqual(await pairsOf(index, cache_dir, { least: 0.999 }), []);
});

test('what is held apart is not asked again, through clustering, compaction and restarts, until it is taken back', async (t) => {
  const { cache_dir, index, of } = await clustered(t, three);
  const [a, b] = [pair(of, 'a1', 'a2'), pair(of, 'b1', 'b2')];
  const apart = [{ cluster_ids: [of['a1']!, of['a2']!] }];
  assert.deepEqual((await modify(index, cache_dir, { apart })).apart, apart);
  const without = await pairsOf(index, cache_dir);
  assert.deepEqual([without[0], without.includes(a)], [b, false]);
  await compactFaces(index, cache_dir);
  await index.close();
  const { report } = await cluster(index, cache_dir, [], { eps: 0.06 });
  assert.deepEqual([report.kept_corrections, report.conflicts], [1, []]);
  assert.deepEqual(await pairsOf(index, cache_dir), without);
  await modify(index, cache_dir, { apart: [{ cluster_ids: [of['b1']!, of['b2']!] }] });
  assert.ok(!(await pairsOf(index, cache_dir)).includes(b));
  await index.call('undo_clusters', { cache_dir, cluster_job_name });
  assert.deepEqual(await pairsOf(index, cache_dir), without);
});

test('clusters that are held apart stay two when a larger distance joins them', async (t) => {
  const { cache_dir, index, of } = await clustered(t, three);
  const { cluster_ids: before } = await cluster(index, cache_dir, [], { eps: 0.06 });
  await modify(index, cache_dir, { apart: [{ cluster_ids: [of['a1']!, of['a2']!] }] });
  const joined = await cluster(index, cache_dir, [], { eps: 0.9 });
  assert.deepEqual(joined.report.conflicts, []);
  assert.ok(joined.cluster_ids.includes(of['a1']!) && joined.cluster_ids.includes(of['a2']!));
  const [first, second] = [of['a1']!, of['a2']!].map((id) => joined.cluster_ids.indexOf(id));
  assert.deepEqual([...joined.clusters.slice(0, 8)], [...Array(4).fill(first), ...Array(4).fill(second)]);
  const again = await cluster(index, cache_dir, [], { eps: 0.06 });
  assert.deepEqual(again.cluster_ids, before);
});

test('one name is one person, two names are asked about on demand, and a move holds apart as well', async (t) => {
  const { cache_dir, index, of } = await clustered(t, three);
  const name = (names: Record<string, string>) =>
    index.call('name_clusters', {
      cache_dir,
      cluster_job_name,
      assignments: Object.entries(names).map(([hash, given]) => ({ cluster_id: of[hash]!, name: given })),
    });
  await name({ a1: 'Ann', a2: 'Ann', b1: 'Ben', b2: 'Bea' });
  const asked = await pairsOf(index, cache_dir);
  assert.ok(!asked.includes(pair(of, 'a1', 'a2')) && !asked.includes(pair(of, 'b1', 'b2')));
  assert.ok((await pairsOf(index, cache_dir, { other_names: true })).includes(pair(of, 'b1', 'b2')));
  // Who is not Ann is neither of her clusters.
  await modify(index, cache_dir, { apart: [{ cluster_ids: [of['a1']!, of['c1']!] }] });
  const all = await pairsOf(index, cache_dir, { other_names: true, least: -1 });
  assert.ok(!all.includes(pair(of, 'a2', 'c1')) && !all.includes(pair(of, 'a1', 'c1')));
  const same = modify(index, cache_dir, { apart: [{ cluster_ids: [of['a1']!, of['a2']!] }] });
  await assert.rejects(same, /apart\[0\].cluster_ids: both are named Ann, so they count as one person/);
  await name({ b2: '' });
  const { clusters } = await index.call('cluster_faces', {
    ...{ cache_dir, cluster_job_name, clusters: [of['b1']!], min_size: 1, max_size: 9, max_clusters: 1 },
    ...{ offset: 0, limit: 1, noise: false },
  });
  const entry_ids = clusters[0]!.entry_ids;
  assert.ok((await pairsOf(index, cache_dir)).includes(pair(of, 'b1', 'b2')));
  const moves = [{ from_cluster_id: of['b1']!, to_cluster_id: of['b2']!, entry_ids }];
  await modify(index, cache_dir, { moves });
  assert.ok(!(await pairsOf(index, cache_dir)).includes(pair(of, 'b1', 'b2')));
});

test('a comparison that its clustering left behind begins anew, and one of nothing is refused', async (t) => {
  const { cache_dir, index, of } = await clustered(t, three);
  const request = { cache_dir, cluster_job_name, cluster_id: null, other_names: false, limit: 5, least: 0.3 };
  const begun = await index.call('suggest_clusters', request);
  assert.equal(begun.done, false);
  await modify(index, cache_dir, { merges: [{ cluster_ids: [of['a1']!, of['a2']!] }] });
  const other = await index.call('suggest_clusters', { ...request, begun: begun.comparison });
  assert.notEqual(other.comparison, begun.comparison);
  assert.ok(!(await pairsOf(index, cache_dir)).some((found) => found.includes(of['a2']!)));
  const none = index.call('suggest_clusters', { ...request, cluster_job_name: 'none' });
  await assert.rejects(none, (error) => peopleErrors.UNKNOWN_CLUSTER_JOB.is(error));
  const unknown = index.call('suggest_clusters', { ...request, cluster_id: 'c99' });
  await assert.rejects(unknown, (error) => peopleErrors.UNKNOWN_CLUSTER.is(error));
});

test('nothing is left of those who are deleted, also not what they were held apart from', async (t) => {
  const { cache_dir, index, of } = await clustered(t, three);
  await modify(index, cache_dir, { apart: [{ cluster_ids: [of['a1']!, of['a2']!] }] });
  await index.call('delete_people', { cache_dir, cluster_job_name, cluster_id: of['a2']! });
  const { report } = await cluster(index, cache_dir, []);
  assert.deepEqual([report.kept_corrections, report.conflicts], [0, []]);
  assert.ok(!(await pairsOf(index, cache_dir)).some((found) => found.includes(of['a2']!)));
});

test('the best pairs count, and one face in the wrong cluster joins nobody', () => {
  const [x, y] = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
  const of = (...faces: Float32Array[]) => Float32Array.from(faces.flatMap((one) => [...one]));
  assert.equal(likeness(of(x, y), of(x, y), 2), 1);
  assert.ok(likeness(of(x, x, x, x), of(y, y, y, x), 2) < 0.34);
  assert.equal(likeness(of(x, y, y, y), of(x, x, x, x), 2) < 0.34, true);
  assert.equal(likeness(of(), of(x), 2), -1);
});
