// The boxes of a file in the MP4 family (ISO/IEC 14496-12, QuickTime), found where FFmpeg finds them: it takes a box that is
// longer than what holds it for one that ends there.
import type { FileBytes } from './file-bytes.ts';

export interface Box {
  readonly type: string;
  /** Where its contents begin and end in the file. */
  readonly start: number;
  readonly end: number;
}

/** The boxes that follow each other between two places. */
export function* boxesBetween(bytes: FileBytes, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to; ) {
    const type = bytes.at(at + 4, 4).toString('latin1');
    const short = bytes.uint(at);
    const isWide = short === 1 && at + 16 <= to;
    const size = isWide ? bytes.uint64(at + 8) : short === 0 ? to - at : short;
    const head = isWide ? 16 : 8;
    if (size < head) return;
    const end = Math.min(at + size, to);
    yield { type, start: at + head, end };
    at = end;
  }
}

/** Rows of numbers of 4 bytes that follow each other, as many as are promised and there. */
export function* rows(
  bytes: FileBytes,
  start: number,
  { count, numbers, end }: { readonly count: number; readonly numbers: number; readonly end: number },
): Generator<number[]> {
  for (let row = 0, at = start; row < count && at + 4 * numbers <= end; row++, at += 4 * numbers)
    yield Array.from({ length: numbers }, (_, i) => bytes.uint(at + 4 * i));
}
