// The transcript of one media in memory.

import type { Columns, Names } from '../store/transcripts.ts';
import { joinRanges } from '../visual/frames.ts';
import { fold, foldRows, type Rows } from './fold.ts';

export interface LoadedTranscript {
  readonly hash: string;
  /** Where the media was last when it was loaded; transcripts are in the order of their paths. */
  readonly path: string;
  /** Changes when a transcript is stored again. */
  readonly version: number;
  readonly columns: Columns;
  readonly folded: Rows;
  names: Names;
  /** Another transcript took its place. */
  gone: boolean;
}

export function loadedTranscript(
  columns: Columns,
  of: Pick<LoadedTranscript, 'path' | 'version' | 'names'>,
): LoadedTranscript {
  const folded = foldRows(columns.text, columns.text_ends);
  return { hash: columns.hash_str, ...of, columns, folded, gone: false };
}

/** The order of transcripts in every answer. */
export function inOrder(a: LoadedTranscript, b: LoadedTranscript): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0;
}

export function textOf({ text, text_ends }: Columns, segment: number): string {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  return bytes.toString('utf8', segment === 0 ? 0 : text_ends[segment - 1], text_ends[segment]);
}

/** The name a speaker is shown by: the one that was given, else the id. */
export function nameOf(names: Names, speaker: string): string {
  return Object.hasOwn(names, speaker) ? names[speaker]! : speaker;
}

/** Half-open, in seconds. */
export type TimeRange = readonly [number, number];

/** A segment without length overlaps the range it lies in. */
export function overlaps(start: number, end: number, [from, to]: TimeRange): boolean {
  return start < to && (end > from || (end === start && start >= from));
}

/** What a search looks at, beside the words. `speaker`: a display name, compared folded. */
export interface TranscriptScope {
  readonly hashes: ReadonlySet<string> | null;
  readonly ranges: ReadonlyMap<string, readonly TimeRange[]>;
  readonly speaker: string | null;
}

/** Which segments of a transcript are in scope: all for true, none for false. */
export type Picked = boolean | ((segment: number) => boolean);

export function pickOf({ hash, columns, names, gone }: LoadedTranscript, scope: TranscriptScope): Picked {
  if (gone || scope.hashes?.has(hash) === false) return false;
  const ranges = scope.ranges.get(hash);
  const { speaker } = scope;
  if (ranges === undefined && speaker === null) return true;
  const wanted = speaker === null ? '' : fold(speaker.trim());
  const bySpeaker = columns.speakerIds.map((id) => speaker === null || fold(nameOf(names, id)) === wanted);
  if (speaker !== null && !bySpeaker.includes(true)) return false;
  const joined = ranges && joinRanges(ranges.map(([from, to]): [number, number] => [from, to]));
  return (segment) => {
    if (speaker !== null && bySpeaker[columns.speakers[segment]! - 1] !== true) return false;
    if (joined === undefined) return true;
    const start = columns.starts_ms[segment]! / 1000;
    const end = columns.ends_ms[segment]! / 1000;
    return joined.some((range) => overlaps(start, end, range));
  };
}
