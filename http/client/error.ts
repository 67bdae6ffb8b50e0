// The errors of the client, with what a caller needs to tell them apart.
import { EngineError, type ErrorMaker, errorTable } from '../../runtime/errors.ts';

export const clientErrors = errorTable({
  NO_SERVICE: { meaning: 'No service responds at the address', status: 503, retryable: true },
  ODD_ANSWER: { meaning: 'The response is not from this service', status: 502 },
  REDIRECTED: { meaning: 'The address redirects to another address', status: 502 },
  NOT_FOLLOWED: { meaning: 'The events of the task cannot be received', status: 502 },
});

/** An error response of the service. `message`: its details, or its phrase when it has none. */
export class ApiError extends EngineError {
  /** The short phrase of the answer; that of a policy when a policy denied it. */
  readonly error: string;
  /** Why a policy denies the request; null when none does. */
  readonly policy_error: string | null;
  /** Seconds after which asking again makes sense; null when the answer does not say. */
  readonly retryAfter: number | null;
  /** Id in the service's log. */
  readonly requestId: string | null;
  /** The whole answer: some errors say more. */
  readonly body: unknown;

  constructor(response: Pick<Response, 'status' | 'headers'>, body: unknown) {
    const { error, message, policy_error } = (body ?? {}) as Readonly<Record<string, unknown>>;
    const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
    const policy = text(policy_error);
    const phrase = text(error) ?? policy ?? `Status ${response.status}`;
    const { status } = response;
    const row = { meaning: phrase, status, retryable: status === 409 || status === 503 };
    super('API_ERROR', row, text(message) ?? phrase, {});
    this.name = 'ApiError';
    this.error = phrase;
    this.policy_error = policy;
    const seconds = response.headers.get('Retry-After');
    this.retryAfter = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : null;
    this.requestId = response.headers.get('X-Request-Id');
    this.body = body;
  }
}

/** True for an error of this row, thrown by an engine in this process or answered by a service. */
export function isOf(row: ErrorMaker, error: unknown): error is EngineError {
  return row.is(error) || (error instanceof ApiError && error.error === row.meaning);
}
