// Handlers about transcripts: stored, read, named and searched.
import type { Handlers, Turn } from '../../../runtime/actor.ts';
import type { Contract, Request } from '../../../runtime/contract.ts';
import { inScope, type ScopeParts } from '../facets/scope.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { Columns } from '../store/transcripts.ts';
import type { Names } from '../store/voices/linked-names.ts';
import { beginsWord, hasWholeWord, placeOf, queryWords } from '../text/query.ts';
import type { FoundRow } from '../text/shard.ts';
import { type Phrase, phrasesOf, spokenForm } from '../text/spoken.ts';
import type {
  NamedSegment,
  Transcript,
  TranscriptMark,
  TranscriptMatch,
  TranscriptPart,
  transcriptMessages,
} from './contract.ts';
import {
  goesOnAfter,
  inOrder,
  type LoadedTranscript,
  type LoadedTranscripts,
  nameOf,
  overlaps,
  type SegmentHit,
  type TranscriptScope,
  textOf,
} from './loaded.ts';
import type { TranscriptIndex } from './transcript-index.ts';

type TranscriptContract = Contract<typeof transcriptMessages>;

export interface TranscriptParts extends ScopeParts {
  readonly transcripts: TranscriptIndex;
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
  const { mark, starts_ms, ends_ms } = columns;
  const segments: NamedSegment[] = [];
  for (let i = Math.max(0, (after ?? -1) + 1); i < starts_ms.length && segments.length < most; i++) {
    const start = starts_ms[i]! / 1000;
    if (start >= range[1]) break;
    if (!overlaps(start, ends_ms[i]! / 1000, range)) continue;
    const language = mark.languages?.findLast(({ from }) => from <= i)?.language;
    segments.push({ ...namedSegment(columns, names, i), ...(language !== undefined && { language }) });
  }
  return { stored: starts_ms.length, segments };
}

/** Matches are counted up to this: to count all of a frequent word takes longer than to find the first. */
const mostCounted = 1000;

type Searching = Pick<Request<TranscriptContract, 'search_said'>, 'cache_dir' | 'scope' | 'people'>;

/** Loaded transcripts, the part within the scope, and the ranges of requested people. */
export async function scoped(parts: TranscriptParts, request: Searching, pause: () => void) {
  const open = (store: Store) => parts.transcripts.of(store);
  const hashesOf = (loaded: LoadedTranscripts) => loaded.hashes();
  const { data: loaded, hashes, sightings } = await inScope(parts, request, open, hashesOf, pause);
  const ranges = new Map(Object.entries(request.scope.ranges));
  return { loaded, within: { hashes: hashes && new Set(hashes), ranges, only: sightings?.ranges ?? null } };
}

async function search(
  parts: TranscriptParts,
  request: Request<TranscriptContract, 'search_transcripts'>,
  pause: () => void,
) {
  const { query, speaker_name: speaker, max_results } = request;
  const { loaded, within } = await scoped(parts, request, pause);
  const hits = loaded.find(phrasesOf(query), { ...within, speaker }, max_results, mostCounted, pause);
  const matches = hits.first.map(matchOf);
  const most = Math.max(mostCounted, max_results);
  // Where counting ends depends on how the transcripts lie in memory; the answer does not.
  return { matches, total: Math.min(hits.total, most), total_is_exact: hits.total < most };
}

export function matchOf({ transcript, segment }: SegmentHit): TranscriptMatch {
  const { hash, path, columns, names, languages } = transcript;
  const named = { hash_str: hash, path, ...namedSegment(columns, names, segment) };
  const languageStart = languages.findLast(({ from }) => from <= segment);
  return languageStart === undefined
    ? named
    : { ...named, segment_index: segment - languageStart.from, language: languageStart.language };
}

async function said(
  parts: TranscriptParts,
  request: Request<TranscriptContract, 'search_said'>,
  pause: () => void,
) {
  const { loaded, within } = await scoped(parts, request, pause);
  const scope = { ...within, speaker: null };
  const { hits, words } = findSpoken(loaded, request.query, scope, request.max_results, pause);
  return { matches: hits.map(matchOf), media: loaded.media, words: [...words] };
}

// Finds speech that answers a question: the whole of it, or its words.
//
// A person who types `budget` means the word; one who types `who says budget, and when` means the same. So
// the question is looked for as it is, and when nobody says that, its words are: without those that only make
// it a question, and at least more than half of them close together, so that one frequent word does not bring
// everything.

/** Rows that are looked at for one question; of a word that is in more of them the first ones count. */
const mostLooked = 1 << 17;

interface SpokenMatches {
  /** Best first. */
  readonly hits: readonly SegmentHit[];
  /** Empty when the whole question was found. */
  readonly words: readonly string[];
}

/** The first rows of all in which one of the phrases begins, as far as they are looked at. */
type Look = (phrases: readonly Phrase[]) => readonly FoundRow<LoadedTranscript>[];

