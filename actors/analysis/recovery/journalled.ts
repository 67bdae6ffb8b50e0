// A survey with its entries in the journal: a file can crash the engine while it is probed. One that was running in two
// crashes is quarantined.
import type { EngineError } from '../../../runtime/errors.ts';
import { analysisErrors } from '../contract.ts';
import type { Watched } from '../media/survey.ts';
import type { Journal } from './journal.ts';
import { isQuarantined, stageKey } from './quarantine.ts';

/** `id`: of the task, or another name for the journal. `retryQuarantined`: set by `force`. Throws QUARANTINED. */
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
