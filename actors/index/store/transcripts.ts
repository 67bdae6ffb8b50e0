// The transcripts of an analysis folder: packed into columns when stored, one record a media; the names that
// people gave its speakers lie in a record of their own.
import { engineErrors } from '../../../runtime/errors.ts';
import type { SpeakerVoices } from '../../diarizer/contract.ts';
import { givenName } from '../people/person-name.ts';
import {
  type Transcript,
  type TranscriptMark,
  type TranscriptSegment,
  transcriptErrors,
} from '../transcripts/contract.ts';
import type { VoiceRef } from '../voices/contract.ts';
import { sameSpeakers } from '../voices/follow.ts';
import { type MediaRecord, storeErrors } from './contract.ts';
import type { Environment } from './environment.ts';
import { readable } from './faults.ts';
import { putMedia } from './media.ts';
import { transcriptKey, transcriptPrefix } from './names.ts';
import { putFormat, TranscriptRow } from './records.ts';
import { seal, sealOf, unseal } from './table.ts';
import {
  linkVoices,
  type Names,
  nameIn,
  nameLinked,
  namesIn,
  putNames,
  rememberedNames,
  type SaidOfVoices,
} from './voices/linked-names.ts';
import { remembering, replaceVoices, StoredVoices, takeBack } from './voices/voice-records.ts';

/** A transcript as it lies in the store: columns with one entry a segment, as in records.ts. */
export interface Columns extends Omit<TranscriptRow, 'mark_json' | 'speakers_json'> {
  readonly mark: TranscriptMark;
  /** Ids in the order in which they first speak. */
  readonly speakerIds: readonly string[];
}

export interface Linked {
  readonly voices: (VoiceRef & { name: string | null })[];
  /** Contents whose names may be others. */
  readonly changed: ReadonlySet<string>;
}

const mostMs = 2 ** 32 - 1;

