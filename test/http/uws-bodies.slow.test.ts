import assert from 'node:assert/strict';
import test from 'node:test';
import { createServer } from '../../http/uws.ts';
import { type RawAnswer, RawClient, request } from './raw-client.ts';
import { LARGE, MOST, observed, smallService } from './small-service.ts';

const { app, server, assertWell } = smallService();

test('a client that reads slowly gets all of a large answer, and the others are served meanwhile', async () => {
  const slow = new RawClient(server.port);
  slow.socket.pause();
  await slow.send(request('GET', '/large'));
  const other = new RawClient(server.port);
  for (let i = 0; i < 50; i++) assert.equal((await other.ask(request('GET', '/hi'))).status, 200);
  // The answer is made, and most of it waits for its reader.
  assert.deepEqual(
    observed.findLast(([id]) => id === 'large'),
    ['large', 200],
  );
  assert.ok(slow.socket.bytesRead < LARGE / 2, `${slow.socket.bytesRead} bytes read`);
  slow.socket.removeAllListeners('data');
  let [bytes, pieces] = [0, 0];
  for await (const piece of slow.socket.iterator({ destroyOnReturn: false })) {
    bytes += (piece as Buffer).length;
    if (++pieces % 50 === 0) assert.equal((await other.ask(request('GET', '/hi'))).status, 200);
    if (bytes >= LARGE) break;
  }
  assert.ok(bytes > LARGE);
  await Promise.all([slow.leave(), other.leave()]);
});

test('a client that disconnects in the middle of a large response leaves nothing behind', async () => {
  const client = new RawClient(server.port);
  await client.send(request('GET', '/large'));
  await new Promise((resolve) => client.socket.once('data', resolve));
  await client.leave();
  await assertWell();
});

test('a body may come in chunks of any size', async () => {
  const client = new RawClient(server.port);
  await client.send(request('POST', '/echo', undefined, ['Transfer-Encoding: chunked']));
  const body = JSON.stringify({ q: 'grün, 漢字' });
  for (const byte of Buffer.from(body)) {
    await client.send(Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]));
  }
  await client.send('0\r\n\r\n');
  assert.equal((await client.read()).body.toString(), '"grün, 漢字"');
  assert.equal((await client.ask(request('POST', '/echo', '{"q":"next"}'))).body.toString(), '"next"');
  await client.leave();
});

test('a body that is announced too large is 413, and the connection takes the next request', async () => {
  const client = new RawClient(server.port);
  const body = JSON.stringify({ q: 'x'.repeat(MOST) });
  const answer = await client.ask(request('POST', '/echo', body));
  assert.equal(answer.status, 413);
  assert.deepEqual(JSON.parse(answer.body.toString()), {
    error: 'Body too large',
    message: `A body can have at most ${MOST} bytes`,
  });
  assert.equal((await client.ask(request('POST', '/echo', '{"q":"next"}'))).body.toString(), '"next"');
  await client.leave();
});

test('a body of unknown length is 413 as soon as it is too large', async () => {
  const client = new RawClient(server.port);
  await client.send(request('POST', '/echo', undefined, ['Transfer-Encoding: chunked']));
  const piece = `100\r\n${'x'.repeat(256)}\r\n`;
  for (let i = 0; i < 4; i++) await client.send(piece);
  assert.equal((await client.read()).status, 413);
  for (let i = 0; i < 4; i++) await client.send(piece);
  assert.equal((await client.ask(`0\r\n\r\n${request('GET', '/hi')}`)).status, 200);
  await client.leave();
  await assertWell();
});

test('a body of exactly the limit is taken', async () => {
  const client = new RawClient(server.port);
  const q = 'x'.repeat(MOST - '{"q":""}'.length);
  assert.equal((await client.ask(request('POST', '/echo', JSON.stringify({ q })))).status, 200);
  await client.leave();
});

test('answers without a body have none, and the connection goes on', async () => {
  const client = new RawClient(server.port);
  for (const status of [204, 304]) {
    const answer = await client.ask(request('GET', `/empty/${status}`));
    assert.deepEqual([answer.status, answer.headers['content-type']], [status, undefined]);
    assert.equal((await client.ask(request('GET', '/hi'))).status, 200);
  }
  await client.leave();
});

