import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { Check } from 'typebox/value';
import type { TaskEvent } from '../../actors/analysis/contract.ts';
import { type TaskDetail, TaskError } from '../../actors/analysis/tasks/contract.ts';
import { ProgressEvent } from '../../events/protocol.ts';
import { eventsOf, serve, type Transport } from './event-server.ts';
import { detailOf } from './fake-tasks.ts';
import { progress } from './task-events.ts';

const transports: readonly (readonly Transport[])[] = [['websocket'], ['polling'], ['polling', 'websocket']];

const completed: TaskEvent = { type: 'end', state: 'completed', error: null };
const isDone = ({ done }: ProgressEvent) => done;

for (const transport of transports) {
  test(`over ${transport.join(', then ')}: a client that joined is sent its task, and no other`, async (t) => {
    const { client, tasks } = await serve(t, { everyMs: 0 });
    const [a, b] = [await client(transport), await client(transport)];
    const [atA, atB] = [eventsOf(a), eventsOf(b)];
    assert.deepEqual(await a.emitWithAck('join', 'task-a'), { joined: true });
    assert.deepEqual(await b.emitWithAck('join', { task_id: 'task-b' }), { joined: true });
    for (const id of ['task-a', 'task-b', 'task-c']) {
      tasks.emit(id, progress(10));
      tasks.emit(id, progress(20));
      tasks.emit(id, completed);
    }
    await Promise.all([atA.until(isDone), atB.until(isDone)]);
    for (const [{ events }, id] of [
      [atA, 'task-a'],
      [atB, 'task-b'],
    ] as const) {
      assert.deepEqual(
        events.map(({ task_id, progress, done }) => [task_id, progress, done]),
        [
          [id, 10, false],
          [id, 20, false],
          [id, 100, true],
        ],
      );
      assert.ok(events.every((event) => Check(ProgressEvent, event)));
    }
  });

  test(`over ${transport.join(', then ')}: a client that joins late is sent the last event, then what follows`, async (t) => {
    const { client, tasks } = await serve(t, { everyMs: 0 });
    for (const percentage of [10, 20, 30]) tasks.emit('t', progress(percentage));
    const late = await client(transport);
    const { events, until } = eventsOf(late);
    await late.emitWithAck('join', 't');
    tasks.emit('t', progress(40));
    tasks.emit('t', completed);
    await until(isDone);
    assert.deepEqual(
      events.map(({ progress }) => progress),
      [30, 40, 100],
    );
  });
}

test('an event is published once, however many clients joined', async (t) => {
  const serving = await serve(t, { everyMs: 0 });
  const kinds: Transport[] = ['websocket', 'websocket', 'websocket', 'polling'];
  const clients = await Promise.all(kinds.map((kind) => serving.client([kind])));
  const received = clients.map(eventsOf);
  for (const one of clients) await one.emitWithAck('join', 't');
  const before = serving.published;
  serving.tasks.emit('t', completed);
  await Promise.all(received.map(({ until }) => until(isDone)));
  assert.equal(serving.published - before, 1);
});

test('a task of an earlier process is sent from its record; a join of an unknown one is refused', async (t) => {
  const { client, tasks, log } = await serve(t, { everyMs: 0 });
  tasks.records.set('old', detailOf('old', { state: 'interrupted' }));
  tasks.records.set('broken', new Error('the record is damaged'));
  const one = await client(['websocket']);
  const { events, until } = eventsOf(one);
  const error = 'There is no task with the id "unknown"';
  assert.deepEqual(await one.emitWithAck('join', 'unknown'), { joined: false, error });
  for (const id of ['broken', 'old']) assert.deepEqual(await one.emitWithAck('join', id), { joined: true });
  await until(isDone);
  assert.deepEqual(
    events.map(({ task_id, interrupted, progress }) => [task_id, interrupted, progress]),
    [['old', true, 40]],
  );
  assert.deepEqual(
    log.filter(({ level }) => level === 'warn').map(({ fields }) => fields['task_id']),
    ['broken'],
  );
  assert.deepEqual(await one.emitWithAck('leave', 'unknown'), { left: false });
});

test('a task that begins while its record is looked up is not ended by the record', async (t) => {
  const { client, tasks } = await serve(t, { everyMs: 0 });
  const asked = Promise.withResolvers<void>();
  const record = Promise.withResolvers<TaskDetail>();
  tasks.get = (task_id) => {
    if (task_id !== 'resumed') return Promise.resolve(detailOf(task_id));
    asked.resolve();
    return record.promise;
  };
  const one = await client(['websocket']);
  const { events, until } = eventsOf(one);
  const joins = ['resumed', 'after'].map((id) => one.emitWithAck('join', id));
  await asked.promise;
  tasks.emit('resumed', progress(10));
  record.resolve(detailOf('resumed', { state: 'interrupted' }));
  assert.deepEqual(await Promise.all(joins), [{ joined: true }, { joined: true }]);
  await until(({ task_id }) => task_id === 'after');
  assert.deepEqual(
    events.map(({ task_id, done }) => [task_id, done]),
    [
      ['resumed', false],
      ['after', true],
    ],
  );
});

