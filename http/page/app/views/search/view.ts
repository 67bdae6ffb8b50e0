// The search: a box, filters beside, and the matches below.
import { html } from 'htm/preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { loadFolder } from '../../folder.ts';
import { useKeys } from '../../keys.ts';
import { useFileDrop } from '../../parts/drop.ts';
import { Empty, Failed, Loading } from '../../parts/states.ts';
import { routeHash } from '../../route.ts';
import { useStore } from '../../store.ts';
import type { View } from '../../view.ts';
import { searchWords } from '../../words/search.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { Box } from './box.ts';
import { Filters } from './filters.ts';
import { Grid } from './grid.ts';
import { byFilm, byRank, folded, type Ordered } from './groups.ts';
import { limits } from './moment.ts';
import { NoResults, Warnings } from './notes.ts';
import { pictureIn, searchByPicture } from './own-picture.ts';
import { Refine } from './refine.ts';
import { again, more, search } from './state.ts';
import { useSearch } from './use-search.ts';
import { isWeak } from './weaker.ts';

export const view: View = { title: shell.search, render: Search };

const gridOfPage = '.view-search .grid';

function Search() {
  useSearch();
  const field = useRef<HTMLInputElement>(null);
  const showsFilters = search.use((state) => state.showsFilters);
  const answer = search.use((state) => state.answer);
  const isGrouped = search.use((state) => state.isGrouped);
  const showsWeaker = search.use((state) => state.showsWeaker);
  const ordered = useMemo(
    () => answer && folded(answer.moments, isGrouped ? byFilm : byRank, showsWeaker),
    [answer, isGrouped, showsWeaker],
  );
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
    <${Refine} ordered=${ordered} />
    <${Warnings} />
    <div class="search-body">
      ${showsFilters && html`<${Filters} />`}
      <${Matches} ordered=${ordered} toBox=${toBox} />
    </div>
    ${dropping.isOver && html`<div class="drop-here">${t(searchWords.dropHere)}</div>`}
  </div>`;
}

function Matches({ ordered, toBox }: { readonly ordered: Ordered | null; toBox(): void }) {
  const folder = useStore((state) => state.folder);
  const state = search.use((slice) => slice.state);
  const error = search.use((slice) => slice.error);
  const limit = search.use(({ query }) => query.limit);
  const answer = search.use((slice) => slice.answer);
  const showsWeaker = search.use((slice) => slice.showsWeaker);
  if (folder.state === 'failed')
    return html`<${Failed} error=${new Error(folder.error ?? '')} title=${t(searchWords.folderFailed)} again=${() => void loadFolder()} />`;
  if (folder.state !== 'ready') return html`<${Loading} label=${t(searchWords.loadingFolder)} />`;
  const found = ordered?.moments.length ?? 0;
  if (folder.loaded.media + folder.loaded.transcripts + (answer?.moments.length ?? 0) === 0)
    return html`<${Empty} icon="library" title=${t(searchWords.noLibrary)}><p>${t(searchWords.noLibraryHow)}</p>
      <a class="button" href=${routeHash({ view: 'library', argument: '' })}>${t(searchWords.toLibrary)}</a><//>`;
  if (state === 'failed') return html`<${Failed} error=${error} again=${again} />`;
  if (ordered === null)
    return state === 'idle' ? html`<${Start} />` : html`<${Loading} label=${t(searchWords.searching)} />`;
  if (found === 0) return html`<${NoResults} weaker=${ordered.weaker} />`;
  // As many as were asked for: there may be more, but no better ones after a weak one.
  const last = answer?.moments[limit - 1];
  const hasMore = last !== undefined && limit < limits.at(-1)! && (showsWeaker || !isWeak(last));
  return html`<${Grid} ordered=${ordered} hasMore=${hasMore} more=${more} leave=${toBox} />`;
}

function Start() {
  const { media, seconds } = useStore(({ folder }) => folder.loaded);
  const values = {
    media: t(searchWords.films, { n: media }),
    seconds: t(searchWords.seconds, { n: seconds }),
  };
  return html`<${Empty} icon="search" title=${t(searchWords.start, values)}><p class="quiet">${t(searchWords.startHow)}</p><//>`;
}

function takePicture(dropped: DataTransfer): void {
  const file = pictureIn(dropped);
  if (file) void searchByPicture(file);
}
