// The line above the matches of a film: its name, how many there are, and the bar of relevance along it.

import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import type { Moment } from '../../../../../actors/search/moments/contract.ts';
import { api } from '../../api.ts';
import { go } from '../../navigation.ts';
import { Icon } from '../../parts.ts';
import { createBounded } from '../../pictures.ts';
import { momentArgument } from '../../route.ts';
import { useStore } from '../../store.ts';
import { clock, nameOf } from '../../times.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import { useDrawing, work } from '../../work.ts';
import { change, foldedMoments, relevanceRequest, search, toggleWeaker } from './state.ts';

// Where else the content of a match lies, as it is told: the first two paths, and how many more there are.

type Copied = Pick<Moment, 'other_paths'>;

/** Empty where the content is nowhere else. */
export function copiesText({ other_paths = [] }: Copied): string {
  if (other_paths.length === 0) return '';
  const [paths, n] = [other_paths.slice(0, 2).join(', '), other_paths.length - 2];
  return n > 0 ? t(searchWords.alsoAtMore, { paths, n }) : t(searchWords.alsoAt, { paths });
}

interface GroupHeadProps {
  readonly group: MatchGroup;
  readonly ordered: Ordered;
  /** Columns of the grid with its tiles. */
  readonly columns: number;
}

export function Head(props: GroupHeadProps) {
  return props.group.kind === 'weaker'
    ? html`<${WeakerHead} ...${props} />`
    : html`<${GroupHead} ...${props} />`;
}

const spanOf = (columns: number) => ({ gridColumn: `span ${columns}` });

/** Weaker matches, folded, and a button that opens and closes them. */
function WeakerHead({ ordered, columns }: GroupHeadProps) {
  return html`<div class="group-head" role="gridcell" style=${spanOf(columns)}><${WeakerButton} n=${ordered.weaker} /></div>`;
}

export function WeakerButton({ n }: { readonly n: number }) {
  const isOpen = search.use((state) => state.showsWeaker);
  return html`<button class="weaker" aria-expanded=${isOpen} onClick=${toggleWeaker}>
    <${Icon} name=${isOpen ? 'up' : 'down'} />${t(searchWords.weaker, { n })}</button>`;
}

/** Width of one tile, which has room for the name only. */
const NARROW = 1;

function GroupHead({ group, ordered, columns }: GroupHeadProps) {
  const { kind, hash_str, media_path, from, to, foldedCount } = group;
  const showsStills = search.use((state) => state.showsStills);
  const isOnly = search.use(({ query }) => query.film?.media_path === media_path);
  const moments = ordered.moments.slice(from, to);
  const isFilm = kind === 'film' && moments[0]?.kind === 'video';
  const only = () => change({ film: isOnly ? null : { hash_str, media_path, start: null, end: null } });
  const copies = isFilm ? (moments[0]?.other_paths?.length ?? 0) : 0;
  const marks = moments.map((moment) => moment.time_seconds);
  const isNarrow = columns === NARROW;
  return html`<div class=${`group-head ${isNarrow ? 'narrow' : ''}`} role="gridcell" style=${spanOf(columns)}>
    <h2 class="cut" title=${media_path}>${kind === 'stills' ? t(searchWords.stills) : nameOf(media_path)}</h2>
    ${!isNarrow && html`<span class="quiet group-count">${t(searchWords.found, { n: to - from + foldedCount })}</span>`}
    ${
      kind === 'stills' &&
      (foldedCount > 0 || showsStills) &&
      html`<button class="quiet" aria-expanded=${showsStills} onClick=${() => search.update({ showsStills: !showsStills })}>
        ${showsStills ? t(searchWords.fewStills) : t(searchWords.allStills, { n: to - from + foldedCount })}</button>`
    }
    ${copies > 0 && html`<span class="quiet group-count" title=${copiesText(moments[0]!)}>${t(searchWords.copies, { n: copies })}</span>`}
    ${
      isFilm &&
      html`<button class="quiet icon-only" aria-pressed=${isOnly} aria-label=${t(searchWords.onlyFilm)}
      title=${t(searchWords.onlyFilm)} onClick=${only}><${Icon} name="filter" /></button>`
    }
    ${isFilm && html`<${RelevanceBar} hash_str=${hash_str} marks=${marks} />`}
  </div>`;
}

// The bar along each film: how well each second fits what is looked for. Asked for films in sight, two at a
// time.

const KEPT = 300;
/** A film that is scrolled by is not asked for. */
const IN_SIGHT_MS = 120;
const AT_ONCE = 2;

type Asked = NonNullable<ReturnType<typeof relevanceRequest>>;

interface Relevance {
  readonly values: readonly number[];
}

const cache = createBounded<Relevance>(KEPT);
const waiting: (() => void)[] = [];
let running = 0;

interface BarProps {
  readonly hash_str: string;
  /** Seconds of its matches. */
  readonly marks: readonly number[];
}

