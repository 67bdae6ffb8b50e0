// Example requests: the required fields, with values that a person can recognise and replace.
import type { Json, Schema } from '../schema.ts';
import { type Components, resolved } from './fields.ts';

/** By the name of a field, which says more than its type. */
const byName: readonly (readonly [RegExp, Json])[] = [
  [/^folder_path$/, '/media/footage'],
  [/(^|_)(dir|folder)$/, '/media/analysis'],
  [/^image_path$/, '/media/still.jpg'],
  [/paths?$/, '/media/film.mp4'],
  [/^query$/, 'red car at night'],
  [/^(task_)?id$/, '0b1e5a52-6a7e-4f3e-9d1c-2f7a52c1f0aa'],
  [/hash_strs?$/, '9ae0daaf8f1c2b3c5d6e7f80-1f400'],
  [/^model_key$/, 'starter-visual-3'],
  [/^start_time$/, '00:00:10'],
  [/^end_time$/, '00:00:20'],
  [/seconds$/, 12.5],
];

export function exampleOf(schema: Schema, components: Components, name = ''): Json {
  const at = resolved(schema, components);
  if (at['example'] !== undefined) return at['example'];
  if (at['default'] !== undefined) return at['default'];
  const [first] = (at['enum'] as readonly Json[] | undefined) ?? [];
  if (first !== undefined) return first;
  const forms = (at['anyOf'] ?? at['oneOf']) as readonly Schema[] | undefined;
  if (forms) return exampleOf(forms[0]!, components, name);
  const parts = at['allOf'] as readonly Schema[] | undefined;
  if (parts) return Object.assign({}, ...parts.map((part) => exampleOf(part, components, name)));
  if (at['type'] === 'array') return [exampleOf(at['items'] as Schema, components, name)];
  if (at['type'] === 'object') return objectExample(at, components);
  const known = byName.find(([pattern]) => pattern.test(name));
  const fits = known && (at['type'] === 'string') === (typeof known[1] === 'string');
  return fits ? known[1] : plain(at);
}

function objectExample(schema: Schema, components: Components): Json {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Schema>;
    required?: readonly string[];
  };
  const shown = Object.entries(properties).filter(
    ([name, field]) => required.includes(name) || resolved(field, components)['example'] !== undefined,
  );
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, components, name)]));
}

function plain(schema: Schema): Json {
  const { type, minimum } = schema as { type?: string; minimum?: number };
  if (type === 'string') return 'text';
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  return null;
}
