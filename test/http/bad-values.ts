// Good and bad values for any declared field, read off its schema: what a route is sent in the test of every
// route.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TSchema } from 'typebox';

/**
 * A route may make the folder it is given: what a bad value names lies here, never among the folders of the
 * machine.
 */
const room = mkdtempSync(join(tmpdir(), 'framehound-values-'));
process.on('exit', () => rmSync(room, { recursive: true, force: true }));

/** The part of JSON Schema that fields are declared with. */
interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Shape | readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Shape>>;
}

export interface Bad {
  /** As an answer names it: `requests[0].time_seconds`. */
  readonly field: string;
  readonly what: string;
  /** The whole body, or the query, with that one field spoilt. */
  readonly body: Record<string, unknown>;
  /** `refuse`: 400 naming the field. `survive`: any answer that is no fault of the service. */
  readonly must: 'refuse' | 'survive';
}

/**
 * `known`: good values that no schema tells, by the name of the field; undefined where the schema is enough.
 */
export type Known = (name: string) => unknown;

/** Puts a value in the place of the field; undefined takes the field out. */
type Place = (value: unknown) => Record<string, unknown>;

export function goodBody(schema: TSchema, known: Known): Record<string, unknown> {
  return good(schema as Shape, '', known) as Record<string, unknown>;
}

/**
 * Each field of a good body made bad in every way its schema forbids, and in ways that a schema cannot
 * forbid.
 */
export function badBodies(schema: TSchema, whole: Record<string, unknown>, known: Known): Bad[] {
  return [...inside(schema as Shape, '', whole, (value) => value as Record<string, unknown>, known)];
}

function good(shape: Shape, name: string, known: Known): unknown {
  const told = known(name);
  if (told !== undefined && fits(told, shape)) return told;
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[0];
  if (shape.default !== undefined && !shape.properties) return shape.default;
  if (shape.anyOf) return good(shape.anyOf[0]!, name, known);
  if (shape.patternProperties) return {};
  if (shape.properties) {
    const needed = (shape.required ?? []).filter((one) => shape.properties![one]?.default === undefined);
    return Object.fromEntries(needed.map((one) => [one, good(shape.properties![one]!, one, known)]));
  }
  if (Array.isArray(shape.items)) return shape.items.map((item: Shape) => good(item, name, known));
  if (shape.type === 'array') {
    return Array.from({ length: shape.minItems ?? 0 }, () => good(shape.items as Shape, name, known));
  }
  if (shape.type === 'string') return 'x'.repeat(Math.max(1, shape.minLength ?? 1));
  if (shape.type === 'integer' || shape.type === 'number') return shape.minimum ?? 1;
  return shape.type === 'boolean' ? false : null;
}

function kind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** The kinds of value a field can have; empty when anything goes. */
function kinds(shape: Shape): string[] {
  if (shape.anyOf) return shape.anyOf.flatMap((one) => kinds(one));
  if (shape.enum) return shape.enum.map(kind);
  if (shape.const !== undefined) return [kind(shape.const)];
  return shape.type === undefined ? [] : [shape.type === 'integer' ? 'number' : shape.type];
}

function fits(value: unknown, shape: Shape): boolean {
  const wanted = kinds(shape);
  return wanted.length === 0 || wanted.includes(kind(value));
}

function* inside(shape: Shape, field: string, now: unknown, place: Place, known: Known): Generator<Bad> {
  if (shape.properties) yield* inObject(shape, field, now, place, known);
  else if (shape.patternProperties) yield* inRecord(shape, field, place, known);
  else if (Array.isArray(shape.items)) return;
  else if (shape.items) yield* inList(shape, field, place, known);
  // Which of several objects was meant nobody can know; then the choice is named.
  const isChoice = (shape.anyOf ?? []).filter(({ properties }) => properties).length > 1;
  for (const form of shape.anyOf ?? []) {
    const start = good(form, field.split('.').at(-1)!, known);
    for (const bad of inside(form, field, start, place, known)) yield isChoice ? { ...bad, field } : bad;
  }
}

function* inObject(shape: Shape, field: string, now: unknown, place: Place, known: Known): Generator<Bad> {
  for (const [name, one] of Object.entries(shape.properties!)) {
    const at = field === '' ? name : `${field}.${name}`;
    const put: Place = (value) => place({ ...(now as object), [name]: value });
    const isNeeded = shape.required?.includes(name) && one.default === undefined;
    if (isNeeded) yield { field: at, what: 'left out', body: put(undefined), must: 'refuse' };
    for (const bad of badValues(one, at, put, name, known)) {
      // Null is the same as leaving out.
      yield bad.what === 'null' && !isNeeded ? { ...bad, must: 'survive' } : bad;
    }
    yield* inside(one, at, good(one, name, known), put, known);
  }
}

function* inRecord(shape: Shape, field: string, place: Place, known: Known): Generator<Bad> {
  const [one] = Object.values(shape.patternProperties!);
  for (const value of [5, 'text', null, true]) {
    if (!fits(value, one!)) {
      const body = place({ entry: value });
      yield { field: `${field}.entry`, what: `an entry that is ${kind(value)}`, body, must: 'refuse' };
    }
  }
  for (const key of ['', 'no such thing', '../x', '\0', '__proto__', 'constructor', 'x'.repeat(5000)]) {
    const entry = Object.fromEntries([[key, good(one!, '', known)]]);
    yield { field, what: `the key ${shown(key)}`, body: place(entry), must: 'survive' };
  }
}

