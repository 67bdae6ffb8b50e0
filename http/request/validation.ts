// Validates what a client sent against the schema of a route: fills in defaults, brings paths to their plain
// form and names every bad field.
import { dirname } from 'node:path/posix';
import type { TObject, TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import { checkerOf } from '../../runtime/checker.ts';
import { otherSpellings, spelledOnDisk } from '../../runtime/files/spelling.ts';
import { absolute } from '../../runtime/paths.ts';
import type { Route } from '../route.ts';

export interface FieldError {
  /** `visual_media_paths[2]`; `body` for the whole of it. */
  readonly field: string;
  /** `must be a string`, `is required`. */
  readonly problem: string;
}

/**
 * Null when the value is valid, which then has its defaults, its paths in their plain form, and at the top
 * level only fields that are declared. Throws PATH_NOT_ABSOLUTE naming the field.
 */
export type Validate = (value: Record<string, unknown>) => FieldError[] | null;

interface ValidatorOptions {
  /** The values are texts of a path or a query, "4" is a number where a number is wanted. */
  readonly text?: boolean;
  /** Transforms a path in a field. */
  readonly pathAt?: PathAt;
}
type PathAt = (field: string, path: string) => string;

export function createValidator(
  schema: TObject,
  { text = false, pathAt = absolute }: ValidatorOptions = {},
): Validate {
  if (takesAnything(schema)) return () => null;
  const fill = filler(schema);
  const makePlain = pathStep(schema, 'absolutePath');
  const mostItems = mostItemsOf(schema);
  const declared = new Set(Object.keys(schema.properties));
  return (value) => {
    // First, so that no list is walked that is too long anyway.
    const tooLong = overlong(mostItems, value);
    if (tooLong.length > 0) return tooLong;
    fill?.(value);
    if (text) fromTexts(schema.properties, value);
    const checker = checkerOf(schema);
    if (!checker.Check(value)) return fieldErrors(checker.Errors(value), schema);
    makePlain?.(value, '', pathAt);
    for (const name in value) if (!declared.has(name)) delete value[name];
    return null;
  };
}

/** The lists of a request that are bounded, by field. */
function mostItemsOf({ properties }: TObject): readonly (readonly [field: string, most: number])[] {
  return Object.entries(properties).flatMap(([field, schema]) => {
    const { maxItems } = schema as { maxItems?: number };
    return maxItems === undefined ? [] : [[field, maxItems] as const];
  });
}

function overlong(
  mostItems: ReturnType<typeof mostItemsOf>,
  value: Readonly<Record<string, unknown>>,
): FieldError[] {
  return mostItems.flatMap(([field, most]) => {
    const list = value[field];
    if (!Array.isArray(list) || list.length <= most) return [];
    return [{ field, problem: `must not have more than ${most} items, has ${list.length}` }];
  });
}

/** Most routes have no placeholders and no query: their validation costs nothing. */
function takesAnything(schema: TObject): boolean {
  return Object.keys(schema.properties).length === 0 && !('additionalProperties' in schema);
}

/** Only what is written as the number or boolean it means is one: "1.5" is no integer, "true" no number. */
function fromTexts(properties: Readonly<Record<string, TSchema>>, value: Record<string, unknown>): void {
  for (const [name, schema] of Object.entries(properties)) {
    const text = value[name];
    if (typeof text === 'string') value[name] = fromText(schema, text);
  }
}

function fromText(schema: TSchema, text: string): unknown {
  const { type } = schema as { type?: string };
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = type === 'integer' || type === 'number';
  return isNumber && /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

type Fill = (value: unknown) => void;

/**
 * Fills in what is left out, also inside lists and objects; null when there is nothing to fill in. Many
 * clients write null for what they leave out, so null in an optional field is taken away first, unless the
 * field is `clearable`.
 */
function filler(schema: TSchema): Fill | null {
  const { properties, required, items, anyOf } = schema as {
    properties?: Record<string, TSchema>;
    required?: string[];
    items?: TSchema;
    anyOf?: TSchema[];
  };
  if (properties) return objectFiller(properties, required);
  if (anyOf) return formFiller(anyOf);
  const inside = items && !Array.isArray(items) ? filler(items) : null;
  if (!inside) return null;
  return (value) => {
    if (Array.isArray(value)) value.forEach(inside);
  };
}

/** The first form there is to fill in, of those that are lists and of those that are objects. */
function formFiller(forms: readonly TSchema[]): Fill | null {
  const first = (kind: 'items' | 'properties') =>
    forms
      .filter((form) => kind in form)
      .map(filler)
      .find((fill) => fill !== null);
  const [list, object] = [first('items'), first('properties')];
  if (!list && !object) return null;
  return (value) => (Array.isArray(value) ? list : object)?.(value);
}

function objectFiller(
  properties: Readonly<Record<string, TSchema>>,
  required: readonly string[] = [],
): Fill | null {
  const steps = Object.entries(properties).flatMap(([name, field]) => {
    const inside = filler(field);
    const { default: fallback, nullClears } = field as { default?: unknown; nullClears?: true };
    const isOptional = fallback !== undefined || !required.includes(name);
    const losesNull = isOptional && nullClears !== true;
    return isOptional || inside ? [{ name, fallback, inside, losesNull }] : [];
  });
  if (steps.length === 0) return null;
  return (value) => {
    if (typeof value !== 'object' || value === null) return;
    const object = value as Record<string, unknown>;
    for (const { name, fallback, inside, losesNull } of steps) {
      if (losesNull && object[name] === null) delete object[name];
      // A copy, so that no request sees what another one did to its default.
      if (object[name] === undefined) {
        if (fallback !== undefined) object[name] = isPlain(fallback) ? fallback : structuredClone(fallback);
      } else inside?.(object[name]);
    }
  };
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** Answers the value with `pathAt` of each path; objects and lists are changed themselves. */
type PathStep = (value: unknown, field: string, pathAt: PathAt) => unknown;

/** Null where no field has the mark (runtime/schema.ts). */
function pathStep(schema: TSchema, mark: 'absolutePath' | 'spelled'): PathStep | null {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  if (mark in schema)
    return (value, field, pathAt) => (typeof value === 'string' ? pathAt(field, value) : value);
  if (properties) return objectPathStep(properties, mark);
  if (anyOf) {
    const steps = anyOf.map((form) => pathStep(form, mark)).filter((step) => step !== null);
    if (steps.length === 0) return null;
    return (value, field, pathAt) => steps.reduce((all, step) => step(all, field, pathAt), value);
  }
  const inside = items && !Array.isArray(items) ? pathStep(items, mark) : null;
  return (
    inside &&
    ((value, field, pathAt) => {
      if (Array.isArray(value))
        for (const [i, item] of value.entries()) value[i] = inside(item, `${field}[${i}]`, pathAt);
      return value;
    })
  );
}

function objectPathStep(
  properties: Readonly<Record<string, TSchema>>,
  mark: Parameters<typeof pathStep>[1],
): PathStep | null {
  const steps = Object.entries(properties).flatMap(([name, field]) => {
    const step = pathStep(field, mark);
    return step ? [[name, step] as const] : [];
  });
  if (steps.length === 0) return null;
  return (value, field, pathAt) => {
    if (typeof value !== 'object' || value === null) return value;
    const object = value as Record<string, unknown>;
    for (const [name, step] of steps) {
      if (object[name] !== undefined)
        object[name] = step(object[name], field === '' ? name : `${field}.${name}`, pathAt);
    }
    return value;
  };
}

/** Replaces the paths of a valid value by their spelling on the disk; null when none has another spelling. */
type Speller = (value: Record<string, unknown>) => Promise<void> | null;

/** Null where there are no paths. */
function spellerOf(schema: TObject): Speller | null {
  const step = pathStep(schema, 'spelled');
  if (!step) return null;
  return (value) => {
    const accented = new Set<string>();
    step(value, '', (_, path) => {
      if (otherSpellings(path).length > 0) accented.add(path);
      return path;
    });
    if (accented.size === 0) return null;
    const sent = [...accented];
    return spelledOnDisk(sent).then((spelled) => {
      const bySent = new Map(sent.map((path, i) => [path, spelled[i]!]));
      step(value, '', (_, path) => bySent.get(path) ?? path);
    });
  };
}

/**
 * One error for a union that no form of fits, in place of one for every form; when the value has the type of
 * exactly one form, the errors of that form.
 */
function fieldErrors(errors: readonly TLocalizedValidationError[], schema: TSchema): FieldError[] {
  const choices = errors
    .filter(({ keyword }) => keyword === 'anyOf')
    .map((choice) => choiceOf(choice, errors, schema));
  const said = errors.filter((error) =>
    choices.every(({ choice, meant, forms }) => {
      if (error === choice) return meant === null;
      const form = forms.find((at) => isUnder(error, at));
      if (form === undefined) return true;
      return meant === null ? error.instancePath !== choice.instancePath : form === meant;
    }),
  );
  return said.flatMap((error) => fieldErrorsOf(error, schema));
}

/**
 * `forms`: schema paths of the forms; `meant`: the one whose type the value has, null when none or several
 * have it.
 */
function choiceOf(
  choice: TLocalizedValidationError,
  errors: readonly TLocalizedValidationError[],
  schema: TSchema,
) {
  const prefix = `${choice.schemaPath}/anyOf/`;
  const inside = errors.filter(({ schemaPath }) => schemaPath.startsWith(prefix));
  const at = ({ schemaPath }: TLocalizedValidationError) =>
    prefix + schemaPath.slice(prefix.length).split('/', 1)[0]!;
  const forms = [...new Set(inside.map(at))];
  const isOther = (form: string) =>
    inside.some(({ keyword, schemaPath }) => keyword === 'type' && schemaPath === form);
  const ofType = forms.filter((form) => !isOther(form));
  // Among a pair and a list of pairs, the form is chosen whose items have their types.
  const whole = ofType.filter(
    (form) => !inside.some((error) => error.keyword === 'type' && isUnder(error, form)),
  );
  const same = whole.length === 1 ? whole : ofType;
  const isOneMeant = same.length === 1 && !isScalar(shapeAt(schema, choice.schemaPath));
  return { choice, forms, meant: isOneMeant ? same[0]! : null };
}

function isUnder({ schemaPath }: TLocalizedValidationError, form: string): boolean {
  return schemaPath === form || schemaPath.startsWith(`${form}/`);
}

/** Keywords of which the whole range of values is said. */
const ofValues = new Set(['anyOf', 'const', 'pattern', 'minimum', 'exclusiveMinimum', 'maximum']);

/** Where TypeBox says that a list of fixed length is too long. */
const extra = '/additionalItems';

function fieldErrorsOf(error: TLocalizedValidationError, schema: TSchema): FieldError[] {
  const shape = shapeAt(schema, error.schemaPath);
  const field = fieldPath(error.instancePath);
  const params = error.params as {
    requiredProperties?: string[];
    allowedValues?: unknown[];
  };
  if (error.keyword === 'required') {
    return (params.requiredProperties ?? []).map((name) => ({
      field: field === 'body' ? name : `${field}.${name}`,
      problem: 'is required',
    }));
  }
  if (error.keyword === 'enum') {
    return [{ field, problem: `must be one of ${(params.allowedValues ?? []).join(', ')}` }];
  }
  if (ofValues.has(error.keyword)) return [{ field, problem: `must be ${wordsFor(shape)}` }];
  // One more than a pair has: the pair is wrong.
  if (error.keyword === 'boolean' && error.schemaPath.endsWith(extra)) {
    const pair = shapeAt(schema, error.schemaPath.slice(0, -extra.length));
    return [{ field: fieldPath(dirname(error.instancePath)), problem: `must be ${wordsFor(pair)}` }];
  }
  return [{ field, problem: error.message }];
}

/** `/requests/0/time_seconds` as `requests[0].time_seconds`. */
function fieldPath(pointer: string): string {
  if (pointer === '') return 'body';
  const parts = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.map((part, at) => (/^\d+$/.test(part) ? `[${part}]` : at === 0 ? part : `.${part}`)).join('');
}

// Says in words which values a field takes, read off its schema, for the errors of a request.

/** The part of JSON Schema that fields are declared with. */
interface Shape {
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
function shapeAt(schema: TSchema, schemaPath: string): Shape {
  let at: unknown = schema;
  for (const part of schemaPath.split('/').slice(1)) at = (at as Record<string, unknown> | undefined)?.[part];
  return (at ?? {}) as Shape;
}

/** True for a choice of which no form holds others: then all forms are named. */
function isScalar({ anyOf = [] }: Shape): boolean {
  return anyOf.every(({ type, enum: words, const: word }) => {
    const isKnown = words !== undefined || word !== undefined;
    return isKnown || (type !== undefined && type !== 'object' && type !== 'array');
  });
}

/** `auto, auto-detect, 5+ or a whole number from 1 to 4`. */
function wordsFor(shape: Shape): string {
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
  return /^[A-Z][a-z ]/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
}

// The validators of one route, made once.

export interface Validators {
  readonly params: Validate;
  readonly query: Validate;
  readonly body: Validate | null;
  /**
   * Called with a valid query and body, before they are handled: replaces their paths by the spelling of the
   * names on the disk. Null when nothing is to be looked for.
   */
  spell(query: Record<string, unknown>, body: Record<string, unknown>): Promise<unknown> | null;
}

export function validatorsOf({ params, query, body }: Route): Validators {
  const [spellQuery, spellBody] = [spellerOf(query), body && spellerOf(body)];
  return {
    params: createValidator(params, { text: true }),
    query: createValidator(query, { text: true }),
    body: body && createValidator(body),
    spell: (sentQuery, sentBody) => {
      const [inQuery, inBody] = [spellQuery?.(sentQuery), spellBody?.(sentBody)];
      return inQuery || inBody ? Promise.all([inQuery, inBody]) : null;
    },
  };
}
