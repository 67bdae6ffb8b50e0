// One search over the loaded vectors: words or a picture become a vector, the index ranks, and the stored
// previews are joined to the matches.
import type { VisualModel } from '../../embedder/contract.ts';
import type { RankedMatch, Standing, VisualScope } from '../../index/visual/contract.ts';
import type { ModelLibrary } from '../../models/contract.ts';
import { type SearchAnswer, searchErrors, type TextSearch } from '../contract.ts';
import { now, type PeopleData, untilDone } from '../loaded-data.ts';
import type { Identities } from '../media/location.ts';
import { locateMatches, type ShownMatch, shownMatches } from '../media/match-locations.ts';
import { ignoredFilters, notesAnswer } from '../notes/contract.ts';
import { warning } from '../notes/warnings.ts';
import { peopleFilter, withExclusions } from '../scope/contract.ts';
import { type FoundScope, findScope, type RequestedPaths, requestedPaths } from '../scope/scope.ts';
import { explanations } from './bands.ts';
import { type Explanation, leftOutOf } from './contract.ts';
import { sureMatches, toMatch, withBoxes } from './match.ts';
import {
  joined,
  type PictureQuery,
  type QueryParts,
  type QueryVectors,
  textVectors,
} from './query-vectors.ts';
import {
  askThings,
  followed,
  fused,
  type SeenThings,
  scopeOf,
  type ThingQuery,
  thingBands,
  thingWords,
} from './thing-finder.ts';
import type { VisualData } from './visual-data.ts';
import { emptyReason, type SearchedVisual, type UnderstoodQuery, visualWarnings } from './visual-notes.ts';

export interface VisualSearchParts extends QueryParts {
  readonly identities: Identities;
  /** Knows the model to advise where words were not understood. */
  readonly modelLibrary: Pick<ModelLibrary, 'list'>;
  readonly visual: VisualData;
  readonly people: PeopleData;
  /** While it says so, a summary is being made, which needs what searches need: they are refused. */
  readonly summarizing?: () => boolean;
}

/** `within`: only these grid frames, by hash, which are in the scope of the request. */
export type VisualRequest = Omit<TextSearch, 'query'> & { query?: string; within?: VisualScope['ranges'] };

/** A visual search that is ready to be sent: its words and pictures are vectors. */
interface VisualQuery extends UnderstoodQuery {
  /** The film that the picture is of, when that is not there any more. */
  readonly gone: string | undefined;
  /**
   * The best so many matches, wherever they lie now, grouped by video. Errors: those of the scope,
   * NOT_LOADED.
   */
  find(max: number): Promise<FoundVisual>;
  /** How sure each of these matches is, of those that `find` answered. Errors: NOT_LOADED. */
  explain(result: FoundVisual, moments: readonly FoundMoment[]): Promise<Explanation[]>;
}

type FoundMoment = Pick<RankedMatch, 'hash_str' | 'frame_index'>;

interface FoundVisual extends SearchedVisual, Pick<FoundScope, 'requested'> {
  readonly matches: readonly RankedMatch[];
  /** Detections of the things of the question; null where it is not about things. */
  readonly things: SeenThings | null;
}

/**
 * Ranks by words, a picture or both. Errors: EXCLUDE_WITHOUT_QUERY, SUMMARY_RUNNING, NOT_LOADED, those of the
 * scope.
 */
