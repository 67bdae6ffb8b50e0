import assert from 'node:assert/strict';
import test from 'node:test';
import { Budget } from '../../runtime/budget.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { until } from '../until.ts';
import { engine } from './engine.ts';

test('shares wait for their turn, never exceed the limit, and a large one is not overtaken', async () => {
  const budget = new Budget(10);
  const [a, b, c] = [{}, {}, {}];
  await budget.reserve(6, a);
  const served: string[] = [];
  const large = budget.reserve(10, b).then(() => served.push('large'));
  const small = budget.reserve(1, c).then(() => served.push('small'));
  assert.deepEqual([budget.free, budget.waiting], [4, 2]);
  budget.release(a);
  await large;
  assert.deepEqual([budget.free, budget.waiting], [0, 1]);
  budget.release(b);
  budget.release(b);
  await small;
  assert.deepEqual(served, ['large', 'small']);
  assert.equal(budget.free, 9);
  await assert.rejects(budget.reserve(11, a), engineErrors.OVER_BUDGET.is);
  await assert.rejects(budget.reserve(Number.NaN, a), engineErrors.OVER_BUDGET.is);
});

test('who waits for memory can be cancelled, and does not hold up those behind', async () => {
  const budget = new Budget(10);
  const { supervisor, inThread } = engine({ budget });
  const [one, two] = [await inThread('one'), await inThread('two')];
  const first = new AbortController();
  const held = one.ask('keep', { bytes: 7, early: false }, { signal: first.signal });
  await until(() => budget.free === 3);
  const second = new AbortController();
  const waiting = two.ask('keep', { bytes: 10, early: false }, { signal: second.signal });
  await until(() => budget.waiting === 1);
  const behind = one.ask('keep', { bytes: 3, early: true });
  await until(() => budget.waiting === 2);
  second.abort();
  await assert.rejects(waiting, engineErrors.CANCELLED.is);
  assert.equal(await behind, 'released');
  await until(() => budget.free === 3);
  assert.equal(budget.waiting, 0);
  first.abort();
  await assert.rejects(held, engineErrors.CANCELLED.is);
  await until(() => budget.free === 10);
  await supervisor.stop();
});

test('an actor that dies gives its memory back, and so does one that waited', async () => {
  const budget = new Budget(10);
  const { supervisor, inThread } = engine({ budget });
  const [one, two] = [await inThread('one'), await inThread('two')];
  const held = one.ask('keep', { bytes: 9, early: false });
  await until(() => budget.free === 1);
  const given = new AbortController();
  const next = two.ask('keep', { bytes: 8, early: false }, { signal: given.signal });
  const last = one.ask('keep', { bytes: 10, early: false });
  await until(() => budget.waiting === 2);
  const crash = one.ask('crash', {});
  for (const call of [held, last, crash]) await assert.rejects(call, engineErrors.ACTOR_CRASHED.is);
  await until(() => budget.free === 2);
  assert.equal(budget.waiting, 0);
  given.abort();
  await assert.rejects(next, engineErrors.CANCELLED.is);
  await until(() => budget.free === 10);
  await supervisor.stop();
});

test('a turn that waits for memory is not stuck; more than the limit is refused at once', async () => {
  const budget = new Budget(10);
  const { supervisor, inMemory, clock } = engine({ budget });
  const ref = await inMemory();
  await budget.reserve(5, budget);
  const waiting = ref.ask('keep', { bytes: 6, early: true });
  await until(() => budget.waiting === 1);
  clock.advance(60_000);
  assert.equal(supervisor.states()[0]?.phase, 'ready');
  await assert.rejects(ref.ask('keep', { bytes: 11, early: true }), (error) => {
    assert.ok(engineErrors.OVER_BUDGET.is(error));
    assert.deepEqual(error.details, { bytes: 11, limit: 10 });
    return true;
  });
  budget.release(budget);
  assert.equal(await waiting, 'released');
  assert.equal(budget.free, 10);
  await supervisor.stop();
});
