// Work with its entries in the journal, and the end that an error is: a file can crash or hang the engine
// while it is looked at or worked on.
import { type EngineError, engineErrors } from '../../../runtime/errors.ts';
import { analysisErrors } from '../contract.ts';
import type { Watched } from '../media/survey.ts';
import type { Journal } from './journal.ts';
import { quarantineReason, stageKey } from './quarantine.ts';
import { hangOf, worthAnotherTry } from './retry.ts';

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