export async function searchVisual(
  parts: VisualSearchParts,
  request: VisualRequest,
  pictureOf: (model: VisualModel) => Promise<PictureQuery>,
  signal: AbortSignal | undefined,
): Promise<SearchAnswer> {
  const { cache_dir } = request;
  const query = await askVisual(parts, request, pictureOf, signal);
  const locate = async ({ matches, requested }: FoundVisual) => {
    // The index reads pictures while the files are looked at.
    const [locations, pictures] = await Promise.all([
      locateMatches(parts, cache_dir, matches, namedBy(requested), now(signal)),
      previews(parts, cache_dir, matches, signal),
    ]);
    return { ...locations, ...pictures };
  };
  const { result, shown, locations } = await shownMatches(query.find, locate, request.max_results, best);
  const matches = shown.map(({ match }) => match);
  const images = matches.map((match) => locations.images.get(momentOf(match)) ?? null);
  const explained = request.explain ? await query.explain(result, matches) : undefined;
  const { notes, ...understanding } = warning({
    ...(await visualWarnings(parts, cache_dir, query, result, signal, locations.unreadable)),
    gone: [...new Set([...(query.gone === undefined ? [] : [query.gone]), ...locations.gone])],
    changed: locations.changed,
    noPreview: images.filter((image) => image === null).length,
    empty: matches.length > 0 ? null : emptyReason(request, query, result),
  });
  return {
    matches: shown.map((entry, i) => toMatch(entry, images[i] ?? undefined, explained?.[i])),
    ...(result.weaker !== undefined && { weaker: result.weaker }),
    ...{
      ...notesAnswer([ignoredFilters(request.metadata_filter_request?.filters), ...notes]),
      ...understanding,
    },
  };
}

/** Errors: as those of `searchVisual`, but those of the scope. */
export async function askVisual(
  parts: VisualSearchParts,
  input: VisualRequest,
  pictureOf: (model: VisualModel) => Promise<PictureQuery>,
  signal: AbortSignal | undefined,
): Promise<VisualQuery> {
  const request = withExclusions(input);
  if (parts.summarizing?.())
    throw searchErrors.SUMMARY_RUNNING('Search again when the summaries are finished');
  const query = request.query?.trim() ? request.query : null;
  if (!query && request.exclude.length > 0) {
    throw searchErrors.EXCLUDE_WITHOUT_QUERY('exclude needs a query', { field: 'exclude' });
  }
  const asksFor = { cache_dir: request.cache_dir, model_key: parts.models.active() };
  await parts.visual.settled(asksFor, signal);
  await parts.visual.require(asksFor, signal);
  if (request.people_filter.length > 0) {
    await parts.people.settled(asksFor, signal);
    await parts.people.require(asksFor, signal);
  }
  const model = await parts.models.open('texts', signal);
  const { readings: picture, gone } = await pictureOf(model);
  const { model_key } = model;
  const whole = await textVectors(parts, model_key, query, request.exclude, signal);
  const thingQuery = await askThings(parts, request.cache_dir, query, request.exclude, signal);
  const hasWords = whole.knownWords.length + whole.unknown.length > 0;
  const things = thingQuery && { ...thingQuery, whole, isLimited: hasWords };
  const words = things?.isLimited ? await restVectors(parts, request, model_key, things, signal) : whole;
  const vectors = { text: words.query, picture, exclude: words.exclude };
  const search = { parts, request, model_key, vectors, words, things, signal };
  const { min_band } = request;
  const seenWords = things?.words ?? null;
  return {
    ...{ model_key, vectors, words, seenWords, gone },
    // A model that reads the whole question understands them.
    narrower: things?.isLimited ? things.narrower : { people: [], others: [] },
    unseenThings: seenWords ? new Set<string>() : thingWords([query ?? '', ...request.exclude]),
    find: async (max) => {
      if (!min_band) return find(search, max, request.max_per_media);
      // How many of a file are told is counted of those that are sure enough.
      const result = await find(search, leftOutOf, undefined);
      const explained = await explain(search, result.things, result.matches);
      return { ...result, ...sureMatches(result.matches, explained, min_band, max, request.max_per_media) };
    },
    explain: async (result, moments) => {
      const explained = await explain(search, result.things, moments);
      if (things === null || result.things === null || moments.length === 0) return explained;
      return withBoxes(parts, request.cache_dir, things.terms, moments, explained, signal);
    },
  };
}

type Vectors = UnderstoodQuery['vectors'];

