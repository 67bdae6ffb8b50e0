import assert from 'node:assert/strict';
import test from 'node:test';
import { RawClient, request } from './raw-client.ts';
import { assertWell, LARGE, MOST, observed, server } from './small-service.ts';

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
    message: `At most ${MOST} bytes are taken`,
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

for (const lengths of [
  ['Content-Length: 9', 'Content-Length: 3'],
  ['Content-Length: 3', 'content-length: 9'],
  ['Content-Length: 9', 'Content-Length: 9'],
  ['Content-Length:', 'Content-Length: 9'],
]) {
  const sent = `${request('POST', '/echo', undefined, lengths)}{"q":"a"}`;
  test(`${lengths.join(' and ')} is 400 and ends the connection`, async () => {
    const client = new RawClient(server.port);
    const before = observed.length;
    await client.send(sent);
    // Where the first length leaves a rest that is no request, the connection may end before the answer is written.
    assert.match((await client.closed).toString('latin1'), /^(HTTP\/1\.1 400 |$)/);
    assert.deepEqual(observed.slice(before), [[undefined, 400]]);
    await assertWell();
  });

  test(`${lengths.join(' and ')}: nothing behind it is taken for a request`, async () => {
    const client = new RawClient(server.port);
    const before = observed.length;
    await client.send(sent + request('GET', '/hi'));
    assert.doesNotMatch((await client.closed).toString('latin1'), /HTTP\/1\.1 200/);
    assert.deepEqual(observed.slice(before), [[undefined, 400]]);
    await assertWell();
  });
}

test('the answer to two lengths says what is wrong', async () => {
  const client = new RawClient(server.port);
  const lengths = ['Content-Length: 9', 'Content-Length: 3'];
  const answer = await client.ask(`${request('POST', '/echo', undefined, lengths)}{"q":"a"}`);
  assert.equal(answer.status, 400);
  assert.equal(JSON.parse(answer.body.toString()).error, 'Invalid Content-Length');
  assert.equal((await client.closed).length, 0);
});
