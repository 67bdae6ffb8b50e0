// Responses as they are sent: JSON with its headers, every error in the one form errors have, compression,
// and how much one answer holds.
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, deflateRawSync, gzip } from 'node:zlib';
import { EngineError, toFields } from '../../runtime/errors.ts';
import type { LiveText } from '../../runtime/live-text.ts';
import type { FieldError } from './validation.ts';

export interface RawResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array | ByteStream | LiveText;
  /** The connection ends with it: where the next request on it begins is not known. */
  readonly ends?: boolean;
  /** The bytes never change and are sent often: their compressed forms are kept as long as they are. */
  readonly stays?: boolean;
}

/** A body that is sent piece by piece, as fast as the client takes it. */
export interface ByteStream {
  /** Bytes in all. */
  readonly length: number;
  /** The next piece, until `length` bytes are read. Rejects when they cannot be read any more. */
  next(): Promise<Uint8Array>;
  /** Frees what is held. Called once, however it ends, when no `next` is under way; `sent`: bytes. */
  end(sent: number, error?: unknown): void;
}

export function isStream(body: RawResponse['body']): body is ByteStream {
  return typeof body === 'object' && 'next' in body;
}

export function isLive(body: unknown): body is LiveText {
  return typeof body === 'object' && body !== null && 'open' in body;
}

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const JSON_ONLY = [JSON_TYPE] as const;
/**
 * Header of answers that are worth repeating the request. Seconds: busy or loading parts are seldom free
 * sooner.
 */
export const askAgain: Readonly<Record<string, string>> = { 'Retry-After': '1' };

/** `base64`: names of fields whose texts are base64. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
  base64?: readonly string[],
): RawResponse {
  if (base64 !== undefined && status === 200) {
    return { status, headers: [JSON_TYPE, ...Object.entries(headers ?? {})], body: withBase64(body, base64) };
  }
  if (headers === undefined && status === 200 && body !== undefined) {
    return { status, headers: JSON_ONLY, body: JSON.stringify(body) };
  }
  const more = headers ? Object.entries(headers) : [];
  // A 204, for example.
  if (body === undefined) return { status, headers: more, body: '' };
  return { status, headers: [JSON_TYPE, ...more], body: JSON.stringify(body) };
}

/** Stands for a base64 text until the rest is JSON; nobody outside can know it. */
const stand = randomUUID();

/**
 * The JSON of an answer with pictures. In base64 nothing has to be escaped, but `JSON.stringify` looks at
 * every letter, which takes most of the time of an answer of a megabyte.
 */
function withBase64(body: unknown, names: readonly string[]): Uint8Array {
  const texts: string[] = [];
  const json = JSON.stringify(body, (name, value: unknown) => {
    if (typeof value !== 'string' || !names.includes(name)) return value;
    texts.push(value);
    return stand;
  });
  const letters = texts.reduce((sum, { length }) => sum + length - stand.length, 0);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json) + letters);
  let at = 0;
  for (const [i, part] of json.split(stand).entries()) {
    at += bytes.write(part, at);
    at += bytes.write(texts[i] ?? '', at, 'latin1');
  }
  return bytes;
}

export function plainError(
  status: number,
  error: string,
  message?: string,
  headers?: Readonly<Record<string, string>>,
): RawResponse {
  return jsonResponse(status, message === undefined ? { error } : { error, message }, headers);
}

/** The request does not match the schema of its route. */
export function invalidFields(fieldErrors: readonly FieldError[]): EngineError {
  const [first] = fieldErrors;
  const field = first?.field ?? 'body';
  const isMissing = first?.problem === 'is required';
  const message = fieldErrors
    .slice(0, 20)
    .map(({ field: at, problem }) => `${at} ${problem}`)
    .join('; ');
  return badRequest(`${isMissing ? 'Missing' : 'Invalid'} ${field}`, message);
}

/** `phrase`: the `error` of the response. */
export function badRequest(phrase: string, message: string): EngineError {
  return new EngineError('INVALID_REQUEST', { meaning: phrase, status: 400 }, message, {});
}

/** Phrase for a body of which nothing can be read. */
export const invalidBody = 'Invalid body';

/** An internal error tells the client its request id only; the log has the rest. */
export function errorResponse(error: unknown, requestId: string): RawResponse {
  const { code, meaning, message, status, details } = toFields(error);
  const headers = retryOf(error);
  if (code === 'INTERNAL') return plainError(500, 'Internal error', requestId);
  const field = details['field'];
  const phrase = typeof field === 'string' ? `Invalid ${field}` : meaning;
  return plainError(status, status === 400 ? phrase : meaning, message, headers);
}

/** `Retry-After` for what passes by itself. */
export function retryOf(error: unknown): Readonly<Record<string, string>> | undefined {
  const { status, retryable } = toFields(error);
  return retryable && (status === 409 || status === 503) ? askAgain : undefined;
}

