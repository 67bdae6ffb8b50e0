// Remarks on an incomplete answer.
import { downloadNote } from '../../models/advice.ts';
import type { ListedModel } from '../../models/contract.ts';
import type { NotUnderstood } from '../visual/contract.ts';
import { listed, listNote, type Note, type NoteCode, note, type SearchedKind } from './contract.ts';

/** How a model with a vocabulary of its own read the words. */
export interface QueryReading {
  readonly model_key: string;
  /** Known words of the query, including names of detected things. */
  readonly knownWords: readonly string[];
  readonly unknown: readonly string[];
  /** Unknown words of the excluded texts. */
  readonly unknownExcluded: readonly string[];
  /** Known words of the query for which the model finds little that is right. */
  readonly weak: readonly string[];
  /** True if the matches are found by the known words. */
  readonly ranked: boolean;
  /** The model that understands more, where words ask for it and there is one for this machine. */
  readonly advised: Pick<ListedModel, 'row' | 'downloaded'> | null;
  /**
   * Remedy for words that name things: a download of models, or an analysis by the present ones; null if no
   * word does.
   */
  readonly things: 'download' | 'analysis' | null;
}

export interface Warnings {
  /** Null when every word is understood, or there are none. */
  readonly reading: QueryReading | null;
  /** Words for a part of what is found: `people` of persons, `others` of other things. */
  readonly narrower: { readonly people: readonly string[]; readonly others: readonly string[] };
  /** The query has no word the model could look for, not even an unknown one. */
  readonly nothingUnderstood: boolean;
  /** People who are asked for together with themselves. */
  readonly twice: readonly string[];
  /** Files named by the caller that have no analysis. */
  readonly missing: readonly string[];
  /** Files named by the caller that are known, but nothing of them is loaded. */
  readonly unloaded: readonly string[];
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
  /** Why there is no match, where nothing else says so; null where there is one. */
  readonly empty?: EmptyReason | null;
}

/** Facts about a search without a match. */
export interface EmptyReason {
  readonly isLimited: boolean;
  /** Kinds of which something was searched. */
  readonly kinds: readonly SearchedKind[];
  /** Files that a detector has looked at, and the things of the query, as they were typed. */
  readonly looked: number;
  readonly things: readonly string[];
  /** Matches that were left out because they are less sure. */
  readonly weaker: number;
}

export function emptyNote({ isLimited, kinds, looked, things, weaker }: EmptyReason): Note {
  if (weaker > 0) return note('ONLY_WEAKER', { count: weaker });
  if (kinds.length === 0) return isLimited ? note('NOTHING_LEFT', {}) : note('NOTHING_ANALYSED', {});
  if (kinds.every((kind) => kind === 'seen') && looked > 0 && things.length > 0)
    return note('NOTHING_SEEN', { ...listed(things), count: looked });
  return note('NOTHING_FOUND', { names: [...kinds] });
}

/** Notes that do not say why nothing was found. */
const sideNotes: readonly NoteCode[] = [
  ...(['PEOPLE_NOT_TOLD_APART', 'KINDS_NOT_TOLD_APART'] as const),
  ...(['OTHER_MODEL', 'OLDER_MODEL', 'FOUND_ROUGHLY', 'NO_PREVIEW', 'FILTER_IGNORED'] as const),
  ...(['PICTURES_NOT_SEARCHED', 'SPEECH_NOT_SEARCHED', 'PEOPLE_NOT_SEARCHED', 'TEXT_NOT_SEARCHED'] as const),
];

/** True if one of the notes says why nothing was found. */
export function isExplained(notes: readonly (Note | false)[]): boolean {
  return notes.some((entry) => entry !== false && !sideNotes.includes(entry.code));
}

/** Notes about an answer, and its unknown words. */
export function warning(warnings: Warnings): {
  readonly notes: (Note | false)[];
  readonly not_understood?: NotUnderstood;
} {
  const { reading, fallbackFrom, outdated, noPreview } = warnings;
  const notes = [
    reading !== null && readingNote(reading),
    listNote('PEOPLE_NOT_TOLD_APART', warnings.narrower.people),
    listNote('KINDS_NOT_TOLD_APART', warnings.narrower.others),
    fallbackFrom !== null && note('OTHER_MODEL', { model_key: fallbackFrom }),
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
  const { empty = null } = warnings;
  if (empty !== null && !isExplained(notes)) notes.push(emptyNote(empty));
  return { notes, ...(reading && { not_understood: notUnderstood(reading) }) };
}

function notUnderstood(reading: QueryReading): NotUnderstood {
  const { unknown, unknownExcluded, advised, things } = reading;
  const commands = commandsOf(reading);
  const visual = advised && !advised.downloaded ? [advised.row.key] : [];
  return {
    words: [...unknown, ...unknownExcluded],
    model_keys: [...(things === 'download' ? ['sight'] : []), ...visual],
    advice: commands.length > 0 ? `To find them: ${commands.join(', then ')}` : null,
  };
}

/** One sentence: what was searched, what was not understood, what would help. */
function readingNote(reading: QueryReading): Note | false {
  const { model_key, knownWords, unknown, unknownExcluded, weak, ranked } = reading;
  const notUnderstood = [...unknown, ...unknownExcluded];
  const commands = commandsOf(reading);
  if (ranked && knownWords.length > 0 && unknown.length > 0) {
    const counts = { count: knownWords.length, total: knownWords.length + unknown.length };
    const words = listed(notUnderstood).names;
    return note('PARTLY_UNDERSTOOD', { names: listed(knownWords).names, ...counts, words, commands });
  }
  const [code, words] =
    notUnderstood.length > 0
      ? (['NOT_UNDERSTOOD', notUnderstood] as const)
      : (['FOUND_ROUGHLY', weak] as const);
  return words.length > 0 && note(code, { model_key, ...listed(words), commands });
}

/** Empty where nothing would help. */
function commandsOf({ advised, things }: QueryReading): string[] {
  if (!advised && !things) return [];
  return [
    ...(things === 'download' ? ['framehound setup'] : []),
    ...(advised ? [commandOf(advised)] : []),
    'framehound analyze PATH',
  ];
}

function commandOf({ row, downloaded }: Pick<ListedModel, 'row' | 'downloaded'>): string {
  return downloaded
    ? `framehound models use ${row.key}`
    : `framehound models pull ${row.key} --use (${downloadNote([row])})`;
}
