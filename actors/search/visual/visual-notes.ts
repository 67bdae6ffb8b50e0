// Notes on a visual search: unknown words, files that could not be searched, and reasons for an empty answer.
import type { Request } from '../../../runtime/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { ModelLibrary } from '../../models/contract.ts';
import type { TextSearch } from '../contract.ts';
import { now } from '../loaded-data.ts';
import type { EmptyReason, QueryReading, Warnings } from '../notes/warnings.ts';
import type { FoundScope } from '../scope/scope.ts';
import type { ThingQuestion } from '../things/question.ts';
import type { QueryParts, QueryVectors } from './query-vectors.ts';
import type { VisualData } from './visual-data.ts';

interface NoteParts extends Pick<QueryParts, 'index' | 'models'> {
  /** Knows the model to advise where words were not understood. */
  readonly modelLibrary: Pick<ModelLibrary, 'list'>;
  readonly visual: VisualData;
}

export interface UnderstoodQuery {
  readonly model_key: string;
  readonly vectors: Pick<Request<typeof indexContract, 'search'>, 'text' | 'picture' | 'exclude'>;
  readonly words: QueryVectors;
  /** Typed words that were searched among detections; null if there are none. */
  readonly seenWords: readonly string[] | null;
  /** Words of it for which all of the class is found. */
  readonly narrower: ThingQuestion['narrower'];
  /** Words for things of the query and of what is excluded, where no detector has looked at anything. */
  readonly unseenThings: ReadonlySet<string>;
}

/** Notes of a search, beside its matches. */
export interface SearchedVisual extends Pick<FoundScope, 'missing' | 'unloaded'> {
  /** Matches that are left out because they are less sure. */
  readonly weaker?: number;
  /** People who are asked for together with themselves. */
  readonly twice: readonly string[];
  /** Frames whose vectors were compared. */
  readonly searched?: number;
  /** Files that were searched for things. */
  readonly looked?: number;
}

/** Notes about the search itself. `broken`: hashes with further unreadable data. */
export async function visualWarnings(
  parts: NoteParts,
  cache_dir: string,
  query: UnderstoodQuery,
  result: Pick<SearchedVisual, 'twice' | 'missing' | 'unloaded'>,
  signal: AbortSignal | undefined,
  broken: readonly string[] = [],
): Promise<Omit<Warnings, 'gone' | 'changed' | 'noPreview'>> {
  const { vectors, words, seenWords } = query;
  const unreadable = new Set([...broken, ...parts.visual.damaged]);
  return {
    nothingUnderstood: seenWords === null && !vectors.text && !vectors.picture && words.unknown.length === 0,
    reading: await readingOf(parts, query),
    narrower: query.narrower,
    twice: result.twice,
    missing: result.missing,
    unloaded: result.unloaded,
    unreadable: await namesOf(parts, cache_dir, unreadable, signal),
    outdated: await outdatedFiles(parts, cache_dir, signal),
    fallbackFrom: parts.models.state.fallback_from,
  };
}

type Limits = Pick<
  TextSearch,
  'media_paths' | 'search_all' | 'metadata_filter_request' | 'people_filter' | 'segments_to_frame_indices'
>;

/** True if a request says where to search. */
export function isLimited(request: Limits): boolean {
  return (
    (!request.search_all && request.media_paths.length > 0) ||
    request.metadata_filter_request !== null ||
    request.people_filter.length > 0 ||
    Object.keys(request.segments_to_frame_indices).length > 0
  );
}

export function emptyReason(
  request: Limits,
  { seenWords }: Pick<UnderstoodQuery, 'seenWords'>,
  { searched = 0, looked = 0, weaker = 0 }: Pick<SearchedVisual, 'searched' | 'looked' | 'weaker'>,
): EmptyReason {
  const kinds = searched + looked > 0 ? (['seen'] as const) : [];
  return { isLimited: isLimited(request), kinds, looked, things: seenWords ?? [], weaker };
}

async function readingOf(
  { modelLibrary }: NoteParts,
  { model_key, words, seenWords, unseenThings }: UnderstoodQuery,
): Promise<QueryReading | null> {
  const { query, knownWords, unknown, unknownExcluded, weak } = words;
  if (unknown.length + unknownExcluded.length + weak.length === 0) return null;
  const { models } = await modelLibrary.list();
  const others = [...unknown, ...unknownExcluded].filter((word) => !unseenThings.has(word));
  const areThings = others.length < unknown.length + unknownExcluded.length;
  const sees = models.some(({ row, downloaded }) => row.kind === 'object-detection' && downloaded);
  const needsMore = others.length + weak.length > 0;
  const advised = needsMore && models.find((model) => model.row.kind === 'visual' && model.advised);
  return {
    ...{ model_key, unknown, unknownExcluded, weak },
    ...{ knownWords: [...(seenWords ?? []), ...knownWords], ranked: query !== null || seenWords !== null },
    ...{ advised: advised || null, things: areThings ? (sees ? 'analysis' : 'download') : null },
  };
}

async function outdatedFiles(
  parts: NoteParts,
  cache_dir: string,
  signal: AbortSignal | undefined,
): Promise<Warnings['outdated']> {
  const { hashes, count } = parts.visual.outdated;
  return { names: await namesOf(parts, cache_dir, new Set(hashes), signal), count };
}

/** A person knows paths, not hashes. */
async function namesOf(
  { index }: NoteParts,
  cache_dir: string,
  broken: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (broken.size === 0) return [];
  const hashes = [...broken];
  const { by_hash } = await index.ask('find', { cache_dir, paths: [], hashes }, now(signal));
  return hashes.map((hash, i) => by_hash[i]?.path ?? hash);
}
