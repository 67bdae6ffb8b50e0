// The transcripts of one folder that are in memory. What is loaded lies in sealed shards, which never change;
// what is stored later goes to the active one, which is rebuilt with every transcript until it is large
// enough to be sealed.

import { joinRanges } from '../../../runtime/ranges.ts';
import type { FrameRanges } from '../people/moments.ts';
import type { Store } from '../store/store.ts';
import { type Columns, type LanguageStart, searchable } from '../store/transcripts.ts';
import { type Names, nameIn } from '../store/voices/linked-names.ts';
import { ShardBuilder } from '../text/build.ts';
import { type FoldedTexts, fold } from '../text/fold.ts';
import { hasWholeWord } from '../text/query.ts';
import { type FoundRow, firstRows, type Picked, type Shard } from '../text/shard.ts';
import { crossesRows, type Phrase, spokenRows } from '../text/spoken.ts';

// The transcript of one media in memory.

export interface LoadedTranscript {
  readonly hash: string;
  /** Where the media was last when it was loaded; transcripts are in the order of their paths. */
  readonly path: string;
  /** Changes when a transcript is stored again. */
  readonly version: number;
  /** Also with the segments of `languages`, behind its own. */
  readonly columns: Columns;
  /** Subtitles in other languages, ascending. */
  readonly languages: readonly LanguageStart[];
  /** The segments in their spoken form. */
  readonly folded: FoldedTexts;
  names: Names;
  /** Another transcript took its place. */
  gone: boolean;
}

export function loadedTranscript(
  stored: Columns,
  of: Pick<LoadedTranscript, 'path' | 'version' | 'names'>,
): LoadedTranscript {
  const { columns, languages } = searchable(stored);
  const folded = spokenRows(columns.text, columns.text_ends);
  return { hash: columns.hash_str, ...of, columns, languages, folded, gone: false };
}

export function bytesOf({ columns, folded }: LoadedTranscript): number {
  const { starts_ms, ends_ms, text_ends, text, speakers } = columns;
  const columnBytes = [starts_ms, ends_ms, text_ends, text, speakers].reduce(
    (sum, list) => sum + list.byteLength,
    0,
  );
  return columnBytes + folded.bytes.byteLength + folded.ends.byteLength;
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
function speakersMeant(
  { columns, names }: Pick<LoadedTranscript, 'columns' | 'names'>,
  requestedName: string,
) {
  const { mark, speakerIds } = columns;
  const speakers = speakerIds.map((id) => {
    const said = nameIn(mark.speaker_names ?? {}, id);
    return {
      id: fold(id),
      names: [nameOf(columns, names, id), ...(said === undefined ? [] : [said])].map(fold),
    };
  });
  const exactly = speakers.map(
    (speaker) => speaker.id === requestedName || speaker.names.includes(requestedName),
  );
  if (exactly.includes(true)) return exactly;
  // A part of an id is none of a name.
  return speakers.map((speaker) =>
    speaker.names.some((name) => name !== speaker.id && name.includes(requestedName)),
  );
}

/** Half-open, in seconds. */
export type RangeBounds = readonly [number, number];

/** A segment without length overlaps the range it lies in. */
export function overlaps(start: number, end: number, [from, to]: RangeBounds): boolean {
  return start < to && (end > from || (end === start && start >= from));
}

/** Scope of a search, beside the words. `speaker`: an id, a name or a part of it, compared folded. */
export interface TranscriptScope {
  readonly hashes: ReadonlySet<string> | null;
  readonly ranges: ReadonlyMap<string, readonly RangeBounds[]>;
  readonly speaker: string | null;
  /** Grid frames of all media to which the search is limited; left out for no limit. */
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

/** True if a second of the grid in `ranges` (start, end, start, end...) overlaps the segment. */
function holdsAny(ranges: Uint32Array, start: number, end: number): boolean {
  let [low, high] = [0, ranges.length / 2];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle * 2 + 1]! <= start) low = middle + 1;
    else high = middle;
  }
  return low * 2 < ranges.length && ranges[low * 2]! < Math.max(end, start + 1e-3);
}

/** Rows from which a shard is sealed: to rebuild so many takes 10 ms. */
const sealedRows = 8192;

export interface SegmentHit {
  readonly transcript: LoadedTranscript;
  readonly segment: number;
}

export interface Hits {
  /** In the order of paths and segments, the first of all. */
  readonly first: SegmentHit[];
  /** Also those beyond, as far as they were counted. */
  readonly total: number;
}

