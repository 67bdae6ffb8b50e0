import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { Type } from 'typebox';
import type { ProgressEvent } from '../../../events/protocol.ts';
import { createEventServer } from '../../../events/server.ts';
import { addresses } from '../../../http/client/addresses.ts';
import { createClient } from '../../../http/client/client.ts';
import { ApiError, clientErrors } from '../../../http/client/error.ts';
import { addressesFile, addressesText } from '../../../http/client/generate.ts';
import type { InputOf, OutputOf } from '../../../http/client/request.ts';
import { reply, route } from '../../../http/route.ts';
import { healthRoutes } from '../../../http/routes/health.ts';
import { taskRoutes } from '../../../http/routes/tasks.ts';
import { routes } from '../../../http/routes.ts';
import { createServer } from '../../../http/uws.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import { defaulted, nullable } from '../../../runtime/schema.ts';
import { detailOf, fakeTasks, noSearches } from '../../events/fake-tasks.ts';
import { progress } from '../../events/task-events.ts';
import { inject, KEY } from '../inject.ts';

test('the table of addresses is the one the routes give; else: npm run client', async () => {
  assert.equal(readFileSync(addressesFile, 'utf8'), await addressesText());
});

test('every route of the service is a method of the client, but those that describe it, answer bytes or live text, or speak another protocol', () => {
  const others = ['openapi', 'docs', 'page', 'pageFile', 'mediaBytes', 'eventStream', 'mcp'];
  const ids = routes.map(({ id }) => id).filter((id) => !others.includes(id));
  assert.deepEqual(Object.keys(addresses).sort(), ids.sort());
});

test('types: what has a default may be left out at any depth, answers are those that are no errors', () => {
  const example = route({
    method: 'POST',
    path: '/x/{id}',
    id: 'example',
    tag: 'x',
    summary: 'x',
    params: Type.Object({ id: Type.String() }),
    body: Type.Object({
      query: Type.String(),
      most: defaulted(Type.Integer(), 5),
      note: Type.Optional(nullable(Type.String())),
      filters: Type.Array(Type.Object({ name: Type.String(), operator: defaulted(Type.String(), 'is') })),
    }),
    answers: {
      200: Type.Object({ a: Type.Integer() }),
      202: Type.Object({ b: Type.Null() }),
      404: Type.String(),
    },
    handle: () => reply(200, { a: 1 }),
  });
  type In = InputOf<typeof example>;
  const least: In = { id: 'i', query: 'q', filters: [{ name: 'n' }] };
  const most: In = { ...least, most: 1, note: null, filters: [{ name: 'n', operator: 'not' }] };
  // @ts-expect-error the query is missing
  const missing: In = { id: 'i', filters: [] };
  // @ts-expect-error a number is no text
  const wrong: In = { ...least, query: 1 };
  const outputs: OutputOf<typeof example>[] = [{ a: 1 }, { b: null }];
  // @ts-expect-error an error is thrown, not answered
  const error: OutputOf<typeof example> = 'not found';
  const none: InputOf<(typeof healthRoutes)[number]> = {};
  assert.equal([least, most, missing, wrong, outputs, error, none].length, 7);
});

/** A `fetch` that answers what is given, one after the other, and keeps what it was asked. */
function answering(...answers: readonly [number, unknown, Record<string, string>?][]) {
  const asked: { url: string; init: RequestInit }[] = [];
  const answer = async (url: unknown, init: RequestInit = {}) => {
    const [status, body, headers] = answers[asked.length] ?? [500, {}];
    asked.push({ url: String(url), init });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Response(text, { status, headers: { 'Content-Type': 'application/json', ...headers } });
  };
  const waited: number[] = [];
  const wait = async (seconds: number) => void waited.push(seconds);
  return { asked, waited, options: { fetch: answer as typeof fetch, wait } };
}

test('one input fills the path, the query and the body', async () => {
  const { asked, options } = answering([200, {}], [200, {}]);
  const client = createClient({ url: 'http://localhost:6699/api/v1/', key: 'k', ...options });
  await client.getTask({ task_id: 'a/b', limit: 2 });
  await client.loadModel({ model_key: 'm' });
  const [task, model] = asked;
  assert.equal(task!.url, 'http://localhost:6699/api/v1/tasks/a%2Fb?limit=2');
  assert.equal(task!.init.body, undefined);
  assert.deepEqual(task!.init.headers, { 'X-License-Key': 'k' });
  assert.equal(model!.url, 'http://localhost:6699/api/v1/models/load');
  assert.equal(model!.init.body, '{"model_key":"m"}');
});

