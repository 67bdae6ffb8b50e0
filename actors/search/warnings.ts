// What a person should know about an answer that is not whole.
import { sizeText } from '../models/advice.ts';
import type { ListedModel } from '../models/contract.ts';
import type { SearchAnswer } from './contract.ts';
import type { NotUnderstood } from './visual/contract.ts';

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

/** `twice`: people who are asked for together with themselves. */
export function twiceText(twice: readonly string[]): string | false {
  const what = 'The same person is required twice in one picture, so nothing matches';
  return twice.length > 0 && `${what}: ${some(twice)}`;
}

/** What the person should know about an answer, or nothing. */
export function warning(
  warnings: Warnings,
): Pick<SearchAnswer, 'toast_warning' | 'warnings' | 'not_understood'> {
  const {
    reading,
    nothingUnderstood,
    twice,
    missing,
    unloaded,
    unsearched,
    gone,
    changed,
    unreadable,
    outdated,
    fallbackFrom,
    noPreview,
  } = warnings;
  const sentences = warningFields([
    ...(reading ? readingParts(reading) : []),
    fallbackFrom !== null &&
      `The model ${fallbackFrom} could not be loaded; the default model was used instead`,
    unsearched > 0 &&
      `${lengthText(unsearched)} of pictures could not be searched, because the machines that hold them do not answer`,
    nothingUnderstood && 'The query contains nothing that the visual model can search for',
    twiceText(twice),
    missing.length > 0 && `Not analysed yet: ${some(missing)}`,
    unloaded.length > 0 && `Pictures not analysed or not loaded: ${some(unloaded)}`,
    gone.length > 0 && `File not found at its known path: ${some(gone)}`,
    changed.length > 0 && `Changed since it was analysed; analyse it again: ${some(changed)}`,
    unreadable.length > 0 && `Damaged analysis; analyse these files again with force: ${some(unreadable)}`,
    outdated.count > 0 &&
      `Analysed by an older version of the model; analyse it again: ${some(outdated.names, outdated.count)}`,
    noPreview > 0 && `Frames without a preview: ${noPreview}`,
  ]);
  return { ...sentences, ...(reading && { not_understood: notUnderstood(reading) }) };
}

function notUnderstood(reading: Reading): NotUnderstood {
  const { unknown, unknownExcluded, advised, things } = reading;
  const visual = advised && !advised.downloaded ? [advised.row.key] : [];
  return {
    words: [...unknown, ...unknownExcluded],
    model_keys: [...(things === 'download' ? ['sight'] : []), ...visual],
    advice: adviceOf(reading),
  };
}

/** Sentences for a person; `false` for what is not to be said. */
export function warningFields(
  all: readonly (string | false)[],
): Pick<SearchAnswer, 'toast_warning' | 'warnings'> {
  const warnings = all.filter((part) => part !== false);
  return warnings.length > 0 ? { toast_warning: warnings.join('. '), warnings } : {};
}

/** Matches by half of the words look like an answer to all of them, so how weak they are comes first. */
function readingParts(reading: Reading): string[] {
  const { model_key, known, unknown, unknownExcluded, weak: uncertain, ranked } = reading;
  const advice = adviceOf(reading);
  const notUnderstood = [...unknown, ...unknownExcluded];
  const quoted = known.map((word) => `"${word}"`).join(', ');
  const weak = `Weak: ranked by ${quoted} alone, ${known.length} of ${known.length + unknown.length} words`;
  return [
    ...(ranked && unknown.length > 0 ? [weak] : []),
    ...(notUnderstood.length > 0
      ? [
          `Not understood by ${model_key}: ${some(notUnderstood)}`,
          `${model_key} recognizes ${starterKnows}, but no objects, people or actions`,
        ]
      : []),
    ...(uncertain.length > 0
      ? [`${model_key} finds these only roughly, along with many false matches: ${some(uncertain)}`]
      : []),
    ...(advice ? [advice] : []),
  ];
}

/** The only model without an open vocabulary is the one made here. */
const starterKnows = 'colours, where in the picture they are, light, texture, layout and simple scenes';

/** Null where nothing would help. */
function adviceOf({ advised, things }: Reading): string | null {
  if (!advised && !things) return null;
  const commands = [
    ...(things === 'download' ? ['framehound setup'] : []),
    ...(advised ? [commandOf(advised)] : []),
    'framehound analyze PATH',
  ];
  return `To find them: ${commands.join(', then ')}`;
}

function commandOf({ row: { key, size_gb }, downloaded }: Pick<ListedModel, 'row' | 'downloaded'>): string {
  return downloaded
    ? `framehound models use ${key}`
    : `framehound models pull ${key} --use (${sizeText(size_gb)})`;
}

/** The same of a search of transcripts. */
export function transcriptWarning({
  missing,
  unloaded,
  gone,
  changed,
  unreadable,
}: Pick<Warnings, 'missing' | 'unloaded' | 'gone' | 'changed' | 'unreadable'>): Pick<
  SearchAnswer,
  'toast_warning'
> {
  const { toast_warning } = warningFields([
    missing.length > 0 && `Not analysed yet: ${some(missing)}`,
    unloaded.length > 0 && `Not transcribed, or the transcription is not loaded: ${some(unloaded)}`,
    gone.length > 0 && `File not found at its known path: ${some(gone)}`,
    changed.length > 0 && `Changed since it was analysed; analyse it again: ${some(changed)}`,
    unreadable.length > 0 &&
      `Damaged transcriptions; transcribe these files again with force: ${some(unreadable)}`,
  ]);
  return toast_warning === undefined ? {} : { toast_warning };
}

/** Of so many seconds. */
function lengthText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} hours`;
}

const mostNames = 5;

/** A request may name thousands of files, a warning is read by a person. */
export function some(names: readonly string[], count = names.length): string {
  const more = count - Math.min(mostNames, names.length);
  return names.slice(0, mostNames).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
