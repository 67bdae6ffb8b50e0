// What a person should know about an answer that is not whole. Pure.
import type { SearchAnswer } from './contract.ts';

export interface Warnings {
  /** The query has no word the model could look for, not even an unknown one. */
  readonly nothingUnderstood: boolean;
  readonly unknownWords: readonly string[];
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
  /** The model that was asked for, when another one had to be used. */
  readonly fallbackFrom: string | null;
  /** Matches without a stored preview. */
  readonly noPreview: number;
}

/** What the person should know about an answer, or nothing. */
export function warning(warnings: Warnings): Pick<SearchAnswer, 'toast_warning'> {
  const {
    nothingUnderstood,
    unknownWords,
    missing,
    unloaded,
    gone,
    changed,
    unreadable,
    fallbackFrom,
    noPreview,
  } = warnings;
  const parts = [
    fallbackFrom !== null && `The model ${fallbackFrom} cannot be loaded, the default one answered`,
    nothingUnderstood && 'The query says nothing the visual model can look for',
    unknownWords.length > 0 && `Not understood by the visual model: ${unknownWords.join(', ')}`,
    missing.length > 0 && `Not analysed yet: ${some(missing)}`,
    unloaded.length > 0 && `No picture of it is analysed, or it is not loaded: ${some(unloaded)}`,
    gone.length > 0 && `Not where it was: ${some(gone)}`,
    changed.length > 0 && `Written anew since it was analysed, to be analysed again: ${some(changed)}`,
    unreadable.length > 0 &&
      `Analysis that cannot be read and has to be made again (force): ${some(unreadable)}`,
    noPreview > 0 && `Frames without a preview: ${noPreview}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? { toast_warning: parts.join('. ') } : {};
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
  const parts = [
    missing.length > 0 && `Not analysed yet: ${some(missing)}`,
    unloaded.length > 0 && `Not transcribed, or its transcription is not loaded: ${some(unloaded)}`,
    gone.length > 0 && `Not where it was: ${some(gone)}`,
    changed.length > 0 && `Written anew since it was analysed, to be analysed again: ${some(changed)}`,
    unreadable.length > 0 &&
      `Transcriptions that cannot be read and have to be made again (force): ${some(unreadable)}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? { toast_warning: parts.join('. ') } : {};
}

const mostNames = 5;

/** A request may name thousands of files, a warning is read by a person. */
function some(names: readonly string[]): string {
  const more = names.length - mostNames;
  return names.slice(0, mostNames).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