function RelevanceBar({ hash_str, marks }: BarProps) {
  const query = search.use((state) => state.query);
  const cache_dir = useStore(({ folder }) => folder.cache_dir);
  const request = cache_dir === null ? null : relevanceRequest(query, cache_dir, hash_str);
  const key = request === null ? '' : JSON.stringify(request);
  const [loaded, setLoaded] = useState<Relevance | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const values = loaded && loaded.values.length > 1 ? loaded.values : null;
  const canvas = useDrawing(values, (id, surface) => void work().drawRelevance(id, surface, marks), [
    marks.join(),
  ]);
  useEffect(() => {
    const cached = cache.get(key) ?? null;
    setLoaded(cached);
    return cached || key === '' ? undefined : ask(key, setLoaded);
  }, [key]);
  if (values === null) return html`<div class="relevance"></div>`;
  const secondAt = (event: MouseEvent) => {
    const { left, width } = canvas.current!.getBoundingClientRect();
    return Math.max(0, Math.min(values.length - 1, ((event.clientX - left) / width) * values.length));
  };
  return html`<div class="relevance">
    <canvas ref=${canvas} role="img" aria-label=${t(searchWords.relevance)}
      onPointerMove=${(event: PointerEvent) => setPointed(secondAt(event))} onPointerLeave=${() => setPointed(null)}
      onClick=${(event: MouseEvent) => go('player', momentArgument({ hash_str, seconds: secondAt(event) }))}></canvas>
    ${pointed !== null && html`<span class="relevance-time" aria-hidden="true">${clock(pointed)}</span>`}
  </div>`;
}

function ask(key: string, onAnswer: (relevance: Relevance) => void): () => void {
  const aborter = new AbortController();
  const { signal } = aborter;
  const run = () => {
    if (signal.aborted) return next();
    running++;
    api
      .searchRelevance(JSON.parse(key) as Asked, { signal })
      .then((relevance) => {
        cache.set(key, relevance);
        if (!signal.aborted) onAnswer(relevance);
      })
      // A bar is an extra: a film without one has its matches all the same.
      .catch(() => {})
      .finally(() => {
        running--;
        next();
      });
  };
  const timer = setTimeout(() => {
    waiting.push(run);
    next();
  }, IN_SIGHT_MS);
  return () => {
    clearTimeout(timer);
    aborter.abort();
  };
}

function next(): void {
  if (running < AT_ONCE) waiting.shift()?.();
}

// Matches in the order in which they are shown: by film, the film with the best one first, or simply the best
// first.

export interface MatchGroup {
  /** `weaker`: no group, the line above the weaker matches. */
  readonly kind: 'film' | 'stills' | 'all' | 'weaker';
  /** Hash of a film; empty for other media. */
  readonly hash_str: string;
  readonly media_path: string;
  /** Its matches in the order: [from, to). */
  readonly from: number;
  readonly to: number;
  /** Matches that are folded below these. */
  readonly foldedCount: number;
}

export interface Ordered {
  readonly moments: readonly Moment[];
  /** One of kind `all` when matches are not grouped. */
  readonly groups: readonly MatchGroup[];
  /** Weaker matches, shown or not. */
  readonly weaker: number;
}

export type Order = (moments: readonly Moment[]) => Pick<Ordered, 'moments' | 'groups'>;

/** The surer ones first, then a line that counts the weaker ones, and these where `showsWeaker`. */
export function folded(
  moments: readonly Moment[],
  order: Order,
  showsWeaker: boolean,
  byPicture = false,
): Ordered {
  const below = foldedMoments(moments, byPicture);
  const weak = moments.filter((moment) => below.has(moment));
  const sure = order(moments.filter((moment) => !below.has(moment)));
  if (weak.length === 0) return { ...sure, weaker: 0 };
  const at = sure.moments.length;
  const line: MatchGroup = { kind: 'weaker', hash_str: '', media_path: '', from: at, to: at, foldedCount: 0 };
  const weakMatches = showsWeaker ? order(weak) : { moments: [], groups: [] };
  const weaker = weakMatches.groups.map((group) => ({ ...group, from: group.from + at, to: group.to + at }));
  return {
    moments: [...sure.moments, ...weakMatches.moments],
    groups: [...sure.groups, line, ...weaker],
    weaker: weak.length,
  };
}

/** Stills that are shown among films, which many of them would bury. */
const FEW_STILLS = 12;

/**
 * In a film matches follow each other in time; stills, which are one group, go by rank, and beside films only
 * the first are shown unless `showsStills`.
 */
export function byFilm(moments: readonly Moment[], showsStills = true): ReturnType<Order> {
  const films = Map.groupBy(moments, ({ kind, hash_str }) => (kind === 'image' ? '' : hash_str));
  const groups: MatchGroup[] = [];
  const ordered: Moment[] = [];
  for (const [hash_str, filmMoments] of films) {
    const from = ordered.length;
    const isFilm = hash_str !== '';
    const isWhole = isFilm || showsStills || films.size === 1;
    const shown = isFilm ? filmMoments.toSorted((a, b) => a.time_seconds - b.time_seconds) : filmMoments;
    ordered.push(...(isWhole ? shown : shown.slice(0, FEW_STILLS)));
    const media_path = isFilm ? filmMoments[0]!.media_path : '';
    const to = ordered.length;
    const foldedCount = filmMoments.length - (to - from);
    groups.push({ kind: isFilm ? 'film' : 'stills', hash_str, media_path, from, to, foldedCount });
  }
  return { moments: ordered, groups };
}

export function byRank(moments: readonly Moment[]): ReturnType<Order> {
  return {
    moments,
    groups: [{ kind: 'all', hash_str: '', media_path: '', from: 0, to: moments.length, foldedCount: 0 }],
  };
}

export function filesOf({ moments }: Pick<Ordered, 'moments'>): number {
  return new Set(moments.map(({ hash_str }) => hash_str)).size;
}
