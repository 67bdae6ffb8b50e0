// The form in which texts are compared: two texts that differ only in case, width or how their accents are stored have the
// same one. Pure.
import { isAscii } from 'node:buffer';

/** Signs between lines or words that are no visible ones. */
const blanks = /[\t\n\v\f\r\u0085\u2028\u2029]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: every character up to U+007F is meant.
const ascii = /^[\x00-\x7f]*$/;
/** An i whose dot is a character of its own, as in the lower case of `İ`. */
const dotted = /i(\p{M}*?)\u0307/gu;

/**
 * Full case folding in every script (`ß` is `ss`, `ς` is `σ`), compatibility forms as the usual ones (`Ａ` is `a`, `ﬁ` is
 * `fi`), all four Turkish `i` alike, and a line break is a space. Folding what is folded changes nothing.
 */
export function fold(text: string): string {
  // A zero byte ends a row of the index, so none is in a text.
  return foldAll(text.toWellFormed().replaceAll('\0', ' '));
}

/** Each text between two zero characters by itself. */
function foldAll(text: string): string {
  if (ascii.test(text)) return text.toLowerCase().replace(blanks, ' ');
  // Up and down again: one step alone leaves letters that have several forms in one case.
  const cased = text.normalize('NFKD').toLowerCase().toUpperCase().toLowerCase();
  const plain = cased.replaceAll('ς', 'σ').normalize('NFD').replace(dotted, 'i$1');
  return plain.normalize('NFKC').replace(blanks, ' ');
}

/** What `fold` makes of a byte of ASCII; other bytes as they are. */
export const foldedByte = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 128 ? fold(String.fromCharCode(byte)).charCodeAt(0) : byte,
);

/** Texts one after the other in UTF-8, and where each ends. */
export interface Rows {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  /** Bytes between two rows. */
  readonly gap: 0 | 1;
}

/** Where a row begins in its bytes. */
export function startOf({ ends, gap }: Rows, row: number): number {
  return row === 0 ? 0 : ends[row - 1]! + gap;
}

/**
 * The rows folded, up to `foldedByte`, which has still to be taken of every byte: so that ASCII, the most there is, does
 * not lie in memory twice. *Borrowed* when all of it is ASCII.
 */
export function foldRows(bytes: Uint8Array, ends: Uint32Array): Rows {
  if (isAscii(bytes)) return { bytes, ends, gap: 0 };
  // All rows at once: a call for each costs more than its text.
  const apart = Buffer.alloc(bytes.length + ends.length);
  for (let row = 0, from = 0; row < ends.length; row++) {
    const end = ends[row]!;
    for (let at = from; at < end; at++) apart[at + row] = bytes[at] || 32;
    from = end;
  }
  const folded = Buffer.from(foldAll(apart.toString('utf8')));
  const foldedEnds = new Uint32Array(ends.length);
  for (let row = 0, at = 0; row < ends.length; row++) {
    foldedEnds[row] = folded.indexOf(0, at);
    at = foldedEnds[row]! + 1;
  }
  return { bytes: folded, ends: foldedEnds, gap: 1 };
}
