// Saved searches: the button that saves the search that is shown, and the list of those that are saved, each
// with its hits, the latest first.

import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import type { Moment } from '../../../../../actors/search/moments/contract.ts';
import type { SearchHit, SearchStanding } from '../../../../../events/searches/contract.ts';
import { api, useAsk } from '../../api.ts';
import { go, placeOfView } from '../../navigation.ts';
import { Dialog, Empty, Failed, Icon, Loading } from '../../parts.ts';
import { Picture } from '../../pictures.ts';
import { momentArgument, routeHash } from '../../route.ts';
import { readSaved, useSaved } from '../../searches.ts';
import { useStore } from '../../store.ts';
import { clock, dateText, nameOf } from '../../times.ts';
import { attempt, toast } from '../../toasts.ts';
import { lists } from '../../words/lists.ts';
import { savedWords, searchWords } from '../../words/search.ts';
import { shell } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { searchFor, titleOf } from './address.ts';
import { kindIcons, queryOf, savedRequest, search } from './state.ts';
import { toldOf } from './tile.ts';

export function SaveButton() {
  const query = search.use((state) => state.query);
  const cache_dir = useStore(({ folder }) => folder.cache_dir);
  const [isAsking, setAsking] = useState(false);
  const request = cache_dir === null ? null : savedRequest(query, cache_dir);
  if (request === null) return null;
  const save = async (name: string) => {
    await api.saveSearch({ name, request });
    const run = () => go('search', 'saved');
    toast(t(savedWords.done, { name }), { action: { label: t(savedWords.show), run } });
  };
  const how = [
    t(savedWords.saveHow),
    ...(query.film || query.unlike.length > 0 ? [t(savedWords.leftOut)] : []),
  ];
  return html`<button onClick=${() => setAsking(true)}><${Icon} name="bell" />${t(savedWords.save)}</button>
    ${isAsking && html`<${Naming} title=${t(savedWords.save)} name=${titleOf(query)} how=${how} save=${save} close=${() => setAsking(false)} />`}`;
}

interface NamingProps {
  readonly title: string;
  readonly name: string;
  readonly how?: readonly string[];
  save(name: string): Promise<void>;
  close(): void;
}

function Naming({ title, name: before, how = [], save, close }: NamingProps) {
  const [name, setName] = useState(before.slice(0, MOST_LETTERS));
  const submit = async (event: Event) => {
    event.preventDefault();
    const isSaved = await attempt(async () => {
      await save(name);
      await readSaved();
    });
    if (isSaved) close();
  };
  return html`<${Dialog} title=${title} onClose=${close}>
    <form class="column" onSubmit=${submit}>
      <label class="column">${t(lists.name)}
        <input autofocus required maxlength=${MOST_LETTERS} pattern=".*\\S.*" value=${name} onInput=${(event: Event) => setName((event.target as HTMLInputElement).value)} />
      </label>
      ${how.map((text) => html`<p class="quiet">${text}</p>`)}
      <div class="row"><button class="primary" type="submit">${t(lists.save)}</button>
        <button type="button" onClick=${close}>${t(shell.cancel)}</button></div>
    </form>
  <//>`;
}

/** Longest name. */
const MOST_LETTERS = 200;