interface Search {
  readonly parts: VisualSearchParts;
  readonly request: VisualRequest;
  readonly model_key: string;
  readonly vectors: Vectors;
  readonly words: QueryVectors;
  /** Null where the search says nothing of things. */
  readonly things: ThingsAsked | null;
  readonly signal: AbortSignal | undefined;
}

interface ThingsAsked extends ThingQuery {
  /** The vectors of the question with the words for things. */
  readonly whole: QueryVectors;
  /** The visual model has a vocabulary of its own, without things. */
  readonly isLimited: boolean;
}

/** Vectors of the query without its words for things; excluded things count as understood. */
async function restVectors(
  parts: VisualSearchParts,
  { exclude }: Pick<VisualRequest, 'exclude'>,
  model_key: string,
  { remainder, excluded, whole }: ThingsAsked,
  signal: AbortSignal | undefined,
): Promise<QueryVectors> {
  // Without other words there is nothing that an excluded text could lower: its opposite ranks instead.
  const opposite = exclude
    .filter((_, i) => whole.understoodExcluded[i])
    .map((text) => `not ${text}`)
    .join(', ');
  const query = remainder === '' ? opposite : remainder;
  const words = await textVectors(parts, model_key, query === '' ? null : query, exclude, signal);
  const { unknownExcluded } = remainder === '' ? whole : words;
  return { ...words, unknownExcluded: unknownExcluded.filter((word) => !excluded.has(word)) };
}

/** Data that the index has lost is loaded again first. */
function find(search: Search, max: number, perMedia: number | undefined): Promise<FoundVisual> {
  const { parts, request, model_key, signal } = search;
  const { cache_dir } = request;
  const ask = () => findLoaded(search, max, perMedia);
  const within = () =>
    request.people_filter.length > 0 ? parts.people.within({ cache_dir }, ask, signal) : ask();
  return parts.visual.within({ cache_dir, model_key }, within, signal);
}

async function findLoaded(search: Search, max: number, perMedia: number | undefined): Promise<FoundVisual> {
  const { parts, request, model_key, vectors, things, signal } = search;
  const { cache_dir, within: ranges } = request;
  const scoped = { ...request, ranges: request.segments_to_frame_indices };
  const searched = { model_key, field: 'segments_to_frame_indices' };
  const { scope: named, ...scopeReport } = await findScope(parts, scoped, searched, signal);
  const scope = ranges ? { ...named, ranges, hashes: Object.keys(ranges) } : named;
  const rank = (within: VisualScope, by: Vectors) => ranked(search, within, by, max, perMedia);
  if (things === null) return { ...scopeReport, ...(await rank(scope, vectors)), things: null };
  const limit = { max_per_media: perMedia ?? null, max_results: max };
  const options = {
    cache_dir,
    model_key,
    terms: [...things.terms],
    scope,
    ...peopleFilter(request),
    ...limit,
  };
  const seenThings = await untilDone(() => parts.index.ask('find_things', options, now(signal)));
  const report = { ...scopeReport, things: seenThings, looked: seenThings.looked };
  if (!things.isLimited) {
    const { matches, ...rankReport } = await rank(scope, vectors);
    return { ...report, matches: fused(seenThings.matches, matches, max), ...rankReport };
  }
  const isRanked = vectors.text !== null || vectors.picture !== null;
  const first = isRanked
    ? await rank(scopeOf(scope, seenThings), vectors)
    : { matches: seenThings.matches, twice: seenThings.people_twice ?? [] };
  if (first.matches.length >= max) return { ...report, ...first };
  // Media without detections may show it all the same.
  const others = await rank(scope, { ...vectors, text: things.whole.query });
  return { ...report, ...others, ...first, matches: followed(first.matches, others.matches, max) };
}

