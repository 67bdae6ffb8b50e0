import assert from 'node:assert/strict';
import test from 'node:test';
import { Type } from 'typebox';
import { analysisErrors } from '../../actors/analysis/contract.ts';
import { createClient } from '../../http/client/client.ts';
import { ApiError } from '../../http/client/error.ts';
import { reply, route } from '../../http/route.ts';
import { taskRoutes } from '../../http/routes/tasks.ts';
import { inProcess } from '../../http/server.ts';
import type { Service } from '../../http/service.ts';
import { inject, KEY } from './inject.ts';

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
