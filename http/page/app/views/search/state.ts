// State of the search view, kept while another one is shown.

import type { Moment, MomentKind, MomentsAnswer } from '../../../../../actors/search/moments/contract.ts';
import type { SavedRequest } from '../../../../../events/searches/contract.ts';
import type { MediaMoment } from '../../route.ts';
import { createSlice } from '../../store.ts';

// A search and its answer in the form of the search view.

export const kinds = ['seen', 'said', 'person', 'written', 'name'] as const satisfies readonly MomentKind[];
/** Names of icons. */
export const kindIcons = {
  seen: 'eye',
  said: 'speech',
  person: 'person',
  written: 'text',
  name: 'tag',
} as const;

/** A picture to compare with: one of a person's own, one that the service reads, or a moment of a medium. */
export type QueryPicture =
  | { readonly kind: 'own'; readonly name: string; readonly data: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      /** Second of a film; null for a still. */
      readonly seconds: number | null;
    }
  | (MediaMoment & {
      readonly kind: 'like';
      /** Empty while only its hash is known. */
      readonly media_path: string;
    });

export interface PersonChoice {
  readonly name: string;
  readonly cluster_job_name: string;
}

export interface Filter {
  readonly facet_id: string;
  readonly operator: 'include_any_of' | 'exclude_any_of' | 'greater_than' | 'less_than' | 'after' | 'before';
  readonly values: readonly string[];
}

/** One film alone, and what part of it: seconds, null where it is open. */
export interface OneFilm {
  readonly hash_str: string;
  /** Empty while only its hash is known. */
  readonly media_path: string;
  readonly start: number | null;
  readonly end: number | null;
}

export interface SearchFields {
  readonly text: string;
  /** Separated by commas. */
  readonly exclude: string;
  readonly picture: QueryPicture | null;
  /** Weight of the words beside a picture, whose weight is 1. */
  readonly weight: number;
  readonly kinds: readonly MomentKind[];
  readonly people: readonly PersonChoice[];
  readonly peopleMode: 'and' | 'or';
  readonly filters: readonly Filter[];
  readonly film: OneFilm | null;
  /** Moments that matches should not look like. */
  readonly unlike: readonly MediaMoment[];
  readonly limit: number;
}

/** Matches that are asked for at first, when more are wanted, and at most. */
export const limits = [500, 3000, 10_000] as const;

export const emptyQuery: SearchFields = {
  text: '',
  exclude: '',
  picture: null,
  weight: 1,
  kinds,
  people: [],
  peopleMode: 'and',
  filters: [],
  film: null,
  unlike: [],
  limit: limits[0],
};

export type ScenePart = Pick<Moment, 'hash_str' | 'start_seconds' | 'end_seconds'>;

interface SearchState {
  readonly query: SearchFields;
  readonly showsFilters: boolean;
  readonly isGrouped: boolean;
  /** True if weaker matches are shown, for the current query only. */
  readonly showsWeaker: boolean;
  /** Number of the first match in sight. */
  readonly at: number;
  /** Least width of a tile, px. */
  readonly side: number;
  readonly state: 'idle' | 'loading' | 'ready' | 'failed';
  readonly error: unknown;
  readonly answer: MomentsAnswer | null;
  /** The request that `answer` is of, as text. */
  readonly request: string;
  /** Id of a moment: the one that keys go on from. */
  readonly selected: string | null;
  /** Ids of moments that were chosen together. */
  readonly chosen: ReadonlySet<string>;
  /** True if tiles show file names, and if all stills are shown. */
  readonly showsNames: boolean;
  readonly showsStills: boolean;
  /** Raised to ask the same once more. */
  readonly round: number;
}

const NAMES = 'framehound.names';

export const sides = { least: 110, most: 420 } as const;

export const search = createSlice<SearchState>('search', {
  query: emptyQuery,
  showsFilters: false,
  isGrouped: true,
  showsWeaker: false,
  at: 0,
  // Two beside each other on a telephone.
  side: (globalThis.innerWidth ?? 1000) < 560 ? 150 : 190,
  state: 'idle',
  error: null,
  answer: null,
  request: '',
  selected: null,
  chosen: new Set(),
  showsNames: globalThis.localStorage?.getItem(NAMES) !== 'false',
  showsStills: false,
  round: 0,
});

/** How far it was scrolled; not drawn, so not in the store. */
export const scrolled = {
  top: 0,
  /** Number of the match to go to once it is there. */
  to: null as number | null,
};

/**
 * Another question begins with few matches again, at the top; other words or another picture with the surer
 * ones.
 */
