import assert from 'node:assert/strict';
import test from 'node:test';
import { engineErrors } from '../../runtime/errors.ts';
import { until } from '../until.ts';
import { engine } from './engine.ts';

type Engine = ReturnType<typeof engine>;

/** Resolves when the only actor was stuck and is replaced. */
async function getStuck(
  { supervisor, clock }: Pick<Engine, 'supervisor' | 'clock'>,
  ref: Awaited<ReturnType<Engine['inThread']>>,
): Promise<void> {
  const stuck = ref.ask('wait', { block: true });
  await until(() => supervisor.states()[0]?.running === 1);
  clock.advance(2_500);
  await assert.rejects(stuck, engineErrors.ACTOR_STUCK.is);
  await until(() => ref.phase === 'ready');
}

test('a crash in one actor fails its own calls retryably while another goes on, and it comes back', async () => {
  const { supervisor, clock, inThread, pool } = engine();
  const [weak, strong] = [await inThread('weak'), await inThread('strong')];
  const holder = pool.holder();
  const handle = await pool.acquire(holder);
  const crash = weak.ask('crash', {}, { slots: [handle] });
  pool.releaseAll(holder);
  await assert.rejects(crash, (error) => engineErrors.ACTOR_CRASHED.is(error) && error.retryable);
  assert.equal(pool.free, pool.count);
  assert.equal(await strong.ask('add', { a: 1, b: 2 }), 3);
  // A call made meanwhile waits for the replacement.
  const later = weak.ask('add', { a: 3, b: 4 });
  await until(() => weak.phase === 'starting');
  clock.advance(100);
  assert.equal(await later, 7);
  assert.deepEqual(
    supervisor.states().map(({ name, phase, restarts }) => [name, phase, restarts]),
    [
      ['weak', 'ready', 1],
      ['strong', 'ready', 0],
    ],
  );
  await supervisor.stop();
});

test('an actor that keeps crashing is given up aloud and its calls fail at once', async () => {
  const { supervisor, clock, inThread, lines } = engine();
  const ref = await inThread();
  for (let i = 0; i <= 5; i++) {
    await until(() => ref.phase === 'ready');
    await assert.rejects(ref.ask('crash', {}), engineErrors.ACTOR_CRASHED.is);
    await until(() => ref.phase !== 'ready');
    // Well inside the window of 60 s, and past the longest delay so far.
    clock.advance(2_000);
  }
  assert.equal(ref.phase, 'down');
  await assert.rejects(ref.ask('add', { a: 1, b: 1 }), (error) => {
    return engineErrors.ACTOR_DOWN.is(error) && /6 crashes/.test(error.message);
  });
  assert.equal(lines.filter((line) => line.fields['next'] === 'give-up').length, 1);
  await supervisor.stop();
});

test('a turn that tells that it goes on may last as long as it needs', async () => {
  const { supervisor, clock, inThread, lines } = engine();
  const ref = await inThread();
  const stop = new AbortController();
  const going = ref.ask('goOn', {}, { signal: stop.signal });
  for (let i = 0; i < 10; i++) {
    assert.equal(await ref.ask('nudge', {}), 1);
    clock.advance(900);
    assert.equal(ref.phase, 'ready');
  }
  stop.abort();
  await assert.rejects(going, engineErrors.CANCELLED.is);
  assert.deepEqual(
    lines.filter(({ message }) => message === 'actor is stuck'),
    [],
  );
  await supervisor.stop();
});

test('a stuck actor is replaced, its slots stay held until it ends, and a second time is fatal', async () => {
  const fatal: string[] = [];
  const { supervisor, clock, inThread, pool } = engine({ onFatal: (name) => fatal.push(name) });
  const ref = await inThread();
  const holder = pool.holder();
  const handle = await pool.acquire(holder);
  const stuck = ref.ask('wait', { block: true }, { slots: [handle] });
  pool.releaseAll(holder);
  await until(() => supervisor.states()[0]?.running === 1);
  clock.advance(900);
  assert.equal(ref.phase, 'ready');
  clock.advance(1_100);
  await assert.rejects(stuck, (error) => engineErrors.ACTOR_STUCK.is(error) && error.retryable);
  await until(() => ref.phase === 'ready');
  assert.equal(await ref.ask('add', { a: 1, b: 1 }), 2);
  await until(() => pool.free === pool.count);
  const again = ref.ask('wait', { block: true });
  await until(() => supervisor.states()[0]?.running === 1);
  clock.advance(2_500);
  await assert.rejects(again, engineErrors.ACTOR_STUCK.is);
  assert.deepEqual(fatal, ['fixture']);
  // Its last thread ends when it is told to, and nothing brings the actor back.
  assert.deepEqual(await supervisor.stop(), []);
  assert.equal(ref.phase, 'down');
});

test('an actor that got stuck long ago is replaced again', async () => {
  const fatal: string[] = [];
  const { supervisor, clock, inThread } = engine({ onFatal: (name) => fatal.push(name) });
  const ref = await inThread();
  for (let times = 0; times < 3; times++) {
    await getStuck({ supervisor, clock }, ref);
    clock.advance(31 * 60_000);
  }
  assert.deepEqual(fatal, []);
  assert.equal(supervisor.states()[0]?.restarts, 3);
  await supervisor.stop();
});

test('an actor that cannot start says why', async () => {
  const { supervisor, inThread } = engine();
  await assert.rejects(inThread('fixture', { failStart: true }), /no luck at start/);
  await supervisor.stop();
});

test('a spare actor is replaced however often it is stuck', async () => {
  const fatal: string[] = [];
  const { supervisor, clock, spare } = engine({ onFatal: (name) => fatal.push(name) });
  const ref = await spare();
  for (let times = 0; times < 3; times++) {
    await getStuck({ supervisor, clock }, ref);
  }
  assert.deepEqual(fatal, []);
  await supervisor.stop();
});

test('other threads go before one in the background', {
  skip: process.platform === 'linux' ? false : 'threads have priorities of their own on Linux alone',
}, async () => {
  const { supervisor, inThread, inBackground } = engine();
  const [usual, behind] = [await inThread(), await inBackground()];
  const [first, second] = [await usual.ask('priority', {}), await behind.ask('priority', {})];
  assert.ok(second > first, `${second} is a lower priority than ${first}`);
  assert.equal(await usual.ask('priority', {}), first);
  await supervisor.stop();
});
