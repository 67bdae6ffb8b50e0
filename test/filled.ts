// A request as a handler gets it: checked, with the defaults of its fields.
import assert from 'node:assert/strict';
import type { Static, TObject } from 'typebox';
import type { Given } from '../http/client/request.ts';
import { createValidator } from '../http/request/validation.ts';

export function filled<S extends TObject>(schema: S, given: Given<S>): Static<S> {
  const value = { ...(given as Record<string, unknown>) };
  assert.deepEqual(createValidator(schema)(value), null);
  return value as Static<S>;
}
