// Checks of values against schemas.
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import './schema.ts'; // The words of its errors.

const checkers = new WeakMap<TSchema, Validator>();

/**
 * Compiled when it is first asked for: all messages of a contract take tens of milliseconds, and most of them
 * never come.
 */
export function checkerOf(schema: TSchema): Validator {
  const cached = checkers.get(schema);
  if (cached) return cached;
  const checker = Compile(schema);
  checkers.set(schema, checker);
  return checker;
}

/** The first fault of a value, with its place; null if it is valid. */
export function complaintOf(schema: TSchema, value: unknown): string | null {
  const checker = checkerOf(schema);
  if (checker.Check(value)) return null;
  const [first] = checker.Errors(value);
  return first ? `${first.instancePath || '/'} ${first.message}` : 'unknown field';
}
