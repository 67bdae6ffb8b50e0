import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { Type } from 'typebox';
import { actor } from '../../runtime/actor.ts';
import { ask, contract } from '../../runtime/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { HostTurn } from '../../runtime/host.ts';
import { createLog } from '../../runtime/log.ts';
import { createMailbox } from '../../runtime/mailbox.ts';
import { Cell } from '../../runtime/ref.ts';
import {
  createControl,
  createLink,
  type FromActor,
  lifeWord,
  STOP_WORD,
  type ToActor,
} from '../../runtime/wire.ts';
import { until } from '../until.ts';
import { engine } from './engine.ts';
import { fixtureErrors } from './fixture.ts';
import { startInMemory } from './memory.ts';

test('an ask is answered and an error crosses with code, status, details and retryable', async () => {
  const { supervisor, inMemory } = engine();
  const ref = await inMemory();
  assert.equal(await ref.ask('add', { a: 2, b: 3 }), 5);
  await assert.rejects(ref.ask('fail', { cup: 'blue' }), (error) => {
    assert.ok(fixtureErrors.OUT_OF_TEA.is(error));
    assert.deepEqual([error.status, error.retryable, error.details], [418, true, { cup: 'blue' }]);
    return true;
  });
  assert.deepEqual(await supervisor.stop(), []);
});

test('a full mailbox answers BUSY at once', async () => {
  const { supervisor, inMemory } = engine();
  const ref = await inMemory(2);
  const given = new AbortController();
  // Four turns run, two messages wait, the seventh finds no room.
  const calls = Array.from({ length: 6 }, () => ref.ask('wait', { block: false }, { signal: given.signal }));
  await assert.rejects(ref.ask('add', { a: 1, b: 1 }), engineErrors.BUSY.is);
  given.abort();
  for (const call of calls) await assert.rejects(call, engineErrors.CANCELLED.is);
  assert.equal(await ref.ask('add', { a: 1, b: 1 }), 2);
  await supervisor.stop();
});

test('no abort listener stays on the signal of a finished call', async () => {
  const { supervisor, inMemory } = engine();
  const ref = await inMemory();
  const { signal } = new AbortController();
  for (let i = 0; i < 20; i++) await ref.ask('add', { a: i, b: i }, { signal });
  for await (const n of ref.feed('count', { to: 5 }, { signal })) assert.ok(n < 5);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  await supervisor.stop();
});

test('a slot of a cancelled caller is not reused while the turn still reads it', async () => {
  const { supervisor, inThread, pool } = engine();
  const ref = await inThread();
  const holder = pool.holder();
  const handle = await pool.acquire(holder);
  pool.view(handle)[0] = 42;
  const given = new AbortController();
  const call = ref.ask('wait', { block: true }, { slots: [handle], signal: given.signal });
  pool.releaseAll(holder);
  await until(() => supervisor.states()[0]?.running === 1);
  given.abort();
  await assert.rejects(call, engineErrors.CANCELLED.is);
  // The caller has its answer, the turn has not: the slot is still held.
  assert.equal(pool.free, pool.count - 1);
  await until(() => pool.free === pool.count);
  await supervisor.stop();
});

test('a stale handle is refused, by the caller and by the turn', async () => {
  const { supervisor, inMemory, pool } = engine();
  const ref = await inMemory();
  const holder = pool.holder();
  const old = await pool.acquire(holder);
  pool.releaseAll(holder);
  await assert.rejects(ref.ask('sum', { slot: old }, { slots: [old] }), engineErrors.STALE_SLOT.is);
  for (let left = pool.free; left > 0; left--) await pool.acquire(holder);
  await assert.rejects(ref.ask('sum', { slot: old }), engineErrors.STALE_SLOT.is);
  await supervisor.stop();
});

const crowd = contract('crowd', {
  /** Answers the names of those that ran at the same time. */
  meet: ask(Type.Object({ name: Type.Unknown() }), Type.Array(Type.Unknown()), { together: 3 }),
  other: ask(Type.Object({}), Type.Null()),
});
const crowdActor = actor<typeof crowd, undefined>({
  contract: crowd,
  create: () => {
    let present: unknown[] = [];
    const meet = async (name: unknown, signal: AbortSignal) => {
      present.push(name);
      await new Promise(setImmediate);
      signal.throwIfAborted();
      const met = present;
      await new Promise(setImmediate);
      present = [];
      return [...met];
    };
    return { handlers: { meet: ({ name }, { signal }) => meet(name, signal), other: () => null } };
  },
});

