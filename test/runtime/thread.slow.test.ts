import assert from 'node:assert/strict';
import test from 'node:test';
import { engineErrors } from '../../runtime/errors.ts';
import { engine } from './engine.ts';

test('eight cooperative stops from mid-work end every thread cleanly', async () => {
  for (let i = 0; i < 8; i++) {
    const { supervisor, inThread, pool, lines } = engine();
    const ref = await inThread();
    const calls = [
      assert.rejects(ref.ask('wait', { block: i % 2 === 0 }), engineErrors.CANCELLED.is),
      assert.rejects(async () => {
        for await (const { n } of ref.feed('fill', { to: 1e9 })) if (n === 3) void supervisor.stop();
      }, engineErrors.CANCELLED.is),
    ];
    if (i % 2 === 0) void supervisor.stop();
    await Promise.all(calls);
    assert.deepEqual(await supervisor.stop(), []);
    assert.equal(pool.free, pool.count);
    assert.deepEqual(
      lines.filter((line) => line.level === 'error'),
      [],
    );
  }
});
