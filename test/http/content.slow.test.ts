// Contents over a real connection: whole, in part, to a slow client, to one that leaves, of a file that
// shrinks.
import assert from 'node:assert/strict';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { Type } from 'typebox';
import { contentOfFile, contentOfText } from '../../http/request/content.ts';
import { Bytes, type Content, reply, route } from '../../http/route.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { RawClient, request } from './raw-client.ts';
import { start } from './small-service.ts';

const MB = 1024 * 1024;
const folder = temporaryFolder();
const films = {
  large: join(folder, 'large'),
  shrinks: join(folder, 'shrinks'),
  empty: join(folder, 'empty'),
};
const whole = Buffer.alloc(24 * MB);
for (let at = 0; at < whole.length; at += 4) whole.writeUInt32LE(at, at);
await writeFile(films.large, whole);
await writeFile(films.shrinks, whole);
await writeFile(films.empty, '');

/** What is open, and bytes read of it. */
const watched = { open: 0, read: 0, waits: null as PromiseWithResolvers<void> | null };

function watch(content: Content): Content {
  watched.open++;
  return {
    ...content,
    read: async (from, to) => {
      await watched.waits?.promise;
      const piece = await content.read(from, to);
      watched.read += piece.length;
      return piece;
    },
    close: async () => {
      watched.open--;
      await content.close();
    },
  };
}

/**
 * A text of the program so long that it is sent in pieces; they are there at once, with nothing to be read.
 */
const inMemory: Content = {
  type: 'text/plain',
  size: whole.length,
  etag: '"in-memory"',
  read: async (from, to) => whole.subarray(from, Math.min(to, from + 256 * 1024)),
  close: async () => {},
};

/** Fails where its file is closed before the answer: when the client has the content already. */
const unclosable: Content = {
  ...inMemory,
  close: () => Promise.reject(new Error('cannot be closed')),
};

const sent: (readonly [status: number, bytes: number])[] = [];
const routes = [
  route({
    tag: 'Test',
    summary: 'A file',
    access: 'open',
    method: 'GET',
    path: '/film/{name}',
    id: 'film',
    params: Type.Object({ name: Type.String() }),
    form: { bytes: 'video/*' },
    answers: { 200: Bytes },
    handle: async ({ params }) => {
      const file = await contentOfFile(films[params.name as keyof typeof films], 'video/mp4');
      return reply(200, watch(file!), { 'Cache-Control': 'private' });
    },
  }),
  route({
    tag: 'Test',
    summary: 'A text',
    access: 'open',
    method: 'GET',
    path: '/script',
    id: 'script',
    form: { bytes: 'text/javascript' },
    answers: { 200: Bytes },
    handle: () => reply(200, contentOfText('export {};', 'text/javascript')),
  }),
  route({
    tag: 'Test',
    summary: 'A content that is there at once',
    access: 'open',
    method: 'GET',
    path: '/memory/{name}',
    id: 'memory',
    params: Type.Object({ name: Type.String() }),
    form: { bytes: 'text/plain' },
    answers: { 200: Bytes },
    handle: ({ params }) => reply(200, params.name === 'unclosable' ? unclosable : inMemory),
  }),
];
const { app, server } = start({
  routes,
  observe: (_, status, _seconds, _received, bytes) => sent.push([status, bytes]),
});
after(() => server.close());

const closed = () => until(() => watched.open === 0);

async function asked(path: string, headers: readonly string[] = [], method = 'GET') {
  const client = new RawClient(server.port);
  const answer = await client.ask(request(method, path, undefined, headers), method !== 'HEAD');
  await client.leave();
  return answer;
}

test('a file is sent whole, with its length and a tag', async () => {
  const { status, headers, body } = await asked('/film/large');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'video/mp4');
  assert.equal(headers['content-length'], String(whole.length));
  assert.equal(headers['accept-ranges'], 'bytes');
  assert.equal(headers['cache-control'], 'private');
  assert.match(headers['etag']!, /^"[\w-]+"$/);
  assert.ok(body.equals(whole));
  await until(() => sent.some(([, bytes]) => bytes === whole.length));
});

test('a part is sent as a part', async () => {
  const { status, headers, body } = await asked('/film/large', ['Range: bytes=1000001-3000000']);
  assert.equal(status, 206);
  assert.equal(headers['content-range'], `bytes 1000001-3000000/${whole.length}`);
  assert.ok(body.equals(whole.subarray(1_000_001, 3_000_001)));
});

test('a part after the end is refused, with the length', async () => {
  const { status, headers, body } = await asked('/film/large', [`Range: bytes=${whole.length}-`]);
  assert.equal(status, 416);
  assert.equal(headers['content-range'], `bytes */${whole.length}`);
  assert.deepEqual(JSON.parse(body.toString()), {
    error: 'Range not satisfiable',
    message: `The content has ${whole.length} bytes`,
  });
});

test('what the client has is not sent again', async () => {
  const { headers } = await asked('/script');
  const again = await asked('/script', [`If-None-Match: ${headers['etag']}`]);
  assert.equal(again.status, 304);
  assert.equal(again.body.length, 0);
});

