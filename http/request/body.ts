// Parses the body and the query of a request.
import { isUtf8 } from 'node:buffer';
import { describeJsonError } from './json-syntax-error.ts';
import type { FieldError } from './validation.ts';

export type Body = Record<string, unknown>;

/**
 * Values in a body, counted by `,`, `[` and `{`. The largest requests have a few hundred thousand paths and ranges. A body
 * of nothing but brackets would block the JSON parser, and with it the event loop, for a minute.
 */
const MOST_VALUES = 1_000_000;

/**
 * A string is the reason why it is refused. A missing body counts as `{}`: validation then names the missing fields.
 */
export function parseBody(bytes: Uint8Array): Body | string {
  if (bytes.length === 0) return {};
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (holdsTooMuch(buffer)) return `The body contains more than ${MOST_VALUES} values`;
  const text = buffer.toString();
  // Decoding replaces a bad byte by this character, and a path would name another file.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return 'The body is not UTF-8';
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Body) : 'The body must be a JSON object';
  } catch {
    return describeJsonError(text);
  }
}

/** Characters inside strings count too; base64, which makes bodies large, has none of these three. */
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

/** Every body may hold the key, so no route declares it. */
export function licenseKeyErrors(body: Body): FieldError[] | null {
  const key = body['license_key'];
  if (key === undefined || key === null || typeof key === 'string') return null;
  return [{ field: 'license_key', problem: 'must be string' }];
}
