import assert from 'node:assert/strict';
import test from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { mediaErrors } from '../../actors/decoder/contract.ts';
import { storeErrors } from '../../actors/index/store/contract.ts';
import { ErrorBody, type Route, reply, route } from '../../http/route.ts';
import { healthRoutes } from '../../http/routes/health.ts';
import { MOST_BYTES } from '../../http/server.ts';
import { engineErrors, errorTable } from '../../runtime/errors.ts';
import { defaulted, nullable, oneOf } from '../../runtime/schema.ts';
import { inject, KEY, plainHead } from './inject.ts';

const errors = errorTable({
  LOOSE: { meaning: 'The screw is loose', status: 409, retryable: true },
  BAD_SIDE: { meaning: 'The side is wrong', status: 400, retryable: false },
});

const seen: unknown[] = [];
const echo = route({
  method: 'POST',
  path: '/api/v1/echo/{name}',
  id: 'echo',
  tag: 'Test',
  summary: 'Answers what it was sent',
  params: Type.Object({ name: Type.String() }),
  query: Type.Object({ limit: defaulted(Type.Integer({ minimum: 1 }), 10) }),
  body: Type.Object({
    query: Type.String({ minLength: 1 }),
    count: defaulted(Type.Integer({ minimum: 0 }), 50),
    media_paths: defaulted(Type.Array(Type.String()), []),
    jobs: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), language: defaulted(Type.String(), 'english') })),
    ),
    maybe: defaulted(nullable(Type.Object({ operator: defaulted(Type.String(), 'is') })), null),
    mode: Type.Optional(oneOf('and', 'or')),
    either: Type.Optional(Type.Union([Type.Integer(), nullable(Type.String())])),
    nested: Type.Optional(nullable(Type.Object({ id: Type.String(), size: Type.Optional(Type.Integer()) }))),
    does: Type.Optional(Type.String()),
  }),
  answers: {
    200: Type.Object({ name: Type.String(), limit: Type.Integer(), body: Type.Unknown() }),
    409: ErrorBody,
  },
  handle: async ({ params, query, body, signal, id }) => {
    seen.push(id);
    if (body.does === 'conflict') throw errors.LOOSE('screw 3 is loose');
    if (body.does === 'field') throw errors.BAD_SIDE('left is not a side', { field: 'side' });
    if (body.does === 'fault') throw new TypeError('secret detail');
    if (body.does === 'lose') throw mediaErrors.FILE_NOT_FOUND('/a: file not found', { path: '/a' });
    if (body.does === 'stop') throw engineErrors.CANCELLED();
    if (body.does === 'big') return reply(200, { name: 'x'.repeat(5000), limit: 1, body: {} });
    assert.equal(signal.aborted, false);
    return reply(200, { name: params.name, limit: query.limit, body });
  },
});
const call = inject([...healthRoutes, echo], {});
const path = '/api/v1/echo/a%20b';

test('a route sees its placeholders, query and body, with defaults where nothing was sent', async () => {
  const { status, body } = await call(`${path}?limit=3`, {
    query: 'car',
    jobs: [{ path: '/a' }],
    maybe: {},
    more: 'is not declared',
  });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    name: 'a b',
    limit: 3,
    body: {
      query: 'car',
      jobs: [{ path: '/a', language: 'english' }],
      maybe: { operator: 'is' },
      count: 50,
      media_paths: [],
    },
  });
});

test('null in an optional field is the same as leaving it out, also inside of lists and objects', async () => {
  const body = { query: 'car', count: null, media_paths: null, maybe: null, mode: null, does: null };
  const left = await call(path, { query: 'car', jobs: [{ path: '/a' }], nested: { id: 'a' } });
  const given = await call(path, {
    ...body,
    jobs: [{ path: '/a', language: null }],
    nested: { id: 'a', size: null },
  });
  assert.equal(given.status, 200);
  assert.deepEqual(given.body, left.body);
});

test('a default that one request changed is not seen by the next', async () => {
  const first = (await call(path, { query: 'a' })).body as { body: { media_paths: string[] } };
  first.body.media_paths.push('/changed');
  const second = (await call(path, { query: 'a' })).body as { body: { media_paths: string[] } };
  assert.deepEqual(second.body.media_paths, []);
});

