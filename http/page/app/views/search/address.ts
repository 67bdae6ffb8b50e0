// A search as it stands in the address: it can be loaded again, gone back to and handed on. Media stand in it
// by their hashes; a picture of a person's own is kept beside it, by the browser.

import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { MomentKind } from '../../../../../actors/search/moments/contract.ts';
import { api } from '../../api.ts';
import { go, putParams } from '../../navigation.ts';
import { momentArgument, parseMoment } from '../../route.ts';
import { get, useStore } from '../../store.ts';
import { nameOf } from '../../times.ts';
import { attempt } from '../../toasts.ts';
import { optionLabel, valuesOf } from './filters.ts';
import {
  emptyQuery,
  type Filter,
  kinds,
  type QueryPicture,
  type SearchFields,
  scrolled,
  search,
} from './state.ts';

interface Shown {
  readonly query: SearchFields;
  readonly isGrouped: boolean;
  readonly showsWeaker: boolean;
  /** Number of the first match in sight. */
  readonly at: number;
}

const operators: Readonly<Record<string, Filter['operator']>> = {
  '=': 'include_any_of',
  '!': 'exclude_any_of',
  '>': 'greater_than',
  '<': 'less_than',
  after: 'after',
  before: 'before',
};
const signs = Object.fromEntries(Object.entries(operators).map(([sign, operator]) => [operator, sign]));

/** Empty for a search that asks for nothing. */
export function addressOf({ query, isGrouped, showsWeaker, at }: Shown): string {
  const { text, exclude, picture, weight, film } = query;
  const params = new URLSearchParams();
  const put = (name: string, value: string | number | null, isPut = value !== '' && value !== null) => {
    if (isPut) params.append(name, String(value));
  };
  put('q', text);
  put('not', exclude);
  if (picture?.kind === 'file') {
    put('image', picture.path);
    put('second', picture.seconds);
  } else if (picture) put('like', picture.kind === 'own' ? 'own' : momentArgument(picture));
  put('weight', weight, weight !== 1);
  put('kinds', query.kinds.join(), query.kinds.length < kinds.length);
  for (const { name, cluster_job_name } of query.people) put('who', `${name}@${cluster_job_name}`);
  put('any', 1, query.peopleMode === 'or');
  for (const { facet_id, operator, values } of query.filters)
    for (const value of values) put('f', `${facet_id}~${signs[operator]}~${value}`);
  if (film) put('in', film.hash_str);
  put('from', film?.start ?? null);
  put('to', film?.end ?? null);
  for (const moment of query.unlike) put('unlike', momentArgument(moment));
  put('flat', 1, !isGrouped);
  put('weak', 1, showsWeaker);
  put('at', at, at > 0);
  return params.toString();
}

/**
 * `ownPicture`: the picture that `like=own` stands for. Paths of media are empty: they have to be asked for.
 */
export function placeOf(address: string, ownPicture: QueryPicture | null): Shown {
  const params = new URLSearchParams(address);
  const text = (name: string) => params.get(name) ?? '';
  const seconds = (name: string) => (params.has(name) ? numberOf(text(name)) : null);
  const chosen = text('kinds').split(',');
  const some = kinds.filter((kind: MomentKind) => chosen.includes(kind));
  const film = text('in');
  const query: SearchFields = {
    ...emptyQuery,
    text: text('q'),
    exclude: text('not'),
    picture: params.has('image')
      ? { kind: 'file', path: text('image'), seconds: seconds('second') }
      : pictureOf(text('like'), ownPicture),
    weight: numberOf(text('weight')) || 1,
    kinds: some.length > 0 ? some : kinds,
    people: params.getAll('who').map(personOf),
    peopleMode: params.has('any') ? 'or' : 'and',
    filters: filtersOf(params.getAll('f')),
    film: film === '' ? null : { hash_str: film, media_path: '', start: seconds('from'), end: seconds('to') },
    unlike: params.getAll('unlike').flatMap((text) => parseMoment(text) ?? []),
  };
  return {
    query,
    isGrouped: !params.has('flat'),
    showsWeaker: params.has('weak'),
    at: numberOf(text('at')),
  };
}

/** 0 for what is no number. */
function numberOf(text: string): number {
  const value = Number(text);
  return Number.isFinite(value) ? Math.max(0, value) : 0;
}

function pictureOf(text: string, ownPicture: QueryPicture | null): QueryPicture | null {
  if (text === 'own') return ownPicture;
  const moment = parseMoment(text);
  return moment && { kind: 'like', media_path: '', ...moment };
}

function personOf(text: string) {
  const at = text.lastIndexOf('@');
  return { name: text.slice(0, at), cluster_job_name: text.slice(at + 1) };
}

function filtersOf(texts: readonly string[]): Filter[] {
  const filters: Filter[] = [];
  for (const text of texts) {
    const [, facet_id = '', sign = '', value = ''] = /^([^~]+)~([^~]+)~(.*)$/s.exec(text) ?? [];
    const operator = operators[sign];
    if (operator === undefined) continue;
    const at = filters.findIndex((filter) => filter.facet_id === facet_id && filter.operator === operator);
    const values = [...(filters[at]?.values ?? []), value];
    filters.splice(at < 0 ? filters.length : at, 1, { facet_id, operator, values });
  }
  return filters;
}

