import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { analysisErrors, type ResultPage } from '../../actors/analysis/contract.ts';
import type { Engine } from '../../actors/engine.ts';
import type { NewWatchFolder } from '../../actors/watcher/folders/contract.ts';
import { createClient } from '../../http/client/client.ts';
import { ApiError } from '../../http/client/error.ts';
import { directClient } from '../../http/direct-client.ts';
import { reply, route } from '../../http/route.ts';
import { taskRoutes } from '../../http/routes/tasks.ts';
import { inProcess } from '../../http/server.ts';
import type { Service } from '../../http/service.ts';
import { inject, KEY } from './inject.ts';

const noEvents = async function* () {};
const clientOf = (engine: object) => directClient(engine as Engine, noEvents);

test('a request is checked and completed as one over a socket', async () => {
  const asked: [string, ResultPage][] = [];
  const tasks = {
    get: async (task_id: string, page: ResultPage) => {
      asked.push([task_id, page]);
      return {};
    },
  };
  const client = clientOf({ tasks });
  await client.getTask({ task_id: 'a/b', offset: 3 });
  assert.deepEqual(asked, [['a/b', { offset: 3, limit: 1000 }]]);
  const wrong = client.getTask({ task_id: 'a', offset: -1 });
  await assert.rejects(wrong, /offset must be a whole number/);
  await assert.rejects(client.listLibrary({ cache_dir: 'relative' }), /cache_dir/);
});

test('what is undefined is left out, and what the caller gave stays as it is', async () => {
  const added: NewWatchFolder[] = [];
  const watchFolders = {
    add: async (folder: NewWatchFolder) => {
      added.push(folder);
      return folder;
    },
    list: async () => ({ watch_folders: [], service_status: {} }),
  };
  const given = { folder_path: '/footage', cache_dir: undefined };
  await clientOf({ watchFolders }).addWatchFolder(given);
  assert.deepEqual(Object.keys(given), ['folder_path', 'cache_dir']);
  assert.equal(added[0]!.cache_dir, null);
  assert.equal(added[0]!.enabled, true);
});

test('errors of the engine are thrown as they are, and answers that are errors as of a service', async () => {
  const unknown = analysisErrors.TASK_UNKNOWN('there is no task x');
  const tasks = { get: () => Promise.reject(unknown), busy: false };
  await assert.rejects(clientOf({ tasks }).getTask({ task_id: 'x' }), (error) => error === unknown);
  const state = { model_key: 'small', is_loading: false, error: 'damaged' };
  const models = { current: (key: string) => key, state, load: async () => state };
  const library = {
    list: async () => ({ models: [{ row: { key: 'big', kind: 'visual' }, downloaded: true }] }),
  };
  const refused = clientOf({ tasks, search: { models }, models: library }).loadModel({ model_key: 'big' });
  await assert.rejects(
    refused,
    (error) =>
      error instanceof ApiError && error.status === 500 && /damaged; small is used/.test(error.message),
  );
});

test('a call that is cancelled ends with the reason, before and while it is answered', async () => {
  const stop = new AbortController();
  const tasks = {
    start: (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  };
  const client = clientOf({ tasks });
  const request = { cache_dir: '/c', visual_media_paths: ['/a.mp4'] };
  const started = client.analyze(request, { signal: stop.signal });
  stop.abort(new Error('left'));
  await assert.rejects(started, /left/);
  await assert.rejects(client.analyze(request, { signal: stop.signal }), /left/);
});

const echo = route({
  method: 'POST',
  path: '/api/v1/echo',
  id: 'echo',
  tag: 'x',
  summary: 'x',
  headers: ['x-note'],
  mostBytes: 100,
  query: Type.Object({ n: Type.Optional(Type.Integer()) }),
  body: Type.Object({ text: Type.String() }),
  answers: { 200: Type.Unknown() },
  handle: ({ body, query, headers, credential }) => reply(200, { ...body, ...query, headers, credential }),
});

const url = 'http://anywhere/api/v1/echo';
const post = (text: string, headers: Record<string, string> = {}) => ({
  method: 'POST',
  body: JSON.stringify({ text }),
  headers,
});

test('a request in process is checked as one over a socket: license, fields, size, unknown paths', async () => {
  const ask = inProcess(inject([echo], {}).app);
  const status = async (...given: Parameters<typeof fetch>) => (await ask(...given)).status;
  assert.equal(await status(url, post('a')), 401);
  assert.equal(await status(url, post('a', { 'X-License-Key': 'wrong' })), 403);
  const good = { Authorization: `Bearer ${KEY}`, 'X-Note': 'n' };
  assert.equal(await status('http://anywhere/api/v1/other', post('a', good)), 404);
  assert.equal(await status(url, { method: 'PUT', headers: good }), 405);
  assert.equal(await status(url, post('x'.repeat(100), good)), 413);
  assert.equal(await status(url, { method: 'POST', body: '{}', headers: good }), 400);
  const answer = await ask(`${url}?n=4`, post('ä', good));
  assert.deepEqual(await answer.json(), { text: 'ä', n: 4, headers: { 'x-note': 'n' }, credential: KEY });
});

const tasks: Partial<Service['tasks']> = {
  list: async () => [],
  get: async (task_id) => {
    throw analysisErrors.TASK_UNKNOWN(task_id);
  },
};

test('the client asks by it, and hears what the routes say', async () => {
  const { app } = inject(taskRoutes, { tasks: tasks as Service['tasks'] });
  const client = createClient({ url: 'http://anywhere', key: KEY, fetch: inProcess(app) });
  assert.deepEqual((await client.listTasks()).tasks, []);
  const refused = await client.getTask({ task_id: 'none' }).catch((error: unknown) => error);
  assert.ok(refused instanceof ApiError && refused.status === 404);
});

test('an aborted request rejects with the reason of its signal', async () => {
  const waiting = route({ ...echo, body: null, handle: () => new Promise<never>(() => {}) });
  const ask = inProcess(inject([waiting], {}).app);
  await assert.rejects(ask(url, { method: 'POST', signal: AbortSignal.abort(new Error('left')) }), /left/);
});
