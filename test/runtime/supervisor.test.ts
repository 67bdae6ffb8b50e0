import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ref } from '../../runtime/ref.ts';
import { type EngineEnd, engineExit, engineVerdict, stuckVerdict, verdict } from '../../runtime/restart.ts';
import { createControl, type Link } from '../../runtime/wire.ts';
import { until } from '../until.ts';
import { engine } from './engine.ts';
import { fixtureContract } from './fixture.ts';

test('an actor on demand starts at its first call, which waits for it, and can be stopped in each phase', async () => {
  const { supervisor, onDemand } = engine();
  const ref = onDemand();
  assert.equal(ref.phase, 'idle');
  const asked = ref.ask('add', { a: 1, b: 2 });
  assert.equal(ref.phase, 'starting');
  assert.equal(await asked, 3);
  assert.equal(ref.phase, 'ready');
  const [starting, idle] = [onDemand('starting'), onDemand('idle')];
  const late = assert.rejects(starting.ask('add', { a: 1, b: 2 }), { code: 'ACTOR_DOWN' });
  assert.deepEqual(await supervisor.stop(), []);
  await late;
  assert.deepEqual([starting.phase, idle.phase], ['down', 'down']);
  await assert.rejects(idle.ask('add', { a: 1, b: 2 }), { code: 'ACTOR_DOWN' });
});

/** An actor whose thread loads, and ends, when the test says so. */
function slowThread() {
  const [ready, exited] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<{ clean: boolean; reason: string }>(),
  ];
  const link: Link = {
    endpoint: { post: () => {} },
    control: new Int32Array(createControl(fixtureContract.calls)),
    ready: ready.promise,
    exited: exited.promise,
    onMessage: () => {},
    poll: () => {},
    onExit: () => {},
    stop: () => {},
  };
  let started = false;
  const start = () => {
    started = true;
    return link;
  };
  const spec = { name: 'slow', contract: fixtureContract, start };
  const ended = () => exited.resolve({ clean: true, reason: '' });
  /** Makes its first call, which nothing answers. */
  const call = (ref: Ref<typeof fixtureContract>) => {
    ref.ask('add', { a: 1, b: 2 }).catch(() => {});
    return ref;
  };
  return { spec, call, loaded: ready.resolve, ended, isStarted: () => started };
}

test('a stop waits for a thread that is still starting as long as a start may take', async () => {
  const { supervisor, clock, lines } = engine({ startLimitMs: 60_000, stopLimitMs: 10_000 });
  const { spec, call, loaded, ended, isStarted } = slowThread();
  call(supervisor.addOnDemand(spec));
  await until(isStarted);
  const stopped = supervisor.stop();
  clock.advance(30_000);
  loaded();
  ended();
  assert.deepEqual(await stopped, []);
  assert.deepEqual(
    lines.filter(({ message }) => message === 'actor did not stop'),
    [],
  );
});

test('a thread that took calls has to end within the limit of a stop', async () => {
  const { supervisor, clock } = engine({ startLimitMs: 60_000, stopLimitMs: 10_000 });
  const { spec, loaded } = slowThread();
  loaded();
  await supervisor.add(spec);
  const stopped = supervisor.stop();
  clock.advance(10_000);
  assert.deepEqual(await stopped, ['slow']);
});

test('an actor that starts too slowly is started again later, and may take longer', async () => {
  const { supervisor, clock, lines } = engine({ startLimitMs: 60_000, stopLimitMs: 10_000 });
  const threads = [slowThread(), slowThread(), slowThread()];
  let starts = 0;
  const start = () => threads[starts++]!.spec.start();
  const ref = supervisor.addOnDemand({ ...threads[0]!.spec, start });
  const failed = assert.rejects(ref.ask('add', { a: 1, b: 2 }), { code: 'ACTOR_DOWN' });
  await until(() => starts === 1);
  clock.advance(60_000);
  await failed;
  assert.deepEqual([ref.phase, supervisor.states()[0]!.reason], ['down', 'did not start within 60000 ms']);
  clock.advance(5_000);
  await until(() => starts === 2);
  clock.advance(119_000);
  assert.equal(starts, 2);
  clock.advance(1_000);
  clock.advance(9_000);
  assert.equal(starts, 2);
  clock.advance(1_000);
  await until(() => starts === 3);
  threads[2]!.loaded();
  await until(() => ref.phase === 'ready');
  assert.deepEqual(
    lines.filter(({ message }) => message === 'actor did not start').map(({ fields }) => fields['after_ms']),
    [5_000, 10_000],
  );
  const stopped = supervisor.stop();
  for (const { ended } of threads) ended();
  assert.deepEqual(await stopped, []);
});

