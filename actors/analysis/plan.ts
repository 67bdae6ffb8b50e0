// What has to be done with one surveyed file. Pure: "resume" is "plan again".
import type { MediaRecord } from '../index/contract.ts';
import { isQuarantined, type JournalState, stageKey } from './quarantine.ts';

export type Step = 'look' | 'stored' | 'no_picture' | 'quarantined';

export interface Known {
  readonly media: MediaRecord;
  readonly model: string;
  /** The visual stage of this content by this model is stored whole. */
  readonly stored: boolean;
  /** The person asked to redo what is stored, quarantine included. */
  readonly force: boolean;
  readonly journal: JournalState;
}

export function nextStep({ media, model, stored, force, journal }: Known): Step {
  if (media.probe.grid_frames === 0) return 'no_picture';
  if (force) return 'look';
  if (stored) return 'stored';
  return isQuarantined(journal, stageKey(media.identity.hash_str, 'visual', model)) ? 'quarantined' : 'look';
}
