// What a search asks for and what it finds, as the view of the search knows it.
import type { Moment, MomentKind, MomentsAnswer } from '../../../../../actors/search/moments/contract.ts';

export const kinds = ['seen', 'said', 'person', 'written'] as const satisfies readonly MomentKind[];
export type Kind = MomentKind;
/** Names of icons. */
export const kindIcons = { seen: 'eye', said: 'speech', person: 'person', written: 'text' } as const;
export type Found = Moment;
export type FoundAnswer = MomentsAnswer;

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
