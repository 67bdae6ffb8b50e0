import assert from 'node:assert/strict';
import test from 'node:test';
import type { Link } from '../../runtime/link.ts';
import { createControl } from '../../runtime/wire.ts';
import { engine } from './engine.ts';
import { fixtureContract } from './fixture.ts';

test('an actor that is begun takes calls before it is ready, and can be stopped while it starts', async () => {
  const { supervisor, begun } = engine();
  const ref = begun();
  assert.equal(ref.phase, 'starting');
  assert.equal(await ref.ask('add', { a: 1, b: 2 }), 3);
  const late = begun('late');
  assert.deepEqual(await supervisor.stop(), []);
  assert.equal(late.phase, 'down');
});

/** An actor whose thread loads, and ends, when the test says so. */
function slowThread() {
  const [ready, exited] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<{ clean: boolean; reason: string }>(),
  ];
  const link: Link = {
    endpoint: { post: () => {} },
    control: new Int32Array(createControl(fixtureContract.concurrency)),
    ready: ready.promise,
    exited: exited.promise,
    onMessage: () => {},
    onExit: () => {},
    stop: () => {},
  };
  const spec = { name: 'slow', contract: fixtureContract, start: () => link };
  return { spec, loaded: ready.resolve, ended: () => exited.resolve({ clean: true, reason: '' }) };
}

test('a stop waits for a thread that is still starting as long as a start may take', async () => {
  const { supervisor, clock, lines } = engine({ startLimitMs: 60_000, stopLimitMs: 10_000 });
  const { spec, loaded, ended } = slowThread();
  supervisor.begin(spec);
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
