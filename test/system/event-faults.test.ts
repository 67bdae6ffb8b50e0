import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { TaskEvent } from '../../actors/analysis/contract.ts';
import { eventsOf, type Serving, serve } from '../events/event-server.ts';
import { progress } from '../events/task-events.ts';
import { until } from '../until.ts';

const completed: TaskEvent = { type: 'end', state: 'completed', error: null };
const upgrade = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** A bare connection, so that a test can say what no client would. */
async function raw(port: number, first = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(first);
  return socket;
}

function request(line: string, headers: readonly string[] = [], body = ''): string {
  return `${[`${line} HTTP/1.1`, 'Host: 127.0.0.1', ...headers].join('\r\n')}\r\n\r\n${body}`;
}

function next(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => socket.once('data', resolve));
}

/** Also by an error. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** The first line of the answer; empty when the connection was closed without one. */
async function statusOf(port: number, text: string): Promise<string> {
  const socket = await raw(port, text);
  const chunk = await Promise.race([next(socket), closed(socket)]);
  socket.destroy();
  return String(chunk ?? '').split('\r\n')[0]!;
}

async function websocket(port: number): Promise<Socket> {
  const socket = await raw(port, request('GET /socket.io/?EIO=4&transport=websocket', upgrade));
  await next(socket);
  return socket;
}

/** A frame as a client sends it, masked with zeros. */
function frame(payload: string | Buffer, opcode = 1): Buffer {
  const bytes = Buffer.from(payload);
  const length =
    bytes.length < 126 ? [0x80 | bytes.length] : [0xfe, (bytes.length >> 8) & 255, bytes.length & 255];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), bytes]);
}

async function session(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`);
  const text = await answer.text();
  return (JSON.parse(text.slice(1)) as { sid: string }).sid;
}

async function assertServes({ client, tasks }: Serving) {
  const one = await client(['websocket']);
  const { until } = eventsOf(one);
  await one.emitWithAck('join', 'still');
  tasks.emit('still', { type: 'start', files: 1, types: ['video'] });
  await until(({ task_id }) => task_id === 'still');
  one.disconnect();
}

test('requests that no client sends are refused, and the server goes on', async (t) => {
  const serving = await serve(t);
  const { port } = serving;
  const sid = await session(port);
  const polling = '/socket.io/?EIO=4&transport=polling';
  const web = '/socket.io/?EIO=4&transport=websocket';
  const rows: [string, RegExp][] = [
    // Left alone, the first of these ends the process.
    [request(`GET ${polling}`, upgrade), /400/],
    [request(`GET ${polling}&sid=${sid}`, upgrade), /400/],
    [request(`GET ${web}`), /400/],
    [request(`POST ${web}`, upgrade), /400/],
    [request(`GET ${web}&sid=nobody`, upgrade), /400/],
    [request(`GET ${web}&sid=__proto__`, upgrade), /400/],
    [request('GET /socket.io/?EIO=3&transport=websocket', upgrade), /400/],
    [request('GET /socket.io/?EIO=3&transport=polling'), /400/],
    [request('GET /socket.io/'), /400/],
    [request('GET /socket.io/?EIO=4&transport=%00%ff'), /400/],
    [request(`PUT ${polling}&sid=${sid}`, ['Content-Length: 1'], 'x'), /400/],
    [request(`OPTIONS ${polling}`), /400/],
    [request(`POST ${polling}`, ['Content-Length: 1'], 'x'), /400/],
    [request(`POST ${polling}&sid=nobody`, ['Content-Length: 1'], 'x'), /400/],
    [request(`POST ${polling}&sid=${sid}`), /411/],
    [request(`POST ${polling}&sid=${await session(port)}`, ['Content-Length: 16385'], 'x'), /413/],
    [request(`GET ${polling}`, ['Origin: \x01']), /400|^$/],
  ];
  for (const [text, status] of rows) {
    assert.match(await statusOf(port, text), status, text);
    await assertServes(serving);
  }
});

test('garbage in a connection ends that connection, not the server', async (t) => {
  const serving = await serve(t);
  const { port } = serving;
  const packets: (string | Buffer)[] = [
    '',
    '9',
    '4',
    '49',
    '42',
    '42{}',
    '42[]',
    '42["join"',
    '42[null]',
    '42["disconnect"]',
    '42["__proto__",1]',
    '451-["join",{"_placeholder":true,"num":9}]',
    '4599999999-["join",{"_placeholder":true,"num":0}]',
    '40/nowhere,',
    '40{"sid":{}}',
    '41',
    '43999[1]',
    '6',
    '5',
    '2probe',
    '\u0000\ud800',
    Buffer.alloc(64, 0xff),
    `42["join","${'x'.repeat(30_000)}"]`,
  ];
  for (const packet of packets) {
    const socket = await websocket(port);
    socket.write(frame('40'));
    socket.write(frame(packet, typeof packet === 'string' ? 1 : 2));
    // uWebSockets closes on a broken frame, whatever the packet before it did.
    socket.write(Buffer.alloc(32, 0xff));
    await closed(socket);
    const sid = await session(port);
    for (const body of ['40', packet].filter((one) => one.length > 0)) {
      await fetch(`http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling&sid=${sid}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : new Uint8Array(body),
      }).catch(() => {});
    }
  }
  // Events that mean nothing here, one of them the name of a fault.
  const one = await serving.client(['websocket']);
  for (const name of ['error', 'constructor', 'toString', 'join']) {
    (one.emit as (name: string, value: unknown) => void)(name, {});
  }
  await assertServes(serving);
});