test('an error carries what the answer says', async () => {
  const headers = { 'Retry-After': '3', 'X-Request-Id': 'r-1' };
  const { options } = answering(
    [409, { error: 'Another task is active', message: 'it stops' }, headers],
    [403, { policy_error: 'No analysis on Sundays' }],
    [400, { error: 'Bad key', loaded_model: 'm' }],
    [502, '<html>', { 'Content-Type': 'text/html' }],
  );
  const client = createClient({ url: 'http://localhost:1', ...options });
  const call = async () => {
    const error = await client.loadModel({ model_key: 'm' }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ApiError);
    const { status, message, policy_error, retryAfter, requestId, retryable } = error;
    return [status, error.error, message, policy_error, retryAfter, requestId, retryable];
  };
  assert.deepEqual(await call(), [409, 'Another task is active', 'it stops', null, 3, 'r-1', true]);
  const policy = 'No analysis on Sundays';
  assert.deepEqual(await call(), [403, policy, policy, policy, null, null, false]);
  assert.deepEqual(await call(), [400, 'Bad key', 'Bad key', null, null, null, false]);
  assert.deepEqual(await call(), [502, 'Status 502', 'Status 502', null, null, null, false]);
});

test('a busy service is retried only as often as asked for, and when it says after how long', async () => {
  const busy: [number, unknown, Record<string, string>] = [503, { error: 'Busy' }, { 'Retry-After': '2' }];
  const patient = answering(busy, busy, [200, { status: 'ok' }]);
  const client = createClient({ url: 'http://localhost:1', ...patient.options });
  assert.deepEqual(await client.health({}, { retries: 2 }), { status: 'ok' });
  assert.deepEqual(patient.waited, [2, 2]);

  const plain = answering(busy, [200, {}]);
  await assert.rejects(createClient({ url: 'http://localhost:1', ...plain.options }).health(), ApiError);
  const silent = answering([503, { error: 'Busy' }], [200, {}]);
  const impatient = createClient({ url: 'http://localhost:1', ...silent.options });
  await assert.rejects(impatient.health({}, { retries: 5 }), ApiError);
  const wrong = answering([400, { error: 'No' }, { 'Retry-After': '1' }], [200, {}]);
  await assert.rejects(
    createClient({ url: 'http://localhost:1', ...wrong.options }).health({}, { retries: 5 }),
    ApiError,
  );
  assert.deepEqual([plain.asked.length, silent.asked.length, wrong.asked.length], [1, 1, 1]);
});

test('no service, broken JSON and an aborted call are told apart', async () => {
  const nobody = createClient({ url: 'http://127.0.0.1:1' });
  await assert.rejects(nobody.health(), (error) => {
    assert.ok(clientErrors.NO_SERVICE.is(error));
    assert.match(error.message, /no service is running at http:\/\/127\.0\.0\.1:1 /);
    return true;
  });
  const { options } = answering([200, '{"status":']);
  await assert.rejects(createClient({ url: 'http://localhost:1', ...options }).health(), (error) =>
    clientErrors.ODD_ANSWER.is(error),
  );
  const reason = new Error('enough');
  await assert.rejects(nobody.health({}, { signal: AbortSignal.abort(reason) }), (error) => error === reason);
});

test('a redirect is not followed: the key is for the address that was given', async (t) => {
  const [met, asked]: [string[], string[]] = [[], []];
  const other = createHttpServer((request, response) => {
    met.push(String(request.headers['x-license-key']));
    response.end('{}');
  });
  const first = createHttpServer((request, response) => {
    asked.push(String(request.url));
    const { port } = other.address() as AddressInfo;
    response.writeHead(307, { Location: `http://localhost:${port}${request.url}` }).end();
  });
  for (const server of [other, first]) {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.after(() => server.close());
  }
  const client = createClient({ url: `http://127.0.0.1:${(first.address() as AddressInfo).port}`, key: 'k' });
  const { port } = other.address() as AddressInfo;
  // Clips are asked for in another way than the rest.
  for (const call of [
    () => client.loadModel({ model_key: 'm' }, { retries: 3 }),
    () => client.exportClips({ clips: [], output_dir: '/x', mode: 'copy' }),
  ]) {
    await assert.rejects(call(), (error) => {
      assert.ok(clientErrors.REDIRECTED.is(error), String(error));
      assert.match(
        error.message,
        new RegExp(`redirects to http://localhost:${port}, and redirects are not followed`),
      );
      return true;
    });
  }
  assert.deepEqual([met, asked.length], [[], 2]);
});

