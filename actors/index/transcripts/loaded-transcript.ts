// The transcript of one media in memory.

import { joinRanges } from '../../../runtime/join-ranges.ts';
import type { FrameRanges } from '../people/moments.ts';
import { type Names, nameIn } from '../store/speaker-names.ts';
import type { Columns } from '../store/transcripts.ts';
import { fold, foldRows, type Rows } from '../text/fold.ts';
import type { Picked } from '../text/shard.ts';

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

/** Bytes in memory. */
export function bytesOf({ columns, folded }: LoadedTranscript): number {
  const { starts_ms, ends_ms, text_ends, text, speakers } = columns;
  const own = [starts_ms, ends_ms, text_ends, text, speakers].reduce((sum, list) => sum + list.byteLength, 0);
  return folded.bytes === text ? own : own + folded.bytes.byteLength + folded.ends.byteLength;
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

/** The name a speaker is shown by: the one that was given, else that of the subtitles, else the id. */
export function nameOf({ mark }: Pick<Columns, 'mark'>, names: Names, speaker: string): string {
  return nameIn(names, speaker) ?? nameIn(mark.speaker_names ?? {}, speaker) ?? speaker;
}

/**
 * Which speakers are meant, by id, by a name or by a part of one: of those that fit exactly, else of those in
 * part.
 */
function speakersMeant({ columns, names }: Pick<LoadedTranscript, 'columns' | 'names'>, wanted: string) {
  const { mark, speakerIds } = columns;
  const known = speakerIds.map((id) => {
    const said = nameIn(mark.speaker_names ?? {}, id);
    return {
      id: fold(id),
      names: [nameOf(columns, names, id), ...(said === undefined ? [] : [said])].map(fold),
    };
  });
  const exactly = known.map((one) => one.id === wanted || one.names.includes(wanted));
  if (exactly.includes(true)) return exactly;
  // A part of an id is none of a name.
  return known.map((one) => one.names.some((name) => name !== one.id && name.includes(wanted)));
}

/** Half-open, in seconds. */
export type TimeRange = readonly [number, number];

/** A segment without length overlaps the range it lies in. */
export function overlaps(start: number, end: number, [from, to]: TimeRange): boolean {
  return start < to && (end > from || (end === start && start >= from));
}

/** What a search looks at, beside the words. `speaker`: an id, a name or a part of it, compared folded. */
export interface TranscriptScope {
  readonly hashes: ReadonlySet<string> | null;
  readonly ranges: ReadonlyMap<string, readonly TimeRange[]>;
  readonly speaker: string | null;
  /** Of all media, only segments that these grid frames fall into; left out for every one. */
  readonly only?: FrameRanges | null;
}

export function pickOf(transcript: LoadedTranscript, scope: TranscriptScope): Picked {
  const { hash, columns } = transcript;
  if (scope.hashes?.has(hash) === false) return false;
  const ranges = scope.ranges.get(hash);
  const { speaker, only = null } = scope;
  const among = only === null ? null : (only.get(hash) ?? none);
  if (among?.length === 0) return false;
  if (ranges === undefined && speaker === null && among === null) return true;
  const bySpeaker = speaker === null ? [] : speakersMeant(transcript, fold(speaker.trim()));
  if (speaker !== null && !bySpeaker.includes(true)) return false;
  const joined = ranges && joinRanges(ranges.map(([from, to]): [number, number] => [from, to]));
  return (segment) => {
    if (speaker !== null && bySpeaker[columns.speakers[segment]! - 1] !== true) return false;
    const start = columns.starts_ms[segment]! / 1000;
    const end = columns.ends_ms[segment]! / 1000;
    if (among !== null && !holdsAny(among, start, end)) return false;
    return joined === undefined || joined.some((range) => overlaps(start, end, range));
  };
}

const none = new Uint32Array(0);

/** Whether a second of the grid that is in `ranges` (start, end, start, end...) overlaps a segment. */
function holdsAny(ranges: Uint32Array, start: number, end: number): boolean {
  let [low, high] = [0, ranges.length / 2];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle * 2 + 1]! <= start) low = middle + 1;
    else high = middle;
  }
  return low * 2 < ranges.length && ranges[low * 2]! < Math.max(end, start + 1e-3);
}