/** A query of which nothing was understood ranks nothing: no match is a truer answer than any. */
async function ranked(
  { parts: { index }, request, model_key, signal }: Search,
  scope: VisualScope,
  by: Vectors,
  max_results: number,
  max_per_media: number | undefined,
): Promise<Pick<FoundVisual, 'matches' | 'twice' | 'searched'>> {
  const { cache_dir, text_weight } = request;
  const only = peopleFilter(request);
  if (!by.text && !by.picture) {
    const names = { names: [], filters: [] };
    if (only.people) await index.ask('resolve', { cache_dir, model_key, ...only, ...names }, now(signal));
    return { matches: [], twice: [] };
  }
  const limits = { max_results, ...(max_per_media !== undefined && { max_per_media }) };
  const query = { cache_dir, model_key, ...by, text_weight, ...limits, ...only, scope };
  const { people_twice: twice = [], ...answer } = await index.ask('search', query, now(signal));
  return { ...answer, twice };
}

async function explain(
  { parts: { index, visual }, request, model_key, vectors, words, things, signal }: Search,
  seenThings: SeenThings | null,
  matches: readonly FoundMoment[],
): Promise<Explanation[]> {
  if (matches.length === 0) return [];
  const { cache_dir, text_weight, exclude } = request;
  const moments = matches.map(({ hash_str, frame_index }) => ({ hash_str, frame_index }));
  const parts = words.parts.map(({ vector }) => vector);
  const options = { cache_dir, model_key, ...vectors, text_weight, moments };
  const ask = () =>
    index.ask('standing', { ...options, words: parts.length === 0 ? null : joined(parts) }, now(signal));
  // Without a vector there is nothing that could stand out.
  const isRanked = vectors.text !== null || vectors.picture !== null;
  const standing = isRanked
    ? await visual.within({ cache_dir, model_key }, ask, signal)
    : unranked(moments.length);
  const sights = seenThings &&
    things && { bands: thingBands(seenThings, things, moments), isLimited: things.isLimited };
  // Words that weigh nothing beside a picture have no say.
  const unknown = vectors.picture && text_weight === 0 ? [] : words.unknown;
  return explanations({ model_key, words: { ...words, unknown }, exclude, things: sights }, standing);
}

function unranked(moments: number): Standing {
  const background = { text: null, picture: null, words: [] };
  return { frames: 0, background, scores: Array.from({ length: moments }, () => null) };
}

/** The paths by which the caller named the media of a match. */
function namedBy(paths: RequestedPaths) {
  return ({ hash_str, frame_index }: RankedMatch) =>
    requestedPaths(paths, hash_str, [frame_index, frame_index + 1]);
}

type Shown = ShownMatch<RankedMatch>;

/** The first of the ranking in the order they came in, counted anew. */
function best(shown: readonly Shown[], max: number): Shown[] {
  const ranking = shown.toSorted((a, b) => a.match.original_index - b.match.original_index).slice(0, max);
  const place = new Map(ranking.map((entry, i) => [entry, i]));
  return shown.flatMap((entry) => {
    const original_index = place.get(entry);
    return original_index === undefined ? [] : [{ ...entry, match: { ...entry.match, original_index } }];
  });
}

/** JPEG of each moment, null if there is none. `unreadable`: hashes whose previews are damaged. */
async function previews(
  { index }: VisualSearchParts,
  cache_dir: string,
  matches: readonly RankedMatch[],
  signal: AbortSignal | undefined,
) {
  const frames = matches.map(({ hash_str, frame_index }) => ({ hash_str, frame_index }));
  const images = new Map<string, Uint8Array | null>();
  if (frames.length === 0) return { images, unreadable: [] };
  const { previews, unreadable = [] } = await index.ask('previews', { cache_dir, frames }, now(signal));
  for (const [i, frame] of frames.entries()) images.set(momentOf(frame), previews[i]!);
  return { images, unreadable };
}

function momentOf({ hash_str, frame_index }: FoundMoment): string {
  return `${hash_str}@${frame_index}`;
}
