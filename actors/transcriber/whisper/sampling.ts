// Samples the next token of Whisper under the rules of the reference implementation, with which the models
// were evaluated: time tokens come in pairs around each phrase and never run backwards, the first one lies
// within a second, and suppressed tokens are never written.

import type { TextPiece } from '../family.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Time from one time token to the next. */
const TIME_STEP_SECONDS = 0.02;
/** Number of time tokens: 0 to 30 s. */
export const TIMES = 1501;
/** The last time token with which the first phrase may begin. */
const LATEST_START = 50;
/** Logits this far below the highest are left out of sums: they would be lost in rounding. */
const NEGLIGIBLE = 18;

interface SampledToken {
  readonly token: number;
  /** Natural logarithm of its probability among the allowed tokens. */
  readonly logProbability: number;
}

/** Greedy at temperature 0; `random` answers 0 ≤ x < 1. */
export interface Sampling {
  readonly temperature: number;
  random(): number;
}

/** Tokens from `from` up to `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * The next token after `written` (without the prompt). `logits`: one for each token, *changed*: those of
 * suppressed tokens become −Infinity. `isLast`: no token can follow this one; where no phrase has ended yet
 * it is a time, so that the text says how far it got. Answers the end token when no other is possible.
 */
export function sampleToken(
  logits: Float32Array,
  written: readonly number[],
  vocabulary: Vocabulary,
  sampling: Sampling,
  isLast = false,
): SampledToken {
  for (const token of vocabulary.suppressed) logits[token] = Number.NEGATIVE_INFINITY;
  if (written.length === 0)
    for (const token of vocabulary.suppressedFirst) logits[token] = Number.NEGATIVE_INFINITY;
  const { firstTime } = vocabulary;
  const timeOnly = isLast && written.findLastIndex((token) => token >= firstTime) < 1;
  const text = timeOnly ? { from: 0, to: 0 } : textAllowed(written, vocabulary);
  const times = timesAllowed(written, vocabulary, logits.length);
  const bestText = highest(logits, text);
  const bestTime = highest(logits, times);
  const timeMass = logSumExp(logits, times, bestTime.value);
  // A time is written when all time tokens together are more likely than the likeliest word, as in the
  // reference.
  const timed = timeMass > bestText.value;
  const best = timed ? bestTime : bestText;
  if (best.value === Number.NEGATIVE_INFINITY) return { token: vocabulary.end, logProbability: 0 };
  const ranges = timed ? [times] : [text, times];
  const mass = timed ? timeMass : logAdd(logSumExp(logits, text, bestText.value), timeMass);
  const token = sampling.temperature === 0 ? best.token : sample(logits, ranges, best.value, sampling);
  return { token, logProbability: logits[token]! - mass };
}

/** Text tokens, and the end token. */
function textAllowed(written: readonly number[], { end, firstTime }: Vocabulary): Range {
  if (written.length === 0) return { from: 0, to: 0 };
  // After the end of a phrase comes the start time of the next one, or the end token.
  if (endsPhrase(written, firstTime)) return { from: end, to: end + 1 };
  return { from: 0, to: end + 1 };
}

function timesAllowed(written: readonly number[], { firstTime }: Vocabulary, size: number): Range {
  const to = Math.min(size, firstTime + TIMES);
  const last = written.at(-1);
  if (last === undefined) return { from: firstTime, to: Math.min(to, firstTime + LATEST_START + 1) };
  if (last >= firstTime && !endsPhrase(written, firstTime)) return { from: to, to };
  const latest = written.findLast((token) => token >= firstTime);
  if (latest === undefined) return { from: firstTime, to };
  // A phrase may begin where the one before ended, but must end later than it begins.
  return { from: Math.min(to, endsPhrase(written, firstTime) ? latest : latest + 1), to };
}

/** True if the last token is the time at which a phrase ends. */
function endsPhrase(written: readonly number[], firstTime: number): boolean {
  const last = written.at(-1);
  const before = written.at(-2);
  return last !== undefined && last >= firstTime && before !== undefined && before < firstTime;
}

function highest(logits: Float32Array, { from, to }: Range): { token: number; value: number } {
  let token = from;
  let value = Number.NEGATIVE_INFINITY;
  for (let at = from; at < to; at += 1) {
    if (logits[at]! > value) {
      value = logits[at]!;
      token = at;
    }
  }
  return { token, value };
}

/** Logarithm of the summed exponentials; `most`: the highest of them. */
function logSumExp(logits: Float32Array, { from, to }: Range, most: number): number {
  if (most === Number.NEGATIVE_INFINITY) return most;
  let sum = 0;
  const least = most - NEGLIGIBLE;
  for (let at = from; at < to; at += 1) if (logits[at]! > least) sum += Math.exp(logits[at]! - most);
  return most + Math.log(sum);
}

