// What the index answers about transcripts: stored, read, named and searched.
import type { Handlers, Turn } from '../../../runtime/actor.ts';
import type { Contract, Request } from '../../../runtime/contract.ts';
import { checkSearchFilters, type FilterParts, passingHashes } from '../facets/scope.ts';
import type { PeopleIndex } from '../people/people-index.ts';
import { readable } from '../store/faults.ts';
import type { Names } from '../store/speaker-names.ts';
import type { Store } from '../store/store.ts';
import type { Columns } from '../store/transcripts.ts';
import { fold } from '../text/fold.ts';
import type {
  NamedSegment,
  Transcript,
  TranscriptMark,
  TranscriptMatch,
  TranscriptPart,
  transcriptMessages,
} from './contract.ts';
import type { Hit } from './loaded.ts';
import { nameOf, overlaps, textOf } from './loaded-transcript.ts';
import { findSpoken } from './said.ts';
import type { TranscriptIndex } from './transcript-index.ts';

type TranscriptContract = Contract<typeof transcriptMessages>;

export interface TranscriptParts extends FilterParts {
  readonly transcripts: TranscriptIndex;
  readonly people: Pick<PeopleIndex, 'seen'>;
}

export function transcriptHandlers(parts: TranscriptParts): Handlers<TranscriptContract> {
  const { folders, transcripts: index } = parts;
  return {
    transcribed: ({ cache_dir, hashes }) =>
      folders.with(cache_dir, (store) => ({ transcribed: store.transcripts.stored(hashes) })),
    transcribe: ({ cache_dir, media, mark, segments, voices = null }) =>
      folders.with(cache_dir, (store) => {
        store.transcripts.store(media, mark, segments, voices);
        index.changed(store, media.identity.hash_str);
        return {};
      }),
    transcript_marks: ({ cache_dir, hashes }, turn) =>
      folders.with(cache_dir, (store) => ({ marks: hashes.map((hash) => markOf(store, hash, turn)) })),
    transcripts: (request, turn) =>
      folders.with(request.cache_dir, (store) => read(store, request.hashes, turn)),
    name_speakers: ({ cache_dir, hash_str, assignments }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        const { names, changed } = store.transcripts.name(hash_str, assignments);
        for (const hash of changed) index.changed(store, hash);
        return { names: { ...names } };
      }),
    transcript_part: (request) => folders.with(request.cache_dir, (store) => part(store, request)),
    load_transcripts: ({ cache_dir, load = null }) =>
      folders.with(cache_dir, (store) => index.load(store, load)),
    search_transcripts: (request, turn) => search(parts, request, () => turn.throwIfCancelled()),
    search_said: (request, turn) => said(parts, request, () => turn.throwIfCancelled()),
  };
}

/** A damaged transcript has no mark, so that it is made again. */
function markOf(store: Store, hash: string, turn: Turn): TranscriptMark | null {
  turn.throwIfCancelled();
  return readable(() => store.transcripts.columns(hash)?.mark ?? null);
}

function read(store: Store, hashes: readonly string[], turn: Turn) {
  store.requireReadable();
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

function namedSegment(columns: Columns, names: Names, segment: number): NamedSegment {
  const speaker = columns.speakerIds[columns.speakers[segment]! - 1] ?? null;
  return {
    segment_index: segment,
    start_seconds: columns.starts_ms[segment]! / 1000,
    end_seconds: columns.ends_ms[segment]! / 1000,
    text: textOf(columns, segment),
    speaker,
    speaker_name: speaker === null ? null : nameOf(columns, names, speaker),
  };
}

function part(store: Store, request: Request<TranscriptContract, 'transcript_part'>): TranscriptPart {
  const { hash_str, range, after, most } = request;
  store.requireReadable();
  const columns = store.transcripts.columns(hash_str);
  if (columns === null) return { stored: null, segments: [] };
  const names = store.transcripts.names(hash_str);
  const { starts_ms, ends_ms } = columns;
  const segments: NamedSegment[] = [];
  for (let i = Math.max(0, (after ?? -1) + 1); i < starts_ms.length && segments.length < most; i++) {
    const start = starts_ms[i]! / 1000;
    if (start >= range[1]) break;
    if (overlaps(start, ends_ms[i]! / 1000, range)) segments.push(namedSegment(columns, names, i));
  }
  return { stored: starts_ms.length, segments };
}

/** Matches are counted up to this: to count all of a frequent word takes longer than to find the first. */
const mostCounted = 1000;

async function search(
  parts: TranscriptParts,
  { cache_dir, query, scope, speaker_name, max_results }: Request<TranscriptContract, 'search_transcripts'>,
  pause: () => void,
) {
  const { filters, loaded } = await parts.folders.with(cache_dir, (store) => ({
    filters: checkSearchFilters(scope.filters, parts.tables.known(store, scope.filters)),
    loaded: parts.transcripts.of(store),
  }));
  const unfiltered = { cache_dir, hashes: scope.hashes, filters };
  const hashes = await passingHashes(parts, unfiltered, () => loaded.hashes(), pause);
  const request = {
    hashes: hashes && new Set(hashes),
    ranges: new Map(Object.entries(scope.ranges)),
    speaker: speaker_name,
  };
  const needle = Buffer.from(fold(query));
  const found = loaded.find(needle, request, max_results, mostCounted, pause);
  const matches = found.first.map(matchOf);
  const most = Math.max(mostCounted, max_results);
  // Where counting ends depends on how the transcripts lie in memory; the answer does not.
  return { matches, total: Math.min(found.total, most), total_is_exact: found.total < most };
}

function matchOf({ transcript: { hash, path, columns, names }, segment }: Hit): TranscriptMatch {
  return { hash_str: hash, path, ...namedSegment(columns, names, segment) };
}

async function said(
  parts: TranscriptParts,
  { cache_dir, query, scope, people, max_results }: Request<TranscriptContract, 'search_said'>,
  pause: () => void,
) {
  const { filters, loaded, seen } = await parts.folders.with(cache_dir, (store) => ({
    filters: checkSearchFilters(scope.filters, parts.tables.known(store, scope.filters)),
    loaded: parts.transcripts.of(store),
    seen: people === undefined ? null : parts.people.seen(store, people),
  }));
  const unfiltered = { cache_dir, hashes: scope.hashes, filters };
  const hashes = await passingHashes(parts, unfiltered, () => loaded.hashes(), pause);
  const request = {
    hashes: hashes && new Set(hashes),
    ranges: new Map(Object.entries(scope.ranges)),
    speaker: null,
    only: seen?.ranges ?? null,
  };
  const { hits, words } = findSpoken(loaded, query, request, max_results, pause);
  return { matches: hits.map(matchOf), media: loaded.media, words: [...words] };
}
