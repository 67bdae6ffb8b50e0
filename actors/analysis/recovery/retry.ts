// Which errors are worth a second attempt. Pure.
import { EngineError } from '../../../runtime/errors.ts';

/** True for an error after which the same work may succeed: a crash or a full mailbox, not a bad file. */
export function worthAnotherTry(error: unknown): boolean {
  return error instanceof EngineError && error.retryable;
}
