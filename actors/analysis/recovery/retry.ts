// Which errors are worth a second attempt. Pure.
import { EngineError } from '../../../runtime/errors.ts';
import { storeErrors } from '../../index/store/contract.ts';

/** True for an error after which the same work may succeed at once: a crash or a full mailbox, not a bad file. */
export function worthAnotherTry(error: unknown): boolean {
  // Another process that writes goes on writing.
  return error instanceof EngineError && error.retryable && !storeErrors.STORE_IN_USE.is(error);
}
