// Which errors are worth a second attempt, and when.
import { EngineError, engineErrors } from '../../../runtime/errors.ts';
import { decoderContract } from '../../decoder/contract.ts';
import { indexContract } from '../../index/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';

/**
 * True for an error after which the same work may succeed at once: a crash or a full mailbox, not a bad file.
 */
export function worthAnotherTry(error: unknown): boolean {
  // Another process that writes goes on writing.
  return error instanceof EngineError && error.retryable && !storeErrors.STORE_IN_USE.is(error);
}

/**
 * Null when the work did not hang. `file`: an actor that works on one file at a time did. `unclear`: one that
 * may have been at work on others too. A store that hangs says nothing about a file.
 */
export function hangOf(error: unknown): 'file' | 'unclear' | null {
  if (!engineErrors.ACTOR_STUCK.is(error)) return null;
  const { role } = error.details;
  if (role === indexContract.name) return null;
  return role === decoderContract.name ? 'file' : 'unclear';
}
