// Errors as rows of a table. A room declares its table once; each row is the function that makes the error,
// so a code cannot be misspelt, and what a code means, whether a retry can help and which HTTP status it has
// are written in one place. Errors cross threads as fields, because `Error.code` is lost by structured clone.

export interface ErrorRow {
  /** Description for a person; the message of one error adds the file or field. */
  readonly meaning: string;
  /** HTTP status a route answers with. */
  readonly status: number;
  /** True when the same call can succeed later without anything being changed; false when left out. */
  readonly retryable?: boolean;
}

type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/** The form an error has inside a message between threads. */
export interface ErrorFields {
  readonly code: string;
  readonly meaning: string;
  readonly message: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly details: ErrorDetails;
  readonly stack: string;
}

export class EngineError extends Error {
  readonly code: string;
  readonly meaning: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly details: ErrorDetails;

  constructor(code: string, row: ErrorRow, message: string, details: ErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'EngineError';
    this.code = code;
    this.meaning = row.meaning;
    this.status = row.status;
    this.retryable = row.retryable ?? false;
    this.details = details;
  }
}

/** Makes one error of a row. `message` names the file or field; left out, the row's meaning stands alone. */
export interface ErrorMaker extends Required<ErrorRow> {
  (message?: string, details?: ErrorDetails, cause?: unknown): EngineError;
  readonly code: string;
  /** True for an error of this row, also after it crossed threads. */
  is(error: unknown): error is EngineError;
}

type ErrorTable<R extends Record<string, ErrorRow>> = { readonly [K in keyof R]: ErrorMaker };

export function errorTable<const R extends Record<string, ErrorRow>>(rows: R): ErrorTable<R> {
  const makers = Object.entries(rows).map(([code, row]) => [code, errorMaker(code, row)] as const);
  return Object.fromEntries(makers) as ErrorTable<R>;
}

function errorMaker(code: string, row: ErrorRow): ErrorMaker {
  const make = (message: string = row.meaning, details: ErrorDetails = {}, cause?: unknown) =>
    new EngineError(code, row, message, details, cause);
  const is = (error: unknown): error is EngineError => error instanceof EngineError && error.code === code;
  return Object.assign(make, { retryable: false, ...row, code, is });
}

export const engineErrors = errorTable({
  BUSY: { meaning: 'The mailbox of the actor is full', status: 503, retryable: true },
  CANCELLED: { meaning: 'The caller cancelled the request', status: 499 },
  ACTOR_CRASHED: { meaning: 'The actor ended while working on this', status: 503, retryable: true },
  ACTOR_STUCK: {
    meaning: 'The actor was replaced because a turn took too long',
    status: 503,
    retryable: true,
  },
  ACTOR_DOWN: { meaning: 'The actor is down', status: 503, retryable: true },
  STALE_SLOT: { meaning: 'The slot has been released and may contain other data', status: 500 },
  OVER_BUDGET: { meaning: 'The work needs more memory than it may use', status: 400 },
  INVALID_MESSAGE: { meaning: 'The message does not match its contract', status: 400 },
  INVALID_CONFIG: { meaning: 'A setting has an invalid value', status: 400 },
  INTERNAL: { meaning: 'Internal error', status: 500 },
});

/**
 * The error as plain fields; what a signal threw by itself is CANCELLED. Anything else that is not an
 * EngineError is INTERNAL and keeps its stack for the log.
 */
export function toFields(error: unknown): ErrorFields {
  if (error instanceof Error && error.name === 'AbortError')
    return toFields(engineErrors.CANCELLED(engineErrors.CANCELLED.meaning, {}, error));
  if (error instanceof EngineError) {
    const { code, meaning, message, status, retryable, details } = error;
    return { code, meaning, message, status, retryable, details, stack: error.stack ?? message };
  }
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? message) : message;
  const { meaning, status, retryable } = engineErrors.INTERNAL;
  return { code: 'INTERNAL', meaning, message, status, retryable, details: {}, stack };
}

/** The same error with other words, status or details, and the given one as its cause. */
export function restated(
  error: EngineError,
  changes: Partial<Pick<ErrorFields, 'message' | 'status' | 'details'>>,
): EngineError {
  const { code, message, details, ...row } = { ...toFields(error), ...changes };
  return new EngineError(code, row, message, details, error);
}

export function fromFields(fields: ErrorFields): EngineError {
  const error = new EngineError(fields.code, fields, fields.message, fields.details);
  error.stack = fields.stack;
  return error;
}

// Parts of a file system error: its code, such as ENOENT, and its reason in words.

/** Empty for an error that has none. */
export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}

/**
 * Reason of an error, for a message that names the file itself: for a file system error `permission denied`,
 * without code, call and path.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error.message;
  const [, said] = new RegExp(`^${code}: (.*?), ${syscall}\\b`, 's').exec(error.message) ?? [];
  return said ?? error.message;
}
