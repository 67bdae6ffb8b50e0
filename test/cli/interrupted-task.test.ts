import assert from 'node:assert/strict';
import test from 'node:test';
import type { TaskListener } from '../../actors/analysis/contract.ts';
import { tasks as tasksCommand } from '../../cli/commands/tasks.ts';
import { exit, keptAlive } from '../../cli/context.ts';
import { followTask } from '../../cli/media-task.ts';
import type { Client } from '../../http/client/client.ts';
import { until } from '../until.ts';
import { fakeEngine, fakeHome } from './fake-context.ts';

const view = { event: () => {}, end: () => {} };
const request = { model_key: null };
const detail = {
  state: 'cancelled',
  results: [],
  total_results: 0,
  counts: { files: 0, done: 0, jobs: 1, jobs_done: 1 },
  ...{ progress: 0, elapsed_seconds: 1, error: null, request },
};

test('ctrl-C ends the task that an engine of the command resumed, of whichever kind it is', async (t) => {
  const interrupt = new AbortController();
  const cancelled: (string | undefined)[] = [];
  const listeners: TaskListener[] = [];
  const tell: TaskListener = (...event) => {
    for (const listener of listeners) listener(...event);
  };
  const tasks = {
    get: async () => ({ ...detail, request: { ...request, types: ['clips'] } }),
    resume: async (task_id: string) => {
      tell(task_id, { type: 'start', files: 0, jobs: 1, types: ['clips'] });
      return { task_id };
    },
    subscribe: (one: TaskListener) => {
      listeners.push(one);
      return () => {};
    },
    cancel: async (task_id?: string) => {
      cancelled.push(task_id);
      tell(task_id ?? '', { type: 'end', state: 'cancelled', error: null });
      return { stopped: true, task_id: task_id ?? null };
    },
  };
  const engine = fakeEngine({ tasks });
  const { signal } = interrupt;
  const context = fakeHome(t).context({ signal, startEngine: async () => engine });
  const resumed = tasksCommand(['resume', 'export'], context);
  await until(() => listeners.length > 0);
  interrupt.abort();
  assert.equal(await keptAlive(resumed), exit.cancelled);
  assert.deepEqual(cancelled, ['export']);
});

test('ctrl-C asks a service to stop the task that is followed, and no other', async (t) => {
  const interrupt = new AbortController();
  const asked: [string, unknown][] = [];
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
  const followed = followTask({ client: client as Client, isOwn: false }, 'export', view, context);
  interrupt.abort();
  await until(() => asked.length > 0);
  assert.equal((await followed).cancelled, true);
  assert.deepEqual(asked, [['cancelTask', { task_id: 'export' }]]);
});
