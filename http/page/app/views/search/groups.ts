// Matches in the order in which they are shown: by film, the film with the best one first, or simply the best first. Pure.
import type { Found } from './moment.ts';

export interface Group {
  readonly kind: 'film' | 'stills' | 'all';
  /** Of a film; empty for others. */
  readonly hash_str: string;
  readonly media_path: string;
  /** Its matches in the order: [from, to). */
  readonly from: number;
  readonly to: number;
}

export interface Ordered {
  readonly moments: readonly Found[];
  /** One of kind `all` when matches are not grouped. */
  readonly groups: readonly Group[];
}

/** In a film matches follow each other in time; stills, which are one group, go by rank. */
export function byFilm(moments: readonly Found[]): Ordered {
  const films = Map.groupBy(moments, ({ kind, hash_str }) => (kind === 'image' ? '' : hash_str));
  const groups: Group[] = [];
  const ordered: Found[] = [];
  for (const [hash_str, own] of films) {
    const from = ordered.length;
    const isFilm = hash_str !== '';
    ordered.push(...(isFilm ? own.toSorted((a, b) => a.time_seconds - b.time_seconds) : own));
    const media_path = isFilm ? own[0]!.media_path : '';
    groups.push({ kind: isFilm ? 'film' : 'stills', hash_str, media_path, from, to: ordered.length });
  }
  return { moments: ordered, groups };
}

export function byRank(moments: readonly Found[]): Ordered {
  return {
    moments,
    groups: [{ kind: 'all', hash_str: '', media_path: '', from: 0, to: moments.length }],
  };
}

export function filesOf({ moments }: Ordered): number {
  return new Set(moments.map(({ hash_str }) => hash_str)).size;
}
