import assert from 'node:assert/strict';
import test from 'node:test';
import { gunzipSync } from 'node:zlib';
import { analysisErrors } from '../../../actors/analysis/contract.ts';
import { mostNameLetters } from '../../../actors/index/people/person-name.ts';
import type {
  AppearancesAnswer,
  ClusterFacesAnswer,
  ClusterSamplesAnswer,
  FaceClusterJobs,
} from '../../../actors/library/people/contract.ts';
import { createPeople } from '../../../actors/library/people/people.ts';
import { type Client, createClient } from '../../../http/client/client.ts';
import { faceRoutes } from '../../../http/routes/faces.ts';
import { FakeIndex, fakeJob } from '../../actors/library/people/fake-index.ts';
import { inject } from '../inject.ts';

const cache_dir = '/cache';
const named = { cache_dir, cluster_job_name: 'Family' };

type Samples = Extract<ClusterSamplesAnswer, { readonly clusters: unknown }>;

function served(mostLetters = 1e6) {
  const picture = (entry: string) => new Uint8Array(Buffer.from(entry.padEnd(600)));
  const index = new FakeIndex({ picture });
  const job = fakeJob('Family', { c1: 30, c2: 5, c3: 3 });
  job.clusters[0]!.name = 'Ann';
  index.put(cache_dir, job, fakeJob('Old', { o1: 2, o2: 2 }, { version: 1 }));
  let busy = false;
  const start = async () => {
    if (busy) throw analysisErrors.ANOTHER_TASK('task-0 is active');
    return { task_id: 'task-1' };
  };
  const people = createPeople({ index: index.ref, tasks: { start }, mostLetters });
  const call = inject(faceRoutes, { people });
  const ask = async <A = Record<string, unknown>>(path: string, body: object = {}, method = 'POST') => {
    const {
      status,
      body: said,
      headers,
    } = await call(`/api/v1/faces${path}`, { ...named, ...body }, { method });
    return { status, said: said as A, retry: headers['retry-after'] };
  };
  const refused = async (path: string, body: object, method = 'POST') => {
    const { status, said, retry } = await ask(path, body, method);
    return [status, said['error'], ...(retry === undefined ? [] : [retry])];
  };
  const beBusy = () => {
    busy = true;
  };
  return { index, job, call, ask, refused, beBusy };
}

test('clusterings are listed by the folder in the query, which is a path like any other', async () => {
  const { call } = served();
  const list = async (query: string) => {
    const { status, body } = await call(`/api/v1/faces/clusters${query}`);
    return { status, body: body as FaceClusterJobs & { readonly error: string } };
  };
  const { body } = await list('?cache_dir=/x/..//cache/');
  assert.deepEqual(body.cluster_jobs, ['Family', 'Old']);
  assert.deepEqual(body.jobs[0]?.names, { c1: 'Ann' });
  assert.deepEqual((await list('?cache_dir=/other')).body, { cluster_jobs: [], jobs: [] });
  for (const query of ['', '?cache_dir=', '?cache_dir=cache', '?cache_dir=%2Fa%00']) {
    const { status, body: said } = await list(query);
    assert.equal(status, 400);
    assert.match(said.error, /cache_dir/);
  }
});

test('samples and pages of faces have their limits', async () => {
  const { ask, refused } = served();
  const samples = (await ask<Samples>('/clusters/samples')).said;
  assert.deepEqual(
    samples.clusters.map((one) => [one.cluster_id, one.size, one.sample_faces.length]),
    [
      ['c1', 30, 12],
      ['c2', 5, 5],
      ['c3', 3, 3],
    ],
  );
  const none = await ask('/clusters/samples', { cluster_job_name: 'Nobody' });
  assert.deepEqual([none.status, Object.keys(none.said)], [200, ['warning']]);
  const page = { cluster_id: 'c1', offset: 28 };
  const one = (await ask<ClusterFacesAnswer>('/clusters/faces', { ...page, cluster_ids: null })).said;
  assert.deepEqual([one.limit, one.offset, one.clusters[0]?.faces.length], [500, 28, 2]);
  const two = (
    await ask<ClusterFacesAnswer>('/clusters/faces', { ...page, cluster_ids: ['c2', 'c3'], offset: 0 })
  ).said;
  assert.deepEqual(
    two.clusters.map((cluster) => cluster.cluster_id),
    ['c2', 'c3'],
  );
  assert.deepEqual(await refused('/clusters/faces', {}), [400, 'Invalid cluster_id']);
  assert.deepEqual(await refused('/clusters/faces', { cluster_ids: [] }), [400, 'Invalid cluster_id']);
  assert.deepEqual(await refused('/clusters/faces', { ...page, limit: 2001 }), [400, 'Invalid limit']);
  assert.equal((await ask<ClusterFacesAnswer>('/clusters/faces', { ...page, limit: 2000 })).status, 200);
});

