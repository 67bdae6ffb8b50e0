// What a person should know about an answer that is not whole.
import { sizeText } from '../../models/advice.ts';
import type { ListedModel } from '../../models/contract.ts';
import type { NotUnderstood } from '../visual/contract.ts';
import { listed, listNote, type Note, note } from './contract.ts';

/** How a model with a vocabulary of its own read the words. */
export interface Reading {
  readonly model_key: string;
  /** Of the query. */
  readonly known: readonly string[];
  readonly unknown: readonly string[];
  /** Of what is excluded. */
  readonly unknownExcluded: readonly string[];
  /** Of the query: known words by which the model finds little of what is meant. */
  readonly weak: readonly string[];
  /** Whether the matches are ranked by the known words. */
  readonly ranked: boolean;
  /** The model that understands more, where words ask for it and there is one for this machine. */
  readonly advised: Pick<ListedModel, 'row' | 'downloaded'> | null;
  /**
   * What finds words that are things: models to download, or an analysis by those that are there; null where
   * no word is one.
   */
  readonly things: 'download' | 'analysis' | null;
}

export interface Warnings {
  /** Null when every word is understood, or there are none. */
  readonly reading: Reading | null;
  /** The query has no word the model could look for, not even an unknown one. */
  readonly nothingUnderstood: boolean;
  /** People who are asked for together with themselves. */
  readonly twice: readonly string[];
  /** Files named by the caller that have no analysis. */
  readonly missing: readonly string[];
  /** Files named by the caller that are known, but nothing of them is loaded. */
  readonly unloaded: readonly string[];
  /** Frames whose vectors are held by machines that do not answer. */
  readonly unsearched: number;
  /** Files that are not where they were. */
  readonly gone: readonly string[];
  /** Files that were written anew since the analysis. */
  readonly changed: readonly string[];
  /** Files whose analysis cannot be read. */
  readonly unreadable: readonly string[];
  /**
   * Files whose pictures only an older version of the model has looked at: names of some, and how many there
   * are.
   */
  readonly outdated: { readonly names: readonly string[]; readonly count: number };
  /** The model that was asked for, when another one had to be used. */
  readonly fallbackFrom: string | null;
  /** Matches without a stored preview. */
  readonly noPreview: number;
}

/** What the person should know about an answer, and what was not understood. */
export function warning(warnings: Warnings): {
  readonly notes: (Note | false)[];
  readonly not_understood?: NotUnderstood;
} {
  const { reading, fallbackFrom, unsearched, outdated, noPreview } = warnings;
  const notes = [
    ...(reading ? readingNotes(reading) : []),
    fallbackFrom !== null && note('OTHER_MODEL', { model_key: fallbackFrom }),
    unsearched > 0 && note('PARTS_AWAY', { seconds: unsearched }),
    warnings.nothingUnderstood && note('NOTHING_TO_LOOK_FOR', {}),
    listNote('SAME_PERSON_TWICE', warnings.twice),
    listNote('NOT_ANALYSED', warnings.missing),
    listNote('PICTURES_NOT_LOADED', warnings.unloaded),
    listNote('FILE_GONE', warnings.gone),
    listNote('FILE_CHANGED', warnings.changed),
    listNote('ANALYSIS_DAMAGED', warnings.unreadable),
    listNote('OLDER_MODEL', outdated.names, outdated.count),
    noPreview > 0 && note('NO_PREVIEW', { count: noPreview }),
  ];
  return { notes, ...(reading && { not_understood: notUnderstood(reading) }) };
}

function notUnderstood(reading: Reading): NotUnderstood {
  const { unknown, unknownExcluded, advised, things } = reading;
  const visual = advised && !advised.downloaded ? [advised.row.key] : [];
  return {
    words: [...unknown, ...unknownExcluded],
    model_keys: [...(things === 'download' ? ['sight'] : []), ...visual],
    advice: adviceOf(reading)?.text ?? null,
  };
}

/** Matches by half of the words look like an answer to all of them, so how weak they are comes first. */
function readingNotes(reading: Reading): (Note | false)[] {
  const { model_key, known, unknown, unknownExcluded, weak, ranked } = reading;
  const notUnderstood = [...unknown, ...unknownExcluded];
  const counts = { count: known.length, total: known.length + unknown.length };
  return [
    ranked && unknown.length > 0 && note('PARTLY_UNDERSTOOD', { names: known, ...counts }),
    ...(notUnderstood.length > 0
      ? [
          note('NOT_UNDERSTOOD', { model_key, ...listed(notUnderstood) }),
          note('SMALL_VOCABULARY', { model_key }),
        ]
      : []),
    weak.length > 0 && note('FOUND_ROUGHLY', { model_key, ...listed(weak) }),
    adviceOf(reading) ?? false,
  ];
}

/** Null where nothing would help. */
function adviceOf({ advised, things }: Reading): Note | null {
  if (!advised && !things) return null;
  const names = [
    ...(things === 'download' ? ['framehound setup'] : []),
    ...(advised ? [commandOf(advised)] : []),
    'framehound analyze PATH',
  ];
  return note('HOW_TO_FIND', { names, count: names.length });
}

function commandOf({ row: { key, size_gb }, downloaded }: Pick<ListedModel, 'row' | 'downloaded'>): string {
  return downloaded
    ? `framehound models use ${key}`
    : `framehound models pull ${key} --use (${sizeText(size_gb)})`;
}
