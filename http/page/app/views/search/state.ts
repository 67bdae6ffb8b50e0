// What the view of the search keeps, also while another view is shown.
import { createSlice } from '../../store.ts';
import { emptyQuery, type Found, type FoundAnswer, limits, type Query } from './moment.ts';

export interface SearchState {
  readonly query: Query;
  readonly showsFilters: boolean;
  readonly isGrouped: boolean;
  /** Whether weaker matches are shown; not for the next question. */
  readonly showsWeaker: boolean;
  /** Least width of a tile, px. */
  readonly side: number;
  readonly state: 'idle' | 'loading' | 'ready' | 'failed';
  readonly error: unknown;
  readonly answer: FoundAnswer | null;
  /** The request that `answer` is of, as text. */
  readonly request: string;
  /** Id of a moment. */
  readonly selected: string | null;
  /** Raised to ask the same once more. */
  readonly round: number;
}

export const sides = { least: 110, most: 420 } as const;

export const search = createSlice<SearchState>('search', {
  query: emptyQuery,
  showsFilters: false,
  isGrouped: true,
  showsWeaker: false,
  side: 190,
  state: 'idle',
  error: null,
  answer: null,
  request: '',
  selected: null,
  round: 0,
});

/** How far it was scrolled; not drawn, so not in the store. */
export const scrolled = { top: 0 };

/** Another question begins with few matches again. */
export function change(query: Partial<Query>): void {
  search.update((before) => ({ query: { ...before.query, limit: limits[0], ...query } }));
}

export function again(): void {
  search.update(({ round }) => ({ round: round + 1 }));
}

export function more(): void {
  const { query } = search.get();
  change({ limit: limits.find((one) => one > query.limit) ?? query.limit });
}

/** Looks for moments like this one; words stay. */
export function likeThis({ hash_str, media_path, time_seconds: seconds }: Found): void {
  change({ picture: { kind: 'like', hash_str, media_path, seconds } });
}

export function toggleWeaker(): void {
  search.update(({ showsWeaker }) => ({ showsWeaker: !showsWeaker }));
}

export function resize(by: number): void {
  search.update(({ side }) => ({ side: Math.min(sides.most, Math.max(sides.least, side + by)) }));
}
