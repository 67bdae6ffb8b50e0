// Chooses the speech model for a file: the preferred one if it is downloaded and knows the language, else the
// best that does.

import { languageName, offeredLanguage } from '../../runtime/languages.ts';
import { noModelErrors } from '../models/contract.ts';
import { speechErrors, type XPreference } from './contract.ts';

/** A speech model of the registry. */
export interface SpeechCandidate {
  readonly key: string;
  /** BCP 47, `*` for very many. */
  readonly languages: readonly string[];
  readonly speed: number;
  readonly accuracy: number;
  readonly size_gb: number;
  /** False if it was never measured here. */
  readonly is_measured: boolean;
  readonly downloaded: boolean;
}

interface SpeechChoice {
  readonly model_key: string;
  /**
   * The preferred key, where another model is used because that one is not downloaded or lacks the language.
   */
  readonly instead_of: string | null;
}

const preferredKeys: Readonly<Record<XPreference, string | null>> = {
  auto: null,
  faster: 'x3-asr-0.6b',
  'more accurate': 'x3-asr-1.7b',
  'x3-asr-0.6b': 'x3-asr-0.6b',
  'x3-asr-1.7b': 'x3-asr-1.7b',
};

/**
 * `language`: BCP 47, or null to detect it. `unusable`: which models cannot be used, as `unusableModels` says
 * it. Throws NO_SPEECH_MODEL when nothing is downloaded and LANGUAGE_UNSUPPORTED when nothing downloaded
 * knows the language, both with the command that downloads a model.
 */
export function chooseSpeechModel(
  candidates: readonly SpeechCandidate[],
  preference: XPreference,
  language: string | null,
  unusable = '',
): SpeechChoice {
  const able = candidates.filter((candidate) => understands(candidate, language));
  const preferredKey = preferredKeys[preference];
  const present = able.filter(({ downloaded }) => downloaded);
  const exact = present.find(({ key }) => key === preferredKey);
  const best = exact ?? present.toSorted((a, b) => rank(a, b, language))[0];
  if (best) return { model_key: best.key, instead_of: preferredKey === best.key ? null : preferredKey };
  const suggested = able.find(({ key }) => key === preferredKey) ?? able.toSorted(bySuggestion)[0];
  const command = suggested ? `framehound models pull ${suggested.key}` : null;
  const advice = suggested?.is_measured === false ? `${command} (not measured here)` : command;
  const downloaded = candidates.filter(({ downloaded }) => downloaded).map(({ key }) => key);
  const details = { language, command };
  if (downloaded.length === 0 && command !== null) {
    throw noModelErrors.NO_SPEECH_MODEL(`No speech model is downloaded: ${advice}${unusable}`, details);
  }
  const named = language === null ? 'speech' : `${languageName(language)} (${language})`;
  const what =
    downloaded.length > 0
      ? `Of ${downloaded.join(', ')} none understands ${named}`
      : `No speech model understands ${named}`;
  throw speechErrors.LANGUAGE_UNSUPPORTED(advice === null ? what : `${what}: ${advice}`, details);
}

function understands({ languages }: SpeechCandidate, language: string | null): boolean {
  return language === null || offeredLanguage(languages, language) !== null;
}

/** More accurate first, then faster; where the language has to be detected, models of one language last. */
function rank(a: SpeechCandidate, b: SpeechCandidate, language: string | null): number {
  const single = (candidate: SpeechCandidate) =>
    Number(language === null && candidate.languages.length === 1 && candidate.languages[0] !== '*');
  return single(a) - single(b) || b.accuracy - a.accuracy || b.speed - a.speed || order(a.key, b.key);
}

/**
 * The model suggested for download first: one that was measured, then one that is both accurate and fast,
 * then a small one.
 */
function bySuggestion(a: SpeechCandidate, b: SpeechCandidate): number {
  const worth = (candidate: SpeechCandidate) => candidate.accuracy + candidate.speed;
  const measured = Number(b.is_measured) - Number(a.is_measured);
  return measured || worth(b) - worth(a) || a.size_gb - b.size_gb || order(a.key, b.key);
}

const order = (a: string, b: string) => (a < b ? -1 : Number(a > b));
