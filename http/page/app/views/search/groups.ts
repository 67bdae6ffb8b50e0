// Matches in the order in which they are shown: by film, the film with the best one first, or simply the best first. Pure.
import type { Found } from './moment.ts';

export interface Group {
  readonly hash_str: string;
  readonly media_path: string;
  /** Its matches in the order: [from, to). */
  readonly from: number;
  readonly to: number;
}

export interface Ordered {
  readonly moments: readonly Found[];
  /** One without a film when matches are not grouped. */
  readonly groups: readonly Group[];
}

/** In a film matches follow each other in time. */
export function byFilm(moments: readonly Found[]): Ordered {
  const films = Map.groupBy(moments, ({ hash_str }) => hash_str);
  const groups: Group[] = [];
  const ordered: Found[] = [];
  for (const [hash_str, own] of films) {
    const from = ordered.length;
    ordered.push(...own.sort((a, b) => a.time_seconds - b.time_seconds));
    groups.push({ hash_str, media_path: own[0]!.media_path, from, to: ordered.length });
  }
  return { moments: ordered, groups };
}

export function byRank(moments: readonly Found[]): Ordered {
  return { moments, groups: [{ hash_str: '', media_path: '', from: 0, to: moments.length }] };
}