type TranscriptShard = Shard<LoadedTranscript>;

export class LoadedTranscripts {
  readonly folder: string;
  /** Identity of the loaded records; a folder that was replaced has another. */
  readonly source: string;
  readonly #byHash = new Map<string, LoadedTranscript>();
  #shards: TranscriptShard[] = [];
  #active: TranscriptShard | null = null;
  #listed: readonly string[] | null = null;
  /** Segments that can be searched. */
  segments = 0;

  constructor({ folder, identity }: Pick<Store, 'folder' | 'identity'>) {
    this.folder = folder;
    this.source = identity;
  }

  get media(): number {
    return this.#byHash.size;
  }

  /** Bytes in memory, of transcripts that were replaced too. */
  get bytes(): number {
    const texts = (shard: TranscriptShard) =>
      shard.documents.reduce((sum, document) => sum + bytesOf(document), 0);
    return this.#all().reduce((sum, shard) => sum + shard.bytes + texts(shard), 0);
  }

  /** The same list until something is added, removed or renamed. */
  hashes(): readonly string[] {
    this.#listed ??= [...this.#byHash.keys()];
    return this.#listed;
  }

  readonly get = (hash: string): LoadedTranscript | undefined => this.#byHash.get(hash);

  /** Takes the transcripts of a shard in, in place of earlier ones of the same media. */
  add(shard: TranscriptShard): void {
    for (const transcript of shard.documents) this.#enter(transcript);
    this.#shards.push(shard);
    this.#dropGone();
  }

  /**
   * Makes shards anew of which more than half was replaced, so that it does not stay in memory. False when
   * there were none left; about 10 ms else.
   */
  tidy(): boolean {
    this.#dropGone();
    const sparse = this.#shards.filter((shard) => liveIn(shard) * 2 < sizeOf(shard));
    if (sparse.length === 0) return false;
    const builder = new ShardBuilder<LoadedTranscript>();
    const mergedShards = new Set<TranscriptShard>();
    const live: LoadedTranscript[] = [];
    for (const shard of sparse) {
      if (mergedShards.size > 0 && live.reduce((sum, document) => sum + rowsOf(document), 0) >= sealedRows)
        break;
      mergedShards.add(shard);
      live.push(...shard.documents.filter(({ gone }) => !gone));
    }
    for (const transcript of live.sort(inOrder)) builder.add(transcript);
    this.#shards = [...this.#shards.filter((shard) => !mergedShards.has(shard)), builder.finish()];
    return true;
  }

