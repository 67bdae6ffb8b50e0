// Parses the body and the query of a request.
import { isUtf8 } from 'node:buffer';
import type { FieldError } from './validation.ts';

export type Body = Record<string, unknown>;

/**
 * Values in a body, counted by `,`, `[` and `{`. The largest requests have a few hundred thousand paths and
 * ranges. A body of nothing but brackets would block the JSON parser, and with it the event loop, for a
 * minute.
 */
const MOST_VALUES = 1_000_000;
/**
 * Names of fields in a body. A range for each file of a large library has as many; a million in one object
 * hold up the main thread for seconds.
 */
const MOST_KEYS = 250_000;

/** Refusal of JSON that is no object. */
export const noObject = 'The body must be a JSON object';

/** Why a body is refused: 413 for what is too much, 400 for what is wrong. */
export class BodyRefusal {
  readonly refused: string;
  readonly status: 400 | 413;

  constructor(refused: string, status: 400 | 413 = 400) {
    this.refused = refused;
    this.status = status;
  }
}

/** The same bytes. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** A missing body counts as `{}`: validation then names the missing fields. */
export function parseBody(bytes: Uint8Array): Body | BodyRefusal {
  if (bytes.length === 0) return {};
  const buffer = bufferOf(bytes);
  if (holdsMoreValues(buffer, MOST_VALUES))
    return new BodyRefusal(`The body contains more than ${MOST_VALUES} values`, 413);
  if (holdsTooManyKeys(buffer)) return new BodyRefusal(`The body contains more than ${MOST_KEYS} keys`, 413);
  const text = buffer.toString();
  // Decoding replaces a bad byte by this character, and a path would name another file.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return new BodyRefusal('The body is not UTF-8');
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Body) : new BodyRefusal(noObject);
  } catch {
    return new BodyRefusal(describeJsonError(text));
  }
}

/**
 * True if there are more values than `most`. Characters inside strings count too; base64, which makes bodies
 * large, has none of the three that are counted.
 */
export function holdsMoreValues(bytes: Buffer, most: number): boolean {
  if (bytes.length <= most) return false;
  let remaining = most;
  for (const mark of [0x2c, 0x5b, 0x7b]) {
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1))
      if (--remaining < 0) return true;
  }
  return false;
}

/** Strings that look like a name with its colon count too. */
function holdsTooManyKeys(bytes: Buffer): boolean {
  // A name, its colon and a value take four bytes at least.
  if (bytes.length <= 4 * MOST_KEYS) return false;
  let remaining = MOST_KEYS;
  for (let at = bytes.indexOf(0x3a); at >= 0; at = bytes.indexOf(0x3a, at + 1)) {
    let before = at - 1;
    while (before >= 0 && isSpace(bytes[before]!)) before--;
    if (bytes[before] === 0x22 && --remaining < 0) return true;
  }
  return false;
}

export function queryOf(text: string): Body {
  return text === '' ? {} : Object.fromEntries(new URLSearchParams(text));
}

/** Every body may hold the key, so no route declares it. */
export function licenseKeyErrors(body: Body): FieldError[] | null {
  const key = body['license_key'];
  if (key === undefined || key === null || typeof key === 'string') return null;
  return [{ field: 'license_key', problem: 'must be a string' }];
}

// Finds where a text stops being JSON. The message of JSON.parse quotes the text around the error, which may
// hold a license key; line and column are enough for the sender.

/**
 * Offset of the first token that cannot stand where it does, the length when the text ends too early, null
 * for JSON.
 */
export function jsonErrorAt(text: string): number | null {
  // Open brackets, innermost last. No recursion: a text may nest deeper than the call stack.
  const open: ('[' | '{')[] = [];
  let expected: Wanted = 'value';
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const inside = open.at(-1);
    const next = text[at]!;
    if ((next === ']' || next === '}') && closes(next, inside, expected)) {
      open.pop();
      expected = 'separator';
      at++;
    } else if (expected === 'separator') {
      if (next !== ',' || inside === undefined) return at;
      expected = inside === '{' ? 'name' : 'value';
      at++;
    } else if (expected === 'name' || expected === 'name or end') {
      const colon = next === '"' ? skipSpace(text, stringEnd(text, at)) : -1;
      if (colon < 0) return at;
      if (text[colon] !== ':') return colon;
      expected = 'value';
      at = colon + 1;
    } else if (next === '[' || next === '{') {
      open.push(next);
      expected = next === '[' ? 'value or end' : 'name or end';
      at++;
    } else {
      const end = next === '"' ? stringEnd(text, at) : scalarEnd(text, at);
      if (end < 0) return at;
      expected = 'separator';
      at = end;
    }
  }
  return expected === 'separator' && open.length === 0 ? null : text.length;
}

/** Message about invalid JSON; lines and columns count from 1. */
function describeJsonError(text: string): string {
  const at = jsonErrorAt(text) ?? text.length;
  if (at === text.length) return 'The body is not valid JSON: it ends too early';
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', lineStart)) {
    line++;
    lineStart = end + 1;
  }
  return `The body is not valid JSON at line ${line}, column ${at - lineStart + 1}`;
}

type Wanted = 'value' | 'value or end' | 'name' | 'name or end' | 'separator';

function closes(end: ']' | '}', inside: '[' | '{' | undefined, expected: Wanted): boolean {
  if (inside !== (end === ']' ? '[' : '{')) return false;
  return expected === 'separator' || expected === 'value or end' || expected === 'name or end';
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at >= 0 && at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Behind the closing quote; -1 when this is no string. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return -1;
    if (code !== 0x5c) continue;
    const escaped = text[++at];
    const isKnown =
      escaped === 'u'
        ? /^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))
        : escaped !== undefined && '"\\/bfnrt'.includes(escaped);
    if (!isKnown) return -1;
  }
  return -1;
}

/** Behind a number, `true`, `false` or `null`; -1 when it is none. */
function scalarEnd(text: string, from: number): number {
  const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  scalar.lastIndex = from;
  return scalar.test(text) ? scalar.lastIndex : -1;
}

// Request as a handler gets it.

/** The signal is created when it is first read: most requests never need one. */
export class RequestInput {
  readonly params: Record<string, string>;
  readonly query: Body;
  readonly body: Body;
  readonly id: string;
  readonly credential: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #signal: () => AbortSignal;

  constructor(
    params: Record<string, string>,
    query: Body,
    body: Body,
    id: string,
    credential: string,
    headers: Readonly<Record<string, string>>,
    signal: () => AbortSignal,
  ) {
    this.params = params;
    this.query = query;
    this.body = body;
    this.id = id;
    this.credential = credential;
    this.headers = headers;
    this.#signal = signal;
  }

  get signal(): AbortSignal {
    return this.#signal();
  }
}
