// The transcripts of an analysis folder: packed into columns when stored, one record a media; the names that people gave
// its speakers lie in a record of their own.
import { engineErrors } from '../../../runtime/errors.ts';
import {
  type Transcript,
  type TranscriptMark,
  type TranscriptSegment,
  transcriptErrors,
} from '../transcripts/contract.ts';
import { type MediaRecord, storeErrors } from './contract.ts';
import type { Environment, Writes } from './environment.ts';
import { readable } from './faults.ts';
import { putFormat } from './format.ts';
import { putMedia } from './media.ts';
import { speakersKey, transcriptKey, transcriptPrefix } from './names.ts';
import { SpeakerNames, Transcript as TranscriptRow } from './records.ts';
import { seal, sealOf, unseal } from './table.ts';

export type Names = Readonly<Record<string, string>>;

/** A transcript as it lies in the store: columns with one entry a segment, as in records.fbs. */
export interface Columns extends Omit<TranscriptRow, 'mark_json' | 'speakers_json'> {
  readonly mark: TranscriptMark;
  /** Ids in the order in which they first speak. */
  readonly speakerIds: readonly string[];
}

const mostMs = 2 ** 32 - 1;

function milliseconds(seconds: number, at: number): number {
  const ms = Math.round(seconds * 1000);
  if (ms >= 0 && ms <= mostMs) return ms;
  throw engineErrors.INVALID_MESSAGE(`segments[${at}]: ${seconds} s is no time in a media`);
}

/** Times are kept to the millisecond and texts as they are. Throws INVALID_MESSAGE naming the segment. */
export function packTranscript(
  hash: string,
  mark: TranscriptMark,
  segments: readonly TranscriptSegment[],
  stored_ms = 0,
): TranscriptRow {
  const count = segments.length;
  const columns = [0, 1, 2, 3].map(() => new Uint32Array(count));
  const [starts_ms, ends_ms, text_ends, speakers] = columns as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const ids = new Map<string, number>();
  const texts: Uint8Array[] = [];
  const encoder = new TextEncoder();
  let end = 0;
  for (const [i, segment] of segments.entries()) {
    starts_ms[i] = milliseconds(segment.start_seconds, i);
    ends_ms[i] = Math.max(starts_ms[i]!, milliseconds(segment.end_seconds, i));
    if (i > 0 && starts_ms[i]! < starts_ms[i - 1]!) {
      throw engineErrors.INVALID_MESSAGE(`segments[${i}] starts before the one before it`);
    }
    const text = encoder.encode(segment.text);
    texts.push(text);
    end += text.byteLength;
    text_ends[i] = end;
    if (segment.speaker === null) continue;
    if (!ids.has(segment.speaker)) ids.set(segment.speaker, ids.size + 1);
    speakers[i] = ids.get(segment.speaker)!;
  }
  return {
    hash_str: hash,
    mark_json: JSON.stringify(mark),
    starts_ms,
    ends_ms,
    text_ends,
    text: Buffer.concat(texts, end),
    speakers,
    speakers_json: JSON.stringify([...ids.keys()]),
    stored_ms,
  };
}

export function columnsOf({ mark_json, speakers_json, ...columns }: TranscriptRow): Columns {
  // Written by this program under a checksum.
  const mark = JSON.parse(mark_json) as TranscriptMark;
  return { ...columns, mark, speakerIds: JSON.parse(speakers_json) as string[] };
}

function segmentsOf(columns: Columns): TranscriptSegment[] {
  const { starts_ms, ends_ms, text_ends, text, speakers, speakerIds } = columns;
  const whole = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  return Array.from(starts_ms, (start, i): TranscriptSegment => {
    const from = i === 0 ? 0 : text_ends[i - 1]!;
    return {
      start_seconds: start / 1000,
      end_seconds: ends_ms[i]! / 1000,
      text: whole.toString('utf8', from, text_ends[i]),
      speaker: speakerIds[speakers[i]! - 1] ?? null,
    };
  });
}

export class Transcripts {
  readonly #reading: () => Environment | null;
  readonly #writing: () => Environment;
  /** Milliseconds since 1970. */
  readonly #now: () => number;

  /** `reading`: null when nothing is stored yet. */
  constructor(reading: () => Environment | null, writing: () => Environment, now: () => number = Date.now) {
    this.#reading = reading;
    this.#writing = writing;
    this.#now = now;
  }

  stored(hashes: readonly string[]): boolean[] {
    const environment = this.#reading();
    return hashes.map((hash) => environment?.has(transcriptKey(hash)) ?? false);
  }

  /** Null where there is none. `version` changes with what is stored; `columns` throws STORE_DAMAGED. */
  lookUp(hash: string): { readonly version: number; columns(): Columns } | null {
    const environment = this.#reading();
    const key = transcriptKey(hash);
    const bytes = environment?.get(key);
    if (environment === null || bytes === undefined) return null;
    const columns = () => columnsOf(unseal(TranscriptRow, key, bytes, environment.file));
    return { version: sealOf(bytes), columns };
  }