function milliseconds(seconds: number, at: number): number {
  const ms = Math.round(seconds * 1000);
  if (ms >= 0 && ms <= mostMs) return ms;
  throw engineErrors.INVALID_MESSAGE(`segments[${at}]: ${seconds} s is not a valid time`);
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

/** First segment of each further language in the columns of `searchable`. */
export interface LanguageStart {
  readonly from: number;
  readonly language: string | null;
}

/** The columns with the segments of subtitles in other languages behind those of the transcript. */
export function searchable(columns: Columns): { columns: Columns; languages: readonly LanguageStart[] } {
  const { hash_str, mark } = columns;
  const languages: LanguageStart[] = [];
  let all = columns;
  for (const { language, segments } of mark.others ?? []) {
    languages.push({ from: all.starts_ms.length, language });
    const more = packTranscript(hash_str, mark, segments);
    const size = all.text.byteLength;
    all = {
      ...all,
      starts_ms: joined(all.starts_ms, more.starts_ms),
      ends_ms: joined(all.ends_ms, more.ends_ms),
      text_ends: joined(
        all.text_ends,
        more.text_ends.map((end) => end + size),
      ),
      text: Buffer.concat([all.text, more.text]),
      // Only speakers of the transcript itself have ids.
      speakers: joined(all.speakers, new Uint32Array(segments.length)),
    };
  }
  return { columns: all, languages };
}

function joined(first: Uint32Array, second: Uint32Array): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Null where there is none. `version` changes with what is stored; `columns` throws STORE_DAMAGED. */
export function lookUpTranscript(
  environment: Environment | null,
  hash: string,
): { readonly version: number; columns(): Columns } | null {
  const key = transcriptKey(hash);
  const bytes = environment?.get(key);
  if (environment === null || bytes === undefined) return null;
  const columns = () => columnsOf(unseal(TranscriptRow, key, bytes, environment.file, true));
  return { version: sealOf(bytes), columns };
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

export class StoredTranscripts {
  readonly voices = new StoredVoices(() => this.#reading());
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

  /** Same as `lookUpTranscript`. */
  lookUp(hash: string): ReturnType<typeof lookUpTranscript> {
    return lookUpTranscript(this.#reading(), hash);
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

  /**
   * Takes the place of an earlier one; what the folder knows of the media is stored with it. `voices`: how
   * its speakers sound, where somebody listened. *Flushed* on return.
   */
  store(
    media: MediaRecord,
    mark: TranscriptMark,
    segments: readonly TranscriptSegment[],
    voices: SpeakerVoices | null = null,
  ): void {
    const hash = media.identity.hash_str;
    const row = packTranscript(hash, mark, segments, this.#now());
    const ids = new Set(segments.map(({ speaker }) => speaker));
    const earlier = readable(() => this.columns(hash));
    const before = earlier?.mark.speaker_names ?? {};
    const pairs = earlier === null ? new Map<string, string>() : sameSpeakers(earlier, columnsOf(row));
    // Without voices an id says all that is known of a speaker.
    const byVoice = voices !== null && this.voices.of(hash) !== null ? pairs : new Map<string, string>();
    const usedIds = new Set(byVoice.values());
    const key = transcriptKey(hash);
    const environment = this.#writing();
    environment.transact((writes) => {
      putFormat(writes);
      writes.put(key, seal(TranscriptRow, key, row));
      const names = Object.entries(namesIn(writes, hash, environment.file));
      const keptNames = names.flatMap(([id, name]) => {
        const sameId = usedIds.has(id) ? undefined : sameSpeaker(id, before, mark.speaker_names ?? {}, ids);
        const now = byVoice.get(id) ?? sameId;
        return now === undefined ? [] : [[now, name] as const];
      });
      replaceVoices(writes, hash, voices, pairs, environment.file);
      const remembered = rememberedNames(writes, hash, Object.fromEntries(keptNames), environment.file);
      if (String(Object.entries(remembered)) !== String(names)) putNames(writes, hash, remembered);
      putMedia(writes, media, environment);
    });
  }

  /** Throws NOT_ANALYZED, UNKNOWN_SPEAKER. */
  columnsWith(hash: string, speakers: readonly string[], fieldOf: (at: number | null) => string): Columns {
    const columns = this.columns(hash);
    if (columns === null) {
      throw storeErrors.NOT_ANALYZED(`${hash} has no transcript`, { field: fieldOf(null) });
    }
    const speakerIds = new Set(columns.speakerIds);
    for (const [i, speaker] of speakers.entries()) {
      if (speakerIds.has(speaker)) continue;
      const field = fieldOf(i);
      throw transcriptErrors.UNKNOWN_SPEAKER(`${field}: ${hash} has no speaker ${speaker}`, { field });
    }
    return columns;
  }

  /**
   * All names there are now, and every content whose names may be others: voices that are linked have one
   * name. Throws NOT_ANALYZED, UNKNOWN_SPEAKER; then no name is changed.
   */
  name(
    hash: string,
    assignments: readonly { readonly speaker: string; readonly name: string }[],
  ): { readonly names: Names; readonly changed: ReadonlySet<string> } {
    const speakers = assignments.map(({ speaker }) => speaker);
    const columns = this.columnsWith(hash, speakers, (at) =>
      at === null ? 'hash_str' : `assignments[${at}].speaker`,
    );
    const environment = this.#writing();
    return environment.transact((writes) => {
      const changed = new Set([hash]);
      for (const [i, { speaker, name }] of assignments.entries()) {
        const voice = { hash_str: hash, speaker };
        const given = givenName(name, `assignments[${i}].name`);
        for (const changedHash of nameLinked(writes, voice, given, environment.file))
          changed.add(changedHash);
      }
      return { names: allNames(columns, namesIn(writes, hash, environment.file)), changed };
    });
  }

  /** Stores people's statements about voices; see `link_speakers`. */
  link(said: SaidOfVoices): Linked {
    for (const [i, { hash_str, speaker }] of said.voices.entries()) {
      const fieldOf = (at: number | null) => `voices[${i}].${at === null ? 'hash_str' : 'speaker'}`;
      this.columnsWith(hash_str, [speaker], fieldOf);
    }
    const environment = this.#writing();
    const { file } = environment;
    const voices = environment.transact((writes) =>
      remembering(writes, file, (recorder) => linkVoices(recorder, said, file)),
    );
    return this.#told(voices);
  }

  /** Takes the last `link` back. NOTHING_SAID. */
  takeBack(): Linked {
    const environment = this.#writing();
    return this.#told(environment.transact((writes) => takeBack(writes, environment.file)));
  }

  #told(voices: readonly VoiceRef[]): Linked {
    const changed = new Set(voices.map(({ hash_str }) => hash_str));
    return { voices: voices.map((voice) => ({ ...voice, name: this.shownName(voice) })), changed };
  }

  /** The name that was given, else that of the subtitles; null without one. */
  shownName({ hash_str, speaker }: VoiceRef): string | null {
    const said = readable(() => this.columns(hash_str))?.mark.speaker_names ?? {};
    return nameIn(this.names(hash_str), speaker) ?? nameIn(said, speaker) ?? null;
  }
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
  return Object.keys(now).find((candidate) => now[candidate] === said);
}

/** Names in the subtitles; names given by people take precedence. */
function allNames({ mark }: Pick<Columns, 'mark'>, given: Names): Record<string, string> {
  return { ...mark.speaker_names, ...given };
}
