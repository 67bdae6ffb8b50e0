// Queries: words and phrases.
import { type FoldedTexts, fold, foldedByte, startOf } from './fold.ts';

const quotes = /[“”„‟«»]/g;

/**
 * The words of a query, folded, each once; what stands in quotation marks is one of them, blanks included. A
 * mark that is not closed counts up to the end. None for a query of blanks and marks alone.
 */
export function wordsOf(query: string): string[] {
  const words = new Set<string>();
  for (const [, phrase, word] of fold(query)
    .replace(quotes, '"')
    .matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const plain = (phrase ?? word ?? '').replace(/\s+/g, ' ').trim();
    if (plain !== '') words.add(plain);
  }
  return [...words];
}

// The words of a question that say what is meant by it, without those that only make it a question.

/** Words of a question that are looked for; more are left out, so that nobody can ask for thousands. */
export const mostWords = 12;

/**
 * English and German, folded: articles, pronouns, prepositions, auxiliaries, and the words questions are made
 * of.
 */
const asking = new Set(
  `a an the this that these those i you he she it we they me him her us them my your his its our their who whom whose what
  which when where why how and or but not no of to in on at by for from with about as into over after before is are was
  were be been being am do does did has have had can could will would shall should may might must there here then than so
  if say says said saying tell tells told talk talks talking talked speak speaks speaking spoke mention mentions mentioned
  somebody someone anybody anyone something anything find show me please moment moments scene scenes time times
  der die das ein eine einen einem einer eines den dem des dies diese dieser dieses ich du er sie es wir ihr mich dich ihn
  uns euch ihnen mein dein sein unser wer wen wem was wann wo warum wie und oder aber nicht kein keine von zu in im an am
  auf bei für mit über als nach vor aus um ist sind war waren wird werden wurde hat haben hatte kann können könnte konnte soll
  sollen muss müssen da hier dann so wenn dass sagt sagen sagte gesagt redet reden redete spricht sprechen sprach erwähnt
  jemand etwas zeige finde bitte stelle stellen szene szenen`.split(/\s+/),
);
/** An English contraction is one word; what stands before another apostrophe is one of its own. */
const word = /[\p{L}\p{N}\p{M}_]+(?:'(?:t|re|ve|ll|d|m)(?![\p{L}\p{N}\p{M}_]))?/gu;

/** True if a folded word only makes a text a question, or joins other words. */
export const isQuestionWord = (word: string): boolean => asking.has(word);

/** Folded, each once, in their order; none for a question of nothing else. */
export function queryWords(query: string): string[] {
  const all = [...fold(query).matchAll(word)].map(([token]) => token);
  return [...new Set(all.filter((token) => !asking.has(token)))].slice(0, mostWords);
}

/** Scripts that put no blank between words, where one begins anywhere. */
const unspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/**
 * Letters of a word that may go on in the text, as `budget` in `budgets`; a shorter one is the beginning of
 * anything.
 */
const mayGoOn = 4;

/** How a word has to stand in a text: `whole`, at the beginning of a word, or anywhere. */
export function placeOf(queryWord: string): 'whole' | 'beginning' | 'anywhere' {
  if (unspaced.test(queryWord)) return 'anywhere';
  return [...queryWord].length < mayGoOn ? 'whole' : 'beginning';
}

// Decides whether a needle occurs in a row as whole words, at the beginning of one, or within a longer one.

const letter = /[\p{L}\p{N}\p{M}_]/u;
const asciiLetter = Array.from({ length: 128 }, (_, byte) => letter.test(String.fromCharCode(byte)));

/** `needle`: folded, UTF-8, not empty. */
export function hasWholeWord(folded: FoldedTexts, row: number, needle: Uint8Array): boolean {
  return hasWord(folded, row, needle, isAtEnd);
}

/** `needle`: as above. */
export function beginsWord(folded: FoldedTexts, row: number, needle: Uint8Array): boolean {
  return hasWord(folded, row, needle, () => true);
}

/**
 * The same where spaces inside of the words do not count: `h a l t` holds `halt`, and `grand cafe` holds
 * `grandcafe`. `needle`: as above, without spaces.
 */
export function hasWholeWordBetweenSpaces(folded: FoldedTexts, row: number, needle: Uint8Array): boolean {
  return hasWord(folded, row, needle, isAtEnd, true);
}

/** Letters of a part of a word that is meant by it: `location` in `thelocation`, but not `cat` in it. */
const meantAsPart = 6;
/** Letters of what is rather several words whose spaces were not read: `fbiheadquarters`. */
const joinedWords = 12;

/**
 * True if a word that a line holds somewhere is meant there: it stands as whole words, spaces aside, begins
 * one as in a transcript (`stop` in `stops`), begins several joined ones, or is too long to be in another by
 * chance. `needle`: as above.
 */
export function isMeant(folded: FoldedTexts, row: number, needle: Uint8Array, queryWord: string): boolean {
  const place = placeOf(queryWord);
  if (place === 'anywhere' || [...queryWord].length >= meantAsPart) return true;
  return hasWord(folded, row, needle, place === 'whole' ? isAtEndOrJoined : () => true, true);
}

/** Decides on letters that begin a word at `start` and end before `at`; the row ends before `to`. */
type WordEnd = (bytes: Uint8Array, start: number, at: number, to: number) => boolean;

const isAtEnd: WordEnd = (bytes, _, at, to) => !beginsWithLetter(bytes, at, to);

const isAtEndOrJoined: WordEnd = (bytes, start, at, to) => {
  if (isAtEnd(bytes, start, at, to)) return true;
  let end = start;
  while (end < to && beginsWithLetter(bytes, end, to)) end = nextCharacter(bytes, end, to);
  return end - start >= joinedWords;
};

function hasWord(
  folded: FoldedTexts,
  row: number,
  needle: Uint8Array,
  endsWell: WordEnd,
  skipsSpaces = false,
): boolean {
  const { bytes, ends } = folded;
  const [from, to] = [startOf(folded, row), ends[row]!];
  for (let start = from; start + needle.length <= to; start++) {
    let [at, same] = [start, 0];
    while (at < to && same < needle.length) {
      if (foldedByte[bytes[at]!] === needle[same]) same++;
      else if (!skipsSpaces || same === 0 || bytes[at] !== space) break;
      at++;
    }
    if (same < needle.length) continue;
    if (endsWithLetter(bytes, from, start)) continue;
    if (endsWell(bytes, start, at, to)) return true;
  }
  return false;
}

const space = 0x20;

function endsWithLetter(bytes: Uint8Array, from: number, to: number): boolean {
  if (from === to) return false;
  let at = to - 1;
  while (at > from && (bytes[at]! & 0xc0) === 0x80) at--;
  return isLetter(bytes, at, to);
}

function beginsWithLetter(bytes: Uint8Array, from: number, to: number): boolean {
  return from < to && isLetter(bytes, from, nextCharacter(bytes, from, to));
}

function nextCharacter(bytes: Uint8Array, from: number, to: number): number {
  let end = from + 1;
  while (end < to && (bytes[end]! & 0xc0) === 0x80) end++;
  return end;
}

function isLetter(bytes: Uint8Array, from: number, to: number): boolean {
  if (bytes[from]! < 0x80) return asciiLetter[bytes[from]!]!;
  return letter.test(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', from, to),
  );
}