  /** Null where there is none. Throws STORE_DAMAGED. */
  columns(hash: string): Columns | null {
    return this.lookUp(hash)?.columns() ?? null;
  }

  /** Names that people gave to speakers; those of a damaged record are lost, and can be given again. */
  names(hash: string): Names {
    const environment = this.#reading();
    return environment === null ? {} : namesIn(environment, hash, environment.file);
  }

  transcript(hash: string): Transcript | null {
    const columns = this.columns(hash);
    if (columns === null) return null;
    return { mark: columns.mark, segments: segmentsOf(columns), names: allNames(columns, this.names(hash)) };
  }

  /** Every media of which a transcript is stored, ascending; also where it is damaged. */
  hashes(): string[] {
    const environment = this.#reading();
    return environment === null
      ? []
      : environment.keys(transcriptPrefix).map((key) => key.slice(transcriptPrefix.length));
  }

  /** Takes the place of an earlier one; what the folder knows of the media is stored with it. *Flushed* on return. */
  store(media: MediaRecord, mark: TranscriptMark, segments: readonly TranscriptSegment[]): void {
    const hash = media.identity.hash_str;
    const row = packTranscript(hash, mark, segments, this.#now());
    const ids = new Set(segments.map(({ speaker }) => speaker));
    const before = readable(() => this.columns(hash))?.mark.speaker_names ?? {};
    const key = transcriptKey(hash);
    const environment = this.#writing();
    environment.transact((writes) => {
      putFormat(writes);
      writes.put(key, seal(TranscriptRow, key, row));
      const names = Object.entries(namesIn(writes, hash, environment.file));
      const kept = names.flatMap(([id, name]) => {
        const now = sameSpeaker(id, before, mark.speaker_names ?? {}, ids);
        return now === undefined ? [] : [[now, name] as const];
      });
      if (String(kept) !== String(names)) putNames(writes, hash, Object.fromEntries(kept));
      putMedia(writes, media, environment.file);
    });
  }

  /** All names there are now. Throws NOT_ANALYZED, UNKNOWN_SPEAKER; then no name is changed. */
  name(hash: string, assignments: readonly { readonly speaker: string; readonly name: string }[]): Names {
    const columns = this.columns(hash);
    if (columns === null) throw storeErrors.NOT_ANALYZED(`${hash} has no transcript`, { field: 'hash_str' });
    const known = new Set(columns.speakerIds);
    for (const [i, { speaker }] of assignments.entries()) {
      if (known.has(speaker)) continue;
      const field = `assignments[${i}].speaker`;
      throw transcriptErrors.UNKNOWN_SPEAKER(`${field}: ${hash} has no speaker ${speaker}`, { field });
    }
    const environment = this.#writing();
    return environment.transact((writes) => {
      const names = new Map(Object.entries(namesIn(writes, hash, environment.file)));
      for (const { speaker, name } of assignments) {
        if (name.trim() === '') names.delete(speaker);
        else names.set(speaker, name.trim());
      }
      const now = Object.fromEntries(names);
      putNames(writes, hash, now);
      return allNames(columns, now);
    });
  }
}

/** Ids may be anything, `__proto__` too. */
export function nameIn(names: Names, id: string): string | undefined {
  return Object.hasOwn(names, id) ? names[id] : undefined;
}

/** The id by now of a speaker that a person named: whom the subtitles name as before, or the same voice. */
function sameSpeaker(
  id: string,
  before: Names,
  now: Names,
  ids: ReadonlySet<string | null>,
): string | undefined {
  const earlier = nameIn(before, id);
  if (earlier === undefined && nameIn(now, id) === undefined && ids.has(id)) return id;
  // Earlier versions had the names themselves as ids.
  const said = earlier ?? id;
  return Object.keys(now).find((other) => now[other] === said);
}

/** What the subtitles say, and before it what people say. */
function allNames({ mark }: Pick<Columns, 'mark'>, given: Names): Record<string, string> {
  return { ...mark.speaker_names, ...given };
}

function namesIn(reader: Pick<Writes, 'get'>, hash: string, file: string): Names {
  const key = speakersKey(hash);
  const bytes = reader.get(key);
  if (bytes === undefined) return {};
  const row = readable(() => unseal(SpeakerNames, key, bytes, file));
  return row === null ? {} : (JSON.parse(row.names_json) as Names);
}

function putNames(writes: Writes, hash: string, names: Names): void {
  const key = speakersKey(hash);
  if (Object.keys(names).length === 0) writes.remove(key);
  else writes.put(key, seal(SpeakerNames, key, { hash_str: hash, names_json: JSON.stringify(names) }));
}
