// What a sentence of a language model claims that the material does not hold: names, times, quotations, and
// words of the film passed off as what happens in it. Rules on the surface of English, strict where they
// cannot tell.

import { type EvidenceFacts, timePattern } from './evidence.ts';
import { isOrdinary } from './ordinary-words.ts';
import { reportsSpeech } from './speech-verbs.ts';
import { folded, foldedLine, wordsOf } from './words.ts';

export interface Claim {
  readonly kind: 'name' | 'time' | 'quote' | 'copy';
  /** The part of the sentence that is not held. */
  readonly what: string;
}

/**
 * Null when the material holds what the sentence says. `outsiders`: folded words that the model itself calls
 * names.
 */
export function claimOf(
  sentence: string,
  known: EvidenceFacts,
  outsiders: ReadonlySet<string>,
): Claim | null {
  return (
    quoteClaim(sentence, known) ??
    timeClaim(sentence, known) ??
    nameClaim(sentence, known, outsiders) ??
    copyClaim(sentence, known)
  );
}

const quotePattern =
  /["“”„«»]([^"“”„«»]*)(?:["“”„«»]|$)|(?<![\p{L}\p{N}])['‘]([^'‘’]+)(?:['’](?![\p{L}\p{N}])|$)/gu;

function quoteClaim(sentence: string, { quotable, names }: EvidenceFacts): Claim | null {
  for (const [, double, single] of sentence.matchAll(quotePattern)) {
    const quote = double ?? single ?? '';
    for (const piece of quote.split(/…|\.\.\./)) {
      const line = foldedLine(piece);
      if (line.trim() === '' || quotable.includes(line)) continue;
      if (
        line
          .trim()
          .split(' ')
          .every((word) => names.has(word))
      )
        continue;
      return { kind: 'quote', what: quote.trim() };
    }
  }
  return null;
}

const spelledTimes = [
  /\b(?:at|from|until|till|around|by)\s+(?:about\s+|around\s+)?(\d+(?:\.\d+)?)\s*-?\s*(seconds?|secs?|s|minutes?|mins?|hours?)\b/gi,
  /\b(\d+)(?:st|nd|rd|th)[\s-]+(seconds?|minutes?)\b/gi,
];
const namedTimes = /\b(second|minute|timestamp|time|frame)\s+(?:number\s+)?(\d+)\b/gi;

function timeClaim(sentence: string, { range: [start, end], saidTimes }: EvidenceFacts): Claim | null {
  const text = sentence.normalize('NFKC');
  const isIn = (seconds: number) => seconds >= start && seconds <= end;
  const [foreign] = text.match(/(?![0-9])\p{Nd}+/u) ?? [];
  if (foreign) return { kind: 'time', what: foreign };
  for (const [time] of text.matchAll(timePattern)) {
    if (!saidTimes.has(time) && !isIn(secondsOf(time))) return { kind: 'time', what: time };
  }
  for (const pattern of spelledTimes)
    for (const [what, count, unit] of text.matchAll(pattern)) {
      if (!isIn(Number(count) * factorOf(unit!))) return { kind: 'time', what };
    }
  for (const [what, unit, count] of text.matchAll(namedTimes)) {
    if (!isIn(Number(count) * factorOf(unit!))) return { kind: 'time', what };
  }
  return null;
}

/** Of `65:00`, `1:05` or `1:01:05`. */
export function secondsOf(time: string): number {
  return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

const factorOf = (unit: string) => (/^h/i.test(unit) ? 3600 : /^m/i.test(unit) ? 60 : 1);

/** Words that English writes with a capital and that name nobody. */
const capitals = new Set(
  'i tv cctv led dvd cd uk us usa eu gps t-shirt t-shirts x-ray x-rays monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december christmas easter english'.split(
    ' ',
  ),
);

function nameClaim(sentence: string, known: EvidenceFacts, outsiders: ReadonlySet<string>): Claim | null {
  // Quotations are held word for word.
  const own = sentence.replaceAll(quotePattern, (quote) => ' '.repeat(quote.length));
  const words = wordsOf(own);
  const reports = reportsSpeech(own);
  for (const [at, { text, start }] of words.entries()) {
    const isFirst = at === 0 || /[.:;!?]\s*$/u.test(own.slice(0, start));
    const word = folded(text);
    if (outsiders.has(word)) return { kind: 'name', what: text };
    if (known.names.has(word) || capitals.has(word)) continue;
    if (reports && known.heard.has(word)) continue;
    const isForeign = /(?!\p{Script=Latin})\p{L}/u.test(text);
    const isCapital = /^\p{Lu}|\p{Lt}/u.test(text) || /[-'’]\p{Lu}/u.test(text);
    if (isForeign || (isCapital && !(isFirst && isOrdinary(word)))) return { kind: 'name', what: text };
  }
  return null;
}

/** Fewer words that are the same are chance. */
const leastCopied = 7;

function copyClaim(sentence: string, { said }: EvidenceFacts): Claim | null {
  const line = foldedLine(sentence.replaceAll(quotePattern, ' '));
  const words = line.trim().split(' ');
  for (let from = 0; from + leastCopied <= words.length; from++) {
    const run = words.slice(from, from + leastCopied).join(' ');
    if (said.includes(` ${run} `)) return { kind: 'copy', what: run };
  }
  return null;
}