test('HEAD tells the length and reads nothing', async () => {
  const before = watched.read;
  const { status, headers } = await asked('/film/large', [], 'HEAD');
  assert.equal(status, 200);
  assert.equal(headers['content-length'], String(whole.length));
  await closed();
  assert.equal(watched.read, before);
});

test('an empty file is an empty answer', async () => {
  const { status, headers, body } = await asked('/film/empty');
  assert.deepEqual([status, headers['content-length'], body.length], [200, '0', 0]);
});

test('a connection goes on after a content', async () => {
  const client = new RawClient(server.port);
  for (let round = 0; round < 3; round++) {
    const { body } = await client.ask(request('GET', '/film/large', undefined, ['Range: bytes=0-999999']));
    assert.equal(body.length, 1_000_000);
    assert.equal((await client.ask(request('GET', '/script'))).body.toString(), 'export {};');
  }
  await client.leave();
});

test('of a client that takes nothing little is read, and it gets all when it goes on', async () => {
  const client = new RawClient(server.port);
  client.socket.pause();
  const before = watched.read;
  await client.send(request('GET', '/film/large'));
  // Reading stops when the buffers of both sockets are full: it stands still over ten answers to somebody
  // else.
  await until(() => watched.read > before);
  let seen = -1;
  await until(async () => {
    const now = watched.read;
    await asked('/script');
    const isStill = now === seen;
    seen = now;
    return isStill;
  });
  assert.ok(watched.read - before < whole.length / 2, `${watched.read - before} bytes were read`);
  client.socket.resume();
  const { body } = await client.read();
  assert.ok(body.equals(whole));
  await client.leave();
  await closed();
});

test('pieces that are there at once are sent to a client that takes nothing for a while', async () => {
  const client = new RawClient(server.port);
  client.socket.pause();
  await client.send(request('GET', '/memory/large'));
  // The buffers of both sockets are full long before the whole is sent.
  await asked('/script');
  client.socket.resume();
  const { body } = await client.read();
  assert.ok(body.equals(whole));
  await client.leave();
});

test('a content that cannot be closed is a fault of the program, and the service goes on', async () => {
  const { status, body } = await asked('/memory/unclosable', ['If-None-Match: "in-memory"']);
  assert.equal(status, 500);
  assert.equal(JSON.parse(body.toString()).error, 'Internal error');
  assert.equal((await asked('/script')).status, 200);
});

test('a client that leaves closes the file', async () => {
  const before = sent.length;
  const client = new RawClient(server.port);
  client.socket.pause();
  await client.send(request('GET', '/film/large'));
  await until(() => watched.open === 1);
  await client.leave();
  await closed();
  // What it got is told, not what it would have got.
  await until(() => sent.slice(before).some(([status, bytes]) => status === 200 && bytes < whole.length));
  assert.equal(app.inFlight, 0);
});

test('a service that stops closes the files it is sending', async () => {
  const other = start({ routes });
  const client = new RawClient(other.server.port);
  client.socket.pause();
  await client.send(request('GET', '/film/large'));
  await until(() => watched.open === 1);
  other.server.close();
  await closed();
  await client.leave();
});

test('a request that does not wait for the end of a content ends the connection', async () => {
  const client = new RawClient(server.port);
  client.socket.pause();
  await client.send(request('GET', '/film/large'));
  await until(() => watched.open === 1);
  await client.send(request('GET', '/script'));
  client.socket.resume();
  assert.ok((await client.closed).length < whole.length);
  await closed();
  assert.equal((await asked('/script')).status, 200);
});

test('a request with a body is answered with the content as well', async () => {
  const { status, body } = await asked('/film/large', ['Range: bytes=0-9', 'Content-Length: 0']);
  assert.deepEqual([status, body.length], [206, 10]);
  const client = new RawClient(server.port);
  const sent = `${request('GET', '/film/large', undefined, ['Range: bytes=0-9', 'Content-Length: 3'])}abc`;
  assert.ok((await client.ask(sent)).body.equals(whole.subarray(0, 10)));
  assert.equal((await client.ask(request('GET', '/script'))).body.toString(), 'export {};');
  await client.leave();
  await closed();
});

test('a client that leaves while a piece is read closes the file after that', async () => {
  watched.waits = Promise.withResolvers();
  const client = new RawClient(server.port);
  await client.send(request('GET', '/film/large'));
  await until(() => watched.open === 1);
  await client.leave();
  assert.equal(watched.open, 1);
  watched.waits.resolve();
  watched.waits = null;
  await closed();
});

test('a file that becomes shorter while it is sent ends the connection', async () => {
  const client = new RawClient(server.port);
  client.socket.pause();
  await client.send(request('GET', '/film/shrinks'));
  await until(() => watched.open === 1);
  await truncate(films.shrinks, 1000);
  client.socket.resume();
  const received = await client.closed;
  assert.ok(received.length < whole.length);
  await closed();
});
