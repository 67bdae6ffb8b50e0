// A schema of the document as rows for a person: name, type, whether it must be there, and what it means.
import type { Json, Schema } from '../schema.ts';

export interface Field {
  /** `scope.media_paths`, `requests[].time_seconds`. */
  readonly name: string;
  /** Objects it lies in. */
  readonly depth: number;
  readonly type: string;
  readonly required: boolean;
  /** Default as JSON; undefined if there is none. */
  readonly fallback: string | undefined;
  readonly description: string;
  /** `1 to 500`, `at least 1 item`. */
  readonly limits: string;
}

export type Components = Readonly<Record<string, Schema>>;

/** Deepest nesting that is written out; what lies deeper is named by its type alone. */
const DEEPEST = 4;

/** The fields of an object, those of objects inside it after them. */
export function fieldsOf(schema: Schema, components: Components, prefix = '', depth = 0): Field[] {
  const at = resolved(schema, components);
  const parts = (at['allOf'] as Schema[] | undefined) ?? [at];
  return parts.flatMap((part) => {
    const { properties = {}, required = [] } = resolved(part, components) as {
      properties?: Record<string, Schema>;
      required?: readonly string[];
    };
    return Object.entries(properties).flatMap(([name, field]) => {
      const inner = resolved(field, components);
      const row: Field = {
        name: prefix + name,
        depth,
        type: typeOf(field, components),
        required: required.includes(name),
        fallback: inner['default'] === undefined ? undefined : JSON.stringify(inner['default']),
        description: String(field['description'] ?? inner['description'] ?? ''),
        limits: limitsOf(inner),
      };
      const inside = depth < DEEPEST ? insideOf(inner, components, row.name, depth) : [];
      return [row, ...inside];
    });
  });
}

function insideOf(schema: Schema, components: Components, name: string, depth: number): Field[] {
  const { items, additionalProperties, anyOf, properties } = schema as {
    items?: Schema;
    additionalProperties?: Schema | boolean;
    anyOf?: readonly Schema[];
    properties?: Readonly<Record<string, Schema>>;
  };
  if (items) return insideOf(resolved(items, components), components, `${name}[]`, depth);
  if (typeof additionalProperties === 'object') {
    return insideOf(resolved(additionalProperties, components), components, `${name}.*`, depth);
  }
  // Beside fields, the forms say which of them are given together.
  if (anyOf && !properties) {
    return anyOf.flatMap((choice) => insideOf(resolved(choice, components), components, name, depth));
  }
  return fieldsOf(schema, components, `${name}.`, depth + 1);
}

/** The schema behind a reference, with what its place adds. */
export function resolved(schema: Schema, components: Components): Schema {
  const { $ref, allOf } = schema as { $ref?: string; allOf?: readonly Schema[] };
  if ($ref !== undefined) {
    const component = components[$ref.replace('#/components/schemas/', '')];
    if (!component) throw new Error(`${$ref} is not in the document`);
    return component;
  }
  if (allOf?.length !== 1) return schema;
  const { allOf: _, ...place } = schema;
  return { ...resolved(allOf[0]!, components), ...place };
}

/** `string`, `integer[]`, `"and" | "or"`, `Match[]`, `object`. */
export function typeOf(schema: Schema, components: Components): string {
  const place = schema as { $ref?: string; allOf?: readonly Schema[] };
  if (place.$ref !== undefined) return place.$ref.replace('#/components/schemas/', '');
  if (place.allOf?.length === 1) return typeOf(place.allOf[0]!, components);
  const { type, items, anyOf, oneOf, allOf, nullable, additionalProperties } = schema as {
    type?: string;
    items?: Schema;
    anyOf?: readonly Schema[];
    oneOf?: readonly Schema[];
    allOf?: readonly Schema[];
    nullable?: boolean;
    additionalProperties?: Schema | boolean;
  };
  const words = schema['enum'] as readonly Json[] | undefined;
  if (words) return [...new Set(words.map((word) => JSON.stringify(word)))].join(' | ');
  const orNull = nullable ? ' | null' : '';
  if (schema['properties']) return `${type ?? 'object'}${orNull}`;
  const forms = anyOf ?? oneOf;
  if (forms) return [...new Set(forms.map((form) => typeOf(form, components)))].join(' | ');
  if (allOf) return allOf.map((part) => typeOf(part, components)).join(' & ');
  if (items) {
    const item = typeOf(items, components);
    return `${item.includes(' ') ? `(${item})` : item}[]${orNull}`;
  }
  if (typeof additionalProperties === 'object') {
    return `map of ${typeOf(additionalProperties, components)}${orNull}`;
  }
  return `${type ?? 'any'}${orNull}`;
}

function limitsOf(schema: Schema): string {
  const number = (key: string) => schema[key] as number | undefined;
  const value = range(number('minimum'), number('maximum'), '', {
    above: schema['exclusiveMinimum'] === true,
    below: schema['exclusiveMaximum'] === true,
  });
  const least = number('minLength');
  const most = number('maxLength');
  const length = least === 1 && most === undefined ? 'not empty' : range(least, most, ' characters');
  const items = range(number('minItems'), number('maxItems'), ' items');
  return [value, length, items].filter((text) => text !== '').join(', ');
}

function range(
  least: number | undefined,
  most: number | undefined,
  unit: string,
  { above = false, below = false } = {},
): string {
  const of = (count: number) => `${count}${count === 1 ? unit.replace(/s$/, '') : unit}`;
  if (least === undefined) return most === undefined ? '' : `${below ? 'below' : 'at most'} ${of(most)}`;
  if (most === undefined) return `${above ? 'above' : 'at least'} ${of(least)}`;
  if (least === most) return `exactly ${of(least)}`;
  return `${above ? 'above ' : ''}${least} to ${below ? 'below ' : ''}${of(most)}`;
}
