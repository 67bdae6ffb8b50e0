// What the index answers about transcripts: stored, read, named and searched.
import { resolve } from 'node:path';
import type { Handlers, Turn } from '../../../runtime/actor.ts';
import type { Request } from '../../../runtime/contract.ts';
import type { indexContract } from '../contract.ts';
import { type CheckedFilter, checkFilters } from '../facets/filter.ts';
import { facets } from '../facets/list.ts';
import { storeErrors } from '../store/contract.ts';
import type { Store } from '../store/store.ts';
import type { Columns, Names } from '../store/transcripts.ts';
import type { SaidSegment, Transcript, TranscriptMark, TranscriptPart } from './contract.ts';
import { fold } from './fold.ts';
import { nameOf, overlaps, textOf } from './spoken.ts';
import type { TranscriptIndex } from './transcripts.ts';

type Contract = typeof indexContract;
type Asks =
  | 'transcribed'
  | 'transcribe'
  | 'transcript_marks'
  | 'transcripts'
  | 'name_speakers'
  | 'transcript_part'
  | 'load_transcripts'
  | 'search_transcripts';

/** The stores that are open, and what is loaded. */
export interface Opened {
  readonly transcripts: TranscriptIndex;
  with<T>(folder: string, use: (store: Store) => T): Promise<T>;
  passing(store: Store, filters: readonly CheckedFilter[], pause: () => void): (hash: string) => boolean;
}

export function transcriptHandlers(opened: Opened): Pick<Handlers<Contract>, Asks> {
  const { transcripts: index } = opened;
  return {
    transcribed: ({ cache_dir, hashes }) =>
      opened.with(cache_dir, (store) => ({ transcribed: store.transcripts.stored(hashes) })),
    transcribe: ({ cache_dir, media, mark, segments }) =>
      opened.with(cache_dir, (store) => {
        store.transcripts.store(media, mark, segments);
        index.changed(store, media.identity.hash_str);
        return {};
      }),
    transcript_marks: ({ cache_dir, hashes }, turn) =>
      opened.with(cache_dir, (store) => ({ marks: hashes.map((hash) => markOf(store, hash, turn)) })),
    transcripts: (request, turn) =>
      opened.with(request.cache_dir, (store) => read(store, request.hashes, turn)),
    name_speakers: ({ cache_dir, hash_str, assignments }) =>
      opened.with(cache_dir, (store) => {
        store.requireFolder();
        const names = { ...store.transcripts.name(hash_str, assignments) };
        index.changed(store, hash_str);
        return { names };
      }),
    transcript_part: (request) => opened.with(request.cache_dir, (store) => part(store, request)),
    load_transcripts: ({ cache_dir }) => opened.with(cache_dir, (store) => index.load(store)),
    search_transcripts: (request, turn) => search(opened, request, turn),
  };
}

/** A damaged transcript has no mark, so that it is made again. */
function markOf(store: Store, hash: string, turn: Turn): TranscriptMark | null {
  turn.throwIfCancelled();
  return readable(
    () => store.transcripts.columns(hash)?.mark ?? null,
    () => {},
  );
}

function read(store: Store, hashes: readonly string[], turn: Turn) {
  store.requireFolder();
  const transcripts: (Transcript | null)[] = [];
  const unreadable = new Set<string>();
  for (const hash of hashes) {
    turn.throwIfCancelled();
    const broken = (error: Error) => {
      turn.log.warn('A transcript cannot be read', { hash, reason: error.message });
      unreadable.add(hash);
    };
    transcripts.push(readable(() => store.transcripts.transcript(hash), broken));
  }
  return { transcripts, unreadable: [...unreadable] };
}

/** Null for what is damaged; `broken` is told. */
function readable<T>(read: () => T, broken: (error: Error) => void): T | null {
  try {
    return read();
  } catch (error) {
    if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
    broken(error);
    return null;
  }
}

function said(columns: Columns, names: Names, segment: number): SaidSegment {
  const speaker = columns.speakerIds[columns.speakers[segment]! - 1] ?? null;
  return {
    segment_index: segment,
    start_seconds: columns.starts_ms[segment]! / 1000,
    end_seconds: columns.ends_ms[segment]! / 1000,
    text: textOf(columns, segment),
    speaker,
    speaker_name: speaker === null ? null : nameOf(names, speaker),
  };
}

function part(store: Store, request: Request<Contract, 'transcript_part'>): TranscriptPart {
  const { hash_str, range, after, most } = request;
  store.requireFolder();
  const columns = store.transcripts.columns(hash_str);
  if (columns === null) return { stored: null, segments: [] };
  const names = store.transcripts.names(hash_str);
  const { starts_ms, ends_ms } = columns;
  const segments: SaidSegment[] = [];
  for (let i = Math.max(0, (after ?? -1) + 1); i < starts_ms.length && segments.length < most; i++) {
    const start = starts_ms[i]! / 1000;
    if (start >= range[1]) break;
    if (overlaps(start, ends_ms[i]! / 1000, range)) segments.push(said(columns, names, i));
  }
  return { stored: starts_ms.length, segments };
}

/** Matches are counted up to this: to count all of a frequent word takes longer than to find the first. */
const mostCounted = 1000;

async function search(opened: Opened, request: Request<Contract, 'search_transcripts'>, turn: Turn) {
  const { cache_dir, query, scope, speaker_name, max_results } = request;
  const pause = () => turn.throwIfCancelled();
  const filters = checkFilters(facets, scope.filters, 'metadata_filter_request.filters');
  let { hashes }: { hashes: readonly string[] | null } = scope;
  if (filters.length > 0) {
    // Of what is loaded when the filters are done, which may take a while the first time.
    const passes = await opened.with(cache_dir, (store) => opened.passing(store, filters, pause));
    hashes = (hashes ?? opened.transcripts.of(cache_dir).hashes()).filter(passes);
  }
  const loaded = opened.transcripts.of(resolve(cache_dir));
  const wanted = {
    hashes: hashes && new Set(hashes),
    ranges: new Map(Object.entries(scope.ranges)),
    speaker: speaker_name,
  };
  const { first, total } = loaded.find(Buffer.from(fold(query)), wanted, max_results, mostCounted, pause);
  const matches = first.map(({ spoken: { hash, path, columns, names }, segment }) => ({
    hash_str: hash,
    path,
    ...said(columns, names, segment),
  }));
  return { matches, total, total_is_exact: total < Math.max(mostCounted, max_results) };
}
