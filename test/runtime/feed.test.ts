import assert from 'node:assert/strict';
import test from 'node:test';
import { until } from '../until.ts';
import { engine } from './engine.ts';

test('a feed never runs further ahead than its credit', async () => {
  const { supervisor, inMemory, pool } = engine();
  const ref = await inMemory();
  const seen: number[] = [];
  for await (const { n, slot } of ref.feed('fill', { to: 40 }, { credit: 2 })) {
    assert.equal(pool.view(slot)[0], n);
    // Two slots are the producer's credit at most, one is the item in our hands.
    assert.ok(pool.count - pool.free <= 3);
    seen.push(n);
  }
  assert.equal(seen.length, 40);
  assert.equal(pool.free, pool.count);
  await supervisor.stop();
});

test('a feed left early frees its slots and its turn', async () => {
  const { supervisor, inMemory, pool } = engine();
  const ref = await inMemory();
  for await (const { n } of ref.feed('fill', { to: 1_000 })) if (n === 2) break;
  await until(() => pool.free === pool.count);
  assert.equal(supervisor.states()[0]?.running, 0);
  await supervisor.stop();
});