/** At most `most`. `pause` may throw to stop. `looked`: rows that are looked at. */
export function findSpoken(
  loaded: Pick<LoadedTranscripts, 'first'>,
  query: string,
  scope: TranscriptScope,
  most: number,
  pause: () => void,
  looked = mostLooked,
): SpokenMatches {
  const look: Look = (phrases) => loaded.first(phrases, scope, looked, pause);
  const phrase = findPhrase(look, phrasesOf(query), most);
  if (phrase.length > 0) return { hits: phrase, words: [] };
  const words = queryWords(query);
  if (words.length === 0) return { hits: [], words };
  return { hits: findWords(look, words, most, pause), words };
}

/** Hits by how good they are, the best of each place first. */
class Ranking {
  readonly #most: number;
  readonly #places = new Map<number, SegmentHit[]>();

  constructor(most: number) {
    this.#most = most;
  }

  add(worth: number, hit: SegmentHit): void {
    const place = this.#places.get(worth);
    if (place === undefined) this.#places.set(worth, [hit]);
    else if (place.push(hit) >= 2 * this.#most + 1024) this.#cut(place);
  }

  #cut(place: SegmentHit[]): void {
    place.sort(byPlace);
    place.length = Math.min(place.length, this.#most);
  }

  finish(): SegmentHit[] {
    const worths = [...this.#places.keys()].sort((a, b) => b - a);
    return worths.flatMap((worth) => this.#places.get(worth)!.sort(byPlace)).slice(0, this.#most);
  }
}

function byPlace(a: SegmentHit, b: SegmentHit): number {
  return inOrder(a.transcript, b.transcript) || a.segment - b.segment;
}

function findPhrase(look: Look, phrases: readonly Phrase[], most: number): SegmentHit[] {
  const ranking = new Ranking(most);
  for (const { document: transcript, row: segment } of look(phrases)) {
    const isWhole = phrases.some(
      ({ needle }) =>
        hasWholeWord(transcript.folded, segment, needle) || goesOnAfter(transcript, segment, needle, true),
    );
    ranking.add(isWhole ? 1 : 0, { transcript, segment });
  }
  return ranking.finish();
}

interface Word {
  /** In the spoken form. */
  readonly text: string;
  /** Its writings, for a number several. */
  readonly phrases: readonly Phrase[];
  readonly stands: (transcript: LoadedTranscript, segment: number) => boolean;
}

function wordOf(text: string): Word {
  const phrases = phrasesOf(text);
  const place = placeOf(text);
  const stands = ({ folded }: LoadedTranscript, segment: number) =>
    place === 'anywhere' ||
    phrases.some(({ needle, isWhole }) =>
      (isWhole || place === 'whole' ? hasWholeWord : beginsWord)(folded, segment, needle),
    );
  return { text: spokenForm(text), phrases, stands };
}

function findWords(look: Look, texts: readonly string[], most: number, pause: () => void): SegmentHit[] {
  const words = texts.map(wordOf);
  const ranking = new Ranking(most);
  for (const [transcript, wordsBySegment] of wordsHeld(look, words)) {
    pause();
    const spoken = spokenBy(transcript, words);
    for (const [segment, mask] of wordsBySegment) {
      const speaker = spoken[transcript.columns.speakers[segment]! - 1] ?? 0;
      const next = wordsBySegment.get(segment + 1) ?? 0;
      // Words that the next segment has by itself do not count for this one.
      const together = mask | speaker | ((mask & ~next) === 0 ? 0 : next);
      const count = bits(together);
      if (2 * count <= words.length) continue;
      ranking.add(count * 64 + bits(mask | speaker), { transcript, segment });
    }
  }
  return ranking.finish();
}

/** Words in each segment of each transcript, one bit each. */
function wordsHeld(look: Look, words: readonly Word[]): Map<LoadedTranscript, Map<number, number>> {
  const wordsByTranscript = new Map<LoadedTranscript, Map<number, number>>();
  for (const [i, { phrases, stands }] of words.entries()) {
    for (const { document: transcript, row: segment } of look(phrases)) {
      if (!stands(transcript, segment)) continue;
      const wordsBySegment = wordsByTranscript.get(transcript) ?? new Map<number, number>();
      wordsByTranscript.set(transcript, wordsBySegment);
      wordsBySegment.set(segment, (wordsBySegment.get(segment) ?? 0) | (1 << i));
    }
  }
  return wordsByTranscript;
}

/** For each speaker, the words that are in their name. */
function spokenBy({ columns, names }: LoadedTranscript, words: readonly Word[]): number[] {
  return columns.speakerIds.map((id) => {
    const name = nameOf(columns, names, id);
    if (name === id) return 0;
    const parts = new Set(spokenForm(name).match(/[\p{L}\p{N}\p{M}_]+/gu));
    return words.reduce((mask, { text }, i) => (parts.has(text) ? mask | (1 << i) : mask), 0);
  });
}

function bits(mask: number): number {
  let count = 0;
  for (let remainingBits = mask; remainingBits !== 0; remainingBits &= remainingBits - 1) count++;
  return count;
}