/** Empty where there is none, and while it is not known. */
export function pictureName(picture: QueryPicture | null): string {
  if (picture === null) return '';
  if (picture.kind === 'own') return picture.name;
  return nameOf(picture.kind === 'like' ? picture.media_path : picture.path);
}

/** Title in a list of earlier searches. */
export function titleOf({ text, exclude, picture, people, filters }: SearchFields): string {
  const parts = [
    text.trim(),
    pictureName(picture),
    ...people.map(({ name }) => name),
    ...filters.flatMap((filter) =>
      valuesOf(filter).map((value) => optionLabel({ id: filter.facet_id }, value)),
    ),
    exclude.trim() === '' ? '' : `– ${exclude.trim()}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

// The search and the address say the same: one leads to the other, whichever changes first.

/** A search that was answered, and stands for so long, is one to go back to. */
const SETTLED_MS = 1500;
/** The current address, and the one that this page would write. */
const said = { address: null as string | null, own: '', isSettled: true };

/** Looks for something else than before, in the view of the search. */
export function searchFor(query: Partial<SearchFields>): void {
  const { isGrouped, query: before } = search.get();
  const place = { query: { ...before, ...query }, isGrouped, showsWeaker: false, at: 0 };
  // The address says only that there is one.
  if (query.picture?.kind === 'own') search.update({ query: place.query });
  go('search', '', addressOf(place));
}

export function useAddress(params: string): void {
  const state = search.use((slice) => slice.state);
  const target = search.use(addressOf);
  useLayoutEffect(() => {
    if (params !== said.address) take(params);
  }, [params]);
  useEffect(() => {
    // The state may have changed since this was drawn, by a link.
    const now = search.get();
    const address = addressOf(now);
    if (address !== said.own && get().route.params === said.address) say(address, now.query.picture);
  }, [target]);
  const bare = withoutPlace(target);
  useEffect(() => {
    if (state !== 'ready') return;
    const timer = setTimeout(settle, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [state, bare]);
  useEffect(() => settle, []);
  usePath('film');
  usePath('picture');
}

function take(params: string): void {
  const { picture } = search.get().query;
  const storedPicture = (history.state as { readonly picture?: QueryPicture } | null)?.picture ?? null;
  const place = placeOf(params, storedPicture ?? (picture?.kind === 'own' ? picture : null));
  said.address = params;
  said.own = addressOf(place);
  said.isSettled = true;
  scrolled.to = place.at;
  search.update({ ...place, showsStills: false, chosen: new Set() });
}

function say(target: string, picture: QueryPicture | null): void {
  const isNew = withoutPlace(target) !== withoutPlace(said.own);
  const isPushed = isNew && said.isSettled;
  if (isNew) said.isSettled = false;
  said.address = target;
  said.own = target;
  putParams(target, isPushed, picture?.kind === 'own' ? { picture } : null);
}

function withoutPlace(address: string): string {
  return address.replace(/(^|&)at=\d+$/, '');
}

/** Makes the current query a search to go back to; the next one is separate. */
export function settle(): void {
  const { query, state, isGrouped } = search.get();
  said.isSettled = true;
  if (state !== 'ready' || query.picture?.kind === 'own') return;
  const address = addressOf({ query, isGrouped, showsWeaker: false, at: 0 });
  if (address === '') return;
  const others = earlier().filter((entry) => entry.address !== address);
  const all = [{ address, title: titleOf(query) }, ...others].slice(0, MOST_EARLIER);
  localStorage.setItem(EARLIER, JSON.stringify(all));
}

const EARLIER = 'framehound.searches';
const MOST_EARLIER = 50;

interface Earlier {
  readonly address: string;
  readonly title: string;
}

/** The latest first. */
export function earlier(): readonly Earlier[] {
  try {
    const all = JSON.parse(localStorage.getItem(EARLIER) ?? '[]') as Partial<Earlier>[];
    return all.filter((entry): entry is Earlier => !!entry.title && !!entry.address);
  } catch {
    return [];
  }
}

/**
 * Asks for the path of a medium of which the address has the hash. What is not known is left out, and told.
 */
function usePath(name: 'film' | 'picture'): void {
  const cache_dir = useStore(({ folder }) => folder.cache_dir);
  const hash_str = search.use(({ query }) => {
    const medium = query[name];
    return medium && 'hash_str' in medium && medium.media_path === '' ? medium.hash_str : null;
  });
  useEffect(() => {
    if (cache_dir === null || hash_str === null) return;
    let isMeant = true;
    let media_path = '';
    void attempt(async () => {
      ({ media_path } = await api.mediaFacts({ cache_dir, hash_str }));
    }).then((isKnown) => {
      if (!isMeant) return;
      search.update(({ query }) => ({
        query: { ...query, [name]: isKnown ? { ...query[name], media_path } : null },
      }));
    });
    return () => {
      isMeant = false;
    };
  }, [cache_dir, hash_str]);
}