const body = '{"q":"a"}';
for (const [name, sentBody, fields] of [
  [
    'Content-Length',
    body,
    [
      ['Content-Length: 9', 'Content-Length: 3'],
      ['Content-Length: 3', 'content-length: 9'],
      ['Content-Length: 9', 'Content-Length: 9'],
      ['Content-Length:', 'Content-Length: 9'],
    ],
  ],
  [
    'Transfer-Encoding',
    `9\r\n${body}\r\n0\r\n\r\n`,
    [
      ['Transfer-Encoding: gzip'],
      ['Transfer-Encoding: identity'],
      ['Transfer-Encoding: xchunked'],
      ['Transfer-Encoding: chunked, gzip'],
      ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
      ['Transfer-Encoding:', 'Transfer-Encoding: chunked'],
    ],
  ],
] as const) {
  const cases = fields.flatMap((headers) =>
    [0, 1, 100].map((behind) => ({ headers, behind: request('GET', '/hi').repeat(behind) })),
  );
  for (const { headers, behind } of cases) {
    const sent = request('POST', '/echo', undefined, headers) + sentBody;
    test(`${headers.join(' and ')} is 400, and the ${behind.length} bytes behind it are no request`, async () => {
      const client = new RawClient(server.port);
      const before = observed.length;
      const answer = await client.ask(sent + behind);
      assert.deepEqual([answer.status, answer.headers['connection']], [400, 'close']);
      assert.equal(JSON.parse(answer.body.toString()).error, `Invalid ${name}`);
      assert.equal((await client.closed).length, 0);
      assert.deepEqual(observed.slice(before), [[undefined, 400]]);
      await assertWell();
    });
  }
}

test('a transfer encoding that is not known before chunked is 501', async () => {
  const client = new RawClient(server.port);
  const sent = request('POST', '/echo', undefined, ['Transfer-Encoding: gzip, chunked']);
  assert.equal((await client.ask(`${sent}0\r\n\r\n`)).status, 501);
  assert.equal((await client.closed).length, 0);
  await assertWell();
});

/** A client that reads when it has sent everything, and sends more than the system keeps for a connection. */
async function sendsFirst(port: number, headers: readonly string[], bytes: number): Promise<RawAnswer> {
  const client = new RawClient(port);
  client.socket.pause();
  let broken: Error | undefined;
  client.socket.on('error', (error) => {
    broken = error;
  });
  await client.send(request('POST', '/echo', undefined, ['Connection: close', ...headers]));
  const piece = Buffer.alloc(1 << 20, 'x');
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]);
  const isChunked = headers.some((one) => one.endsWith('chunked'));
  for (let sent = 0; sent < bytes && !broken; sent += piece.length)
    await client.send(isChunked ? chunk : piece);
  if (isChunked) await client.send('0\r\n\r\n');
  assert.equal(broken, undefined);
  client.socket.resume();
  const answer = await client.read();
  assert.equal((await client.closed).length, 0);
  return answer;
}

const MUCH = 32 << 20;
for (const header of [`Content-Length: ${MUCH}`, 'Transfer-Encoding: chunked']) {
  test(`a client that closes the connection can send a body that is too large to its end: ${header}`, async () => {
    const answer = await sendsFirst(server.port, [header], MUCH);
    assert.deepEqual([answer.status, answer.headers['connection']], [413, 'close']);
    assert.equal(JSON.parse(answer.body.toString()).error, 'Body too large');
    await assertWell();
  });
}

test('a client that was answered and sends no more is disconnected, and so is one that never stops', async () => {
  for (const bounds of [
    { quietMs: 1, mostMs: 60_000 },
    { quietMs: 60_000, mostMs: 1 },
  ]) {
    const own = createServer(app, { linger: bounds });
    own.listen('127.0.0.1', 0);
    const client = new RawClient(own.port);
    const lengths = [`Content-Length: ${MUCH}`, 'Connection: close'];
    assert.equal((await client.ask(request('POST', '/echo', undefined, lengths))).status, 413);
    assert.equal((await client.closed).length, 0);
    own.close();
  }
});
