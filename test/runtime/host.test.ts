import assert from 'node:assert/strict';
import test from 'node:test';
import { engineErrors } from '../../runtime/errors.ts';
import { engine } from './engine.ts';
import { closed } from './fixture.ts';

test('a request that breaks the contract is refused and names the field', async () => {
  const { supervisor, inMemory } = engine();
  const ref = await inMemory();
  const wrong = { a: 1, b: 'two' } as unknown as { a: number; b: number };
  await assert.rejects(ref.ask('add', wrong), (error) => {
    return engineErrors.INVALID_MESSAGE.is(error) && /\/b must be a number/.test(error.message);
  });
  await supervisor.stop();
});

test('a buffer given as transfer is moved, not copied', async () => {
  const { supervisor, inMemory } = engine();
  const ref = await inMemory();
  const bytes = new Uint8Array(1_000).fill(9);
  const back = await ref.ask('move', { bytes }, { transfer: [bytes.buffer] });
  assert.equal(bytes.byteLength, 0);
  assert.equal(back[999], 9);
  await supervisor.stop();
});

test('a reply that cannot be cloned fails its own call and no other', async () => {
  const { supervisor, inMemory } = engine();
  const ref = await inMemory();
  const given = new AbortController();
  const other = ref.ask('wait', { block: false }, { signal: given.signal });
  await assert.rejects(ref.ask('poison', {}), (error) => {
    return engineErrors.INTERNAL.is(error) && /clone/.test(error.message);
  });
  given.abort();
  await assert.rejects(other, engineErrors.CANCELLED.is);
  assert.equal(await ref.ask('add', { a: 1, b: 1 }), 2);
  await supervisor.stop();
});

test('a stop closes the actor after its last turn and refuses new calls', async () => {
  const { supervisor, inMemory } = engine();
  const ref = await inMemory();
  closed.length = 0;
  const running = assert.rejects(ref.ask('wait', { block: false }), engineErrors.CANCELLED.is);
  const waiting = Array.from({ length: 8 }, () =>
    ref.ask('wait', { block: false }).catch((error) => error.code),
  );
  assert.deepEqual(await supervisor.stop(), []);
  await running;
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['CANCELLED', 'ACTOR_DOWN']));
  assert.deepEqual(closed, ['fixture']);
  await assert.rejects(ref.ask('add', { a: 1, b: 1 }), engineErrors.ACTOR_DOWN.is);
});