test('a web page in place of an answer is of another program', async () => {
  const { options } = answering([200, '<html>Sign in</html>', { 'Content-Type': 'text/html' }]);
  await assert.rejects(createClient({ url: 'http://localhost:1', ...options }).health(), (error) =>
    clientErrors.ODD_ANSWER.is(error),
  );
});

/** The real server on a free port, with tasks that a test tells of. */
async function serve(t: TestContext) {
  const tasks = fakeTasks();
  const all = () => true;
  const log = createLog('test', () => {});
  const clock = systemClock;
  const events = createEventServer({
    tasks,
    searches: noSearches,
    clock,
    log,
    isAllowedHost: all,
    origins: [],
    everyMs: 0,
  });
  const { app } = inject([...healthRoutes, ...taskRoutes], { tasks } as never, { isAllowedHost: all });
  const server = createServer(app, { attach: events.attach });
  server.listen('127.0.0.1', 0);
  const { port } = server;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= events.close().then(server.close);
    return stopping;
  };
  t.after(stop);
  return { tasks, port, url: `http://127.0.0.1:${port}`, stop };
}

/** A way to a server that can be cut and led to another one. */
async function wayTo(t: TestContext, first: number) {
  let target = first;
  const open = new Set<Socket>();
  const way = createTcpServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const cut = () => {
    for (const one of open) one.destroy();
  };
  t.after(() => {
    way.close();
    cut();
  });
  return {
    url: `http://127.0.0.1:${(way.address() as AddressInfo).port}`,
    leadTo: (port: number) => {
      target = port;
      cut();
    },
  };
}

test('a task is followed from where it is to its end', async (t) => {
  const { tasks, url } = await serve(t);
  tasks.records.set('t', detailOf('t', { state: 'running' }));
  tasks.emit('t', { type: 'start', files: 2, types: ['video'] });
  tasks.emit('t', progress(50));
  const received: ProgressEvent[] = [];
  for await (const event of createClient({ url, key: KEY }).follow('t')) {
    received.push(event);
    if (received.length === 1) {
      tasks.emit('other', { type: 'end', state: 'failed', error: null });
      tasks.emit('t', { type: 'end', state: 'cancelled', error: null });
    }
  }
  assert.equal(received[0]?.progress, 50);
  assert.equal(received[0]?.files_done, 1);
  const last = received.at(-1);
  assert.deepEqual([last?.done, last?.cancelled, last?.task_id], [true, true, 't']);
});

test('a lost connection is made again, and an end meanwhile is delivered', async (t) => {
  const before = await serve(t);
  before.tasks.records.set('t', detailOf('t', { state: 'running' }));
  before.tasks.emit('t', progress(50));
  const way = await wayTo(t, before.port);
  const received: ProgressEvent[] = [];
  for await (const event of createClient({ url: way.url, key: KEY }).follow('t')) {
    received.push(event);
    if (received.length > 1) continue;
    await before.stop();
    const after = await serve(t);
    after.tasks.records.set('t', detailOf('t', { state: 'interrupted' }));
    way.leadTo(after.port);
  }
  const last = received.at(-1);
  assert.deepEqual([received.length, last?.done, last?.interrupted], [2, true, true]);
});

test('following ends with what stops it: no such task, no key, no service, a signal', async (t) => {
  const { tasks, url, stop } = await serve(t);
  const client = createClient({ url, key: KEY });
  const first = (following: AsyncGenerator<ProgressEvent>) => following.next();
  const status = (wanted: number) => (error: unknown) => error instanceof ApiError && error.status === wanted;
  await assert.rejects(first(client.follow('unknown')), status(404));
  await assert.rejects(first(createClient({ url }).follow('t')), status(401));

  tasks.records.set('t', detailOf('t', { state: 'running' }));
  tasks.emit('t', progress(50));
  const stopper = new AbortController();
  const following = client.follow('t', { signal: stopper.signal });
  assert.equal((await following.next()).value?.progress, 50);
  const reason = new Error('enough');
  const next = following.next();
  stopper.abort(reason);
  await assert.rejects(next, (error) => error === reason);

  await stop();
  await assert.rejects(first(client.follow('t')), (error) => clientErrors.NO_SERVICE.is(error));
});
