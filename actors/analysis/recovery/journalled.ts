// Work with its entries in the journal, and the end that an error is: a file can crash or hang the engine
// while it is looked at or worked on.
import { EngineError, engineErrors } from '../../../runtime/errors.ts';
import { decoderContract } from '../../decoder/contract.ts';
import { indexContract } from '../../index/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import { analysisErrors } from '../contract.ts';
import type { Watched } from '../media/survey.ts';
import type { Journal } from './journal.ts';
import { quarantineReason, stageKey } from './quarantine.ts';

/**
 * `id`: of the task, or another name for the journal. `retryQuarantined`: set by `force`. Throws QUARANTINED,
 * and the reason why the file could not be read before.
 */
export function journalledSurvey(
  journal: Journal,
  id: string,
  path: string,
  retryQuarantined = false,
): Watched {
  return async (mark, work) => {
    const key = stageKey(mark, 'survey', path);
    const refused = journal.refusals.of(key);
    if (refused && !retryQuarantined) throw refused;
    if (!retryQuarantined) expectNotQuarantined(journal, key, path);
    return journalled(journal, { task_id: id, key }, work).catch((error) => {
      journal.refusals.note(key, error);
      throw error;
    });
  };
}

export interface Stage {
  readonly task_id: string;
  readonly key: string;
}

export async function journalled<T>(journal: Journal, stage: Stage, work: () => Promise<T>): Promise<T> {
  journal.write({ type: 'stage-start', ...stage });
  let value: T;
  try {
    value = await work();
  } catch (error) {
    journalFailure(journal, stage, error);
    throw error;
  }
  journal.write({ type: 'stage-end', ...stage, outcome: 'stored' });
  return value;
}

export function journalFailure(journal: Journal, stage: Stage, error: unknown): void {
  journal.write({ type: 'stage-end', ...stage, ...endOf(error) });
}

function endOf(error: unknown): { outcome: string; alone?: boolean } {
  const hang = hangOf(error);
  if (hang) return { outcome: 'hung', alone: hang === 'file' };
  // A cancel, and what is worth another try, is no fault of the file, and no proof that it is sound.
  const ownEnd = !engineErrors.CANCELLED.is(error) && !worthAnotherTry(error);
  return { outcome: ownEnd ? 'failed' : 'left' };
}

/** Throws QUARANTINED, with what was seen. `again`: what tries it again. */
export function expectNotQuarantined(journal: Journal, key: string, name: string, again = '--force'): void {
  const strikes = journal.history.quarantine(key);
  if (strikes) throw quarantined(name, quarantineReason(strikes), again);
}

function quarantined(path: string, reason: string, again: string): EngineError {
  return analysisErrors.QUARANTINED(`${path}: ${reason}; ${again} tries it again`, { path });
}

// Which errors are worth a second attempt, and when.

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
