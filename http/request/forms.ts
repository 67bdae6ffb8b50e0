// Says in words which values a field takes, read off its schema, for the errors of a request.
import type { TSchema } from 'typebox';

/** The part of JSON Schema that fields are declared with. */
export interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: Shape | readonly Shape[];
  readonly anyOf?: readonly Shape[];
}

/** The schema that an error is about: `#/properties/start_time`. */
export function shapeAt(schema: TSchema, schemaPath: string): Shape {
  let at: unknown = schema;
  for (const part of schemaPath.split('/').slice(1)) at = (at as Record<string, unknown> | undefined)?.[part];
  return (at ?? {}) as Shape;
}

/** True for a choice of which no form holds others: then all forms are named. */
export function isScalar({ anyOf = [] }: Shape): boolean {
  return anyOf.every(({ type, enum: words, const: word }) => {
    const known = words !== undefined || word !== undefined;
    return known || (type !== undefined && type !== 'object' && type !== 'array');
  });
}

/** `auto, auto-detect, 5+ or a whole number from 1 to 4`. */
export function wordsFor(shape: Shape): string {
  const { anyOf, enum: words, const: word, type, items } = shape;
  if (anyOf) return either(anyOf.map(wordsFor));
  if (words) return words.join(', ');
  if (word !== undefined) return String(word);
  if (Array.isArray(items)) return `[${items.map(wordsFor).join(', ')}]`;
  if (type === 'array') return `a list of ${items ? severalOf(wordsFor(items as Shape)) : 'values'}`;
  if (type === 'integer' || type === 'number') return rangeOf(shape);
  if (type === 'string') return textFor(shape);
  return type === 'boolean' ? 'true or false' : type === 'object' ? 'an object' : String(type);
}

/** `a string`: `strings`. */
function severalOf(words: string): string {
  return words.replace(/^an? (string|number|whole number|object)$/, '$1s');
}

function either(forms: readonly string[]): string {
  return forms.length < 2 ? forms.join('') : `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`;
}

function rangeOf({ type, minimum, exclusiveMinimum, maximum }: Shape): string {
  const what = type === 'integer' ? 'a whole number' : 'a number';
  if (minimum !== undefined && maximum !== undefined) return `${what} from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${what} of at least ${minimum}`;
  if (exclusiveMinimum !== undefined) return `${what} above ${exclusiveMinimum}`;
  return maximum === undefined ? what : `${what} of at most ${maximum}`;
}

/** A pattern is written for programs; its field says in words what it means. */
function textFor({ pattern, description, maxLength }: Shape): string {
  if (pattern === '\\S') return 'a string that is not blank';
  if (pattern === undefined || description === undefined) {
    return maxLength === undefined ? 'a string' : `a string of at most ${maxLength} characters`;
  }
  // Behind a semicolon stands what the values are for.
  const [what = ''] = description.split('; ');
  const plain = what.replaceAll('`', '').replace(/\.$/, '');
  return /^[A-Z][a-z]/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
}
