import assert from 'node:assert/strict';
import test from 'node:test';
import type { Engine } from '../../actors/engine.ts';
import { exit, withEngine } from '../../cli/context.ts';
import { fakeHome } from './fake-context.ts';

test('the engine of a command is stopped whether its work ends well or not', async (t) => {
  let stops = 0;
  const engine = {
    stop: async () => {
      stops++;
      return [];
    },
  } as unknown as Engine;
  const asked: number[] = [];
  const context = fakeHome(t).context({
    startEngine: async (decoders) => {
      asked.push(decoders);
      return engine;
    },
  });
  assert.equal(await withEngine(context, 3, async (started) => started === engine), true);
  const failure = new Error('the work failed');
  await assert.rejects(
    withEngine(context, 0, () => Promise.reject(failure)),
    failure,
  );
  assert.deepEqual([asked, stops], [[3, 0], 2]);
});

test('the exit codes are what scripts rely on', () => {
  assert.deepEqual(exit, { ok: 0, error: 1, usage: 2, someFailed: 3, cancelled: 130 });
});
