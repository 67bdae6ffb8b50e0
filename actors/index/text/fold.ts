// The form in which texts are compared: two texts that differ only in case, width or how their accents are
// stored have the same one.
import { isAscii } from 'node:buffer';
import { plainApostrophes } from '../../../runtime/text.ts';

/** Signs between lines or words that are no visible ones. */
const blanks = /[\0\t\n\v\f\r\u0085\u2028\u2029]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: every character up to U+007F is meant.
const ascii = /^[\x00-\x7f]*$/;
/** An i whose dot is a character of its own, as in the lower case of `İ`. */
const dotted = /i(\p{M}*?)\u0307/gu;

/**
 * Full case folding in every script (`ß` is `ss`, `ς` is `σ`), compatibility forms as the usual ones (`Ａ` is
 * `a`, `ﬁ` is `fi`), all four Turkish `i` and all apostrophes alike, and a line break is a space. Folding
 * what is folded changes nothing.
 */
export function fold(text: string): string {
  // A zero byte ends a row of the index, so none is in a text.
  if (ascii.test(text)) return text.toLowerCase().replace(blanks, ' ');
  // Before and after: an accent by itself falls apart into another sign, and an ŉ into an apostrophe and a
  // letter.
  const parts = plainApostrophes(plainApostrophes(text.toWellFormed()).normalize('NFKD'));
  // Up and down again: one step alone leaves letters that have several forms in one case.
  const cased = parts.toLowerCase().toUpperCase().toLowerCase();
  const plain = cased.replaceAll('ς', 'σ').normalize('NFD').replace(dotted, 'i$1');
  return plain.normalize('NFKC').replace(blanks, ' ');
}

/** Letters that do not fall apart into another one and a mark. */
const plainLetters: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const special = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');
/** Accents of Latin, Greek and Cyrillic letters; marks of other scripts belong to a letter. */
const accents = /[\u0300-\u036f]/g;

/** Folded, and letters without their accents: `Zürich` is `zurich`. */
export function withoutAccents(text: string): string {
  const bare = fold(text).normalize('NFD').replace(accents, '').normalize('NFC');
  return bare.replace(special, (letter) => plainLetters[letter]!);
}

/** Folded value of each ASCII byte; other bytes are unchanged. */
export const foldedByte = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 128 ? fold(String.fromCharCode(byte)).charCodeAt(0) : byte,
);

/** Texts one after the other in UTF-8, and where each ends. */
export interface FoldedTexts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

export function rowsOf(texts: readonly string[]): FoldedTexts {
  const ends = new Uint32Array(texts.length);
  let length = 0;
  for (const [i, text] of texts.entries()) ends[i] = length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafeSlow(length);
  for (const [i, text] of texts.entries()) bytes.write(text, i === 0 ? 0 : ends[i - 1]!);
  return { bytes, ends };
}

/** Where a row begins in its bytes. */
export function startOf({ ends }: FoldedTexts, row: number): number {
  return row === 0 ? 0 : ends[row - 1]!;
}

/** Folded value of each UTF-16 unit; 0 if not looked up yet, `dependent` if it depends on its neighbours. */
const units = new Uint16Array(1 << 16);
const dependent = 1;
const mark = /^\p{M}/u;

/**
 * Units that become one other, whatever stands before and after them: all but marks, what falls apart into
 * marks or several letters, the parts of Hangul syllables, and halves of pairs.
 */
function unitOf(unit: number): number {
  const char = String.fromCharCode(unit);
  const isPart = (unit >= 0x1100 && unit < 0x1200) || (unit & 0xf800) === 0xd800;
  const folded = isPart || mark.test(char.normalize('NFKD')) ? '' : fold(char);
  units[unit] = folded.length === 1 && !mark.test(folded) ? folded.charCodeAt(0) : dependent;
  return units[unit]!;
}

/**
 * The rows folded, up to `foldedByte`, which has still to be taken of every byte: so that ASCII, the most
 * there is, does not lie in memory twice. *Borrowed* when all of it is ASCII.
 */
export function foldRows(bytes: Uint8Array, ends: Uint32Array): FoldedTexts {
  if (isAscii(bytes)) return { bytes, ends };
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const foldedEnds = new Uint32Array(ends.length);
  let out = Buffer.allocUnsafeSlow(bytes.length + (bytes.length >> 3) + 64);
  let at = 0;
  for (let row = 0, from = 0; row < ends.length; row++) {
    const to = ends[row]!;
    // A unit of two bytes can become one of three.
    if (out.length - at < (to - from) * 2) out = grown(out, at + (to - from) * 2);
    const simple = foldSimple(bytes, from, to, out, at);
    if (simple >= 0) at = simple;
    else {
      const folded = Buffer.from(fold(whole.toString('utf8', from, to)));
      if (out.length - at < folded.length) out = grown(out, at + folded.length);
      out.set(folded, at);
      at += folded.length;
    }
    foldedEnds[row] = at;
    from = to;
  }
  const folded = Buffer.allocUnsafeSlow(at);
  out.copy(folded, 0, 0, at);
  return { bytes: folded, ends: foldedEnds };
}

/** Folds a row unit by unit and answers where it ends; -1 when its units depend on each other. */
function foldSimple(bytes: Uint8Array, from: number, to: number, out: Uint8Array, start: number): number {
  let at = start;
  for (let i = from; i < to; ) {
    const byte = bytes[i++]!;
    if (byte < 0x80) {
      out[at++] = byte;
      continue;
    }
    // Four bytes are a pair of units.
    if (byte >= 0xf0) return -1;
    let unit = ((byte & 0x1f) << 6) | (bytes[i++]! & 0x3f);
    if (byte >= 0xe0) unit = ((unit << 6) | (bytes[i++]! & 0x3f)) & 0xffff;
    const folded = units[unit]! || unitOf(unit);
    if (folded === dependent) return -1;
    if (folded < 0x80) out[at++] = folded;
    else if (folded < 0x800) {
      out[at++] = 0xc0 | (folded >> 6);
      out[at++] = 0x80 | (folded & 0x3f);
    } else {
      out[at++] = 0xe0 | (folded >> 12);
      out[at++] = 0x80 | ((folded >> 6) & 0x3f);
      out[at++] = 0x80 | (folded & 0x3f);
    }
  }
  return at;
}

function grown(bytes: Buffer, least: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(least, bytes.length * 2));
  bytes.copy(larger);
  return larger;
}
