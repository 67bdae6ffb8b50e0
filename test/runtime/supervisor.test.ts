import assert from 'node:assert/strict';
import test from 'node:test';
import { engine } from './engine.ts';

test('an actor that is begun takes calls before it is ready, and can be stopped while it starts', async () => {
  const { supervisor, begun } = engine();
  const ref = begun();
  assert.equal(ref.phase, 'starting');
  assert.equal(await ref.ask('add', { a: 1, b: 2 }), 3);
  const late = begun('late');
  assert.deepEqual(await supervisor.stop(), []);
  assert.equal(late.phase, 'down');
});
