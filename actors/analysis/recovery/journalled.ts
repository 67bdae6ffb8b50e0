// A survey that is written into the journal: a file can end the engine while it is probed, and the journal knows then
// which one it was. One that was running in two deaths is left alone.
import type { EngineError } from '../../../runtime/errors.ts';
import { analysisErrors } from '../contract.ts';
import type { Watched } from '../media/survey.ts';
import type { Journal } from './journal.ts';
import { isQuarantined, stageKey } from './quarantine.ts';

/** `id` of the task, or of what else asks. `retryQuarantined`: the person asked to try again. Throws QUARANTINED. */
export function journalledSurvey(
  journal: Journal,
  id: string,
  path: string,
  retryQuarantined = false,
): Watched {
  return async (mark, work) => {
    const key = stageKey(mark, 'survey', path);
    if (!retryQuarantined && isQuarantined(journal.before, key)) throw quarantined(path);
    journal.write({ type: 'stage-start', task_id: id, key });
    let outcome = 'failed';
    try {
      const media = await work();
      outcome = 'stored';
      return media;
    } finally {
      journal.write({ type: 'stage-end', task_id: id, key, outcome });
    }
  };
}

export function quarantined(path: string): EngineError {
  return analysisErrors.QUARANTINED(`${path}: ended the engine twice; --force tries again`, { path });
}
