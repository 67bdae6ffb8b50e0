// Removes hallucinations of speech models, one window at a time: text over silence, phrases common in
// subtitles used for training, repetitions, and more text than can be spoken in the time. What is removed is
// answered with its reason.
import { deflateSync } from 'node:zlib';
import type { TextConfidence } from '../family.ts';
import { isBlank, segmentWords, type TimedPiece } from './timing.ts';

export type RemovalReason = 'no speech' | 'training phrase' | 'repetition' | 'too fast';

/** Text that was removed, as the model wrote it. */
export interface Removed {
  readonly reason: RemovalReason;
  readonly text: string;
  /** Measured values, for the log. */
  readonly detail: string;
}

export interface HeardWindow {
  readonly pieces: readonly TimedPiece[];
  /** Length of the window, and of the detected speech in it. */
  readonly seconds: number;
  readonly speechSeconds: number;
  /** Certainty that the model reports, if any. */
  readonly confidence?: TextConfidence | undefined;
}

interface Filtered {
  readonly pieces: readonly TimedPiece[];
  readonly removed: readonly Removed[];
}

/** Shorter speech is a click or a breath. */
const MIN_SPEECH_SECONDS = 0.1;
/**
 * Whisper's own thresholds. Both have to be passed: a confident text is right even where speech is doubtful.
 */
const NO_SPEECH_THRESHOLD = 0.6;
const LOG_PROBABILITY_THRESHOLD = -1;
/** Training phrases are removed below this much speech, and below this share of the window. */
const FAINT_SECONDS = 1.2;
const FAINT_SHARE = 0.2;
/**
 * More in a second than anybody says: fast readers reach 25 letters, and 9 where a character is a syllable.
 */
const LETTERS_A_SECOND = 45;
const SYLLABLES_A_SECOND = 18;
/** Compression ratio of a text that repeats itself with small changes. */
const REPETITIVE_RATIO = 4;

/** Removes from a window what cannot have been said. Pieces that lose part of their text keep their times. */
export function filterHallucinations(window: HeardWindow): Filtered {
  const text = joined(window.pieces);
  if (isBlank(text)) return { pieces: [], removed: [] };
  const all = (reason: RemovalReason, detail: string): Filtered => ({
    pieces: [],
    removed: [{ reason, text, detail }],
  });
  const silence = silenceOf(window);
  if (silence) return all('no speech', silence);
  if (isFaint(window) && onlyTrainingPhrases(text)) {
    return all('training phrase', `${window.speechSeconds.toFixed(2)} s of speech`);
  }
  const { pieces, removed } = withoutRepetitions(window.pieces);
  const remaining = joined(pieces);
  const ratio = compressionRatio(remaining);
  if (ratio > REPETITIVE_RATIO) return all('repetition', `deflates to 1/${ratio.toFixed(1)}`);
  const rate = speakingRate(remaining, window.speechSeconds);
  if (rate > 1) return all('too fast', `${rate.toFixed(1)} times what can be said in its speech`);
  return { pieces, removed };
}

const joined = (pieces: readonly TimedPiece[]) => pieces.map(({ text }) => text).join('');

function silenceOf({ speechSeconds, confidence }: HeardWindow): string | null {
  if (speechSeconds < MIN_SPEECH_SECONDS) return `${speechSeconds.toFixed(2)} s of speech`;
  if (
    !confidence ||
    confidence.noSpeech <= NO_SPEECH_THRESHOLD ||
    confidence.meanLogProbability >= LOG_PROBABILITY_THRESHOLD
  )
    return null;
  const { noSpeech, meanLogProbability } = confidence;
  return `no speech ${noSpeech.toFixed(2)}, mean log probability ${meanLogProbability.toFixed(2)}`;
}

const isFaint = ({ seconds, speechSeconds }: HeardWindow) =>
  speechSeconds < FAINT_SECONDS && speechSeconds < FAINT_SHARE * seconds;

/**
 * Phrases that models trained on subtitles write over silence. People say them too, so they are removed only
 * from windows with hardly any speech and no other text.
 */
const trainingPhrases: readonly RegExp[] = [
  /^(thanks?( you)?|thank you( so| very)? much)( (all|everyone))?( for (watching|listening|viewing))?$/,
  /^(please )?(like and |like share and )?subscribe( to (my|our|the) channel)?$/,
  /^(i ll )?see you( (guys|all))?( in the)? next (time|video|one)$/,
  /^(bye( bye)*|you|the end|so|oh|okay|hmm|music|applause|silence|foreign)$/,
  /^(subtitles?|captions?|transcri(bed|ption|pts?)|translated)( (by|from|provided))? .*$/,
  /^(amara org|subtitles by the amara org community)$/,
  /^untertitel( (im auftrag|der|von|des) .*)?$/,
  /^vielen dank( fürs zuschauen)?$/,
  /^sous titr(es|age)( .*)?$/,
  /^merci d avoir regardé( cette vidéo)?$/,
  /^(gracias por ver( el v[ií]deo)?|subtítulos( .*)?)$/,
  /^(sottotitoli( .*)?|grazie per la visione)$/,
  /^(legendas( .*)?|obrigad[oa] por assistir)$/,
  /^(продолжение следует|субтитры( .*)?|редактор субтитров .*|спасибо за просмотр)$/,
  /^(ご視聴ありがとうございました|チャンネル登録.*|おやすみなさい)$/,
  /^(请不吝点赞.*|谢谢(大家|观看|大家观看)?|字幕.*|多谢您的观看)$/,
  /^(시청해 ?주셔서 감사합니다|감사합니다|구독.*)$/,
];

