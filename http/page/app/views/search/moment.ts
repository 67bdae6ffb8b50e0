// What a search asks for and what it finds, as the view of the search knows it. Pure.

export const kinds = ['seen', 'said', 'person'] as const;
export type Kind = (typeof kinds)[number];

export interface Reason {
  readonly kind: Kind;
  readonly rank: number;
  /** Of what is said. */
  readonly text?: string;
  readonly speaker?: string | null;
  readonly speaker_name?: string | null;
  /** Of a person. */
  readonly name?: string;
}

export interface Found {
  readonly moment_id: string;
  readonly hash_str: string;
  readonly media_path: string;
  readonly kind: 'video' | 'audio' | 'image';
  readonly time_seconds: number;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly reasons: readonly Reason[];
}

export interface FoundAnswer {
  readonly moments: readonly Found[];
  readonly counts: Readonly<Record<Kind, number>>;
  readonly toast_warning?: string;
  readonly warnings?: readonly string[];
}

/** A picture to compare with: one of a person's own, or a moment of the library. */
export type Picture =
  | { readonly kind: 'own'; readonly name: string; readonly data: string }
  | {
      readonly kind: 'like';
      readonly hash_str: string;
      readonly media_path: string;
      readonly seconds: number;
    };

export interface Person {
  readonly name: string;
  readonly cluster_job_name: string;
}

export interface Filter {
  readonly facet_id: string;
  readonly operator: 'include_any_of' | 'greater_than' | 'less_than' | 'after' | 'before';
  readonly values: readonly string[];
}

/** One film alone, and what part of it: seconds, null where it is open. */
export interface OneFilm {
  readonly media_path: string;
  readonly start: number | null;
  readonly end: number | null;
}

export interface Query {
  readonly text: string;
  /** Separated by commas. */
  readonly exclude: string;
  readonly picture: Picture | null;
  /** Weight of the words beside a picture, whose weight is 1. */
  readonly weight: number;
  readonly kinds: readonly Kind[];
  readonly people: readonly Person[];
  readonly peopleMode: 'and' | 'or';
  readonly filters: readonly Filter[];
  readonly film: OneFilm | null;
  readonly limit: number;
}

/** Matches that are asked for at first, when more are wanted, and at most. */
export const limits = [500, 3000, 10_000] as const;

export const emptyQuery: Query = {
  text: '',
  exclude: '',
  picture: null,
  weight: 1,
  kinds,
  people: [],
  peopleMode: 'and',
  filters: [],
  film: null,
  limit: limits[0],
};