export function isInternal(error: unknown): boolean {
  return (error as EngineError | undefined)?.code === undefined || toFields(error).code === 'INTERNAL';
}

// The status of a response as HTTP/1.1 writes it.

const phrases: Readonly<Record<number, string>> = {
  200: '200 OK',
  202: '202 Accepted',
  204: '204 No Content',
  206: '206 Partial Content',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  406: '406 Not Acceptable',
  409: '409 Conflict',
  412: '412 Precondition Failed',
  413: '413 Content Too Large',
  415: '415 Unsupported Media Type',
  416: '416 Range Not Satisfiable',
  431: '431 Request Header Fields Too Large',
  500: '500 Internal Server Error',
  501: '501 Not Implemented',
  502: '502 Bad Gateway',
  503: '503 Service Unavailable',
  507: '507 Insufficient Storage',
};

export function statusLine(status: number): string {
  return phrases[status] ?? `${status} Status`;
}

// Compression of responses for clients that accept it, at the lowest level: pictures inside are JPEG already,
// and a higher level costs more time than it saves in sending. What stays is compressed once.

type Encoding = 'gzip' | 'br';

const least = 1024;
const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/**
 * The encoding for an answer of that many bytes, by the request's `Accept-Encoding`; undefined leaves it as
 * it is.
 */
export function encodingFor(accepted: string, bytes: number): Encoding | undefined {
  if (bytes <= least || accepted === '') return undefined;
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((parameter) => parameter.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, q === undefined ? 1 : Number(q.slice(2)) || 0);
  }
  const weight = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0;
  const [gz, br] = [weight('gzip'), weight('br')];
  // Brotli when both weigh the same: five times faster with pictures inside, and never larger.
  if (br > 0 && br >= gz) return 'br';
  return gz > 0 ? 'gzip' : undefined;
}

export function compress(body: Uint8Array, encoding: Encoding, level = 1): Promise<Uint8Array> {
  if (encoding === 'gzip') return gzipAsync(body, { level, strategy: strategyOf(body) });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: level,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
  };
  return brotliAsync(body, { params });
}

const keptForms = new WeakMap<Uint8Array, Map<Encoding, Promise<Uint8Array>>>();

/** A fifth smaller, for bytes that stay: it takes four times as long, once. */
export function compressOnce(body: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  const forms = keptForms.get(body) ?? new Map<Encoding, Promise<Uint8Array>>();
  keptForms.set(body, forms);
  const cached = forms.get(encoding);
  if (cached) return cached;
  const compressed = compress(body, encoding, 5);
  forms.set(encoding, compressed);
  compressed.catch(() => forms.delete(encoding));
  return compressed;
}

const large = 64 * 1024;
const sample = 4096;

/**
 * A response full of pictures has no repetitions, and searching for them takes four times as long as the
 * rest.
 */
function strategyOf(body: Uint8Array): number {
  if (body.length < large) return constants.Z_DEFAULT_STRATEGY;
  const middle = body.subarray(body.length >> 1, (body.length >> 1) + sample);
  const isDense = deflateRawSync(middle, { level: 1 }).length > 0.6 * sample;
  return isDense ? constants.Z_HUFFMAN_ONLY : constants.Z_DEFAULT_STRATEGY;
}

// Bounds what one answer holds: a text of JavaScript ends at 2^29 characters, so a longer answer could not be
// written.

/** Characters of the previews of one answer, in base64. */
const MOST_PREVIEW_CHARACTERS = 256 * 1024 * 1024;
/** Characters of the transcripts of one answer; in JSON one may take six. */
export const MOST_TRANSCRIPT_CHARACTERS = 64 * 1024 * 1024;

/**
 * The matches with the previews of the first ones, and how many had to go without. A lost preview is an empty
 * text.
 */
export function withPreviews<M extends { readonly image?: string }>(
  matches: readonly M[],
  most = MOST_PREVIEW_CHARACTERS,
): { readonly matches: (M & { readonly image: string })[]; readonly leftOut: number } {
  let remaining = most;
  let leftOut = 0;
  const bounded = matches.map((match) => {
    const { image = '' } = match;
    remaining -= image.length;
    if (remaining >= 0 || image === '') return { ...match, image };
    // Also smaller ones that follow: those that are there are the first ones.
    remaining = -1;
    leftOut++;
    return { ...match, image: '' };
  });
  return { matches: bounded, leftOut };
}

type Segment = readonly [start: number, text: string, end: number, path: string];

/** A start or an end, brackets and commas of one segment. */
const SEGMENT_CHARACTERS = 60;

export function charactersOf(segments: readonly Segment[], path: string): number {
  return segments.reduce((sum, [, text]) => sum + text.length + path.length + SEGMENT_CHARACTERS, 0);
}