test('a join that names no task is answered with what is wrong; after leaving nothing is sent', async (t) => {
  const { client, tasks } = await serve(t, { everyMs: 0 });
  const one = await client(['websocket']);
  const { events, until } = eventsOf(one);
  const said: (...said: unknown[]) => Promise<unknown> = (...said) =>
    one.emitWithAck('join', ...(said as ['']));
  const error = 'task_id must be a string of 1 to 200 characters';
  for (const bad of ['', 7, null, {}, [], { task_id: null }, 'x'.repeat(201), Buffer.from('t')]) {
    assert.deepEqual(await said(bad), { joined: false, error });
  }
  assert.deepEqual(await said(), { joined: false, error });
  // No acknowledgement, and something else in its place.
  one.emit('join', 't');
  one.emit('join', 't', 'not a function' as never);
  assert.deepEqual(await one.emitWithAck('leave', 'other'), { left: false });
  tasks.emit('t', progress(10));
  await until(({ progress }) => progress === 10);
  assert.deepEqual(await one.emitWithAck('leave', 't'), { left: true });
  tasks.emit('t', progress(20));
  await one.emitWithAck('join', 'u');
  tasks.emit('u', completed);
  await until(isDone);
  assert.deepEqual(
    events.map(({ task_id, progress }) => [task_id, progress]),
    [
      ['t', 10],
      ['u', 100],
    ],
  );
});

test('a client may be in a thousand rooms, not in more, and may join again what it is in', async (t) => {
  const { client } = await serve(t);
  const one = await client(['websocket']);
  const joins = Array.from({ length: 1001 }, (_, i) => one.emitWithAck('join', `t${i}`));
  const answers = await Promise.all(joins);
  assert.equal(answers.filter(({ joined }) => joined).length, 1000);
  assert.deepEqual(answers.at(-1), { joined: false, error: 'At most 1000 tasks can be joined' });
  assert.deepEqual(await one.emitWithAck('join', 't0'), { joined: true });
});

test('unknown hosts, pages of other origins and one client too many are refused', async (t) => {
  const { client, port, server } = await serve(t, { mostClients: 3, origins: ['https://panel.example'] });
  const handshake = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`, { headers });
  const refused = [{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: 'file://' }];
  for (const headers of refused) {
    assert.equal((await handshake(headers)).status, 403);
    await assert.rejects(client(['websocket'], { extraHeaders: headers }));
  }
  await assert.rejects(client(['websocket'], { extraHeaders: { host: 'rebound.example' } }));
  assert.equal(server.clients, 0);
  const page = await handshake({ origin: 'https://panel.example' });
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('access-control-allow-origin'), 'https://panel.example');
  const own = await handshake({ origin: `http://127.0.0.1:${port}` });
  assert.equal(own.headers.get('access-control-allow-origin'), null);
  assert.equal((await handshake({})).status, 200);
  assert.equal(server.clients, 3);
  assert.equal((await handshake({})).status, 403);
});

test('without configured origins no CORS header is sent', async (t) => {
  const { port } = await serve(t);
  const origin = `http://localhost:${port}`;
  const answer = await fetch(`http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`, {
    headers: { origin },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('access-control-allow-origin'), null);
});

test('closing sends what waits, disconnects every client so that it connects again, and unsubscribes', async (t) => {
  const { client, tasks, server } = await serve(t);
  const clients = await Promise.all([client(['websocket']), client(['polling'])]);
  const received = clients.map(eventsOf);
  for (const one of clients) await one.emitWithAck('join', 't');
  tasks.emit('t', progress(10));
  tasks.emit('t', { type: 'end', state: 'interrupted', error: null });
  const gone = clients.map((one) => once(one as never, 'disconnect'));
  await server.close();
  // Not 'io server disconnect', after which a client would not connect again.
  for (const [reason] of await Promise.all(gone)) assert.match(reason, /^transport (close|error)$/);
  for (const { events } of received) assert.equal(events.at(-1)?.interrupted, true);
  assert.equal(server.clients, 0);
  assert.equal(tasks.listeners, 0);
  await assert.rejects(client(['websocket']));
  await server.close();
});

test('an error of a task is sent in the words of its record', async (t) => {
  const { client, tasks } = await serve(t);
  const error = { code: 'DISK_FULL', error: 'The disk is full', message: '/c: the disk is full' };
  assert.ok(Check(TaskError, error));
  const one = await client(['websocket']);
  const { events, until } = eventsOf(one);
  await one.emitWithAck('join', 't');
  tasks.emit('t', { type: 'end', state: 'failed', error });
  await until(isDone);
  assert.equal(events[0]?.error, '/c: the disk is full');
});
