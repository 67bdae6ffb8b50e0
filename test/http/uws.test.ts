import assert from 'node:assert/strict';
import test from 'node:test';
import { MOST_HEAD_BYTES } from '../../http/request/header-limit.ts';
import { createServer } from '../../http/uws.ts';
import { serverErrors } from '../../http/uws-native.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { until } from '../until.ts';
import { RawClient, request } from './raw-client.ts';
import { meeting, observed, smallService, start } from './small-service.ts';

const { app, server, assertWell } = smallService();

for (const [name, sent] of [
  ['before its body', request('POST', '/echo', undefined, ['Content-Length: 50'])],
  ['in the middle of its body', `${request('POST', '/echo', undefined, ['Content-Length: 50'])}{"q": "half`],
  [
    'in the middle of a chunk',
    `${request('POST', '/echo', undefined, ['Transfer-Encoding: chunked'])}20\r\n{"q": "half`,
  ],
] as const) {
  test(`a client that disconnects ${name} leaves no request in flight`, async () => {
    const client = new RawClient(server.port);
    const before = observed.length;
    await client.send(sent);
    // The head was read when the next client is answered: connections are served in the order they come.
    const other = new RawClient(server.port);
    await other.ask(request('GET', '/hi'));
    assert.equal(app.inFlight, 1);
    await Promise.all([client.leave(), other.leave()]);
    await app.idle();
    assert.deepEqual(observed.slice(before).at(-1), ['echo', 499]);
    await assertWell();
  });
}

test('a client that disconnects aborts the handler, and the error of that is not logged', async () => {
  const client = new RawClient(server.port);
  await client.send(request('GET', '/wait'));
  const handler = await meeting();
  assert.equal(handler.signal.aborted, false);
  await client.leave();
  const reason = await handler.aborted;
  assert.ok(engineErrors.CANCELLED.is(reason), String(reason));
  handler.fail(reason);
  await app.idle();
  assert.deepEqual(observed.at(-1), ['wait', 499]);
  await assertWell();
});

test('a response for a client that has disconnected is dropped', async () => {
  const client = new RawClient(server.port);
  await client.send(request('GET', '/wait'));
  const handler = await meeting();
  await client.leave();
  await handler.aborted;
  handler.finish();
  await app.idle();
  await assertWell();
});

test('a handler that never ends holds up nobody but its client', async () => {
  const [waiting, other] = [new RawClient(server.port), new RawClient(server.port)];
  await waiting.send(request('GET', '/wait'));
  const handler = await meeting();
  for (let i = 0; i < 20; i++) assert.equal((await other.ask(request('GET', '/hi'))).status, 200);
  assert.equal(app.inFlight, 1);
  handler.finish();
  assert.equal((await waiting.read()).body.toString(), '"waited"');
  await Promise.all([waiting.leave(), other.leave()]);
});

test('requests that are sent in one go are answered in their order', async () => {
  const client = new RawClient(server.port);
  const bodies = ['a', 'b', 'c', 'd'].map((q) => JSON.stringify({ q }));
  await client.send(bodies.map((body) => request('POST', '/echo', body)).join(''));
  for (const q of ['a', 'b', 'c', 'd']) assert.equal((await client.read()).body.toString(), `"${q}"`);
  await client.leave();
});

test('a request behind one that still waits ends the connection, the handler and nothing else', async () => {
  const client = new RawClient(server.port);
  await client.send(request('GET', '/wait'));
  const handler = await meeting();
  await client.send(request('GET', '/hi'));
  assert.equal((await client.closed).length, 0);
  handler.fail(await handler.aborted);
  await assertWell();
});