test('calls that wait in a lane begin together, as many as their message says, and each ends by itself', async () => {
  const { supervisor, log } = engine();
  const ref = await supervisor.add({
    ...{ name: 'crowd', contract: crowd, turnLimitMs: 1_000 },
    start: () => startInMemory(crowdActor, { log }),
  });
  const meet = (names: readonly unknown[]) =>
    Promise.all(names.map((name) => ref.ask('meet', { name }).catch((error: unknown) => error)));
  const given = new AbortController();
  const first = ref.ask('meet', { name: 'first' });
  const leaves = ref.ask('meet', { name: 'leaves' }, { signal: given.signal });
  const rest = meet(['a', 'b', 'c', 'd']);
  const other = ref.ask('other', {});
  const urgent = ref.ask('meet', { name: 'urgent' }, { lane: 'now' });
  const left = assert.rejects(leaves, engineErrors.CANCELLED.is);
  given.abort();
  assert.deepEqual(await first, ['first']);
  await left;
  assert.deepEqual(await urgent, ['urgent']);
  const abc = ['a', 'b', 'c'];
  assert.deepEqual(await rest, [abc, abc, abc, ['d']]);
  assert.equal(await other, null);
  // What cannot be sent fails alone, and the others are sent all the same.
  const [, broken, one, two] = await meet(['last', () => {}, 'x', 'y']);
  assert.ok(engineErrors.INVALID_MESSAGE.is(broken));
  const xy = ['x', 'y'];
  assert.deepEqual([one, two], [xy, xy]);
  await supervisor.stop();
});

test('a reply that has arrived makes room for those that wait as soon as another call is made', async () => {
  const one = contract('one', { add: ask(Type.Object({}), Type.Number()) });
  const cell = new Cell('one', one, { capacity: 8, now: () => 0 });
  const [sent, arrived]: [ToActor[], FromActor[]] = [[], []];
  const endpoint = { post: (message: ToActor) => void sent.push(message), listen: () => {}, close: () => {} };
  const log = createLog('test', () => {});
  cell.attach(createLink({ ...endpoint, take: () => arrived.shift() }, createControl(1), log).link);
  const calls = Array.from({ length: 2 }, () => cell.ask('add', {}));
  assert.equal(sent.length, 1);
  arrived.push({ type: 'reply', id: 1, value: 3 });
  calls.push(cell.ask('add', {}));
  assert.deepEqual(
    sent.map((message) => 'id' in message && message.id),
    [1, 2],
  );
  assert.equal(await calls[0], 3);
  cell.down('down', 'test');
  await assert.rejects(calls[2]!, engineErrors.ACTOR_DOWN.is);
});

test('the now lane goes before the later lane and each keeps its order', () => {
  const box = createMailbox<string>(4);
  box.offer('later', 'a');
  box.offer('now', 'b');
  box.offer('later', 'c');
  box.offer('now', 'd');
  assert.deepEqual(box.drain(), ['b', 'd', 'a', 'c']);
});

test('a full lane refuses and the other lane still takes', () => {
  const box = createMailbox<number>(2);
  assert.equal(box.offer('later', 1) && box.offer('later', 2), true);
  assert.equal(box.offer('later', 3), false);
  assert.equal(box.offer('now', 4), true);
  assert.equal(box.take(), 4);
  assert.equal(box.remove(1), true);
  assert.equal(box.remove(1), false);
  assert.equal(box.take(), 2);
  assert.equal(box.take(), undefined);
});

test('some of a kind are taken out of one lane, and the others keep their order', () => {
  const box = createMailbox<string>(6);
  for (const message of ['a1', 'b1', 'a2', 'a3', 'b2']) box.offer('later', message);
  box.offer('now', 'a0');
  assert.deepEqual(
    box.takeSome('later', (message) => message.startsWith('a'), 2),
    ['a1', 'a2'],
  );
  assert.deepEqual(box.drain(), ['a0', 'b1', 'a3', 'b2']);
});

test('a loop that asks whether it is cancelled gives signs of life, also while its event loop is blocked', () => {
  const control = createControl(2);
  const words = new Int32Array(control);
  const log = createLog('test', () => {});
  const start = { name: 'test', control, memory: undefined, settings: null, logLevel: 'debug' } as const;
  const [first, second] = [1, 2].map((word) => new HostTurn(start, { id: word, word }, log, () => {})) as [
    HostTurn,
    HostTurn,
  ];
  const signs = () => [1, 2].map((word) => words[lifeWord(words, word)]);
  first.throwIfCancelled();
  first.alive();
  second.alive();
  assert.deepEqual(signs(), [2, 1]);
  // Native code that only looks at the flag may well hang.
  assert.equal(first.cancelled(), false);
  assert.deepEqual(signs(), [2, 1]);
  assert.deepEqual([words[STOP_WORD], words[1], words[2]], [0, 0, 0]);
  words[2] = 1;
  assert.throws(() => second.throwIfCancelled(), engineErrors.CANCELLED.is);
  assert.equal(first.cancelled(), false);
});
