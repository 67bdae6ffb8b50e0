// Which speech model transcribes a file: the one that was asked for where it can, else the best one that is downloaded.
import { speechErrors, type XPreference } from './contract.ts';
import { languageName, offeredLanguage } from './text/languages.ts';

/** A speech model there is, as the registry says it. */
export interface SpeechOffer {
  readonly key: string;
  /** BCP 47, `*` for very many. */
  readonly languages: readonly string[];
  readonly speed: number;
  readonly accuracy: number;
  readonly size_gb: number;
  readonly downloaded: boolean;
}

export interface SpeechChoice {
  readonly model_key: string;
  /** The key the preference means, where another model is used because that one is not downloaded or lacks the language. */
  readonly instead_of: string | null;
}

const meant: Readonly<Record<XPreference, string | null>> = {
  auto: null,
  faster: 'x3-asr-0.6b',
  'more accurate': 'x3-asr-1.7b',
  'x3-asr-0.6b': 'x3-asr-0.6b',
  'x3-asr-1.7b': 'x3-asr-1.7b',
};

/**
 * `language`: BCP 47, or null to find out. Throws NO_SPEECH_MODEL when nothing is downloaded and LANGUAGE_UNSUPPORTED
 * when nothing downloaded understands the language, both with the command that helps.
 */
export function chooseSpeechModel(
  offers: readonly SpeechOffer[],
  preference: XPreference,
  language: string | null,
): SpeechChoice {
  const able = offers.filter((offer) => understands(offer, language));
  const wanted = meant[preference];
  const here = able.filter(({ downloaded }) => downloaded);
  const exact = here.find(({ key }) => key === wanted);
  const best = exact ?? here.toSorted((a, b) => rank(a, b, language))[0];
  if (best) return { model_key: best.key, instead_of: wanted === best.key ? null : wanted };
  const help = able.find(({ key }) => key === wanted) ?? able.toSorted(byWorth)[0];
  const command = help ? `framehound models pull ${help.key}` : null;
  const present = offers.filter(({ downloaded }) => downloaded).map(({ key }) => key);
  const details = { language, command };
  if (present.length === 0 && command !== null) {
    throw speechErrors.NO_SPEECH_MODEL(`No speech model is downloaded: ${command}`, details);
  }
  const named = language === null ? 'speech' : `${languageName(language)} (${language})`;
  const what =
    present.length > 0
      ? `Of ${present.join(', ')} none understands ${named}`
      : `No speech model understands ${named}`;
  throw speechErrors.LANGUAGE_UNSUPPORTED(command === null ? what : `${what}: ${command}`, details);
}

function understands({ languages }: SpeechOffer, language: string | null): boolean {
  return language === null || offeredLanguage(languages, language) !== null;
}

/** More accurate first, then faster; where the language is to be found out, models of one language last. */
function rank(a: SpeechOffer, b: SpeechOffer, language: string | null): number {
  const single = (offer: SpeechOffer) =>
    Number(language === null && offer.languages.length === 1 && offer.languages[0] !== '*');
  return single(a) - single(b) || b.accuracy - a.accuracy || b.speed - a.speed || order(a.key, b.key);
}

/** What a person is told to download: not the largest one, but one that is both accurate and fast. */
function byWorth(a: SpeechOffer, b: SpeechOffer): number {
  const worth = (offer: SpeechOffer) => offer.accuracy + offer.speed;
  return worth(b) - worth(a) || a.size_gb - b.size_gb || order(a.key, b.key);
}

const order = (a: string, b: string) => (a < b ? -1 : Number(a > b));