const wrong: [name: string, body: unknown, error: string, message: RegExp][] = [
  ['a missing field', {}, 'Missing query', /^query is required$/],
  ['an empty text', { query: '' }, 'Invalid query', /query must not be empty/],
  ['a wrong type', { query: 1 }, 'Invalid query', /query must be a string/],
  [
    'a number that is too small',
    { query: 'a', count: -1 },
    'Invalid count',
    /count must be a whole number of at least 0/,
  ],
  [
    'a number that is no integer',
    { query: 'a', count: 1.5 },
    'Invalid count',
    /count must be a whole number/,
  ],
  ['null in a field that is needed', { query: null }, 'Invalid query', /query must be a string/],
  [
    'a field inside a list',
    { query: 'a', media_paths: ['/a', 3] },
    'Invalid media_paths[1]',
    /media_paths\[1\] must be a string/,
  ],
  [
    'a field inside an object of a list',
    { query: 'a', jobs: [{ language: 'x' }] },
    'Missing jobs[0].path',
    /jobs\[0\]\.path is required/,
  ],
  ['an unknown word', { query: 'a', mode: 'xor' }, 'Invalid mode', /mode must be one of and, or/],
  ['none of several forms', { query: 'a', either: {} }, 'Invalid either', /^either must be a string or null/],
  [
    'a field missing in something that may be null',
    { query: 'a', nested: {} },
    'Missing nested.id',
    /^nested\.id is required$/,
  ],
  [
    'a bad field in something that may be null',
    { query: 'a', nested: { id: 'a', size: 'x' } },
    'Invalid nested.size',
    /^nested\.size must be a whole number$/,
  ],
  ['two bad fields', { count: 'x' }, 'Missing query', /query is required; count must be a whole number/],
  ['a list', [], 'Invalid body', /must be a JSON object/],
  ['a text that is no JSON', '{"query": ', 'Invalid body', /The body is not valid JSON/],
  ['a key that is no text', { query: 'a', license_key: 5 }, 'Invalid license_key', /must be a string/],
];
for (const [name, body, error, message] of wrong) {
  test(`${name} is a 400 that names it`, async () => {
    const answer = await call(path, body);
    assert.equal(answer.status, 400);
    const said = answer.body as { error: string; message: string };
    assert.equal(said.error, error);
    assert.match(said.message, message);
  });
}

test('a bad query is a 400 that names its field', async () => {
  const answer = await call(`${path}?limit=none`, { query: 'a' });
  assert.deepEqual([answer.status, (answer.body as { error: string }).error], [400, 'Invalid limit']);
});

test('unknown paths are 404, wrong methods 405 with what is allowed', async () => {
  assert.equal((await call('/api/v1/nothing')).status, 404);
  // Without a key nobody learns which paths there are; the key may be in a body.
  for (const path of ['/api/v1/nothing', '/api/v1', '/api/v1/']) {
    const headers = { 'x-license-key': '' };
    assert.equal((await call(path, undefined, { headers })).status, 401);
    assert.equal((await call(path, { license_key: KEY }, { headers })).status, 404);
    assert.equal((await call(path, 'no json', { method: 'PUT' })).status, 404);
    const { status } = await call(path, undefined, { method: 'DELETE', headers: { 'x-license-key': 'x' } });
    assert.equal(status, 403);
  }
  assert.equal((await call('/nothing', undefined, { headers: { 'x-license-key': '' } })).status, 404);
  assert.equal((await call('/api/v1/echo/%E0%A4%A', { query: 'a' })).status, 404);
  const answer = await call(path);
  assert.deepEqual([answer.status, answer.headers['allow']], [405, 'POST']);
});

test('a method that does not exist is not implemented, whatever the path', async () => {
  const open = inject([...healthRoutes], {}, { origins: [] });
  for (const path of ['/livez', '/nowhere', '/api/v1/analyze'])
    assert.equal((await open(path, undefined, { method: 'BREW' })).status, 501, path);
  for (const method of ['TRACE', 'QUERY'])
    assert.equal((await open('/api/v1/health', undefined, { method })).status, 405, method);
});

test('a foreign host is refused before anything else', async () => {
  const answer = await call('/api/v1/health', undefined, { headers: { host: 'evil.example' } });
  assert.equal(answer.status, 403);
  assert.match(JSON.stringify(answer.body), /evil\.example/);
});

test('the key in the body goes before the one in the header, and an empty one counts as none', async () => {
  const header = { headers: { 'x-license-key': 'a-bad-key' } };
  assert.equal((await call(path, { query: 'a', license_key: KEY }, header)).status, 200);
  assert.equal((await call(path, { query: 'a', license_key: 'a-bad-key' })).status, 403);
  assert.equal((await call(path, { query: 'a', license_key: '' })).status, 200);
  assert.equal((await call(path, { query: 'a' }, { headers: { 'x-license-key': '' } })).status, 401);
});

test('without a key nothing is told about the body', async () => {
  assert.equal((await call(path, '{"query"', { headers: { 'x-license-key': '' } })).status, 401);
});

test('an error of a table answers with its status, its meaning and its message', async () => {
  const answer = await call(path, { query: 'a', does: 'conflict' });
  assert.deepEqual([answer.status, answer.headers['retry-after']], [409, '1']);
  assert.deepEqual(answer.body, { error: 'The screw is loose', message: 'screw 3 is loose' });
  const field = await call(path, { query: 'a', does: 'field' });
  assert.deepEqual(field.body, { error: 'Invalid side', message: 'left is not a side' });
});

test('an internal error tells the client only the request id under which the log has the stack', async () => {
  const answer = await call(path, { query: 'a', does: 'fault' }, { headers: { 'x-request-id': 'mine-1' } });
  assert.equal(answer.status, 500);
  assert.deepEqual(answer.body, { error: 'Internal error', message: 'mine-1' });
  const line = call.lines.find(({ fields }) => fields['request_id'] === 'mine-1');
  assert.ok(line);
  assert.match(String((line.fields['error'] as Error).stack), /secret detail/);
});

