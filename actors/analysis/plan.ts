// What has to be done with one surveyed file. Pure: "resume" is "plan again".
import type { MediaRecord } from '../index/store/contract.ts';
import { subtitlesKey } from './contract.ts';
import { isQuarantined, type JournalState, stageKey } from './recovery/quarantine.ts';

export type Step = 'look' | 'stored' | 'no_picture' | 'quarantined';

export interface Known {
  readonly media: MediaRecord;
  readonly model: string;
  /** The visual stage of this content by this model is stored whole. */
  readonly stored: boolean;
  /** The person asked to redo what is stored. */
  readonly redo: boolean;
  /** The person asked for it although it may have ended the engine twice. */
  readonly pardon: boolean;
  readonly journal: JournalState;
}

export function nextStep({ media, model, stored, redo, pardon, journal }: Known): Step {
  if (media.probe.grid_frames === 0) return 'no_picture';
  if (stored && !redo) return 'stored';
  if (pardon) return 'look';
  return isQuarantined(journal, stageKey(media.identity.hash_str, 'visual', model)) ? 'quarantined' : 'look';
}

export type SpeechStep = 'listen' | 'stored' | 'no_sound' | 'quarantined';

/** `model` null: subtitles are read, which a file without sound may have too. */
export function nextSpeechStep({
  media,
  model,
  stored,
  redo,
  pardon,
  journal,
}: Omit<Known, 'model'> & { readonly model: string | null }): SpeechStep {
  const { kind, audio } = media.probe;
  if (kind === 'image' || (audio.length === 0 && model !== null)) return 'no_sound';
  if (stored && !redo) return 'stored';
  if (pardon) return 'listen';
  const key = stageKey(media.identity.hash_str, 'speech', model ?? subtitlesKey);
  return isQuarantined(journal, key) ? 'quarantined' : 'listen';
}