test('an answer that would be too large is cut, and says so', async () => {
  const { ask } = served(800 * 31);
  const { clusters, warning } = (
    await ask<ClusterFacesAnswer>('/clusters/faces', { cluster_ids: ['c1', 'c2', 'c3'] })
  ).said;
  assert.deepEqual(
    clusters.map((one) => one.faces.length),
    [30, 1, 0],
  );
  assert.match(warning ?? '', /^7 pictures do not fit into one response, starting at cluster c2/);
  const samples = (await ask<Samples>('/clusters/samples', { limit_per_cluster: 100 })).said;
  assert.deepEqual(
    samples.clusters.map((one) => one.sample_faces.length),
    [30, 1, 0],
  );
  assert.match(samples.warning ?? '', /^7 pictures/);
});

test('answers with pictures are compressed when that is asked for', async () => {
  const { call } = served();
  const headers = { 'accept-encoding': 'gzip' };
  const { bytes, headers: said } = await call('/api/v1/faces/clusters/samples', named, { headers });
  assert.equal(said['content-encoding'], 'gzip');
  assert.equal(JSON.parse(gunzipSync(bytes).toString()).num_clusters, 3);
});

test('a name is given, taken away and refused', async () => {
  const { ask, refused } = served();
  const put = (...assignments: unknown[]) => ask('/clusters/names', { assignments }, 'PUT');
  const given = await put(
    { cluster_id: 'c2', name: '字'.repeat(mostNameLetters) },
    { cluster_id: 'c1', name: 'Ann' },
  );
  assert.deepEqual([given.status, given.said['updated']], [200, 1]);
  const taken = await put({ cluster_id: 'c1', name: null }, { cluster_id: 'c2', name: '' });
  assert.deepEqual(taken.said, { updated: 2, changes: { c1: '', c2: '' } });
  for (const name of ['a'.repeat(mostNameLetters + 1), 'a\u0007', ' ', 5])
    assert.match(
      String((await refused('/clusters/names', { assignments: [{ cluster_id: 'c1', name }] }, 'PUT'))[1]),
      /assignments\[0\]\.name/,
    );
  const unknown = { assignments: [{ cluster_id: 'c9', name: 'Ann' }] };
  const at = 'Invalid assignments[0].cluster_id';
  assert.deepEqual(await refused('/clusters/names', unknown, 'PUT'), [400, at]);
});

test('merges and moves are either or both, null is left out, and an older format is not changed', async () => {
  const { ask, refused } = served();
  for (const body of [{}, { merges: null, moves: null }, { merges: [], moves: [] }])
    assert.deepEqual(await refused('/clusters/modify', body), [400, 'Invalid merges']);
  const merges = [{ cluster_ids: ['c2', 'c3'] }];
  assert.deepEqual((await ask('/clusters/modify', { merges, moves: null })).said, {
    merges: [{ target_cluster_id: 'c2', cluster_ids: ['c2', 'c3'], size: 8 }],
    moves: [],
    apart: [],
  });
  const undone = await ask('/clusters/undo');
  assert.deepEqual([undone.status, undone.said['num_clusters']], [200, 3]);
  assert.deepEqual(await refused('/clusters/undo', {}), [409, 'There is no change to undo']);
  const old = { cluster_job_name: 'Old', merges: [{ cluster_ids: ['o1', 'o2'] }] };
  const legacy = [409, 'The clustering has an older format and is read-only'];
  assert.deepEqual(await refused('/clusters/modify', old), legacy);
  assert.deepEqual(await refused('/recluster', { cluster_job_name: 'Old' }), legacy);
});

