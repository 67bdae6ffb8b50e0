// What goes back to a client: JSON with its headers, and every error in the one form errors have.
import { EngineError, toFields } from '../../runtime/errors.ts';
import type { Complaint } from './validation.ts';

export interface Outgoing {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array;
}

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const JSON_ONLY = [JSON_TYPE] as const;
/** Seconds after which a client may ask again; what is busy or loading is seldom free sooner. */
const RETRY_AFTER = ['Retry-After', '1'] as const;

export function json(status: number, body: unknown, headers?: Readonly<Record<string, string>>): Outgoing {
  if (headers === undefined && status === 200 && body !== undefined) {
    return { status, headers: JSON_ONLY, body: JSON.stringify(body) };
  }
  const more = headers ? Object.entries(headers) : [];
  const retry = (status === 409 || status === 503) && !headers?.['Retry-After'] ? [RETRY_AFTER] : [];
  // An answer such as 204 has no body.
  if (body === undefined) return { status, headers: [...retry, ...more], body: '' };
  return { status, headers: [JSON_TYPE, ...retry, ...more], body: JSON.stringify(body) };
}

export function failure(
  status: number,
  error: string,
  message?: string,
  headers?: Readonly<Record<string, string>>,
): Outgoing {
  return json(status, message === undefined ? { error } : { error, message }, headers);
}

/** A request that is not as the route declares it. */
export function invalid(complaints: readonly Complaint[]): EngineError {
  const [first] = complaints;
  const field = first?.field ?? 'body';
  const missing = first?.what === 'is required';
  const message = complaints
    .slice(0, 20)
    .map(({ field: at, what }) => `${at} ${what}`)
    .join('; ');
  return badRequest(`${missing ? 'Missing' : 'Invalid'} ${field}`, message);
}

/** `phrase` is what the answer has for `error`. */
export function badRequest(phrase: string, message: string): EngineError {
  return new EngineError('INVALID_REQUEST', { meaning: phrase, status: 400, retryable: false }, message, {});
}

/** `requestId` is all that is told of a fault of the program; the log has the rest. */
export function failed(error: unknown, requestId: string): Outgoing {
  const { code, meaning, message, status, details } = toFields(error);
  if (code === 'INTERNAL') return failure(500, 'Internal error', requestId);
  const field = details['field'];
  const phrase = typeof field === 'string' ? `Invalid ${field}` : meaning;
  return failure(status, status === 400 ? phrase : meaning, message);
}

export function isFault(error: unknown): boolean {
  return (error as EngineError | undefined)?.code === undefined || toFields(error).code === 'INTERNAL';
}