test('an answer that was aborted and two polls at once do not end the server', async (t) => {
  const serving = await serve(t);
  const { port } = serving;
  for (let i = 0; i < 20; i++) {
    const sid = await session(port);
    const poll = request(`GET /socket.io/?EIO=4&transport=polling&sid=${sid}`);
    const post = request(`POST /socket.io/?EIO=4&transport=polling&sid=${sid}`, ['Content-Length: 20'], '40');
    const first = await raw(port, poll);
    if (i % 2 === 0) await statusOf(port, poll);
    const second = await raw(port, post);
    first.destroy();
    second.destroy();
    (await raw(port, request('GET /socket.io/?EIO=4&transport=polling'))).destroy();
    const upgrading = await session(port);
    const wire = await raw(
      port,
      request(`GET /socket.io/?EIO=4&transport=websocket&sid=${upgrading}`, upgrade),
    );
    if (i % 3 > 0) await Promise.race([next(wire), closed(wire)]);
    if (i % 3 === 2) wire.write(frame('2probe'));
    wire.destroy();
  }
  await assertServes(serving);
});

test('a client that stops reading for a while is sent every event', async (t) => {
  const { port, tasks } = await serve(t, { everyMs: 0 });
  const socket = await websocket(port);
  socket.write(Buffer.concat([frame('40'), frame('420["join","t"]')]));
  let text = '';
  const joined = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    if (text.includes('430[{"joined":true}]')) joined.resolve();
    if (text.slice(-20_000).includes('"done":true')) done.resolve();
  });
  await joined.promise;
  socket.pause();
  const path = `/${'x'.repeat(4000)}`;
  // Six megabytes, more than the system keeps for a connection.
  for (let i = 0; i < 1500; i++) {
    tasks.emit('t', { type: 'file', file: { path, type: 'video', done: i, all: 1500, percentage: 1 } });
    tasks.emit('t', progress(i / 15));
  }
  tasks.emit('t', completed);
  socket.resume();
  await done.promise;
  assert.equal(text.split('42["progress",').length - 1, 1501);
  socket.destroy();
});

test('clients that vanish or read nothing are disconnected', async (t) => {
  const { port, server, tasks } = await serve(t, { pingIntervalMs: 300, pingTimeoutMs: 200, everyMs: 0 });
  const silent = await Promise.all(Array.from({ length: 10 }, () => websocket(port)));
  for (const socket of silent) {
    socket.pause();
    socket.write(Buffer.concat([frame('40'), frame('42["join","t"]')]));
  }
  for (let i = 0; i < 10; i++) await session(port);
  assert.ok(server.clients > 0);
  for (let i = 0; i < 1000; i++) tasks.emit('t', { type: 'start', files: 1, types: ['video'] });
  await until(() => server.clients === 0);
  for (const socket of silent) socket.destroy();
});

test('clients that come and go leave nothing behind', async (t) => {
  const { client, server, tasks } = await serve(t, { everyMs: 0 });
  const comeAndGo = async (times: number) => {
    for (let i = 0; i < times; i++) {
      const one = await client([i % 10 === 0 ? 'polling' : 'websocket']);
      await one.emitWithAck('join', `t${i % 10}`);
      tasks.emit(`t${i % 10}`, completed);
      one.disconnect();
    }
    await until(() => server.clients === 0);
  };
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  await comeAndGo(50);
  const before = heap();
  await comeAndGo(150);
  const grown = (heap() - before) / 150;
  // A client of the server that is kept weighs some 20 KB.
  assert.ok(grown < 5000, `${Math.round(grown)} bytes a client are kept`);
});
