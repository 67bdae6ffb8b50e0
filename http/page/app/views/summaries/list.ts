// The summaries there are, all or those of a collection, each in one line.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { go } from '../../navigation.ts';
import { Picture } from '../../parts/picture.ts';
import { Empty, Failed, Loading } from '../../parts/states.ts';
import { clock, nameOf } from '../../times.ts';
import { summaries } from '../../words/summaries.ts';
import { t } from '../../words.ts';
import { Make } from './make.ts';
import { askMedia, type Match, type Summary, slice, useSummariesAsk } from './state.ts';
import { titleOf } from './title.ts';
import { marked } from './tree.ts';

/** Media that are looked through at once. */
const MEDIA = 2000;
const MATCHES = 100;

async function askSummaries(cache_dir: string, most: number, signal: AbortSignal) {
  const { media, left } = await askMedia(cache_dir, most, signal);
  const hash_strs = [...new Set(media.filter((one) => one.summaries > 0).map(({ hash_str }) => hash_str))];
  const [{ summaries: all, warning }, { collections }] = await Promise.all([
    api.listSummaries({ cache_dir, hash_strs }, { signal }),
    api.summaryCollections({ cache_dir }, { signal }),
  ]);
  return { all, warning, collections, left, hasMedia: media.length > 0 };
}

export function List() {
  const [most, setMost] = useState(MEDIA);
  const answer = useSummariesAsk((cache_dir, signal) => askSummaries(cache_dir, most, signal), [most]);
  const { words, collection } = slice.use((state) => state);
  if (answer.state === 'failed') return html`<${Failed} error=${answer.error} again=${answer.again} />`;
  if (answer.value === null) return html`<${Loading} />`;
  const { all, warning, collections, left, hasMedia } = answer.value;
  if (all.length === 0)
    return html`<${Empty} icon="summaries" title=${t(summaries.none)}>
      <p class="quiet">${t(hasMedia ? summaries.makeHow : summaries.noFiles)}</p>
      ${hasMedia ? html`<${Make} />` : html`<a class="button" href="#/library">${t(summaries.toLibrary)}</a>`}<//>`;
  const shown = all.filter((one) => collection === null || (one.collection_id ?? '') === collection);
  const textOf = (event: Event) => (event.target as HTMLInputElement | HTMLSelectElement).value;
  return html`<header class="row wrap">
      <input type="search" class="grow" aria-label=${t(summaries.find)} placeholder=${t(summaries.findHint)} maxlength="2000" value=${words}
        onInput=${(event: Event) => slice.update({ words: textOf(event) })} />
      <label>${t(summaries.collection)}<select value=${collection ?? 'all'} onChange=${(event: Event) => slice.update({ collection: textOf(event) === 'all' ? null : textOf(event) })}>
        <option value="all">${t(summaries.all)}</option>
        ${collections.map((one) => html`<option value=${one.collection_id}>${t(summaries.entry, { name: one.name, n: one.member_count })}</option>`)}
        <option value="">${t(summaries.alone)}</option></select></label>
      <${Make} />
    </header>
    ${warning && html`<p class="problem">${warning}</p>`}
    ${words.trim() === '' ? html`<ul class="rows" aria-label=${t(summaries.list)}>${shown.map((one) => html`<${Line} key=${one.summary_ref} summary=${one} />`)}</ul>` : html`<${Matches} words=${words.trim()} collection=${collection} />`}
    ${left > 0 && html`<button class="more" onClick=${() => setMost(most + MEDIA)}>${t(summaries.more)}</button>`}`;
}

function Line({ summary }: { readonly summary: Summary }) {
  const { summary_ref, media_path, analysis_name, one_line_summary } = summary;
  return html`<li><button class="quiet" onClick=${() => go('summaries', summary_ref)}>
    <${Picture} media_path=${media_path} seconds=${0} icon="summaries" />
    <span class="column grow"><strong class="cut">${nameOf(media_path)} · ${titleOf(analysis_name)}</strong><span class="text">${one_line_summary}</span></span>
  </button></li>`;
}

interface MatchesProps {
  readonly words: string;
  readonly collection: string | null;
}

function Matches({ words, collection }: MatchesProps) {
  const answer = useSummariesAsk(
    (cache_dir, signal) => {
      const within = collection === null || collection === '' ? {} : { collection_id: collection };
      return api.searchSummaries({ cache_dir, query: words, max_results: MATCHES, ...within }, { signal });
    },
    [words, collection],
  );
  if (answer.state === 'failed') return html`<${Failed} error=${answer.error} again=${answer.again} />`;
  if (answer.value === null) return html`<${Loading} />`;
  const { matches, total, truncated } = answer.value;
  if (matches.length === 0)
    return html`<${Empty} icon="search" title=${t(summaries.nothing)}><p class="quiet">${t(summaries.nothingHow)}</p><//>`;
  return html`<p class="quiet" role="status">${t(summaries.found, { n: total })}${truncated && html` ${t(summaries.foundMore, { n: matches.length })}`}</p>
    <ul class="rows" aria-label=${t(summaries.find)}>${matches.map((one) => html`<${Found} key=${`${one.summary_ref} ${one.node_id}`} match=${one} />`)}</ul>`;
}

function Found({ match }: { readonly match: Match }) {
  const { summary_ref, node_id, media_path, analysis_name, search_range, text_preview, match_ranges } = match;
  const [start, end] = search_range;
  const open = () => {
    slice.update({ at: node_id });
    go('summaries', summary_ref);
  };
  return html`<li><button class="quiet" onClick=${open}>
    <${Picture} media_path=${media_path} seconds=${start + Math.floor((end - start) / 2)} icon="summaries" />
    <span class="column grow"><strong class="cut">${nameOf(media_path)} · ${titleOf(analysis_name)} <span class="quiet">${clock(start)} – ${clock(end)}</span></strong>
      <span class="text">${marked(text_preview, match_ranges).map(({ text, isMarked }) => (isMarked ? html`<mark>${text}</mark>` : text))}</span></span>
  </button></li>`;
}