test('clustering again is accepted, or refused while another task runs, which passes', async () => {
  const { ask, refused, beBusy } = served();
  const { status, said } = await ask('/recluster');
  assert.deepEqual([status, said], [202, { message: 'Clustering started', task_id: 'task-1' }]);
  for (const [field, value] of [
    ['eps', -0.1],
    ['eps', 2.1],
    ['min_samples', 0],
    ['min_samples', 1.5],
  ] as const)
    assert.deepEqual(await refused('/recluster', { [field]: value }), [400, `Invalid ${field}`]);
  const unknown = await ask('/recluster', { cluster_job_name: 'Familly' });
  assert.equal(unknown.status, 404);
  assert.match(String(unknown.said['message']), /did you mean Family\?/);
  beBusy();
  assert.deepEqual(await refused('/recluster', {}), [409, 'Another task is active', '1']);
});

test('people are removed by name or id, and found in their media', async () => {
  const { ask, refused, job } = served();
  const seen = (await ask<AppearancesAnswer>('/appearances', { people: ['Ann', 'c2'] })).said;
  assert.deepEqual(
    seen.people.map((one) => [one.cluster_id, one.media[0]?.ranges]),
    [
      ['c1', [[0, 30]]],
      ['c2', [[0, 5]]],
    ],
  );
  assert.deepEqual(await refused('/appearances', { people: ['c2', 'An'] }), [400, 'Invalid people[1]']);
  assert.deepEqual(await refused('/clusters/delete', { person_name: 'Anna' }), [400, 'Invalid person_name']);
  assert.deepEqual(await refused('/clusters/delete', { person_name: '' }), [400, 'Invalid person_name']);
  assert.deepEqual(await refused('/clusters/delete', { cluster_id: 'c9' }), [400, 'Invalid cluster_id']);
  assert.equal((await ask('/clusters/delete', { person_name: 'Ann' })).said['deleted_faces'], 30);
  assert.deepEqual(
    job.clusters.map(({ id }) => id),
    ['c2', 'c3'],
  );
  assert.equal((await ask('/clusters/delete')).said['deleted_jobs'], 1);
  assert.deepEqual(await refused('/clusters/delete', {}), [404, 'Face clustering not found']);
});

test('the typed client names, corrects and finds people', async () => {
  const { call } = served();
  const through = async (url: unknown, { method, body }: RequestInit = {}) => {
    const path = String(url).replace('http://localhost', '');
    const { status, bytes } = await call(path, body ?? undefined, { method: method! });
    return new Response(Buffer.from(bytes), { status, headers: { 'Content-Type': 'application/json' } });
  };
  const client: Client = createClient({ url: 'http://localhost', key: 'k', fetch: through as typeof fetch });
  const { cluster_jobs } = await client.faceClusters({ cache_dir });
  assert.deepEqual(cluster_jobs, ['Family', 'Old']);
  const samples = await client.clusterSamples(named);
  if (!('clusters' in samples)) return assert.fail(samples.warning);
  const [, second, third] = samples.clusters;
  const assignments = [{ cluster_id: second!.cluster_id, name: 'Ben' }];
  assert.equal((await client.nameClusters({ ...named, assignments })).updated, 1);
  const merges = [{ cluster_ids: [second!.cluster_id, third!.cluster_id] }];
  const { merges: merged } = await client.modifyClusters({ ...named, merges });
  assert.equal(merged[0]?.size, 8);
  const { people } = await client.appearances({ ...named, people: ['Ben'] });
  assert.deepEqual(people[0]?.media[0]?.ranges, [[0, 8]]);
  await assert.rejects(client.recluster({ ...named, cluster_job_name: 'x' }), { status: 404 });
});