function logAdd(a: number, b: number): number {
  const most = Math.max(a, b);
  return most === Number.NEGATIVE_INFINITY ? most : most + Math.log(Math.exp(a - most) + Math.exp(b - most));
}

function sample(
  logits: Float32Array,
  ranges: readonly Range[],
  most: number,
  { temperature, random }: Sampling,
): number {
  const weight = (token: number) => Math.exp((logits[token]! - most) / temperature);
  let total = 0;
  for (const { from, to } of ranges) for (let at = from; at < to; at += 1) total += weight(at);
  let remainder = random() * total;
  let last = ranges[0]!.from;
  for (const { from, to } of ranges) {
    for (let at = from; at < to; at += 1) {
      const tokenWeight = weight(at);
      if (tokenWeight === 0) continue;
      last = at;
      remainder -= tokenWeight;
      if (remainder < 0) return at;
    }
  }
  return last;
}

/** Softmax probability of one token; 0 for none. `logits`: *borrowed, unchanged*. */
export function probabilityOf(logits: Float32Array, token: number | null): number {
  if (token === null) return 0;
  const all = { from: 0, to: logits.length };
  return Math.exp(logits[token]! - logSumExp(logits, all, highest(logits, all).value));
}

/** A language, and its probability among those of the model. */
export interface LikelyLanguage {
  readonly language: string;
  readonly probability: number;
}

/** The likeliest of the languages; null when there are none. `logits`: after the start token. */
export function likeliest(
  logits: Float32Array,
  languages: ReadonlyMap<string, number>,
): LikelyLanguage | null {
  let best: string | null = null;
  let value = Number.NEGATIVE_INFINITY;
  for (const [language, token] of languages) {
    if (best === null || logits[token]! > value) [best, value] = [language, logits[token]!];
  }
  if (best === null) return null;
  let mass = 0;
  for (const token of languages.values()) mass += Math.exp(logits[token]! - value);
  return { language: best, probability: 1 / mass };
}

/** A seeded random generator, 0 ≤ x < 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Meaning of Whisper's tokens: phrases, which are text between time tokens, and the point from which the
// sound has to be decoded again.

/**
 * `written`: of the sound from `from` to `to`, both in seconds from the start of the window, without prompt
 * and end token. A phrase lasts from the time token before it to the one after it, or to `to`. Later times
 * are clamped to it. Starts ascend.
 */
export function phrasesOf(
  written: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
  { firstTime, text }: Pick<Vocabulary, 'firstTime' | 'text'>,
): TextPiece[] {
  const phrases: TextPiece[] = [];
  let words: number[] = [];
  let start = from;
  const close = (end: number) => {
    const said = text(words);
    words = [];
    if (said.trim() !== '') phrases.push({ text: said, start, end });
  };
  for (const token of written) {
    if (token < firstTime) {
      words.push(token);
      continue;
    }
    const time = Math.max(start, Math.min(to, from + (token - firstTime) * TIME_STEP_SECONDS));
    if (words.length > 0) close(time);
    start = time;
  }
  if (words.length > 0) close(Math.max(start, to));
  return phrases;
}

/** The end of a text whose last phrase has one; null where it has none, or says nothing. */
export function endOf(
  written: readonly number[],
  { firstTime }: Pick<Vocabulary, 'firstTime'>,
): Resumption | null {
  const last = written.at(-1) ?? 0;
  if (last <= firstTime || written.length < 3) return null;
  return { tokens: written.length, seconds: (last - firstTime) * TIME_STEP_SECONDS };
}

/** Where decoding goes on. */
interface Resumption {
  /** Tokens before it, which stand; the others are decoded again. */
  readonly tokens: number;
  /** Seconds from the start of the decoded sound; above 0. */
  readonly seconds: number;
}

/**
 * Null when the text is complete: the model ended it, and its last phrase has an end time or is the only one.
 * Else, as in the reference implementation, decoding goes on where the last phrase ended. `ended`: whether
 * the model wrote its end token.
 */
export function resumptionOf(
  written: readonly number[],
  ended: boolean,
  { firstTime }: Pick<Vocabulary, 'firstTime'>,
): Resumption | null {
  const isTime = (at: number) => (written[at] ?? 0) >= firstTime;
  const endsPhrase = (at: number) => at > 0 && isTime(at) && !isTime(at - 1);
  const last = written.length - 1;
  if (ended && endsPhrase(last)) return null;
  const at = written.findLastIndex((_, i) => endsPhrase(i));
  if (at < 0) return null;
  return { tokens: at + 1, seconds: (written[at]! - firstTime) * TIME_STEP_SECONDS };
}
