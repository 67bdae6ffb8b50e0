// The search: a box, filters beside, and the matches below.

import { html } from 'htm/preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Moment } from '../../../../../actors/search/moments/contract.ts';
import { api, isAbort, ServiceError } from '../../api.ts';
import { askPatiently, loadFolder } from '../../folder.ts';
import { useKeys } from '../../keys.ts';
import type { View } from '../../navigation.ts';
import { Empty, Failed, Icon, Loading, useFileDrop } from '../../parts.ts';
import { routeHash } from '../../route.ts';
import { useStore } from '../../store.ts';
import { clock, nameOf, secondsOf } from '../../times.ts';
import { CopyLink } from '../../toasts.ts';
import { concerns, listText, noteText } from '../../words/notes.ts';
import { searchWords } from '../../words/search.ts';
import { searchable, setup } from '../../words/settings.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { SetUpButton, setsOf, useLacking, useLackingSets } from '../settings/set-up.ts';
import { useAddress } from './address.ts';
import { Box, pictureIn, searchByPicture } from './box.ts';
import { Chosen, useAlike, without } from './chosen.ts';
import { DateLine, FilterChips, Filters, useFacets } from './filters.ts';
import { Grid } from './grid.ts';
import { byFilm, byRank, filesOf, folded, type Order, type Ordered, WeakerButton } from './group-head.ts';
import { SaveButton, Saved } from './saved.ts';
import { FirstVisit, Start } from './start.ts';
import {
  again,
  change,
  isByPicture,
  isWeak,
  isWhole,
  limits,
  momentsRequest,
  more,
  type OneFilm,
  scrolled,
  search,
  sides,
  toggleNames,
} from './state.ts';

export const view: View = { title: shell.search, render: Searches };

function Searches({ argument, params }: { readonly argument: string; readonly params: string }) {
  return argument === 'saved' ? html`<${Saved} />` : html`<${Search} params=${params} />`;
}

const noMoments: readonly Moment[] = [];
const gridOfPage = '.view-search .grid';