export function change(query: Partial<SearchFields>): void {
  search.update((before) => ({
    query: { ...before.query, limit: limits[0], ...query },
    showsWeaker: before.showsWeaker && !('text' in query || 'picture' in query),
    showsStills: false,
    chosen: new Set(),
    at: 0,
  }));
}

export function again(): void {
  search.update(({ round }) => ({ round: round + 1 }));
}

export function more(): void {
  search.update(({ query }) => ({
    query: { ...query, limit: limits.find((limit) => limit > query.limit) ?? query.limit },
  }));
}

/** Looks for moments like this one; words stay. */
export function likeThis({ hash_str, media_path, time_seconds: seconds }: Moment): void {
  change({ picture: { kind: 'like', hash_str, media_path, seconds } });
}

export function toggleWeaker(): void {
  search.update(({ showsWeaker }) => ({ showsWeaker: !showsWeaker }));
}

export function toggleNames(): void {
  const showsNames = !search.get().showsNames;
  localStorage.setItem(NAMES, String(showsNames));
  search.update({ showsNames });
}

/** `isRange`: all from the one that keys go on from; else that one and this, or this no more. */
export function choose(moments: readonly Moment[], to: number, isRange: boolean): void {
  const { chosen, selected } = search.get();
  const id = moments[to]!.moment_id;
  const next = new Set(chosen);
  const from = moments.findIndex(({ moment_id }) => moment_id === selected);
  if (isRange) {
    const [first, last] = from < to ? [from, to] : [to, from];
    for (const moment of moments.slice(Math.max(0, first), last + 1)) next.add(moment.moment_id);
  } else if (!next.delete(id)) {
    if (next.size === 0 && selected !== null) next.add(selected);
    next.add(id);
  }
  search.update({ chosen: next, selected: id });
}

export function resize(by: number): void {
  search.update(({ side }) => ({ side: Math.min(sides.most, Math.max(sides.least, side + by)) }));
}

// Request for a query: the fields of /search/moments, of a saved search, and of /search/relevance.

/** A last second that no film has. */
const OPEN_END = 1_000_000;
const MOST_EXCLUDED = 16;

/** Null when nothing is asked for. */
export function momentsRequest(query: SearchFields, cache_dir: string) {
  const saved = savedRequest(query, cache_dir);
  if (saved === null || query.film?.media_path === '') return null;
  return {
    search_all: query.film === null,
    media_paths: query.film === null ? [] : [query.film.media_path],
    segments_to_frame_indices: ranges(query),
    ...saved,
    limit: query.limit,
    explain: true,
  };
}

/** Without the film: it is run on others. Null when nothing is asked for. */
export function savedRequest(query: SearchFields, cache_dir: string) {
  const isSelection = isSelected(query);
  const question = lookedFor(query);
  if (question === null && !isSelection) return null;
  return {
    cache_dir,
    metadata_filter_request: query.filters.length > 0 ? { filters: query.filters } : null,
    people_filter: query.people.map(({ name, cluster_job_name }) => ({
      person_name: name,
      cluster_job_name,
    })),
    people_filter_mode: query.peopleMode,
    ...(question ?? noQuestion),
    ...(isSelection ? {} : kindsOf(query)),
  };
}

/** Filters and people alone say what is meant: the latest files, and the scenes that show these people. */
export function isSelected({ text, picture, filters, people }: SearchFields): boolean {
  return text.trim() === '' && picture === null && filters.length + people.length > 0;
}

const noQuestion = { exclude: [], text_weight: 1 };

/** Query of a saved search. `name`: of its picture, if it has its own. */
export function queryOf(request: SavedRequest, name: string): SearchFields {
  const { query = '', exclude, text_weight: weight } = request;
  const { metadata_filter_request: filtered, people_filter, people_filter_mode: peopleMode } = request;
  const people = people_filter.flatMap(({ person_name, cluster_job_name }) =>
    person_name && cluster_job_name ? [{ name: person_name, cluster_job_name }] : [],
  );
  return {
    ...emptyQuery,
    text: query,
    exclude: exclude.join(', '),
    picture: pictureOf(request, name),
    weight,
    kinds: request.kinds ?? kinds,
    people,
    peopleMode,
    filters: (filtered?.filters ?? []) as readonly Filter[],
  };
}