function* inList(shape: Shape, field: string, place: Place, known: Known): Generator<Bad> {
  const name = field.split('.').at(-1)!;
  const item = shape.items as Shape;
  const one = good(item, name, known);
  if (shape.minItems) yield { field, what: 'an empty list', body: place([]), must: 'refuse' };
  else yield { field, what: 'an empty list', body: place([]), must: 'survive' };
  if (shape.maxItems !== undefined && shape.maxItems <= 20_000) {
    const body = place(Array.from({ length: shape.maxItems + 1 }, () => one));
    yield { field, what: 'a list that is too long', body, must: 'refuse' };
  }
  yield { field, what: 'the same thing twice', body: place([one, one]), must: 'survive' };
  const at = `${field}[0]`;
  yield* badValues(item, at, (value) => place([value]), name, known);
  yield* inside(item, at, one, (value) => place([value]), known);
}

/** Stands for a list in a list and so on, deeper than a call stack: no program but a text can hold it. */
const deep = '\u0001deep';
const depth = 20_000;

/** The body as it is sent. */
export function textOf(body: Record<string, unknown>): string {
  return JSON.stringify(body).replace(JSON.stringify(deep), `${'['.repeat(depth)}${']'.repeat(depth)}`);
}

function* badValues(shape: Shape, field: string, place: Place, name: string, known: Known): Generator<Bad> {
  const row = (what: string, value: unknown, must: Bad['must']): Bad => ({
    field,
    what,
    body: place(value),
    must,
  });
  const wanted = kinds(shape);
  const isOther = (its: string) => wanted.length > 0 && !wanted.includes(its);
  for (const value of [null, 5, 'text', [], {}, [[]], { length: 1 }, true])
    yield row(shown(value), value, isOther(kind(value)) ? 'refuse' : 'survive');
  yield row(`a list in a list, ${depth} times`, deep, isOther('array') ? 'refuse' : 'survive');
  if (wanted.includes('number')) yield* badNumbers(shape, row);
  if (wanted.includes('string')) yield* badTexts(shape, row, isPath(shape, name) ? known : undefined);
}

type Row = (what: string, value: unknown, must: Bad['must']) => Bad;

function* badNumbers(shape: Shape, row: Row): Generator<Bad> {
  const single = shape.anyOf === undefined && shape.enum === undefined && shape.const === undefined;
  if (!single) {
    for (const value of [-1, 0.5, 1e15]) yield row(shown(value), value, 'survive');
    return;
  }
  yield row('a fraction', 1.5, shape.type === 'integer' ? 'refuse' : 'survive');
  const { minimum, maximum } = shape;
  yield row('a number too small', (minimum ?? 0) - 1, minimum === undefined ? 'survive' : 'refuse');
  yield row(
    'a number too large',
    maximum === undefined ? 2 ** 53 : maximum + 1,
    maximum === undefined ? 'survive' : 'refuse',
  );
  for (const value of [-0, 1e-300, 1e300, Number.MAX_SAFE_INTEGER]) yield row(shown(value), value, 'survive');
}

function* badTexts(shape: Shape, row: Row, path: Known | undefined): Generator<Bad> {
  const single = shape.anyOf === undefined;
  const { pattern, enum: words, minLength = 0, maxLength } = shape;
  const isGood = (text: string) =>
    (!words || words.includes(text)) &&
    (pattern === undefined || new RegExp(pattern).test(text)) &&
    text.length >= minLength;
  const odd = [
    '',
    ' ',
    '\0',
    '\ud800',
    '__proto__',
    '../../etc/passwd',
    '%00',
    '日本',
    '-1',
    '99:99:99',
    '\n',
    '*',
  ];
  for (const text of odd) {
    // No absolute path is among them.
    const isBad = single && (!isGood(text) || path !== undefined);
    yield row(`the text ${shown(text)}`, text, isBad ? 'refuse' : 'survive');
  }
  if (maxLength !== undefined)
    yield row('a text that is too long', `/${'x'.repeat(maxLength)}`, single ? 'refuse' : 'survive');
  if (!path) return;
  for (const text of [
    'films/a.mp4',
    './a.mp4',
    '../a.mp4',
    '/films/a\0.mp4',
    'file:///films/a.mp4',
    '~/a.mp4',
  ])
    yield row(`the path ${shown(text)}`, text, 'refuse');
  const places = [
    '/',
    `${room}/nowhere/at/all.mp4`,
    '/dev/null',
    '/proc/self/mem',
    `/${'x'.repeat(300)}`,
    '//',
    '/..',
    `${room}/a\nb`,
  ];
  // The last is longer than a path can be.
  for (const text of [...places, `/${'x'.repeat(200)}`.repeat(21)])
    yield row(`the path ${shown(text)}`, text, 'survive');
}

function isPath({ description = '' }: Shape, name: string): boolean {
  return /^Absolute path|Absolute path;/.test(description) || /(^|_)(path|paths|dir)(\[\d+\])?$/.test(name);
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 40);
}