function onlyTrainingPhrases(text: string): boolean {
  return text
    .split(/[.!?]+(?=\s|$)|[。！？♪\n]+/u)
    .map(plainWords)
    .every((sentence) => sentence === '' || trainingPhrases.some((phrase) => phrase.test(sentence)));
}

const plainWords = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/**
 * Letters of a text for each byte of it deflated; below 1 for short texts. Above 2.4 it probably repeats
 * itself. One byte a letter, whatever its script: the first bytes of UTF-8 are the same for all letters of
 * Hindi, Thai or Georgian, whose honest texts would look like repetitions.
 */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text.trim(), 'latin1');
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}

/**
 * How many times faster than anybody speaks. Speech is detected narrowly, so half a second is added at each
 * end.
 */
function speakingRate(text: string, speechSeconds: number): number {
  const syllables = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu);
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const slow = syllables?.length ?? 0;
  return ((letters - slow) / LETTERS_A_SECOND + slow / SYLLABLES_A_SECOND) / (speechSeconds + 1);
}

/** Text that repeats itself up to `to`; its first occurrence, up to `from`, stays. */
interface Repetition {
  readonly from: number;
  readonly to: number;
  readonly times: number;
}

const LONGEST_UNIT = 40;
/**
 * Occurrences in a row from which words are removed: people do say "no, no, no, no", and sing a line four
 * times.
 */
const minTimes = (words: number) => (words < 3 ? 8 : 5);
/** Repetition inside a word, in letters: longer than anybody writes a laugh or a scream. */
const letterRepetition = /(\S{1,8}?)\1{15,}/gsu;

/** Leaves the first occurrence of every repetition. */
function withoutRepetitions(pieces: readonly TimedPiece[]): Filtered {
  const text = joined(pieces);
  const words = wordRepetitions(text);
  // In scripts without spaces both searches find the same repetition.
  const letters = letterRepetitions(text).filter((repetition) =>
    words.every(({ from, to }) => repetition.to <= from || to <= repetition.from),
  );
  const repetitions = [...letters, ...words].sort((a, b) => a.from - b.from);
  const removed = repetitions.map(({ from, to, times }): Removed => {
    return { reason: 'repetition', text: text.slice(from, to), detail: `${times} times in a row` };
  });
  return { pieces: repetitions.length === 0 ? pieces : withoutRanges(pieces, repetitions), removed };
}

function letterRepetitions(text: string): Repetition[] {
  return [...text.matchAll(letterRepetition)].map(({ 0: run, 1: unit, index }) => {
    const length = unit!.length;
    return { from: index + 3 * length, to: index + run.length, times: run.length / length };
  });
}

function wordRepetitions(text: string): Repetition[] {
  const tokens = segmentWords(text, Math.max(2, text.length)).map((token) => ({
    ...token,
    plain: plainWords(token.text),
  }));
  // Punctuation that stands alone does not interrupt a repetition.
  const words = tokens.filter(({ plain }) => plain !== '');
  const plain = words.map(({ plain }) => plain);
  const repetitions: Repetition[] = [];
  for (let at = 0; at < words.length; ) {
    const repetition = repetitionAt(plain, at);
    if (!repetition) {
      at += 1;
      continue;
    }
    const last = at + repetition.length - 1;
    repetitions.push({
      from: words[at + repetition.unit - 1]!.to,
      to: words[last]!.to,
      times: repetition.times,
    });
    at = last + 1;
  }
  return repetitions;
}

/** The shortest unit that repeats from `at` on, and how many words all its occurrences are. */
function repetitionAt(
  words: readonly string[],
  at: number,
): { unit: number; length: number; times: number } | null {
  for (let unit = 1; unit <= LONGEST_UNIT; unit += 1) {
    let end = at + unit;
    while (end < words.length && words[end] === words[end - unit]) end += 1;
    const times = Math.floor((end - at) / unit);
    if (times >= minTimes(unit)) return { unit, length: end - at, times };
  }
  return null;
}

function withoutRanges(pieces: readonly TimedPiece[], repetitions: readonly Repetition[]): TimedPiece[] {
  let offset = 0;
  return pieces.flatMap((piece) => {
    const start = offset;
    offset += piece.text.length;
    let text = '';
    let at = start;
    for (const { from, to } of repetitions) {
      if (from > at) text += piece.text.slice(at - start, Math.max(at, from) - start);
      at = Math.max(at, to);
    }
    text += piece.text.slice(Math.min(at, offset) - start);
    return isBlank(text) ? [] : [{ ...piece, text }];
  });
}
