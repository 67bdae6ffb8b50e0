// Whether a needle stands in a row as whole words, or at the beginning of one, and not within a longer one.
import { foldedByte, type Rows, startOf } from './fold.ts';

const letter = /[\p{L}\p{N}\p{M}_]/u;
const asciiLetter = Array.from({ length: 128 }, (_, byte) => letter.test(String.fromCharCode(byte)));

/** `needle`: folded, UTF-8, not empty. */
export function hasWholeWord(folded: Rows, row: number, needle: Uint8Array): boolean {
  return hasWord(folded, row, needle, true);
}

/** `needle`: as above. */
export function beginsWord(folded: Rows, row: number, needle: Uint8Array): boolean {
  return hasWord(folded, row, needle, false);
}

function hasWord(folded: Rows, row: number, needle: Uint8Array, whole: boolean): boolean {
  const { bytes, ends } = folded;
  const [from, to] = [startOf(folded, row), ends[row]!];
  for (let at = from; at + needle.length <= to; at++) {
    let same = 0;
    while (same < needle.length && foldedByte[bytes[at + same]!] === needle[same]) same++;
    if (same < needle.length) continue;
    if (endsWithLetter(bytes, from, at)) continue;
    if (!whole || !beginsWithLetter(bytes, at + needle.length, to)) return true;
  }
  return false;
}

function endsWithLetter(bytes: Uint8Array, from: number, to: number): boolean {
  if (from === to) return false;
  let at = to - 1;
  while (at > from && (bytes[at]! & 0xc0) === 0x80) at--;
  return isLetter(bytes, at, to);
}

function beginsWithLetter(bytes: Uint8Array, from: number, to: number): boolean {
  if (from === to) return false;
  let end = from + 1;
  while (end < to && (bytes[end]! & 0xc0) === 0x80) end++;
  return isLetter(bytes, from, end);
}

function isLetter(bytes: Uint8Array, from: number, to: number): boolean {
  if (bytes[from]! < 0x80) return asciiLetter[bytes[from]!]!;
  return letter.test(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', from, to),
  );
}
