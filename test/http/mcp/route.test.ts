// /mcp as clients of the protocol see it: the official one, old and new versions, and broken messages.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Type } from 'typebox';
import { createAssistants } from '../../../http/mcp/assistants.ts';
import { tools } from '../../../http/mcp/protocol.ts';
import { mcpRoutes } from '../../../http/mcp/route.ts';
import { reply, route } from '../../../http/route.ts';
import { inProcess } from '../../../http/server.ts';
import { type Injector, inject, KEY } from '../inject.ts';

const ended = Promise.withResolvers<void>();

/** One task, which has ended when it is asked for again, and another one for which it waits for ever. */
function getTask() {
  let asked = 0;
  return route({
    method: 'GET',
    path: '/api/v1/tasks/{task_id}',
    id: 'getTask',
    tag: 'x',
    summary: 'x',
    params: Type.Object({ task_id: Type.String() }),
    query: Type.Object({ offset: Type.Optional(Type.Integer()), limit: Type.Optional(Type.Integer()) }),
    answers: { 200: Type.Unknown() },
    handle: async ({ params, signal }) => {
      const isRunning = asked++ === 0;
      const task = taskOf(params.task_id);
      if (params.task_id !== 'endless')
        return reply(200, isRunning ? { ...task, state: 'running', progress: 40 } : task);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ended.resolve();
      throw signal.reason;
    },
  });
}

function taskOf(task_id: string) {
  const counts = { files: 2, done: 2, failed: 0, jobs: 0, jobs_done: 0, jobs_failed: 0 };
  const request = { types: ['video'] };
  return {
    task_id,
    state: 'completed',
    progress: 100,
    counts,
    request,
    estimated_remaining_seconds: null,
    error: null,
    results: [],
  };
}

function service(): Injector {
  const asks: typeof fetch = (input, init) => inProcess(http.app)(input, init);
  const assistants = createAssistants({
    fetch: asks,
    cacheDir: '/analysis',
    version: '1.2.3',
    onError: () => {},
  });
  const http = inject([getTask(), ...mcpRoutes], { assistants });
  return http;
}

/** The official client, whose requests go to the app without a socket. */
async function clientOf(http: Injector, options: object = {}, key = KEY): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, options);
  const ask = async (input: string | URL, init?: RequestInit) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    const method = init?.method ?? 'GET';
    const request = { method, headers: { ...headers, 'x-license-key': key }, untilEnd: true };
    const {
      status,
      headers: back,
      bytes,
    } = await http(new URL(input).pathname, init?.body ?? undefined, request);
    return new Response(status === 202 ? null : Buffer.from(bytes), { status, headers: back });
  };
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: ask }));
  return client;
}

const texts = (answer: { content?: unknown }) =>
  (answer.content as { text: string }[]).map(({ text }) => text);

for (const [name, options] of [
  ['that begins with initialize', {}],
  ['of 2026-07-28', { versionNegotiation: { mode: 'auto' } }],
] as const) {
  test(`the official client, by the protocol ${name}, lists the tools and calls one`, async () => {
    const client = await clientOf(service(), options);
    const listed = (await client.listTools()).tools;
    assert.deepEqual(
      listed.map((one) => one.name),
      tools.map((one) => one.name),
    );
    const changing = listed.filter(({ annotations }) => !annotations?.readOnlyHint).map((one) => one.name);
    assert.deepEqual(changing, ['analyze', 'task', 'make_timeline']);
    for (const { inputSchema, description } of listed) {
      assert.equal(inputSchema['additionalProperties'], false);
      const { properties = {}, required = [] } = inputSchema;
      for (const needed of required) assert.ok(!Object.hasOwn(Object(properties[needed]), 'default'), needed);
      assert.ok(description && description.length < 800);
    }
    for (const { outputSchema, name } of listed) assert.equal(outputSchema?.type, 'object', name);
    assert.doesNotMatch(
      JSON.stringify(listed),
      /"items":\[/,
      'tuples are written in another way in JSON Schema 2020-12',
    );
    const told: (number | undefined)[] = [];
    const asked = { name: 'task', arguments: { id: 'a', wait_seconds: 3 } };
    const answer = await client.callTool(asked, { onprogress: ({ progress }) => void told.push(progress) });
    assert.deepEqual(texts(answer), ['a completed 100% (video): 2 of 2 done']);
    assert.deepEqual(told, [40]);
    const { tasks } = answer.structuredContent as { tasks: { task_id: string; done: number }[] };
    assert.deepEqual(
      tasks.map(({ task_id, done }) => [task_id, done]),
      [['a', 2]],
    );
    const wrong = await client.callTool({ name: 'task', arguments: { task: 'a' } });
    assert.equal(wrong.isError, true);
    const [template] = (await client.listResourceTemplates()).resourceTemplates;
    assert.equal(template?.uriTemplate, 'framehound://moments/{moment}');
    await client.close();
  });
}

test('every call is asked with the key that came with it, and without one nothing is answered', async () => {
  const http = service();
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const refused = await http('/mcp', ping, { headers: { 'x-license-key': '' } });
  assert.equal(refused.status, 401);
  await assert.rejects(clientOf(http, {}, 'another-key'));
  assert.equal((await http('/mcp', ping, { headers: { host: 'evil.example' } })).status, 403);
  assert.equal((await http('/mcp', ping, { headers: { origin: 'http://evil.example' } })).status, 403);
  assert.deepEqual((await http('/mcp', ping)).body, { jsonrpc: '2.0', id: 1, result: {} });
});

test('what is no message is answered as the protocol says', async () => {
  const http = service();
  const ask = (body: unknown, headers: Record<string, string> = {}) =>
    http('/mcp', body, { method: 'POST', headers });
  const code = ({ body }: { body: unknown }) => (body as { error: { code: number } }).error.code;
  const unknown = await ask({ jsonrpc: '2.0', id: 7, method: 'tools/destroy', params: {} });
  assert.deepEqual([unknown.status, code(unknown)], [200, -32601]);
  const old = await ask(
    { jsonrpc: '2.0', id: 7, method: 'tools/list' },
    { 'mcp-protocol-version': '2023-01-01' },
  );
  assert.equal(old.status, 400);
  const bodies: [body: string, code: number][] = [
    ['{"jsonrpc":', -32700],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
    ['{"id":1}', -32600],
    ['"x"', -32600],
  ];
  for (const [bad, expected] of bodies) {
    const { status, body } = await ask(bad);
    assert.equal(status, 400, bad);
    assert.equal((body as { jsonrpc: string }).jsonrpc, '2.0');
    assert.equal(code({ body }), expected, bad);
  }
  const stream = await ask({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} });
  assert.deepEqual([stream.status, code(stream)], [404, -32601]);
  const told = await ask({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.deepEqual([told.status, told.bytes.length], [202, 0]);
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await http('/mcp', undefined, { method });
    assert.deepEqual([status, headers['allow']], [405, 'POST']);
  }
  const large = await ask({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'y'.repeat(1024 * 1024) } });
  assert.equal(large.status, 413);
});

test('a client that goes away ends what its call asked the service', { timeout: 20_000 }, async () => {
  const http = service();
  const leaving = new AbortController();
  const call = { name: 'task', arguments: { id: 'endless' } };
  const answer = http(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    { signal: leaving.signal },
  );
  setImmediate(() => leaving.abort());
  await ended.promise;
  assert.equal((await answer).status, 499);
});