test('work cancelled while its client waits is a 503, not an internal error', async () => {
  assert.equal((await call(path, { query: 'a', does: 'stop' })).status, 503);
});

test('roots that cannot be read are told in place of a missing file, which may be in one of them', async () => {
  const awayOf = async () => {
    throw storeErrors.ROOTS_DAMAGED('/home/roots.json is not JSON');
  };
  const damaged = inject([echo], { roots: { awayOf } as never });
  const { status, body } = await damaged(path, { query: 'a', does: 'lose' });
  assert.deepEqual([status, (body as { message: string }).message], [503, '/home/roots.json is not JSON']);
});

test('large answers are compressed as asked, small ones never', async () => {
  const asked = (accept: string) =>
    call(path, { query: 'a', does: 'big' }, { headers: { 'accept-encoding': accept } });
  const gzip = await asked('gzip, deflate');
  assert.equal(gzip.headers['content-encoding'], 'gzip');
  assert.match(gunzipSync(gzip.bytes).toString(), /^\{"name":"xxx/);
  const br = await asked('br;q=1, gzip;q=0.5');
  assert.match(brotliDecompressSync(br.bytes).toString(), /^\{"name":"xxx/);
  assert.equal((await asked('gzip;q=0, identity')).headers['content-encoding'], undefined);
  assert.equal((await asked('gzip, deflate, br')).headers['content-encoding'], 'br');
  const small = await call('/api/v1/health', undefined, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(small.headers['content-encoding'], undefined);
});

test('a Content-Length above the limit is a 413 before the body is read', async () => {
  const tooLong = { ...plainHead, contentLength: MOST_BYTES + 1 };
  const begun = call.app.begin({ ...tooLong, method: 'POST', path });
  assert.equal('status' in begun && begun.status, 413);
});

test('a configured origin may read responses and send preflights, a page of this machine only send', async () => {
  const open = inject([...healthRoutes], {}, { origins: ['http://panel.local'] });
  const from = (origin: string, method: string) =>
    open('/api/v1/health', undefined, { method, headers: { origin } });
  assert.equal(
    (await from('http://panel.local', 'GET')).headers['access-control-allow-origin'],
    'http://panel.local',
  );
  assert.equal((await from('http://panel.local', 'OPTIONS')).status, 204);
  const own = await from('http://localhost', 'GET');
  assert.deepEqual([own.status, own.headers['access-control-allow-origin']], [200, undefined]);
  assert.equal((await from('http://localhost', 'OPTIONS')).status, 405);
});

test('a page of another site is refused before its body is read, whatever it asks', async () => {
  const panel = inject([...healthRoutes, echo], {}, { origins: ['http://panel.local'] });
  const status = async (origin: string) => {
    const before = seen.length;
    const answer = await panel(path, { query: 'a', license_key: KEY }, { headers: { origin } });
    assert.equal(seen.length - before, answer.status === 200 ? 1 : 0);
    return answer.status;
  };
  for (const origin of ['', 'http://localhost', 'https://localhost', 'http://Panel.local'])
    assert.equal(await status(origin), 200, origin);
  for (const origin of [
    'https://evil.example',
    'https://panel.local',
    'http://panel.local:81',
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'file://localhost',
    'null',
    'localhost',
  ]) {
    assert.equal(await status(origin), 403, origin);
    for (const method of ['GET', 'OPTIONS', 'DELETE']) {
      const answer = await panel('/api/v1/health', undefined, { method, headers: { origin } });
      assert.equal(answer.status, 403, `${method} ${origin}`);
      assert.equal((answer.body as { error: string }).error, 'Origin not allowed');
    }
  }
});

test('a service that is stopping answers licensed routes with 503 and stays alive for health', async () => {
  const ending = inject([...healthRoutes, echo], {});
  ending.app.stopAdmitting();
  const answer = await ending(path, { query: 'a' });
  assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1']);
  assert.equal((await ending('/api/v1/health')).status, 200);
  assert.equal(ending.app.inFlight, 0);
});

test('every answer is observed once, with its route', async () => {
  const observed: [string | undefined, number, number, number][] = [];
  const counted = inject(
    [...healthRoutes, echo] as Route[],
    {},
    {
      observe: (route, status, _, received, sent) => observed.push([route?.id, status, received, sent]),
    },
  );
  const good = await counted(path, { query: 'ä' });
  const bad = await counted(path, {});
  const lost = await counted('/nowhere');
  assert.deepEqual(observed, [
    ['echo', 200, 14, good.bytes.length],
    ['echo', 400, 2, bad.bytes.length],
    [undefined, 404, 0, lost.bytes.length],
  ]);
  const logged = counted.lines.map(({ level, message, fields }) => [level, message, fields['request_id']]);
  assert.deepEqual(
    logged,
    [good, bad, lost].map(({ headers }) => ['debug', 'request', headers['x-request-id']]),
  );
});