function pictureOf({ image_path, image_data, like }: SavedRequest, name: string): QueryPicture | null {
  if (image_data !== undefined) return { kind: 'own', name, data: image_data };
  if (image_path !== undefined) return { kind: 'file', path: image_path, seconds: null };
  if (like === undefined) return null;
  const { hash_str, media_path = '', time_seconds: seconds } = like;
  return hash_str === undefined
    ? { kind: 'file', path: media_path, seconds }
    : { kind: 'like', hash_str, media_path: '', seconds };
}

/** Null when there is nothing to compare pictures with. */
export function relevanceRequest(query: SearchFields, cache_dir: string, hash_str: string) {
  const question = lookedFor(query);
  return question === null || !query.kinds.includes('seen') ? null : { cache_dir, hash_str, ...question };
}

function lookedFor({ text, exclude, picture, weight }: SearchFields) {
  const words = text.trim();
  if (words === '' && picture === null) return null;
  return {
    ...(words !== '' && { query: words }),
    ...pictureFields(picture),
    // Beside words alone.
    exclude: words === '' ? [] : phrases(exclude).slice(0, MOST_EXCLUDED),
    text_weight: weight,
  };
}

function pictureFields(picture: QueryPicture | null) {
  if (picture === null) return {};
  if (picture.kind === 'own') return { image_data: picture.data };
  if (picture.kind === 'like') return { like: { hash_str: picture.hash_str, time_seconds: picture.seconds } };
  const { path, seconds } = picture;
  return seconds === null ? { image_path: path } : { like: { media_path: path, time_seconds: seconds } };
}

/** All of them: those that there are. One that is named and is not there would be a warning. */
function kindsOf({ kinds: chosen }: SearchFields): { kinds?: MomentKind[] } {
  return chosen.length === kinds.length ? {} : { kinds: [...chosen] };
}

export function phrases(text: string): string[] {
  return text
    .split(',')
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '');
}

function ranges({ film }: SearchFields): Record<string, [number, number]> {
  if (film === null || (film.start === null && film.end === null)) return {};
  const start = Math.floor(film.start ?? 0);
  const end = Math.max(start + 1, film.end === null ? OPEN_END : Math.ceil(film.end));
  return { [film.media_path]: [start, end] };
}

// Which matches are shown by themselves: those of which something is surer than weak.

export type MatchReason = Moment['reasons'][number];

/** Speech, people in view and names have no band: they are certain. */
export function isWeakReason(reason: MatchReason): boolean {
  const band = reason.kind === 'seen' ? reason.explanation?.band : 'band' in reason ? reason.band : null;
  return band === 'weak';
}

/** A file that filters select or whose name is asked for: nothing in it was found. */
export function isWhole({ reasons }: Pick<Moment, 'reasons'>): boolean {
  return reasons.every(
    (reason) => reason.kind === 'name' && (reason.of === 'file' || reason.of === 'folder'),
  );
}

export function isWeak({ reasons }: Pick<Moment, 'reasons'>): boolean {
  return reasons.length > 0 && reasons.every(isWeakReason);
}

/** A picture alone is looked for, and no words say what it shows. */
export function isByPicture({ picture, text }: Pick<SearchFields, 'picture' | 'text'>): boolean {
  return picture !== null && text.trim() === '';
}

/** `moments`: best first. */
function bestOfFiles(moments: readonly Moment[]): ReadonlySet<Moment> {
  return new Set([...Map.groupBy(moments, ({ hash_str }) => hash_str).values()].map(([best]) => best!));
}

/**
 * The weak moments, which are folded. In a search by a picture the best moment of each file is not: a part of
 * a picture is often only weakly like the whole, though no other file is more alike.
 */
export function foldedMoments(moments: readonly Moment[], byPicture: boolean): ReadonlySet<Moment> {
  const best = byPicture ? bestOfFiles(moments) : new Set<Moment>();
  return new Set(moments.filter((moment) => isWeak(moment) && !best.has(moment)));
}

/**
 * Moments of a kind that are shown by themselves; where none is folded, also those beyond the limit of the
 * answer.
 */
export function countOf(
  { moments, counts }: Pick<MomentsAnswer, 'moments' | 'counts'>,
  kind: MomentKind,
  byPicture = false,
): number {
  if (byPicture && kind === 'seen') {
    const folded = foldedMoments(moments, true).size;
    return folded === 0 ? counts.seen : moments.length - folded;
  }
  const ofKind = moments
    .map(({ reasons }) => reasons.filter((reason) => reason.kind === kind))
    .filter((reasons) => reasons.length > 0);
  const sure = ofKind.filter((reasons) => !reasons.every(isWeakReason));
  return sure.length === ofKind.length ? counts[kind] : sure.length;
}
