import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Engine } from '../../../actors/engine.ts';
import { createPeople } from '../../../actors/people/people.ts';
import type { PeopleBackend } from '../../../cli/backend.ts';
import { localPeople } from '../../../cli/local-people.ts';
import { remotePeople } from '../../../cli/remote-people.ts';
import { createClient } from '../../../http/client/client.ts';
import { faceRoutes } from '../../../http/routes/faces.ts';
import { FakeIndex, fakeJob } from '../../actors/people/fake-index.ts';
import { inject } from '../../http/inject.ts';
import { fakeHome } from '../fake-context.ts';

const named = { cache_dir: '/cache', cluster_job_name: 'Family' };

/** An engine of its own, or a service with the same one behind it. */
function backendOf(t: TestContext, served: boolean): PeopleBackend {
  const index = new FakeIndex({ picture: (entry) => new Uint8Array(Buffer.from(entry)) });
  const job = fakeJob('Family', { c1: 30, c2: 5, c3: 3 });
  job.clusters[0]!.name = 'Ann';
  index.put('/cache', job);
  const start = async () => ({ task_id: 'task-1' });
  const people = createPeople({ index: index.ref, tasks: { start } });
  const context = fakeHome(t).context();
  const follow = () => Promise.reject(new Error('no task is started here'));
  if (!served) return localPeople({ people } as unknown as Engine, context.signal, follow);
  const call = inject(faceRoutes, { people });
  const fetched = async (url: string, { method = 'GET', body }: RequestInit) => {
    const { pathname, search } = new URL(url);
    const sent = typeof body === 'string' ? (JSON.parse(body) as object) : undefined;
    const answer = await call(pathname + search, sent, { method });
    return Response.json(answer.body, { status: answer.status });
  };
  const client = createClient({ url: 'http://service', fetch: fetched as typeof fetch });
  return remotePeople(client, (work) => work, context);
}

const questions: Readonly<Record<string, (people: PeopleBackend) => Promise<unknown>>> = {
  jobs: (people) => people.jobs('/cache'),
  samples: (people) =>
    people.samples({
      ...named,
      limit_per_cluster: 0,
      min_cluster_size: 1,
      max_cluster_size: 1_000_000_000,
      max_clusters: 2,
      include_noise: true,
    }),
  faces: (people) =>
    people.faces({ ...named, cluster_ids: ['c2'], limit: 2, offset: 1, include_entry_ids: true }),
  name: (people) => people.name({ ...named, assignments: [{ cluster_id: 'c2', name: 'Ben' }] }),
  merge: (people) => people.modify({ ...named, merges: [{ cluster_ids: ['c2', 'c3'] }], moves: [] }),
  appearances: (people) => people.appearances({ ...named, people: ['Ann', 'c3'] }),
  'remove one': (people) => people.remove({ ...named, cluster_id: 'c1' }),
  'remove all': (people) => people.remove({ ...named, cluster_id: null }),
};

for (const [what, ask] of Object.entries(questions)) {
  test(`${what}: a service answers what an engine of its own does`, async (t) => {
    const [own, remote] = [await ask(backendOf(t, false)), await ask(backendOf(t, true))];
    assert.deepEqual(remote, own);
  });
}
