import assert from 'node:assert/strict';
import test from 'node:test';
import { Type } from 'typebox';
import { createValidator } from '../../../http/request/validation.ts';
import { routes } from '../../../http/routes.ts';

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

interface Shape {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** The places of optional fields, and objects in which only they are put. */
function* optionals(
  shape: Shape,
  at: string,
  put: (value: unknown) => unknown,
): Generator<[string, unknown]> {
  for (const [name, field] of Object.entries(shape.properties ?? {})) {
    const place = (value: unknown) => put({ [name]: value });
    if (field.default !== undefined || !shape.required?.includes(name)) yield [`${at}.${name}`, place(null)];
    yield* optionals(field, `${at}.${name}`, place);
  }
  if (shape.items) yield* optionals(shape.items, `${at}[]`, (value) => put([value]));
  for (const form of shape.anyOf ?? []) yield* optionals(form, at, put);
}

for (const { id, body } of routes.filter((one) => one.body !== null)) {
  test(`${id}: null in every optional field is the same as leaving it out`, () => {
    const validate = createValidator(body!);
    const told = (value: unknown) => [validate(value as Record<string, unknown>), value];
    for (const [place, withNull] of optionals(body as Shape, id, (value) => value)) {
      const without: unknown = JSON.parse(
        JSON.stringify(withNull, (_, value: unknown) => (value === null ? undefined : value)),
      );
      assert.deepEqual(told(withNull), told(without), place);
    }
  });
}