export function Saved() {
  const all = useSaved();
  const { error, again } = useAsk(() => readSaved(), []);
  return html`<div class="saved-page">
    <header class="row wrap"><h1 class="grow">${t(savedWords.title)}</h1>
      ${all?.length !== 0 && html`<${ToSearch} />`}</header>
    ${
      all === null
        ? error === null
          ? html`<${Loading} />`
          : html`<${Failed} error=${error} again=${again} />`
        : all.length === 0
          ? html`<${Empty} icon="bell" title=${t(savedWords.none)}><p class="quiet">${t(savedWords.noneHow)}</p><${ToSearch} /><//>`
          : all.map((search) => html`<${SavedSearch} key=${search.search_id} search=${search} />`)
    }
  </div>`;
}

function ToSearch() {
  const places = useStore((state) => state.places);
  return html`<a class="button" href=${placeOfView(places, 'search')}><${Icon} name="search" />${t(savedWords.toSearch)}</a>`;
}

function SavedSearch({ search }: { readonly search: SearchStanding }) {
  const { name, request, hits: n, new_hits, problem } = search;
  const [isOpen, setOpen] = useState(new_hits > 0);
  const onToggle = (event: Event) => setOpen((event.target as HTMLDetailsElement).open);
  const query = queryOf(request, name);
  const title = titleOf(query);
  return html`<details class="saved-search panel" open=${isOpen} onToggle=${onToggle}>
    <summary><${Icon} name="down" /><h2 class="cut">${name}</h2>
      <span class="cut grow quiet">${title === name ? '' : title}</span>
      ${new_hits > 0 && html`<span class="count">${t(savedWords.fresh, { n: new_hits })}</span>`}
      <span class="quiet">${t(savedWords.hits, { n })}</span></summary>
    ${problem !== null && html`<p class="problem row"><${Icon} name="warning" />${problem}</p>`}
    ${isOpen && html`<${Hits} search=${search} />`}
    <${Doings} search=${search} query=${query} />
  </details>`;
}

interface DoingsProps {
  readonly search: SearchStanding;
  readonly query: ReturnType<typeof queryOf>;
}

function Doings({ search: { search_id, name }, query }: DoingsProps) {
  const [asking, setAsking] = useState<'rename' | 'remove' | null>(null);
  const close = () => setAsking(null);
  const rename = async (changed: string) => {
    await api.changeSavedSearch({ search_id, name: changed });
  };
  const remove = async () => {
    const isRemoved = await attempt(async () => {
      await api.removeSavedSearch({ search_id });
      await readSaved();
    });
    if (isRemoved) close();
  };
  return html`<div class="row wrap">
    <button onClick=${() => searchFor(query)}><${Icon} name="search" />${t(savedWords.search)}</button>
    <button onClick=${() => setAsking('rename')}>${t(lists.rename)}</button>
    <button onClick=${() => setAsking('remove')}>${t(savedWords.remove)}</button>
    ${asking === 'rename' && html`<${Naming} title=${t(lists.rename)} name=${name} save=${rename} close=${close} />`}
    ${
      asking === 'remove' &&
      html`<${Dialog} title=${t(savedWords.remove)} onClose=${close}>
        <div class="column"><p>${t(savedWords.removeSure, { name })}</p>
          <div class="row"><button class="primary" onClick=${remove}>${t(savedWords.remove)}</button>
            <button autofocus onClick=${close}>${t(shell.cancel)}</button></div></div><//>`
    }
  </div>`;
}

const FEW = 5;

/** Shown hits count as seen, and stay marked as new until the list is closed. */
function Hits({ search: { search_id, hits: total, new_hits } }: { readonly search: SearchStanding }) {
  const [showsAll, setShowsAll] = useState(false);
  const seenCount = useRef(total - new_hits);
  const { value, error, again } = useAsk(
    async (signal) => {
      const { hits } = await api.savedSearchHits({ search_id }, { signal });
      if (new_hits > 0) {
        await api.markHitsSeen({ search_id });
        await readSaved();
      }
      return hits;
    },
    [search_id, total],
  );
  if (value === null)
    return error === null ? html`<${Loading} />` : html`<${Failed} error=${error} again=${again} />`;
  if (value.length === 0) return html`<p class="quiet">${t(savedWords.noHits)}</p>`;
  const shown = showsAll ? value : value.slice(0, FEW);
  return html`<ul class="hits">${shown.map(
    (hit, at) => html`<${Hit} key=${hit.hit_id} hit=${hit} isNew=${total - at > seenCount.current} />`,
  )}</ul>
    ${shown.length < value.length && html`<p><button onClick=${() => setShowsAll(true)}>${t(savedWords.moreHits, { n: value.length })}</button></p>`}`;
}

function Hit({ hit, isNew }: { readonly hit: SearchHit; readonly isNew: boolean }) {
  const { media_path, found_at, sure, moments } = hit;
  const language = useStore((state) => state.language);
  const shown = moments.slice(0, FEW);
  const remaining = moments.length - shown.length;
  return html`<li class="column"><div class="row wrap">
      <b class="cut" title=${media_path}>${nameOf(media_path)}</b>
      <span class="quiet">${dateText(found_at, language)}</span>
      ${isNew && html`<span class="count">${t(savedWords.isNew)}</span>`}
      ${!sure && html`<span class="unsure row" title=${t(savedWords.unsureHow)}><${Icon} name="warning" />${t(savedWords.unsure)}</span>`}
    </div>
    <div class="row wrap">${shown.map((moment) => html`<${MomentLink} moment=${moment} />`)}
      ${remaining > 0 && html`<span class="quiet">${t(savedWords.moreMoments, { n: remaining })}</span>`}</div></li>`;
}

function MomentLink({ moment }: { readonly moment: Moment }) {
  const { hash_str, media_path, time_seconds: seconds, kind, reasons } = moment;
  const argument = momentArgument({ hash_str, seconds });
  const quote = reasons.map(toldOf).find((text) => text !== '') ?? '';
  return html`<a class="hit-moment" href=${routeHash({ view: 'player', argument })} title=${quote}>
    <span class="unseen">${nameOf(media_path)} </span>
    <${Picture} media_path=${media_path} seconds=${seconds} icon=${kind === 'audio' ? 'speech' : 'picture'} />
    <span class="row">${reasons.map((reason) => html`<span class=${`reason ${reason.kind}`} title=${t(searchWords[reason.kind])}><${Icon} name=${kindIcons[reason.kind]} /><span class="unseen">${t(searchWords[reason.kind])} </span></span>`)}
      ${kind !== 'image' && clock(seconds)}</span>
    ${quote !== '' && html`<span class="cut quiet">${quote}</span>`}</a>`;
}
