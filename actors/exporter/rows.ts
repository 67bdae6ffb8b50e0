// Turns the segments of a request into rows of a document: validated, in order, with rows for silence.
import {
  type DocumentRow,
  exportErrors,
  mostCharacters,
  mostOfSegment,
  mostSegments,
  SILENCE_SECONDS,
} from './contract.ts';

/** Latest time in seconds: times have to fit the column of a document. */
const LATEST = 3_600_000 * 10;

/** Throws SEGMENTS_INVALID naming the field: `segments[3][2]`. */
export function rowsOf(segments: readonly (readonly unknown[])[]): DocumentRow[] {
  if (segments.length > mostSegments) {
    throw exportErrors.DOCUMENT_TOO_LARGE(
      `segments: must have at most ${mostSegments} items, not ${segments.length}`,
      {
        field: 'segments',
      },
    );
  }
  const rows = segments.map(rowOf);
  const characters = rows.reduce((sum, { text, speaker }) => sum + text.length + (speaker?.length ?? 0), 0);
  if (characters > mostCharacters) {
    const what = `segments: must have at most ${mostCharacters} characters in total, not ${characters}`;
    throw exportErrors.DOCUMENT_TOO_LARGE(what, { field: 'segments' });
  }
  return rows.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

function rowOf(segment: readonly unknown[], at: number): DocumentRow {
  const refuse = (place: number, what: string) => {
    const field = `segments[${at}][${place}]`;
    return exportErrors.SEGMENTS_INVALID(`${field} ${what}`, { field });
  };
  const seconds = (place: number) => {
    const value = segment[place];
    if (typeof value !== 'number') throw refuse(place, 'must be a number of seconds');
    if (!(value >= 0 && value <= LATEST)) throw refuse(place, `must be between 0 and ${LATEST} seconds`);
    return value;
  };
  const [, text, , speaker = null] = segment;
  const start = seconds(0);
  if (typeof text !== 'string') throw refuse(1, 'must be a string');
  if (text.length > mostOfSegment) throw refuse(1, `must have at most ${mostOfSegment} characters`);
  const end = seconds(2);
  if (end < start) throw refuse(2, 'must not be before the start');
  if (speaker !== null && typeof speaker !== 'string') throw refuse(3, 'must be a speaker label or null');
  if (speaker !== null && speaker.length > 1000) throw refuse(3, 'must have at most 1000 characters');
  return { kind: 'speech', start, end, text: oneLine(text), speaker: oneLine(speaker ?? '') || null };
}

/** With a row for each pause; `rows` in order of start. */
export function withSilence(rows: readonly DocumentRow[]): DocumentRow[] {
  let said = Number.POSITIVE_INFINITY;
  return rows.flatMap((row) => {
    const silent = row.start - said >= SILENCE_SECONDS;
    const pause: DocumentRow = {
      kind: 'silence',
      start: said,
      end: row.start,
      speaker: null,
      text: 'silence',
    };
    // Rows may overlap: silence begins after the last of them.
    said = Math.max(row.end, said === Number.POSITIVE_INFINITY ? row.end : said);
    return silent ? [pause, row] : [row];
  });
}

/** Without control characters, which XML forbids and subtitles interpret, and without lone surrogates. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\ufffe\uffff]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** `01:02:03.456`; hours grow past 99. `point` stands before the milliseconds. */
export function exactTime(seconds: number, point = '.'): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value) % 60).padStart(2, '0');
  const hours = String(Math.floor(ms / 3_600_000)).padStart(2, '0');
  return `${hours}:${two(ms / 60_000)}:${two(ms / 1000)}${point}${String(ms % 1000).padStart(3, '0')}`;
}