  #dropGone(): void {
    this.#shards = this.#shards.filter((shard) => shard.documents.some(({ gone }) => !gone));
  }

  /** Takes one transcript in, in place of an earlier one. */
  put(transcript: LoadedTranscript): void {
    const { hash } = transcript;
    const others = (this.#active?.documents ?? []).filter(
      (document) => document.hash !== hash && !document.gone,
    );
    this.#enter(transcript);
    const builder = new ShardBuilder<LoadedTranscript>();
    for (const document of [...others, transcript].sort(inOrder)) builder.add(document);
    const shard = builder.finish();
    this.#active = shard.rows < sealedRows ? shard : null;
    if (this.#active === null) this.#shards.push(shard);
    this.tidy();
  }

  #enter(transcript: LoadedTranscript): void {
    this.remove(transcript.hash);
    this.#byHash.set(transcript.hash, transcript);
    this.segments += rowsOf(transcript);
    this.#listed = null;
  }

  /** Gives the speakers of a transcript other names. */
  rename(transcript: LoadedTranscript, names: Names): void {
    transcript.names = names;
    this.#listed = null;
  }

  remove(hash: string): void {
    const transcript = this.#byHash.get(hash);
    if (transcript === undefined) return;
    transcript.gone = true;
    this.#byHash.delete(hash);
    this.segments -= rowsOf(transcript);
    this.#listed = null;
  }

  #all(): readonly TranscriptShard[] {
    return this.#active === null ? this.#shards : [...this.#shards, this.#active];
  }

  /**
   * The first `most` segments in which one of the phrases begins, in their order; the total is counted up to
   * `counted` or somewhat more. `pause` is called between shards and may throw to stop.
   */
  find(
    phrases: readonly Phrase[],
    scope: TranscriptScope,
    most: number,
    counted: number,
    pause: () => void,
  ): Hits {
    const lookups = phrases.flatMap((phrase) => lookupsOf(phrase, scope));
    let first: SegmentHit[] = [];
    let total = 0;
    for (const shard of this.#inOrder()) {
      pause();
      const last = first.length === most ? first.at(-1) : undefined;
      // Nothing in this shard comes before what is found already.
      const isLater = last !== undefined && inOrder(last.transcript, shard.documents[0]!) < 0;
      if (isLater && total >= counted) continue;
      const rows = Math.max(isLater ? 0 : most, counted - total);
      const foundRows: FoundRow<LoadedTranscript>[] = [];
      for (const { needles, pickOf } of lookups)
        shard.find(needles, pickOf, rows, (document, row) => foundRows.push({ document, row }));
      const hits = inTheirOrder(foundRows);
      total += hits.length;
      if (isLater || hits.length === 0) continue;
      first = [...first, ...hits.map(({ document, row }) => ({ transcript: document, segment: row }))];
      first.sort((a, b) => inOrder(a.transcript, b.transcript) || a.segment - b.segment);
      first.length = Math.min(most, first.length);
    }
    return { first, total };
  }

  /** The first `most` segments in which one of the phrases begins. `pause` may throw to stop. */
  first(
    phrases: readonly Phrase[],
    scope: TranscriptScope,
    most: number,
    pause: () => void,
  ): FoundRow<LoadedTranscript>[] {
    const shards = this.#inOrder();
    const lookups = phrases.flatMap((phrase) => lookupsOf(phrase, scope));
    const foundRows = lookups.flatMap((lookup) => firstRows(shards, inOrder, { ...lookup, most, pause }));
    return inTheirOrder(foundRows).slice(0, most);
  }

  /** The shards by their first transcript. */
  #inOrder(): readonly TranscriptShard[] {
    return this.#all().toSorted((a, b) => inOrder(a.documents[0]!, b.documents[0]!));
  }
}

// A phrase is looked for within segments, and from the end of one segment into those after it.

interface Lookup {
  readonly needles: readonly Uint8Array[];
  readonly pickOf: (transcript: LoadedTranscript) => Picked;
}

function lookupsOf({ needle, firstWord, isWhole }: Phrase, scope: TranscriptScope): Lookup[] {
  const isWholeIn = ({ folded }: LoadedTranscript, row: number) => hasWholeWord(folded, row, needle);
  const goesOn = (transcript: LoadedTranscript, row: number) => goesOnAfter(transcript, row, needle, isWhole);
  const pick = (transcript: LoadedTranscript) => pickOf(transcript, scope);
  const within = { needles: [needle], pickOf: isWhole ? also(pick, isWholeIn) : pick };
  return firstWord === null ? [within] : [within, { needles: [firstWord], pickOf: also(pick, goesOn) }];
}

function also(
  pick: Lookup['pickOf'],
  condition: (transcript: LoadedTranscript, row: number) => boolean,
): Lookup['pickOf'] {
  return (transcript) => {
    const picked = pick(transcript);
    if (picked === false) return false;
    return (row) => (picked === true || picked(row)) && condition(transcript, row);
  };
}

/** True if a phrase begins at the end of a segment and goes on in the next ones of the same language. */
export function goesOnAfter(
  { folded, languages }: LoadedTranscript,
  segment: number,
  needle: Uint8Array,
  isWhole: boolean,
): boolean {
  const end = languages.find(({ from }) => from > segment)?.from ?? folded.ends.length;
  return crossesRows(folded, segment, end, needle, isWhole);
}

/** Sorted, each once. */
function inTheirOrder(foundRows: FoundRow<LoadedTranscript>[]): FoundRow<LoadedTranscript>[] {
  const sorted = foundRows.sort((a, b) => inOrder(a.document, b.document) || a.row - b.row);
  return sorted.filter(({ document, row }, i) => {
    const before = sorted[i - 1];
    return before?.document !== document || before.row !== row;
  });
}

/** Size of a shard: its rows, and its transcripts, some of which have none. */
function sizeOf({ rows, documents }: TranscriptShard): number {
  return rows + documents.length;
}

function liveIn({ documents }: TranscriptShard): number {
  return documents.reduce((sum, document) => sum + (document.gone ? 0 : rowsOf(document) + 1), 0);
}

function rowsOf({ folded }: LoadedTranscript): number {
  return folded.ends.length;
}
