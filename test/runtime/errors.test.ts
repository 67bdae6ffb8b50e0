import assert from 'node:assert/strict';
import test from 'node:test';
import { EngineError, engineErrors, fromFields, toFields } from '../../runtime/errors.ts';

test('an error keeps code, status, retryable and details when it crosses as fields', () => {
  const there = fromFields(structuredClone(toFields(engineErrors.BUSY('index: full', { actor: 'index' }))));
  assert.ok(there instanceof EngineError && engineErrors.BUSY.is(there));
  assert.deepEqual([there.status, there.retryable, there.details], [503, true, { actor: 'index' }]);
  assert.equal(toFields(new TypeError('odd')).code, 'INTERNAL');
});
