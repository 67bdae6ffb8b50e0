// Server-sent events over a real socket, beside Socket.IO on the same port.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { io } from 'socket.io-client';
import { createEventServer, type EventServer } from '../../events/server.ts';
import { createBodyParser } from '../../http/request/intake.ts';
import { eventRoutes } from '../../http/routes/events.ts';
import { createApp } from '../../http/server.ts';
import { createServer } from '../../http/uws.ts';
import type { Clock } from '../../runtime/clock.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { RawClient, request } from '../http/raw-client.ts';
import { manualClock } from '../runtime/manual-clock.ts';
import { until } from '../until.ts';
import { detailOf, fakeTasks, noSearches } from './fake-tasks.ts';
import { end, ending, failure, progress } from './task-events.ts';

const path = '/api/v1/events/stream';

function serve(t: TestContext, clock: Clock = systemClock) {
  const tasks = fakeTasks();
  const log = createLog('test', () => {});
  const isAllowedHost = () => true;
  const events: EventServer = createEventServer({
    tasks,
    searches: noSearches,
    clock,
    log,
    isAllowedHost,
    origins: [],
    everyMs: 0,
  });
  const app = createApp({
    routes: eventRoutes,
    service: { events } as never,
    license: (key) =>
      key === 'good' ? { ok: true } : { ok: false, status: 401, body: { error: 'no key', message: '' } },
    isAllowedHost,
    origins: [],
    bodies: createBodyParser(),
    log,
    observe: () => {},
    newId: () => 'id',
    now: () => performance.now(),
  });
  const server = createServer(app, { attach: events.attach });
  server.listen('127.0.0.1', 0);
  t.after(async () => {
    await events.close();
    server.close();
  });
  return { tasks, events, server, app, port: server.port, url: `http://127.0.0.1:${server.port}${path}` };
}

interface Sent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** What a client reads, field by field, as the specification of server-sent events says. */
async function follow(t: TestContext, url: string, headers: Readonly<Record<string, string>> = {}) {
  const control = new AbortController();
  t.after(() => control.abort());
  const response = await fetch(url, {
    headers: { 'X-License-Key': 'good', ...headers },
    signal: control.signal,
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
  const blocks: string[] = [];
  let rest = '';
  let isOver = false;
  const read = async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      const all = (rest + part).split('\n\n');
      rest = all.pop()!;
      blocks.push(...all);
    }
  };
  void read()
    .catch(() => {})
    .then(() => {
      isOver = true;
    });
  const parsed = (block: string): Sent =>
    Object.fromEntries(
      block.split('\n').map((line) => {
        const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line)!;
        return [name, name === 'data' ? JSON.parse(value) : value];
      }),
    );
  return {
    blocks,
    /** Without the one that begins a stream with no state. */
    get events() {
      return blocks.map(parsed).filter(({ event }) => event !== undefined && event !== 'connected');
    },
    get lastId() {
      return blocks.map(parsed).findLast(({ id }) => id !== undefined)?.id ?? '';
    },
    get isOver() {
      return isOver;
    },
    leave: () => control.abort(),
  };
}

const percentages = (events: readonly Sent[]) => events.map(({ data }) => data?.['progress']);

test('the stream sends what Socket.IO sends, of the tasks that are named or of all', async (t) => {
  const { tasks, url, port } = serve(t);
  const socket = io(`http://127.0.0.1:${port}`, { transports: ['websocket'], forceNew: true });
  t.after(() => socket.disconnect());
  const received: unknown[] = [];
  socket.on('progress', (event: unknown) => void received.push(event));
  await socket.emitWithAck('join', 'a');
  const [one, all] = [await follow(t, `${url}?task_id=a`), await follow(t, url)];
  await until(() => one.blocks.length > 0 && all.blocks.length > 0);
  for (const id of ['a', 'b']) {
    tasks.emit(id, progress(10));
    tasks.emit(id, failure('/x.mp4'));
    tasks.emit(id, ending('/y.mp4'));
    tasks.emit(id, end('completed'));
  }
  await until(() => one.events.length >= received.length && received.length >= 4);
  await until(() => all.events.length === 2 * received.length);
  assert.deepEqual(
    one.events.map(({ data }) => data),
    received,
  );
  assert.ok(one.events.every(({ event, id }) => event === 'progress' && id !== undefined));
  assert.deepEqual(new Set(all.events.map(({ data }) => data?.['task_id'])), new Set(['a', 'b']));
});