test('HEAD is GET without its body, and the connection goes on', async () => {
  const client = new RawClient(server.port);
  const full = await client.ask(request('GET', '/hi'));
  const head = await client.ask(request('HEAD', '/hi'), false);
  assert.deepEqual([head.status, head.headers['content-length']], [200, full.headers['content-length']]);
  assert.equal((await client.ask(request('GET', '/hi'))).body.toString(), '"hi"');
  const wrong = await client.ask(request('HEAD', '/echo'), false);
  assert.deepEqual([wrong.status, wrong.headers['allow']], [405, 'POST']);
  assert.equal((await client.ask(request('GET', '/hi'))).status, 200);
  await client.leave();
});

test('any other method is 405 with what the path takes, one that does not exist is 501', async () => {
  const client = new RawClient(server.port);
  for (const method of ['OPTIONS', 'PATCH', 'DELETE', 'TRACE']) {
    const answer = await client.ask(request(method, '/hi'));
    assert.deepEqual([method, answer.status, answer.headers['allow']], [method, 405, 'GET, HEAD']);
  }
  for (const method of ['BREW', 'get'])
    assert.equal((await client.ask(request(method, '/hi'))).status, 501, method);
  await client.leave();
});

for (const [name, sent] of [
  ['no HTTP at all', 'please give me the films\r\n\r\n'],
  ['the start of a TLS connection', Buffer.from('16030100a5010000a10303', 'hex')],
  ['HTTP/2 at once', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['no Host', 'GET /hi HTTP/1.1\r\n\r\n'],
  ['a negative length', request('POST', '/echo', undefined, ['Content-Length: -3'])],
  ['a length beyond counting', request('POST', '/echo', undefined, [`Content-Length: ${'9'.repeat(40)}`])],
  ['chunks without a size', `${request('POST', '/echo', undefined, ['Transfer-Encoding: chunked'])}zz\r\n`],
  [
    'a length and chunks',
    `${request('POST', '/echo', undefined, ['Content-Length: 3', 'Transfer-Encoding: chunked'])}zz\r\n`,
  ],
  ['a head that is far too long', request('GET', `/hi?${'a'.repeat(2 * MOST_HEAD_BYTES)}`)],
  [
    'too many headers',
    request(
      'GET',
      '/hi',
      undefined,
      Array.from({ length: 300 }, (_, i) => `X-${i}: 1`),
    ),
  ],
] as const) {
  test(`${name} ends the connection and nothing else`, async () => {
    const client = new RawClient(server.port);
    await client.send(sent);
    const said = (await client.closed).toString('latin1');
    assert.match(said, /^(HTTP\/1\.1 (4|5)\d\d |$)/);
    assert.doesNotMatch(said, /HTTP\/1\.1 500/);
    await assertWell();
  });
}

test('a head above its limit is refused as JSON, wherever it is long', async () => {
  const long = 'a'.repeat(MOST_HEAD_BYTES);
  for (const sent of [request('GET', `/hi?${long}`), request('GET', '/hi', undefined, [`X-Long: ${long}`])]) {
    const client = new RawClient(server.port);
    const answer = await client.ask(sent);
    assert.deepEqual([answer.status, answer.headers['content-type']], [431, 'application/json']);
    assert.match(String(answer.body), /at most 32768 bytes together/);
    await client.leave();
  }
  await assertWell();
});

test('a path of 4,096 bytes fits into a query, however it is written', async () => {
  const client = new RawClient(server.port);
  assert.equal((await client.ask(request('GET', `/hi?cache_dir=${'%E6'.repeat(4096)}`))).status, 200);
  await client.leave();
});

test('how long an idle connection stays open is announced, whatever the answer', async () => {
  const client = new RawClient(server.port);
  for (const path of ['/hi', '/nowhere'])
    assert.equal((await client.ask(request('GET', path))).headers['keep-alive'], 'timeout=8', path);
  await client.leave();
});

test('only a plain request id is taken over into the answer', async () => {
  const client = new RawClient(server.port);
  const idFor = async (id: string) =>
    (await client.ask(request('GET', '/hi', undefined, [`X-Request-Id: ${id}`]))).headers['x-request-id'];
  assert.equal(await idFor('abc-1.2:3_4'), 'abc-1.2:3_4');
  for (const id of ['a b', 'a\tSet-Cookie: b', '<script>', 'ü', 'x'.repeat(65), '%0d%0aSet-Cookie: a'])
    assert.equal(await idFor(id), 'own-id');
  await client.leave();
});

test('an error in a handler, in its response or in the licenses is one 500, and the service goes on', async () => {
  const client = new RawClient(server.port);
  const asked = [
    ...['now', 'later', 'unsayable', 'unsayable-later'].map((kind) => request('GET', `/fault/${kind}`)),
    request('GET', '/locked', undefined, ['X-License-Key: broken']),
  ];
  for (const text of asked) {
    const answer = await client.ask(text);
    assert.equal(answer.status, 500, text);
    assert.deepEqual(JSON.parse(answer.body.toString()), { error: 'Internal error', message: 'own-id' });
  }
  await client.leave();
  await assertWell();
});

test('the license key may come in the body of a request that takes none', async () => {
  const client = new RawClient(server.port);
  const key = JSON.stringify({ license_key: 'good' });
  assert.equal((await client.ask(request('GET', '/locked', key))).body.toString(), '1');
  assert.equal((await client.ask(request('POST', '/locked', key))).body.toString(), '2');
  assert.equal((await client.ask(request('POST', '/locked'))).status, 401);
  assert.equal((await client.ask(request('GET', '/hi', 'no JSON'))).status, 200);
  await client.leave();
});

test('a second server on the same port fails with PORT_TAKEN', () => {
  const before = createServer(app);
  before.listen('127.0.0.1', 0);
  const { port } = before;
  before.close();
  // A port that was asked for by its number could be shared; one that was given out could not.
  const [first, second] = [createServer(app), createServer(app)];
  first.listen('127.0.0.1', port);
  assert.throws(
    () => second.listen('127.0.0.1', port),
    (error: Error) => serverErrors.PORT_TAKEN.is(error) && error.message.includes(`127.0.0.1:${port}`),
  );
  second.close();
  first.close();
});

test('a server that listens at localhost answers at 127.0.0.1, whatever else the name means here', async () => {
  const own = createServer(app);
  own.listen('localhost', 0);
  const client = new RawClient(own.port);
  assert.equal((await client.ask(request('GET', '/hi'))).status, 200);
  await client.leave();
  own.close();
});

test('a server that is closed aborts what is in flight and ends its connections', async () => {
  const own = start();
  const [waiting, sending, idle] = [0, 1, 2].map(() => new RawClient(own.server.port));
  await idle!.ask(request('GET', '/hi'));
  await sending!.send(request('POST', '/echo', undefined, ['Content-Length: 50']));
  await waiting!.send(request('GET', '/wait'));
  const handler = await meeting();
  own.server.stopListening();
  own.server.close();
  handler.fail(await handler.aborted);
  await Promise.all([waiting!.closed, sending!.closed, idle!.closed, own.app.idle()]);
  assert.equal(own.app.inFlight, 0);
});

test('connections beyond the limit are closed at once; those that are open are served, and leave room', async () => {
  let refused = 0;
  const small = createServer(app, { mostConnections: 3, onRefused: () => refused++ });
  small.listen('127.0.0.1', 0);
  try {
    const clients = Array.from({ length: 3 }, () => new RawClient(small.port));
    for (const client of clients) assert.equal((await client.ask(request('GET', '/hi'))).status, 200);
    for (let i = 0; i < 5; i++) await assert.rejects(new RawClient(small.port).ask(request('GET', '/hi')));
    assert.equal(refused, 5);
    for (const client of clients) assert.equal((await client.ask(request('GET', '/hi'))).status, 200);
    await clients[0]!.leave();
    const last = await until(async () => {
      const client = new RawClient(small.port);
      return client.ask(request('GET', '/hi')).then(
        () => client,
        () => undefined,
      );
    });
    await Promise.all([last, ...clients.slice(1)].map((client) => client.leave()));
  } finally {
    small.close();
  }
});
