// The form in which speech is compared. Punctuation, accents and the writing of numbers depend on who wrote a
// transcript, not on what was said.
import { type FoldedTexts, startOf, withoutAccents } from './fold.ts';

/** All punctuation but `'` and the signs that are read aloud or belong to names. */
const punctuation = /[^\P{P}'%&@#*_]+/gu;
/** Quotation marks, as opposed to the apostrophe within a word. */
const looseApostrophe = /(?<![\p{L}\p{N}])'+|'+(?![\p{L}\p{N}])/gu;

/** Words with one space between them; case, accents, hyphens and other punctuation do not count. */
export function spokenForm(text: string): string {
  const words = withoutAccents(text).replace(punctuation, ' ').replace(looseApostrophe, ' ');
  return words.replace(/\s+/g, ' ').trim();
}

const space = 0x20;
const apostrophe = 0x27;
/** The spoken form of each ASCII byte; a space for a byte that is dropped. */
const spokenByte = Uint8Array.from({ length: 128 }, (_, byte) =>
  byte === apostrophe ? apostrophe : spokenForm(String.fromCharCode(byte)).charCodeAt(0) || space,
);

export function spokenRows(bytes: Uint8Array, ends: Uint32Array): FoldedTexts {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const spokenEnds = new Uint32Array(ends.length);
  let out = Buffer.allocUnsafeSlow(bytes.length + 64);
  let length = 0;
  for (let row = 0, from = 0; row < ends.length; row++) {
    const to = ends[row]!;
    // No ASCII row becomes longer.
    const text = isAsciiRow(bytes, from, to)
      ? null
      : Buffer.from(spokenForm(source.toString('utf8', from, to)));
    const most = text?.length ?? to - from;
    if (out.length - length < most) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length + most, out.length * 2));
      out.copy(larger, 0, 0, length);
      out = larger;
    }
    if (text === null) length = writeAscii(bytes, from, to, out, length);
    else length += text.copy(out, length);
    spokenEnds[row] = length;
    from = to;
  }
  const spoken = Buffer.allocUnsafeSlow(length);
  out.copy(spoken, 0, 0, length);
  return { bytes: spoken, ends: spokenEnds };
}

function isAsciiRow(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at]! >= 0x80) return false;
  return true;
}

/** Writes the spoken form of an ASCII row and returns where it ends. */
function writeAscii(bytes: Uint8Array, from: number, to: number, out: Uint8Array, start: number): number {
  let length = start;
  for (let at = from; at < to; at++) {
    let byte = spokenByte[bytes[at]!]!;
    if (byte === apostrophe) {
      const isWithin = at > from && at + 1 < to && isWordByte(bytes[at - 1]!) && isWordByte(bytes[at + 1]!);
      if (!isWithin) byte = space;
    }
    if (byte !== space) out[length++] = byte;
    else if (length > start && out[length - 1] !== space) out[length++] = space;
  }
  return length > start && out[length - 1] === space ? length - 1 : length;
}

function isWordByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
}

// Numbers from 0 to 99, which some transcripts write as words and others as digits.

const english = {
  units:
    `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen`.split(/\s+/),
  tens: 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' '),
  join: (ten: string, unit: string) => `${ten} ${unit}`,
};
const german = {
  units:
    `null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn
    siebzehn achtzehn neunzehn`.split(/\s+/),
  tens: 'zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig'.split(' '),
  join: (ten: string, unit: string) => `${unit === 'eins' ? 'ein' : unit}und${ten}`,
};
/** The words of each number in the spoken form, for each language. */
const numberWords = [english, german].map(({ units, tens, join }) =>
  Array.from({ length: 100 }, (_, number) => {
    const ten = tens[Math.floor(number / 10) - 2];
    if (ten === undefined) return units[number]!;
    return number % 10 === 0 ? ten : join(ten, units[number % 10]!);
  }),
);
const numberOf = new Map(
  numberWords.flatMap((words) => words.map((word, number) => [word, number] as const)),
);

/** The words and numbers of a text in the spoken form; `twenty one` is one number. */
function numbersIn(text: string): (string | number)[] {
  const words = text.split(' ');
  const tokens: (string | number)[] = [];
  for (let at = 0; at < words.length; at++) {
    const pair = numberOf.get(`${words[at]} ${words[at + 1]}`);
    const isDigits = /^(\d|[1-9]\d)$/.test(words[at]!);
    tokens.push(pair ?? numberOf.get(words[at]!) ?? (isDigits ? Number(words[at]) : words[at]!));
    if (pair !== undefined) at++;
  }
  return tokens;
}

/** A text to look for. Other writings of its numbers count as whole words only. */
export interface Phrase {
  /** In the spoken form, UTF-8, not empty. */
  readonly needle: Uint8Array;
  /** Its first word, if it has several. */
  readonly firstWord: Uint8Array | null;
  readonly isWhole: boolean;
}

/** The text as it is first, then with its numbers as digits and as words; none for punctuation alone. */
export function phrasesOf(text: string): Phrase[] {
  const spoken = spokenForm(text);
  if (spoken === '') return [];
  const tokens = numbersIn(spoken);
  const texts = new Set([spoken]);
  // A lone `one` is mostly a pronoun, so it is not every 1.
  const isLoneOne = tokens.length === 1 && tokens[0] === 1;
  if (!isLoneOne && tokens.some((token) => typeof token === 'number')) {
    texts.add(tokens.join(' '));
    for (const words of numberWords)
      texts.add(tokens.map((token) => (typeof token === 'number' ? words[token]! : token)).join(' '));
  }
  return [...texts].map((phrase, i) => ({
    needle: Buffer.from(phrase),
    firstWord: phrase.includes(' ') ? Buffer.from(phrase.slice(0, phrase.indexOf(' '))) : null,
    isWhole: i > 0,
  }));
}

/**
 * True if a phrase begins at the end of a row and goes on in those after it, up to row `end` (exclusive).
 * `isWhole`: not in the middle of a word at either end.
 */
export function crossesRows(
  rows: FoldedTexts,
  row: number,
  end: number,
  phrase: Uint8Array,
  isWhole: boolean,
): boolean {
  const { bytes, ends } = rows;
  const [from, to] = [startOf(rows, row), ends[row]!];
  for (let split = phrase.indexOf(space); split >= 0; split = phrase.indexOf(space, split + 1)) {
    const start = to - split;
    if (start < from || !isSame(bytes, start, phrase, 0, split)) continue;
    if (isWhole && start > from && bytes[start - 1] !== space) continue;
    if (followedBy(rows, row + 1, end, phrase, split + 1, isWhole)) return true;
  }
  return false;
}

/** True if the rows begin with the phrase from `at` on. */
function followedBy(
  rows: FoldedTexts,
  first: number,
  end: number,
  phrase: Uint8Array,
  at: number,
  isWhole: boolean,
): boolean {
  const { bytes, ends } = rows;
  let next = at;
  for (let row = first; row < end; row++) {
    const [from, to] = [startOf(rows, row), ends[row]!];
    const missing = phrase.length - next;
    if (to - from >= missing)
      return (
        isSame(bytes, from, phrase, next, missing) &&
        (!isWhole || from + missing === to || bytes[from + missing] === space)
      );
    if (from === to) continue;
    if (!isSame(bytes, from, phrase, next, to - from) || phrase[next + to - from] !== space) return false;
    next += to - from + 1;
  }
  return false;
}

function isSame(bytes: Uint8Array, at: number, phrase: Uint8Array, from: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[at + i] !== phrase[from + i]) return false;
  return true;
}