test('hundreds of actors that are called at once start a few at a time, and each has the whole time to start', async () => {
  const { supervisor, clock } = engine({ startLimitMs: 60_000, stopLimitMs: 10_000 });
  const threads = Array.from({ length: 20 }, slowThread);
  const refs = threads.map(({ spec, call }) => call(supervisor.addOnDemand(spec)));
  const started = () => threads.filter(({ isStarted }) => isStarted()).length;
  for (let ready = 0; ready < threads.length; ready++) {
    await until(() => started() === Math.min(threads.length, ready + 8));
    clock.advance(5_000);
    threads[ready]!.loaded();
    await until(() => refs[ready]!.phase === 'ready');
  }
  const stopped = supervisor.stop();
  for (const { ended } of threads) ended();
  assert.deepEqual(await stopped, []);
});

test('an actor whose turn to start has not come is never started by an engine that stops', async () => {
  const { supervisor } = engine({ startLimitMs: 60_000, stopLimitMs: 10_000 });
  const threads = Array.from({ length: 9 }, slowThread);
  const refs = threads.map(({ spec, call }) => call(supervisor.addOnDemand(spec)));
  await until(() => threads[7]!.isStarted());
  const stopped = supervisor.stop();
  for (const { loaded, ended } of threads) {
    loaded();
    ended();
  }
  assert.deepEqual(await stopped, []);
  assert.deepEqual([threads[8]!.isStarted(), refs[8]!.phase], [false, 'down']);
});

test('the restart verdict doubles its delay and gives up after too many crashes in the window', () => {
  const policy = { most: 3, windowMs: 1_000, firstDelayMs: 10, longestDelayMs: 30 };
  const table: [number[], number, object][] = [
    [[0], 0, { do: 'restart', afterMs: 10 }],
    [[0, 5], 5, { do: 'restart', afterMs: 20 }],
    [[0, 5, 9], 9, { do: 'restart', afterMs: 30 }],
    [[0, 5, 9, 12], 12, { do: 'give-up', reason: '4 crashes within 1 s' }],
    [[0, 5, 9, 1_200], 1_200, { do: 'restart', afterMs: 10 }],
  ];
  for (const [crashes, now, expected] of table) assert.deepEqual(verdict(crashes, now, policy), expected);
});

test('an actor that gets stuck again soon needs a new process; long ago counts for nothing', () => {
  const minute = 60_000;
  assert.equal(stuckVerdict([0], 0), 'replace');
  assert.equal(stuckVerdict([0, 5 * minute], 5 * minute), 'restart-engine');
  assert.equal(stuckVerdict([0, 31 * minute], 31 * minute), 'replace');
  assert.equal(stuckVerdict([0, 31 * minute, 32 * minute], 32 * minute), 'restart-engine');
});

test('the verdict over an engine that ended', () => {
  const end = (code: number | null, signal: string | null = null, isRequested = false): EngineEnd => ({
    code,
    signal,
    isRequested,
  });
  const again = (afterMs: number) => ({ do: 'restart', afterMs });
  const table: [EngineEnd, number[], object][] = [
    [end(null, 'SIGKILL'), [0], again(50)],
    [end(null, 'SIGABRT'), [0, 0], again(100)],
    [end(1), [0, 0, 0], again(200)],
    [end(engineExit.restart), [0], again(50)],
    [end(13), [0, 0, 0, 0, 0, 0, 0, 0], again(5_000)],
    [end(1), [-120_000, 0], again(50)],
    [end(1), new Array(9).fill(0), { do: 'end', code: 1, reason: '9 crashes within 120 s' }],
    [end(0), [0], { do: 'end', code: 0, reason: 'it ended by itself' }],
    [end(2), [0], { do: 'end', code: 2, reason: 'it would end the same way again' }],
    [end(69), [0], { do: 'end', code: 69, reason: 'it would end the same way again' }],
    [end(130), [0], { do: 'end', code: 130, reason: 'it would end the same way again' }],
    [end(0, null, true), [], { do: 'end', code: 0, reason: 'it was asked to stop' }],
    [end(3, null, true), [], { do: 'end', code: 3, reason: 'it was asked to stop' }],
    [end(75, null, true), [], { do: 'end', code: 0, reason: 'it was asked to stop' }],
    [end(null, 'SIGINT', true), [], { do: 'end', code: 0, reason: 'it was asked to stop' }],
    [end(null, 'SIGTERM', true), [], { do: 'end', code: 0, reason: 'it was asked to stop' }],
    [end(null, 'SIGSEGV', true), [], { do: 'end', code: 1, reason: 'it was asked to stop' }],
    [end(null, 'SIGABRT', true), [], { do: 'end', code: 1, reason: 'it was asked to stop' }],
    [end(null, 'SIGKILL', true), [], { do: 'end', code: 1, reason: 'it was asked to stop' }],
  ];
  for (const [ended, crashes, expected] of table)
    assert.deepEqual(engineVerdict(ended, crashes, 0), expected, JSON.stringify(ended));
});
