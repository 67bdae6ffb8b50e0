import assert from 'node:assert/strict';
import test from 'node:test';
import { type Explained, remotePeople } from '../../cli/remote-people.ts';
import type { Client } from '../../http/client/client.ts';
import { fakeHome } from './fake-context.ts';

const plain: Explained = (work) => work;
const named = { cache_dir: '/a', cluster_job_name: 'family' };

/** A client whose methods keep what they are asked. */
function fakeClient() {
  const asked: [string, unknown][] = [];
  const told = {
    task_id: 't',
    state: 'completed',
    results: [],
    total_results: 0,
    counts: { files: 1, done: 1 },
  };
  const answers: Readonly<Record<string, unknown>> = {
    recluster: { task_id: 't' },
    getTask: { ...told, progress: 100, elapsed_seconds: 1, error: null, request: { model_key: null } },
  };
  const follow = async function* (task_id: string) {
    yield { task_id, progress: 100, video_path: null, done: true, type: 'video' };
  };
  const method = (id: string) => async (input: unknown) => {
    asked.push([id, input]);
    return answers[id] ?? { id };
  };
  const client = new Proxy({}, { get: (_, id: string) => (id === 'follow' ? follow : method(id)) });
  return { client: client as Client, asked };
}

test('each question goes to the route of its own', async (t) => {
  const { client, asked } = fakeClient();
  const people = remotePeople(client, plain, fakeHome(t).context());
  await people.jobs('/a');
  await people.undo(named);
  await people.name({ ...named, assignments: [] });
  await people.modify({ ...named, merges: [], moves: [] });
  await people.appearances({ ...named, people: [] });
  assert.deepEqual(asked, [
    ['faceClusters', { cache_dir: '/a' }],
    ['undoClusters', named],
    ['nameClusters', { ...named, assignments: [] }],
    ['modifyClusters', { ...named, merges: [], moves: [] }],
    ['appearances', { ...named, people: [] }],
  ]);
});

test('to remove a whole clustering, no cluster is named', async (t) => {
  const { client, asked } = fakeClient();
  const people = remotePeople(client, plain, fakeHome(t).context());
  await people.remove({ ...named, cluster_id: null });
  await people.remove({ ...named, cluster_id: 'c1' });
  assert.deepEqual(asked, [
    ['deletePeople', named],
    ['deletePeople', { ...named, cluster_id: 'c1' }],
  ]);
});

test('a clustering that the service does is followed to its end', async (t) => {
  const { client, asked } = fakeClient();
  const people = remotePeople(client, plain, fakeHome(t).context());
  const request = { ...named, eps: 0.4, min_samples: 3, auto_detect_params: false, clear_names: false };
  const seen: string[] = [];
  const view = { event: ({ type }: { readonly type: string }) => void seen.push(type), end: () => {} };
  const { cancelled, error } = await people.recluster(request, view);
  assert.deepEqual([cancelled, error, seen], [false, null, ['task']]);
  assert.deepEqual(asked[0], ['recluster', request]);
});
