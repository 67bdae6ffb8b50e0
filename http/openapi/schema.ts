// Translates a TypeBox schema to the dialect of OpenAPI 3.0.3, which is older: it has no `const`, no type
// "null", no list of item schemas and no number for `exclusiveMinimum`. A schema that cannot be translated
// throws: leaving something out would make the document weaker than the validation.
import { sep } from 'node:path';
import type { TSchema } from 'typebox';
import type { FieldChoice } from '../../runtime/schema.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Schema = { readonly [key: string]: Json };
type Draft = Record<string, Json>;

/** A schema as JSON, with its keywords. */
type Source = Readonly<Record<string, unknown>>;

export interface Shapes {
  /** The schema for a place in the document: a reference when it has a name, itself otherwise. */
  of(schema: TSchema): Schema;
  /** The same for the body of a request, whose optional fields may be null. */
  ofRequest(schema: TSchema): Schema;
  /** The named shapes met so far, in order of name. */
  components(): Readonly<Record<string, Schema>>;
}

export function createShapes(): Shapes {
  const named = new Map<string, Schema>();
  const sources = new Map<string, string>();
  const place = (schema: TSchema, of: Of): Schema => {
    const { title: name, description, default: fallback, ...shape } = schema as Source;
    if (typeof name !== 'string') return convert(schema as Source, of);
    const converted = convert(shape, of);
    const source = JSON.stringify(shape);
    if ((sources.get(name) ?? source) !== source) throw new Error(`two different schemas are named ${name}`);
    if (!/^[\w.-]+$/.test(name)) throw new Error(`"${name}" cannot be the name of a schema`);
    sources.set(name, source);
    // A field that a request may leave out may be null there, but not in an answer of the same shape.
    const isOther = named.has(name) && JSON.stringify(named.get(name)) !== JSON.stringify(converted);
    const title = isOther ? `${name}${of.isRequest ? 'Request' : 'Answer'}` : name;
    named.set(title, converted);
    const reference = { $ref: `#/components/schemas/${title}` };
    // Siblings of `$ref` are ignored in 3.0, so what belongs to this place goes around it.
    const around: Draft = {};
    if (description !== undefined) around['description'] = description as Json;
    if (fallback !== undefined) around['default'] = fallback as Json;
    return Object.keys(around).length === 0 ? reference : { ...around, allOf: [reference] };
  };
  const ofAnswer: Of = Object.assign((schema: TSchema) => place(schema, ofAnswer), { isRequest: false });
  const ofRequest: Of = Object.assign((schema: TSchema) => place(schema, ofRequest), { isRequest: true });
  return {
    of: ofAnswer,
    ofRequest,
    components: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

interface Of {
  (schema: TSchema): Schema;
  readonly isRequest: boolean;
}

/** Keywords with the same meaning in both dialects. */
const sharedKeywords = new Set(
  (
    'type description default format pattern minLength maxLength minimum maximum multipleOf minItems maxItems ' +
    'uniqueItems minProperties maxProperties enum example deprecated readOnly writeOnly'
  ).split(' '),
);

function convert(source: Source, of: Of): Schema {
  const out: Draft = {};
  for (const [key, value] of Object.entries(source)) {
    if (value === undefined) continue;
    if (sharedKeywords.has(key)) out[key] = value as Json;
    else (translations[key] ?? unknown(key))(out, value, source, of);
  }
  if (out['type'] === 'null') return { ...out, ...nullOnly };
  return typedEnum(out);
}

/** Paths of the service's machine, as `pathComplaint` of runtime/paths.ts checks them. */
const absolutePattern = sep === '/' ? '^/[^\\u0000]*$' : '^([A-Za-z]:[\\\\/]|[\\\\/]{2})[^\\u0000]*$';

type Translate = (out: Draft, value: unknown, source: Source, of: Of) => void;

const translations: Readonly<Record<string, Translate>> = {
  const: (out, value) => {
    out['enum'] = [value as Json];
  },
  examples: (out, value) => {
    const [first] = value as Json[];
    if (first !== undefined) out['example'] = first;
  },
  // Said by the description of the field.
  nullClears: () => {},
  absolutePath: (out) => {
    out['pattern'] = absolutePattern;
  },
  sentPath: (out) => {
    out['pattern'] = absolutePattern;
  },
  isNotEmpty: (out) => {
    out['minItems'] = 1;
  },
  // A client does not have to know it.
  spelled: () => {},
  properties: (out, value, { required }, of) => {
    const all = Object.entries(value as Record<string, TSchema>);
    const needed = (required ?? []) as readonly string[];
    const fields = all.map(([name, schema]): [string, Schema] => {
      const isOptional = !needed.includes(name) || (schema as Source)['default'] !== undefined;
      return [name, of.isRequest && isOptional ? orNull(of(schema)) : of(schema)];
    });
    out['properties'] = Object.fromEntries(fields);
    // Answers repeat stored objects with all of their fields.
    if (of.isRequest) choices(out, all, new Map(fields));
  },
  // Said by the object that has the field.
  choice: () => {},
  // A field with a default is not required: the server fills it in before validation.
  required: (out, value, { properties }) => {
    const fields = (properties ?? {}) as Readonly<Record<string, Source>>;
    const names = (value as string[]).filter((name) => fields[name]?.['default'] === undefined);
    if (names.length > 0) out['required'] = names;
  },
  items: (out, value, source, of) => {
    if (!Array.isArray(value)) out['items'] = of(value as TSchema);
    else tuple(out, value as TSchema[], source, of);
  },
  additionalItems: (_, value, { items }) => {
    if (value !== false || !Array.isArray(items)) throw new Error('additionalItems is known of tuples only');
  },
  additionalProperties: (out, value, _, of) => {
    out['additionalProperties'] = typeof value === 'boolean' ? value : of(value as TSchema);
  },
  patternProperties: (out, value, _, of) => {
    const all = Object.entries(value as Record<string, TSchema>);
    const [first] = all;
    if (all.length !== 1 || first?.[0] !== '^.*$') {
      throw new Error(`a record with keys of the form ${all.map(([key]) => key).join(', ')} has no form`);
    }
    out['additionalProperties'] = of(first[1]);
  },
  exclusiveMinimum: (out, value, { minimum }) =>
    exclusive(out, 'minimum', value as number, minimum, Math.max),
  exclusiveMaximum: (out, value, { maximum }) =>
    exclusive(out, 'maximum', value as number, maximum, Math.min),
  allOf: (out, value, _, of) => {
    out['allOf'] = (value as TSchema[]).map(of);
  },
  oneOf: (out, value, _, of) => {
    out['oneOf'] = (value as TSchema[]).map(of);
  },
  not: (out, value, _, of) => {
    out['not'] = of(value as TSchema);
  },
  anyOf: (out, value, _, of) => Object.assign(out, choice(value as TSchema[], of, out)),
};

/** How many fields of a group are given, for each group of an object. */
function choices(
  out: Draft,
  all: readonly (readonly [string, TSchema])[],
  forms: ReadonlyMap<string, Schema>,
): void {
  const groups = new Map<string, FieldChoice>();
  for (const [, schema] of all) {
    const { choice: group } = schema as { choice?: FieldChoice };
    if (group) groups.set(group.fields.join(), group);
  }
  const said = [...groups.values()].map(({ fields, least, most, isEmptyLeftOut = false }): Draft => {
    const given = (name: string) => ({
      required: [name],
      properties: { [name]: neverNull(forms.get(name)!) },
    });
    if (most > 1) return { anyOf: fields.map(given) };
    const others = (name: string | null) =>
      fields
        .filter((field) => field !== name)
        .map((field) => [field, notGiven(forms.get(field)!, isEmptyLeftOut)] as const);
    const alternative = (name: string) => {
      const { required, properties } = given(name);
      return { required, properties: { ...properties, ...Object.fromEntries(others(name)) } };
    };
    const none = least === 0 ? [{ properties: Object.fromEntries(others(null)) }] : [];
    return { oneOf: [...fields.map(alternative), ...none] };
  });
  if (said.length === 1) Object.assign(out, said[0]);
  else if (said.length > 1) out['allOf'] = said;
}

/** The type alone, without null; a flag is given when it is true, a text or a list when it is not empty. */
function neverNull({ type = 'object' }: Schema): Schema {
  if (type === 'boolean') return { type, enum: [true] };
  if (type === 'string') return { type, minLength: 1 };
  return type === 'array' ? { type, items: {}, minItems: 1 } : { type };
}

function notGiven({ type }: Schema, isEmptyLeftOut: boolean): Schema {
  if (type === 'boolean') return { type, nullable: true, enum: [false, null] };
  return type === 'string' && isEmptyLeftOut ? { ...nullOnly, enum: ['', null] } : nullOnly;
}

/** A form that may be null, too. */
function orNull(form: Schema): Schema {
  const isNullable = (schema: Schema) => schema['nullable'] === true;
  const forms = form['anyOf'] as readonly Schema[] | undefined;
  if (Object.keys(form).length === 0 || isNullable(form) || forms?.some(isNullable)) return form;
  if (form['type'] !== undefined) return nullable(form);
  const { anyOf, allOf, $ref, ...place } = form;
  if (forms) return { ...place, anyOf: [...forms, nullOnly] };
  const reference = allOf ? { allOf } : $ref ? { $ref } : null;
  return reference ? { ...place, anyOf: [reference, nullOnly] } : form;
}

function unknown(key: string): Translate {
  return () => {
    throw new Error(`the keyword ${key} has no form in OpenAPI 3.0`);
  };
}

/** A limit that is excluded: a number beside `minimum` becomes a flag of it. */
function exclusive(
  out: Draft,
  key: 'minimum' | 'maximum',
  value: number,
  otherLimit: unknown,
  stricter: (...all: number[]) => number,
): void {
  const both = typeof otherLimit === 'number' && stricter(value, otherLimit) !== value;
  if (both) return;
  out[key] = value;
  out[key === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'] = true;
}

/**
 * 3.0 has no tuples: the length stays exact, an item may have any of the schemas, and the description gives
 * the order.
 */
function tuple(out: Draft, items: readonly TSchema[], source: Source, of: Of): void {
  const forms = [...new Map(items.map(of).map((form) => [JSON.stringify(form), form])).values()];
  out['items'] = forms.length === 1 ? forms[0]! : { anyOf: forms };
  out['minItems'] = items.length;
  out['maxItems'] = items.length;
  if (forms.length === 1 || source['description'] !== undefined) return;
  out['description'] =
    `${items.length} items in this order: ${items.map((item) => describe(of(item))).join(', ')}.`;
}

function describe(schema: Schema): string {
  const text = schema['description'] ?? schema['type'] ?? schema['$ref'] ?? 'one of several forms';
  return String(text).replace('#/components/schemas/', '').replace(/\.$/, '');
}

const nullOnly = { type: 'string', nullable: true, enum: [null] } as const;

/** In a union `null` becomes `nullable`, and constants become one `enum`. */
function choice(forms: readonly TSchema[], of: Of, place: Draft): Draft {
  const isNull = (form: TSchema) => (form as Source)['type'] === 'null';
  const alternatives = joined(
    forms.filter((form) => !isNull(form)),
    of,
  );
  const withNull = forms.some(isNull);
  const [only] = alternatives;
  if (alternatives.length === 0) return { ...nullOnly };
  if (!withNull) return alternatives.length === 1 ? { ...only, ...place } : { anyOf: alternatives };
  // `nullable` is valid only beside a type.
  if (alternatives.length === 1 && only!['type'] !== undefined) return { ...nullable(only!), ...place };
  if (alternatives.length === 1 && Object.keys(only!).length === 0) return {};
  const at = alternatives.findIndex((form) => form['type'] !== undefined);
  if (at < 0) return { anyOf: [...alternatives, nullOnly] };
  return { anyOf: alternatives.with(at, nullable(alternatives[at]!)) };
}

function nullable(schema: Schema): Draft {
  const words = schema['enum'] as readonly Json[] | undefined;
  return { ...schema, nullable: true, ...(words && { enum: [...words, null] }) };
}

/** Constants of one type are joined to one `enum`, at the place of the first. */
function joined(forms: readonly TSchema[], of: Of): Schema[] {
  const out: Draft[] = [];
  for (const form of forms.map(of)) {
    const { type, enum: words, ...more } = form;
    const bare = words !== undefined && Object.keys(more).length === 0;
    const enumeration =
      bare && out.find((schema) => schema['type'] === type && schema['enum'] !== undefined && isBare(schema));
    if (enumeration) enumeration['enum'] = [...(enumeration['enum'] as Json[]), ...(words as Json[])];
    else out.push({ ...form });
  }
  return out;
}

function isBare(schema: Draft): boolean {
  return Object.keys(schema).every((key) => key === 'type' || key === 'enum');
}

/** An enum without a type gets the type of its words; words of several types become a choice. */
function typedEnum(out: Draft): Schema {
  const { enum: words, ...base } = out as { enum?: readonly Json[] };
  if (words === undefined || out['type'] !== undefined) return out;
  const kinds = new Map<string, Json[]>();
  for (const word of words) {
    if (word === null) continue;
    kinds.set(typeof word, [...(kinds.get(typeof word) ?? []), word]);
  }
  const forms: Schema[] = [...kinds].map(([type, all]) => ({ type, enum: all }));
  if (forms.length === 0) return { ...base, ...nullOnly };
  const [first, ...others] = words.includes(null) ? [nullable(forms[0]!), ...forms.slice(1)] : forms;
  return others.length === 0 ? { ...base, ...first } : { ...base, anyOf: [first!, ...others] };
}
