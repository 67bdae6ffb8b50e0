// Every field of every request, answer and event has a meaning in the API document.
import assert from 'node:assert/strict';
import test from 'node:test';
import { openApi } from '../../../http/openapi/document.ts';
import { routes } from '../../../http/routes.ts';

type Tree = { readonly [key: string]: unknown };
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Places of fields without a description, anywhere below. */
function* silent(value: unknown, at: string): Generator<string> {
  if (!isTree(value)) return;
  const { properties } = value;
  const isObject = isTree(properties) && (value['type'] === 'object' || 'properties' in value);
  for (const [name, field] of isObject ? Object.entries(properties) : []) {
    if (!isTree(field) || typeof field['description'] !== 'string') yield `${at}.${name}`;
  }
  if (Array.isArray(value['parameters']))
    for (const one of value['parameters'] as Tree[])
      if (typeof one['description'] !== 'string') yield `${at} ${String(one['name'])}`;
  for (const [key, one] of Object.entries(value)) yield* silent(one, `${at}/${key}`);
}

test('every field of every schema says what it means', () => {
  const { paths, components, ['x-events']: events } = openApi(routes);
  assert.deepEqual([...silent({ paths, components, events }, '')], []);
});

test('no description is blank or unfinished', () => {
  JSON.stringify(openApi(routes), (key, value: unknown) => {
    if (key === 'description' && typeof value === 'string') {
      assert.notEqual(value.trim(), '');
      assert.doesNotMatch(value, /\bTODO\b|\bundefined\b/);
    }
    return value;
  });
});