function Search({ params }: { readonly params: string }) {
  useAddress(params);
  useSearch();
  const field = useRef<HTMLInputElement>(null);
  const showsFilters = search.use((state) => state.showsFilters);
  const answer = search.use((state) => state.answer);
  const isGrouped = search.use((state) => state.isGrouped);
  const showsWeaker = search.use((state) => state.showsWeaker);
  const showsStills = search.use((state) => state.showsStills);
  const byPicture = search.use(({ query }) => isByPicture(query));
  const facets = useFacets();
  const alike = useAlike();
  const ordered = useMemo(() => {
    // A line above each file would say nothing more where all of them are whole.
    const isOfFiles = answer?.moments.every(isWhole) ?? false;
    const order: Order = isGrouped && !isOfFiles ? (moments) => byFilm(moments, showsStills) : byRank;
    return answer && folded(without(answer.moments, alike), order, showsWeaker, byPicture);
  }, [answer, isGrouped, showsWeaker, showsStills, alike, byPicture]);
  const toBox = () => {
    field.current?.focus();
    field.current?.select();
  };
  useKeys({ search: toBox });
  useEffect(() => {
    // Back from the player: to the match. On a telephone the keyboard of a box would cover half of the page.
    const grid = search.get().selected === null ? null : document.querySelector<HTMLElement>(gridOfPage);
    if (grid) grid.focus({ preventScroll: true });
    else if (matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, []);
  const toMatches = () => {
    const [first] = ordered?.moments ?? [];
    if (!first) return;
    if (search.get().selected === null) search.update({ selected: first.moment_id });
    document.querySelector<HTMLElement>(gridOfPage)?.focus();
  };
  const dropping = useFileDrop(takePicture);
  return html`<div class="search-page" ...${dropping.handlers}>
    <h1 class="unseen">${t(shell.search)}</h1>
    <${Box} field=${field} toMatches=${toMatches} />
    <${Refine} ordered=${ordered} facets=${facets} />
    ${showsFilters && html`<${DateLine} facets=${facets} />`}
    <${Warnings} shown=${ordered?.moments ?? noMoments} />
    <div class="search-body">
      ${showsFilters && html`<${Filters} facets=${facets} />`}
      <${Matches} ordered=${ordered} facets=${facets} toBox=${toBox} />
    </div>
    <${Chosen} moments=${ordered?.moments ?? noMoments} />
    ${dropping.isOver && html`<div class="drop-here">${t(searchWords.dropHere)}</div>`}
  </div>`;
}

function Matches({ ordered, facets, toBox }: RefineProps & { toBox(): void }) {
  const folder = useStore((state) => state.folder);
  const state = search.use((slice) => slice.state);
  const error = search.use((slice) => slice.error);
  const limit = search.use(({ query }) => query.limit);
  const answer = search.use((slice) => slice.answer);
  const showsWeaker = search.use((slice) => slice.showsWeaker);
  const isAway = useStore(({ service }) => service === 'away');
  if (folder.state === 'failed')
    return html`<${Failed} error=${new Error(folder.error ?? '')} title=${t(searchWords.folderFailed)} again=${() => void loadFolder()} />`;
  if (folder.state !== 'ready') return html`<${Loading} label=${t(searchWords.loadingFolder)} />`;
  const matchCount = ordered?.moments.length ?? 0;
  if (folder.loaded.media + folder.loaded.transcripts + (answer?.moments.length ?? 0) === 0)
    return html`<${FirstVisit} />`;
  if (state === 'failed') return html`<${Failed} error=${error} again=${again} />`;
  if (ordered === null && isAway && state === 'loading')
    return html`<${Empty} icon="search" title=${t(searchWords.away)} />`;
  if (ordered === null)
    return state === 'idle'
      ? html`<${Start} facets=${facets.all} />`
      : html`<${Loading} label=${t(searchWords.searching)} />`;
  if (matchCount === 0) return html`<${NoResults} weaker=${ordered.weaker} />`;
  // Matches are sorted by band, so anything beyond the limit is at most weak.
  const last = answer?.moments[limit - 1];
  const hasMore = last !== undefined && limit < limits.at(-1)! && (showsWeaker || !isWeak(last));
  return html`<${Grid} ordered=${ordered} hasMore=${hasMore} more=${more} leave=${toBox} />`;
}

function takePicture(dropped: DataTransfer): void {
  const file = pictureIn(dropped);
  if (file) void searchByPicture(file);
}

// Remarks on an answer, and the text where nothing was found: advice, and a way to act on it.

/** The first says most; the others on demand. Where nothing is shown, they stand in its place. */
function Warnings({ shown }: { readonly shown: readonly Moment[] }) {
  const answer = search.use((state) => state.answer);
  const paths = new Set(shown.map(({ media_path }) => media_path));
  const notes = shown.length === 0 ? [] : (answer?.notes ?? []).filter((note) => concerns(note, paths));
  const [first, ...others] = notes.map(noteText);
  const more = others.length > 0 && t(searchWords.moreWarnings, { n: others.length });
  return html`<div class="warnings" role="status">${
    first !== undefined &&
    html`<details>
    <summary><${Icon} name="warning" /><span class="cut">${first}</span>${more && html`<span class="more-warnings">${more}</span>`}</summary>
    ${others.map((text) => html`<p>${text}</p>`)}
    <${Help} />
  </details>`
  }</div>`;
}
const none: readonly string[] = [];

/** Offers the download or analysis by which the unknown words would be understood. */
function Help() {
  const { model_keys = none, advice = null } = search.use(({ answer }) => answer?.not_understood) ?? {};
  const isLacking = useLacking(setsOf(model_keys));
  if (advice === null || isLacking === null) return null;
  return isLacking
    ? html`<p class="quiet">${t(setup.model)}</p><${SetUpButton} />`
    : html`<p class="quiet">${t(setup.analysis)}</p>
      <a class="button" href=${routeHash({ view: 'library', argument: '' })}>${t(setup.toLibrary)}</a>`;
}

function NoResults({ weaker }: { readonly weaker: number }) {
  const notes = search.use(({ answer }) => answer?.notes);
  const isUnderstood = search.use(({ answer }) => answer?.not_understood === undefined);
  const lacking = useLackingSets(['things', 'words', 'faces', 'speech']);
  const { filters, people, unlike, film } = search.use(({ query }) => query);
  const isFiltered = filters.length + people.length + unlike.length > 0 || film !== null;
  const clear = () => change({ filters: [], people: [], unlike: [], film: null });
  const reasons = (notes ?? []).filter((note) => concerns(note, new Set())).map(noteText);
  const how = t(weaker > 0 ? searchWords.nothingLikeHow : searchWords.nothingHow);
  const what = listText(lacking.map((name) => t(searchable[name])));
  return html`<${Empty} icon="search" title=${t(weaker > 0 ? searchWords.nothingLike : searchWords.nothing)}>
    ${reasons.map((text) => html`<p>${text}</p>`)}
    ${isUnderstood ? html`<p>${how}</p>` : html`<${Help} />`}
    ${weaker > 0 && html`<${WeakerButton} n=${weaker} />`}
    ${isFiltered && html`<button onClick=${clear}>${t(searchWords.withoutFilters)}</button>`}
    ${isUnderstood && lacking.length > 0 && html`<p class="quiet">${t(setup.lacking, { what })}</p><${SetUpButton} />`}<//>`;
}

// Asks as one types: a little after the last letter, and the request before is given up, so no late answer
// overwrites a newer one.

type Asked = NonNullable<ReturnType<typeof momentsRequest>>;

/** Shorter than between two letters of a quick typist, and a small part of what a person notices. */
const AFTER_LETTER_MS = 90;

function useSearch(): void {
  const query = search.use((state) => state.query);
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  // Loaded anew when the service is back: it answers no search before that.
  const loaded = useStore(({ folder }) => folder.loaded);
  const round = search.use((state) => state.round);
  const request = cache_dir === null ? null : momentsRequest(query, cache_dir);
  const question = request === null ? '' : JSON.stringify(request);
  useEffect(() => {
    const { request: before, state } = search.get();
    if (question === '') {
      if (cache_dir !== null)
        search.update({ state: 'idle', answer: null, request: '', error: null, selected: null });
      return;
    }
    // Coming back from another view.
    if (question === before && state === 'ready') return;
    const aborter = new AbortController();
    search.update({ state: 'loading', error: null });
    const timer = setTimeout(() => void ask(question, aborter.signal), before === '' ? 0 : AFTER_LETTER_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [question, loaded, round]);
}

async function ask(request: string, signal: AbortSignal): Promise<void> {
  try {
    const question = JSON.parse(request) as Asked;
    const answer = await askPatiently(() => api.searchMoments(question, { signal }), signal);
    if (signal.aborted) return;
    const { request: before, selected } = search.get();
    if (!isContinued(before, request) && scrolled.to === null) scrolled.top = 0;
    const stays = answer.moments.some(({ moment_id }) => moment_id === selected);
    search.update({ state: 'ready', answer, request, error: null, selected: stays ? selected : null });
  } catch (error) {
    if (signal.aborted || isAbort(error)) return;
    if (error instanceof ServiceError && error.status === 0) {
      // It is asked again when the service is back and has loaded the folder. Matches of another question are
      // not its matches.
      if (search.get().request !== request) search.update({ answer: null, request: '', selected: null });
      return;
    }
    search.update({ state: 'failed', error, answer: null, request: '' });
  }
}

/** The same question, more matches. */
function isContinued(before: string, question: string): boolean {
  if (before === '') return false;
  const { limit: _, ...withoutLimit } = JSON.parse(before) as Record<string, unknown>;
  const { limit: __, ...now } = JSON.parse(question) as Record<string, unknown>;
  return JSON.stringify(withoutLimit) === JSON.stringify(now);
}

// The line below the box: what matches should not be like, one film alone, and how the matches are shown.

interface RefineProps {
  readonly ordered: Ordered | null;
  readonly facets: ReturnType<typeof useFacets>;
}

function Refine({ ordered, facets }: RefineProps) {
  const query = search.use((state) => state.query);
  const isBoth = query.picture !== null && query.text.trim() !== '';
  const onExclude = (event: Event) => change({ exclude: (event.target as HTMLInputElement).value });
  return html`<div class="refine">
    <label class="exclude">${t(searchWords.exclude)}
      <input type="text" value=${query.exclude} placeholder=${t(searchWords.excludeHint)} autocomplete="off" onInput=${onExclude} /></label>
    ${isBoth && html`<${Weight} />`}
    <span class="grow"></span>
    <${Told} ordered=${ordered} />
    <${SaveButton} />
    <${CopyLink} />
    <${Shown} />
  </div>
  <div class="chips">${query.film && html`<${FilmChip} film=${query.film} />`}<${FilterChips} facets=${facets} /></div>`;
}

function Weight() {
  const weight = search.use(({ query }) => query.weight);
  // From a tenth to ten times the picture.
  const onInput = (event: Event) =>
    change({ weight: Math.round(10 ** Number((event.target as HTMLInputElement).value) * 100) / 100 });
  return html`<label>${t(searchWords.weight)}
    <input type="range" min="-1" max="1" step="0.1" value=${Math.log10(weight)} aria-valuetext=${String(weight)} onInput=${onInput} /></label>`;
}

function FilmChip({ film }: { readonly film: OneFilm }) {
  const name = nameOf(film.media_path);
  const put = (part: 'start' | 'end') => (event: Event) => {
    const input = event.target as HTMLInputElement;
    const seconds = secondsOf(input.value);
    const isEmpty = input.value.trim() === '';
    input.setCustomValidity('');
    if (seconds === null && !isEmpty) input.setCustomValidity('0:00');
    else change({ film: { ...film, [part]: isEmpty ? null : seconds } });
    input.reportValidity();
  };
  const time = (part: 'start' | 'end', label: string) =>
    html`<input class="time" aria-label=${label} placeholder=${part === 'start' ? '0:00' : '…'} size="7"
      value=${film[part] === null ? '' : clock(film[part])} onChange=${put(part)} />`;
  return html`<span class="chip" title=${film.media_path}>
    <span class="cut">${name}</span>
    ${time('start', t(searchWords.rangeStart, { name }))} – ${time('end', t(searchWords.rangeEnd, { name }))}
    <button class="quiet icon-only" aria-label=${t(searchWords.allFilms)} onClick=${() => change({ film: null })}><${Icon} name="close" /></button>
  </span>`;
}

function Told({ ordered }: { readonly ordered: Ordered | null }) {
  const state = search.use((slice) => slice.state);
  const folded = ordered?.groups.reduce((sum, { foldedCount }) => sum + foldedCount, 0) ?? 0;
  const n = folded + (ordered?.moments.length ?? 0);
  const files = useMemo(() => folded + (ordered ? filesOf(ordered) : 0), [ordered]);
  const films = t(searchWords.films, { n: files });
  const countText = t(searchWords.foundIn, { n, films });
  const isAway = useStore(({ service }) => service === 'away');
  // The place of the matches says that there are none, and why.
  const isFound = state === 'ready' && n > 0;
  const text = isAway ? '' : state === 'loading' ? t(searchWords.searching) : isFound ? countText : '';
  return html`<span class="told" role="status">${text}</span>`;
}

function Shown() {
  const isGrouped = search.use((slice) => slice.isGrouped);
  const side = search.use((slice) => slice.side);
  const showsNames = search.use((slice) => slice.showsNames);
  return html`<button aria-pressed=${isGrouped} onClick=${() => search.update({ isGrouped: !isGrouped })}>${t(searchWords.grouped)}</button>
    <button aria-pressed=${showsNames} title=${t(searchWords.namesHow)} onClick=${toggleNames}>${t(searchWords.names)}</button>
    <input class="size" type="range" min=${sides.least} max=${sides.most} step="10" value=${side} aria-label=${t(searchWords.size)}
      title=${t(searchWords.size)} onInput=${(event: Event) => search.update({ side: Number((event.target as HTMLInputElement).value) })} />`;
}
