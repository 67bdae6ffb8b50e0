import assert from 'node:assert/strict';
import test from 'node:test';
import type { TaskListener } from '../../actors/analysis/contract.ts';
import type { Engine } from '../../actors/engine.ts';
import { createLocal } from '../../cli/local.ts';
import { followTask } from '../../cli/remote-task.ts';
import type { Client } from '../../http/client/client.ts';
import { until } from '../until.ts';
import { fakeHome } from './fake-context.ts';

const view = { event: () => {}, end: () => {} };
const request = { model_key: null };

test('ctrl-C ends the task that an engine of the command resumed, of whichever kind it is', async (t) => {
  const interrupt = new AbortController();
  const cancelled: (string | undefined)[] = [];
  let listener: TaskListener = () => {};
  const tasks = {
    get: async () => ({ request }),
    resume: async (task_id: string) => ({ task_id }),
    subscribe: (one: TaskListener) => {
      listener = one;
      return () => {};
    },
    cancel: async (task_id?: string) => {
      cancelled.push(task_id);
      listener(task_id ?? '', { type: 'end', state: 'cancelled', error: null });
      return { stopped: true, task_id: task_id ?? null };
    },
  };
  const engine = { tasks } as unknown as Engine;
  const backend = createLocal(engine, fakeHome(t).context({ signal: interrupt.signal }));
  const resumed = backend.resume('export', view, false);
  interrupt.abort();
  assert.equal((await resumed).cancelled, true);
  assert.deepEqual(cancelled, ['export']);
});

test('ctrl-C asks a service to stop the task that is followed, and no other', async (t) => {
  const interrupt = new AbortController();
  const asked: [string, unknown][] = [];
  const detail = {
    state: 'cancelled',
    results: [],
    total_results: 0,
    counts: { files: 0, done: 0, jobs: 1, jobs_done: 1 },
    ...{ progress: 0, elapsed_seconds: 1, error: null, request },
  };
  const stopped = Promise.withResolvers<void>();
  const follow = async function* (task_id: string) {
    await stopped.promise;
    yield { task_id, progress: 0, video_path: null, done: true, type: 'clips', cancelled: true };
  };
  const method = (id: string) => async (input: unknown) => {
    if (id !== 'getTask') {
      asked.push([id, input]);
      stopped.resolve();
    }
    return detail;
  };
  const client = new Proxy({}, { get: (_, id: string) => (id === 'follow' ? follow : method(id)) });
  const context = fakeHome(t).context({ signal: interrupt.signal });
  const followed = followTask(client as Client, 'export', view, context);
  interrupt.abort();
  await until(() => asked.length > 0);
  assert.equal((await followed).cancelled, true);
  assert.deepEqual(asked, [['cancelTask', { task_id: 'export' }]]);
});