test('it needs a key, and a task that is recorded; the end of an earlier one comes first', async (t) => {
  const { tasks, url } = serve(t);
  tasks.records.set('old', detailOf('old'));
  assert.equal((await fetch(url)).status, 401);
  const headers = { 'X-License-Key': 'good' };
  assert.equal((await fetch(`${url}?task_id=unknown`, { headers })).status, 404);
  assert.equal((await fetch(`${url}?task_id=a,,b`, { headers })).status, 400);
  const head = await fetch(url, { headers, method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  const { events } = await until(async () => {
    const client = await follow(t, `${url}?task_id=old`);
    return until(() => client.events.length > 0 && client);
  });
  assert.deepEqual(
    events.map(({ data }) => [data?.['task_id'], data?.['done']]),
    [['old', true]],
  );
});

test('a client that reconnects is sent what it missed, once', async (t) => {
  const { tasks, url } = serve(t);
  tasks.emit('a', progress(10));
  const first = await follow(t, `${url}?task_id=a`);
  await until(() => first.events.length === 1);
  tasks.emit('a', progress(20));
  await until(() => first.events.length === 2);
  first.leave();
  await until(() => first.isOver);
  tasks.emit('a', progress(30));
  tasks.emit('b', progress(35));
  tasks.emit('a', progress(40));
  const again = await follow(t, `${url}?task_id=a`, { 'Last-Event-ID': first.lastId });
  await until(() => again.events.length === 2);
  tasks.emit('a', progress(50));
  await until(() => again.events.length === 3);
  assert.deepEqual(percentages(again.events), [30, 40, 50]);
  assert.deepEqual(
    again.events.map(({ event }) => event),
    ['progress', 'progress', 'progress'],
  );
  // The state at the beginning has no id of its own; a client that has only that goes on where it began.
  const late = await follow(t, `${url}?task_id=a`);
  await until(() => late.events.length === 1);
  late.leave();
  tasks.emit('a', progress(60));
  const later = await follow(t, `${url}?task_id=a`, { 'Last-Event-ID': late.lastId });
  await until(() => later.events.length === 1);
  assert.deepEqual(percentages(later.events), [60]);
});

test('retry and id come in the first event, also of a stream that has no state to begin with', async (t) => {
  const { tasks, url } = serve(t);
  for (const query of ['', '?task_id=a', '?event=search_hit']) {
    const idle = await follow(t, `${url}${query}`);
    await until(() => idle.blocks.length > 0);
    assert.match(idle.blocks[0]!, /^retry: 2000\nid: [0-9a-f]{8}-0\nevent: connected\ndata: \{\}$/);
  }
  const idle = await follow(t, url);
  await until(() => idle.lastId !== '');
  idle.leave();
  tasks.emit('a', progress(10));
  const again = await follow(t, url, { 'Last-Event-ID': idle.lastId });
  await until(() => again.events.length === 1);
  assert.deepEqual(percentages(again.events), [10], 'what came before the first event is not lost');
  const state = await follow(t, `${url}?task_id=a`);
  await until(() => state.blocks.length > 0);
  assert.match(state.blocks[0]!, /^retry: 2000\nid: [0-9a-f]{8}-1\nevent: progress\ndata: /);
});

test('what was missed and is not kept any more is said, and then the state', async (t) => {
  const { tasks, url } = serve(t);
  tasks.emit('a', progress(1));
  const first = await follow(t, url);
  await until(() => first.lastId !== '');
  const { lastId } = first;
  first.leave();
  // Four times the memory.
  const path = `/${'x'.repeat(100_000)}`;
  for (let i = 0; i < 40; i++) tasks.emit('b', failure(`${path}${i}`));
  tasks.emit('a', progress(2));
  for (const last of [lastId, 'other-1', 'nothing']) {
    const again = await follow(t, `${url}?task_id=a`, { 'Last-Event-ID': last });
    await until(() => again.events.length === 2);
    const { id, ...missed } = again.events[0]!;
    assert.deepEqual(missed, { retry: '2000', event: 'missed', data: { last_event_id: last } });
    assert.equal(id, again.lastId, 'in the first event');
    assert.deepEqual(percentages(again.events.slice(1)), [2]);
    assert.match(again.lastId, /^[0-9a-f]{8}-42$/);
  }
});

test('a client that does not read is disconnected, and the others go on', async (t) => {
  const { tasks, events, port, url } = serve(t);
  const slow = new RawClient(port);
  slow.socket.pause();
  await slow.send(request('GET', path, undefined, ['X-License-Key: good']));
  const other = await follow(t, url);
  await until(() => events.clients === 2);
  const text = 'x'.repeat(200_000);
  let sent = 0;
  // The system takes some megabytes before it says that the client is slow.
  await until(async () => {
    tasks.emit('t', failure(`/${sent++}${text}`));
    await until(() => other.events.length === sent);
    return events.clients === 1;
  });
  const bytes = other.blocks.join('').length;
  assert.ok(bytes > 4 * 2 ** 20, `disconnected after ${bytes} bytes`);
  assert.ok(bytes < 64 * 2 ** 20, `${bytes} bytes were kept for a client that does not read`);
  slow.socket.resume();
  await slow.closed;
});

test('a comment is sent every 15 seconds, and the stream ends with the service', async (t) => {
  const clock = manualClock();
  const { events, url, app, tasks } = serve(t, clock);
  const client = await follow(t, url);
  await until(() => client.blocks.length === 1);
  assert.equal(app.inFlight, 0, 'a stop does not wait for streams');
  clock.advance(45_000);
  await until(() => client.blocks.length === 4);
  assert.deepEqual(client.blocks.slice(1), [':', ':', ':']);
  tasks.emit('t', progress(5));
  await events.close();
  await until(() => client.isOver);
  assert.deepEqual(percentages(client.events), [5]);
  assert.equal(events.clients, 0);
  assert.equal(clock.waiting, 0);
  const late = await follow(t, url);
  await until(() => late.isOver);
});
