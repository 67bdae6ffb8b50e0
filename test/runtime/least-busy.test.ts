import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastBusy } from '../../runtime/least-busy.ts';
import { until } from '../until.ts';
import { engine } from './engine.ts';

test('a call that takes long holds up no other one, and another actor starts only when the first is busy', async () => {
  const { supervisor, onDemand } = engine();
  const [first, second] = [onDemand('first'), onDemand('second')];
  const both = leastBusy('both', [first, second]);
  assert.equal(await both.ask('add', { a: 1, b: 2 }), 3);
  assert.deepEqual([first.phase, second.phase], ['ready', 'idle']);
  const cancelled = new AbortController();
  const slow = both.ask('wait', { block: true }, { signal: cancelled.signal }).catch(({ code }) => code);
  const counted: number[] = [];
  for await (const n of both.feed('count', { to: 3 })) counted.push(n);
  assert.equal(await both.ask('add', { a: 2, b: 2 }), 4);
  assert.deepEqual([counted.length, second.phase], [3, 'ready']);
  cancelled.abort();
  assert.equal(await slow, 'CANCELLED');
  await supervisor.stop();
});

test('an actor that is down gets no calls while another one is up', async () => {
  const { supervisor, onDemand, inThread } = engine({ startLimitMs: 60_000 });
  const weak = await inThread('weak');
  const strong = onDemand('strong');
  const both = leastBusy('both', [weak, strong]);
  await assert.rejects(both.ask('crash', {}), { code: 'ACTOR_CRASHED' });
  Object.assign(weak, { phase: 'down' });
  assert.equal(await both.ask('add', { a: 1, b: 2 }), 3);
  await until(() => strong.phase === 'ready');
  await supervisor.stop();
});
