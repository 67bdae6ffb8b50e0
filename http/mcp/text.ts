// The text of an answer to a language model: whole lines, bounded, and never more than a model can be handed
// at once.
import { clockTime } from '../../actors/decoder/contract.ts';

/** Characters (UTF-16 units, as `length` counts) of all text of one answer. */
export const MOST_CHARACTERS = 24_000;

/** Of a line of an answer that nothing shorter was said of. */
const LONGEST_LINE = 1_000;
const MOST_NOTES = 4;
const MOST_RANGES = 8;

/**
 * One line of at most `most` characters: control characters and ends of lines are spaces, lone halves of
 * characters are replaced, and what is left out shows as `…`.
 */
export function oneLine(text: string, most = LONGEST_LINE): string {
  // More than is shown may be white space; a text of megabytes is not walked.
  const flat = text
    .slice(0, most * 8)
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
  if (flat.length <= most && text.length <= most * 8) return flat;
  let end = Math.max(0, most - 1);
  // Not between the two halves of a character.
  const last = flat.charCodeAt(end - 1);
  if (last >= 0xd800 && last < 0xdc00) end--;
  return `${flat.slice(0, end).trimEnd()}…`;
}

/** What is said by somebody else, as a quotation: a model must not take it for words of this program. */
export function quoted(text: string, most: number): string {
  return `"${oneLine(text.replaceAll('"', "'"), most)}"`;
}

/** The name of a file without its folders, of either kind of separator. */
export function fileName(path: string): string {
  return oneLine(path.split(/[/\\]/).at(-1) || path, 160);
}

/** The hash of a content, whatever stands in a damaged record. */
export function hashText(hash: string): string {
  return oneLine(hash, 110);
}

/** `12` or `12.5`: seconds as they are written everywhere here. */
export function secondsText(seconds: number): string {
  return Number.isFinite(seconds) ? String(Math.round(seconds * 100) / 100) : '?';
}

/** `00:00:12`; of a time that is none, `?`. */
export function timeText(seconds: number): string {
  return Number.isFinite(seconds) && seconds >= 0 && seconds < 1e9 ? clockTime(seconds) : '?';
}

/** `00:00:10-00:00:14 (10-14 s)`. */
export function rangeText(start: number, end: number): string {
  return `${timeText(start)}-${timeText(end)} (${secondsText(start)}-${secondsText(end)} s)`;
}

/** As many as a line has room for. */
export function rangesText(ranges: readonly (readonly [number, number])[]): string {
  const some = ranges.slice(0, MOST_RANGES).map(([start, end]) => rangeText(start, end));
  return `${some.join(', ')}${ranges.length > MOST_RANGES ? ` and ${ranges.length - MOST_RANGES} more ranges` : ''}`;
}

/** Notes of the service, as it wrote them. */
export function notes(texts: readonly (string | undefined)[]): string[] {
  const all = [...new Set(texts.filter((text) => text !== undefined && text !== ''))] as string[];
  const lines = all.slice(0, MOST_NOTES).map((text) => `Note: ${oneLine(text, 500)}`);
  if (all.length > MOST_NOTES) lines.push(`Note: ${all.length - MOST_NOTES} more notes were omitted.`);
  return lines;
}

export interface Listing {
  /** Lines above the rows. */
  readonly head: readonly string[];
  readonly rows: readonly string[];
  /** Lines below, when the first `shown` of the rows are shown. */
  below(shown: number): readonly string[];
  /** Characters; `MOST_CHARACTERS` when left out. */
  readonly most?: number;
}

/** As many rows as fit, and their number. */
export function listed({ head, rows, below, most = MOST_CHARACTERS }: Listing): {
  readonly text: string;
  readonly shown: number;
} {
  const size = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);
  let used = size(head);
  let shown = 0;
  for (const row of rows) {
    if (used + row.length + 1 > most) break;
    used += row.length + 1;
    shown++;
  }
  let tail = below(shown);
  for (; shown > 0 && used + size(tail) > most; tail = below(shown)) used -= rows[--shown]!.length + 1;
  return { text: bounded([...head, ...rows.slice(0, shown), ...tail].join('\n'), most), shown };
}

/**
 * The usual line below a page of `there` rows out of a known `total`; nothing when the last one was shown.
 * `start`: rows before these.
 */
export function moreBelow(
  shown: number,
  { there, start, total }: { there: number; start: number; total: number },
) {
  if (start + shown >= total) return [];
  const why = shown < there ? `${there - shown} rows did not fit. ` : '';
  return [`${why}More: call again with cursor "${start + shown}".`];
}

/** The whole lines that fit; a text whose first line does not is cut. What is left out is said. */
export function bounded(text: string, most = MOST_CHARACTERS): string {
  if (text.length <= most) return text;
  const mark = '(The rest was omitted: the answer was too long.)';
  const end = text.lastIndexOf('\n', most - mark.length - 1);
  return `${end > 0 ? text.slice(0, end) : oneLine(text, most - mark.length - 1)}\n${mark}`;
}
