// Matches in the order in which they are shown: by film, the film with the best one first, or simply the best first.
import type { Found } from './moment.ts';
import { isWeak } from './weaker.ts';

export interface Group {
  /** `weaker`: no group, the line above the weaker matches. */
  readonly kind: 'film' | 'stills' | 'all' | 'weaker';
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
  /** Weaker matches, shown or not. */
  readonly weaker: number;
}

type Order = (moments: readonly Found[]) => Pick<Ordered, 'moments' | 'groups'>;

/** The surer ones first, then a line that counts the weaker ones, and these where `showsWeaker`. */
export function folded(moments: readonly Found[], order: Order, showsWeaker: boolean): Ordered {
  const weak = moments.filter(isWeak);
  const sure = order(moments.filter((one) => !isWeak(one)));
  if (weak.length === 0) return { ...sure, weaker: 0 };
  const at = sure.moments.length;
  const line: Group = { kind: 'weaker', hash_str: '', media_path: '', from: at, to: at };
  const rest = showsWeaker ? order(weak) : { moments: [], groups: [] };
  const below = rest.groups.map((group) => ({ ...group, from: group.from + at, to: group.to + at }));
  return {
    moments: [...sure.moments, ...rest.moments],
    groups: [...sure.groups, line, ...below],
    weaker: weak.length,
  };
}

/** In a film matches follow each other in time; stills, which are one group, go by rank. */
export function byFilm(moments: readonly Found[]): ReturnType<Order> {
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

export function byRank(moments: readonly Found[]): ReturnType<Order> {
  return {
    moments,
    groups: [{ kind: 'all', hash_str: '', media_path: '', from: 0, to: moments.length }],
  };
}

export function filesOf({ moments }: Pick<Ordered, 'moments'>): number {
  return new Set(moments.map(({ hash_str }) => hash_str)).size;
}
