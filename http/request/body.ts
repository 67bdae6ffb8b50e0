// What a request carries besides its head, as values: body and query. Pure.
import { isUtf8 } from 'node:buffer';
import { jsonComplaint } from './json-syntax-error.ts';
import type { Complaint } from './validation.ts';

export type Body = Record<string, unknown>;

/**
 * Values in a body, reckoned by the marks between them. Many more than any request has a use for: a few hundred thousand
 * paths and ranges. A body of nothing but brackets keeps the engine's parser, and with it the whole service, for a minute.
 */
const MOST_VALUES = 1_000_000;
/** Bytes. In a longer text nobody looks for the place of a fault. */
const LONGEST_EXPLAINED = 1024 * 1024;

/** A text says what is wrong with it. No body at all is an empty one: the checks then name what is missing. */
export function parseBody(bytes: Uint8Array | null): Body | string {
  if (bytes === null || bytes.length === 0) return {};
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (holdsTooMuch(buffer)) return `The body holds more than ${MOST_VALUES} values`;
  const text = buffer.toString();
  // A bad byte becomes this letter, which nobody sent, and a path the name of another file.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return 'The body is not UTF-8';
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Body) : 'The body must be a JSON object';
  } catch {
    return text.length > LONGEST_EXPLAINED ? 'The body is not JSON' : jsonComplaint(text);
  }
}

/** Marks inside texts count too: what makes a body large, a picture in base64, has none of them. */
function holdsTooMuch(bytes: Buffer): boolean {
  if (bytes.length <= MOST_VALUES) return false;
  let left = MOST_VALUES;
  for (const mark of [0x2c, 0x5b, 0x7b]) {
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) if (--left < 0) return true;
  }
  return false;
}

export function queryOf(text: string): Body {
  return text === '' ? {} : Object.fromEntries(new URLSearchParams(text));
}

/** The key may stand in every body, so no route declares it. */
export function keyComplaint(body: Body): Complaint[] | null {
  const key = body['license_key'];
  if (key === undefined || key === null || typeof key === 'string') return null;
  return [{ field: 'license_key', what: 'must be string' }];
}
