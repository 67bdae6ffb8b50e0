// Responses as they are sent: JSON with its headers, and every error in the one form errors have.
import { EngineError, toFields } from '../../runtime/errors.ts';
import type { FieldError } from './validation.ts';

export interface RawResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array | ByteStream;
  /** The connection ends with it: where the next request on it begins is not known. */
  readonly ends?: boolean;
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

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const JSON_ONLY = [JSON_TYPE] as const;
/** Of answers that are worth asking for again. Seconds: what is busy or loading is seldom free sooner. */
export const askAgain: Readonly<Record<string, string>> = { 'Retry-After': '1' };

export function jsonResponse(
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): RawResponse {
  if (headers === undefined && status === 200 && body !== undefined) {
    return { status, headers: JSON_ONLY, body: JSON.stringify(body) };
  }
  const more = headers ? Object.entries(headers) : [];
  // A 204, for example.
  if (body === undefined) return { status, headers: more, body: '' };
  return { status, headers: [JSON_TYPE, ...more], body: JSON.stringify(body) };
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
  return new EngineError('INVALID_REQUEST', { meaning: phrase, status: 400, retryable: false }, message, {});
}

/** Of an internal error the client is told the request id only; the log has the rest. */
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
