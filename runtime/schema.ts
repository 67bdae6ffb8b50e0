// Marks on TypeBox schemas that the API document and its examples read: defaults, descriptions, names.
import { type Static, type TOptional, type TSchema, Type } from 'typebox';
import type { TValidationError } from 'typebox/error';
import { Locale } from 'typebox/system';

// Everybody who checks a value says what is wrong with it in these words.
Locale.Set(problemOf);

/** Validation error in words for a person; those of TypeBox are for programs. */
function problemOf(error: TValidationError): string {
  switch (error.keyword) {
    case 'boolean':
      return 'must not be set';
    case 'minLength':
      return atLeast(error.params.limit, 'characters');
    case 'minItems':
      return atLeast(error.params.limit, 'items');
    case 'minimum':
      return `must be at least ${error.params.limit}`;
    case 'exclusiveMinimum':
      return `must be above ${error.params.limit}`;
    case 'maximum':
      return `must be at most ${error.params.limit}`;
    case 'type':
      return `must be ${[error.params.type].flat().map(typeOf).join(' or ')}`;
    default:
      return Locale.en_US(error);
  }
}

function typeOf(type: string): string {
  const named: Readonly<Record<string, string>> = {
    array: 'an array',
    boolean: 'true or false',
    integer: 'a whole number',
    null: 'null',
    object: 'an object',
  };
  return named[type] ?? `a ${type}`;
}

function atLeast(limit: number, what: string): string {
  return limit === 1 ? 'must not be empty' : `must have at least ${limit} ${what}`;
}

/** A field that may be left out: the handler sees the default, the API document says it is not required. */
export function defaulted<S extends TSchema>(
  schema: S,
  value: Static<S>,
): S & { readonly default: Static<S> } {
  return marked(schema, { default: value }) as S & { readonly default: Static<S> };
}

/** The same field with a sentence for the API document. */
export function described<S extends TSchema>(schema: S, description: string): S {
  return marked(schema, { description });
}

/** A field with its meaning, which the API document writes before the type. */
export function field<S extends TSchema>(meaning: string, schema: S): S {
  return Object.defineProperties(
    { description: meaning },
    Object.getOwnPropertyDescriptors(schema),
  ) as unknown as S;
}

/**
 * A field that may be left out, which null in a request does as well: whoever checks the request takes it
 * away.
 */
export function optional<S extends TSchema>(schema: S) {
  const field = Type.Optional(nullable(schema));
  Object.defineProperty(field, nullIsLeftOut, { value: true });
  return field as unknown as TOptional<S>;
}

const nullIsLeftOut = Symbol('null is left out');

/** True if an answer that repeats this field of a request never has null there. */
export function isNeverNull(schema: TSchema): boolean {
  return nullIsLeftOut in schema;
}

/** How many fields of a group a request may give: `least` to `most`; null is the same as leaving one out. */
export interface FieldChoice {
  readonly fields: readonly string[];
  readonly least: 0 | 1;
  readonly most: number;
  /** An empty text is the same as leaving the field out. */
  readonly isEmptyLeftOut?: true;
}

/**
 * Optional fields of which a request gives one, or as many as `limits` say. The API document says so; the
 * handler refuses other requests with a sentence of its own.
 */
export function choiceOf<F extends Readonly<Record<string, TSchema>>>(
  fields: F,
  limits: Partial<Omit<FieldChoice, 'fields'>> = {},
): F {
  const choice: FieldChoice = { fields: Object.keys(fields), least: 1, most: 1, ...limits };
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, marked(field, { choice })]),
  ) as F;
}

/** A field that belongs to a group of which other fields are in another group, too. */
export function inChoice<S extends TSchema>(schema: S, choice: FieldChoice): S {
  return marked(schema, { choice });
}

/** A list that the handler refuses without an item, with a sentence of its own; the API document says so. */
export function notEmpty<S extends TSchema>(list: S): S {
  return marked(list, { isNotEmpty: true });
}

/** Where a page begins in a list. */
export function offsetOf(things: string) {
  const place = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });
  return defaulted(described(place, `Number of ${things} to skip.`), 0);
}

/**
 * An optional field that the example of its operation shows: without it the example would ask for nothing.
 */
export function shown<S extends TSchema>(schema: S, example: unknown): S {
  return marked(schema, { examples: [example] });
}

// Marks of fields that hold paths. `spelled`: before the request is handled, their accents are written as on
// the disk.

/** Paths in this field have to be absolute; whoever checks a request brings them to their plain form. */
export function absolutePath<S extends TSchema>(schema: S): S {
  return marked(schema, { absolutePath: true, spelled: true });
}

/** Paths in this field have to be absolute, which the handler checks. */
export function sentPath<S extends TSchema>(schema: S): S {
  return marked(schema, { sentPath: true, spelled: true });
}

/** Like `sentPath`, for an answer that names paths as they were sent. */
export function repeatedPath<S extends TSchema>(schema: S): S {
  return marked(schema, { sentPath: true });
}

/** Paths in this field are checked one by one, and a wrong one does not refuse the request. */
export function uncheckedPath<S extends TSchema>(schema: S): S {
  return marked(schema, { spelled: true });
}

/** The same shape under a name: the API document declares it once and refers to it. */
export function named<S extends TSchema>(name: string, schema: S): S {
  return marked(schema, { title: name });
}

/**
 * A copy with one more property. A spread would lose the properties of a schema that are not enumerable: its
 * kind.
 */
function marked<S extends TSchema>(schema: S, more: Readonly<Record<string, unknown>>): S {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, more) as S;
}

/**
 * A field of one of these forms that null clears. In every other optional field null is the same as leaving
 * it out.
 */
export function clearable<S extends TSchema[]>(...forms: [...S]) {
  return marked(Type.Union([...forms, Type.Null()]), { nullClears: true });
}

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

/** One of a few words. */
export function oneOf<const W extends readonly string[]>(...words: W) {
  return Type.Unsafe<W[number]>({ type: 'string', enum: [...words] });
}

// Fields that many answers have.

export const Message = field('A full sentence with the details.', Type.String());

export const Success = field('True in every response that is not an error.', Type.Boolean());

export const ShownWarning = field('A warning to show to the user.', Type.Optional(Type.String()));
