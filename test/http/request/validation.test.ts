import assert from 'node:assert/strict';
import test from 'node:test';
import { Type } from 'typebox';
import { createValidator } from '../../../http/request/validation.ts';

test('a list that is too long is refused by its length, without a look at what it holds', () => {
  const validate = createValidator(
    Type.Object({ exclude: Type.Array(Type.Object({ word: Type.String() }), { maxItems: 2 }) }),
  );
  const exclude: unknown[] = Array(999_000).fill(1);
  Object.defineProperty(exclude, 500, { get: () => assert.fail('the items are not looked at') });
  assert.deepEqual(validate({ exclude }), [
    { field: 'exclude', problem: 'must not have more than 2 items, has 999000' },
  ]);
});
