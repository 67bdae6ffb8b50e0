// The view of summaries: a list to search in, and one of them as a tree.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api, messageOf } from '../../api.ts';
import { go, type View } from '../../navigation.ts';
import { Dialog, Empty, Failed, Loading } from '../../parts.ts';
import { Picture } from '../../pictures.ts';
import { get } from '../../store.ts';
import { type TaskEnd, TaskProgress } from '../../tasks.ts';
import { clock, nameOf } from '../../times.ts';
import { toast } from '../../toasts.ts';
import { shell } from '../../words/shell.ts';
import { summaries, uses } from '../../words/summaries.ts';
import { t } from '../../words.ts';
import { OpenedSummary } from './opened.ts';
import {
  askMedia,
  changed,
  type ListedSummary,
  type MatchedSummary,
  marked,
  slice,
  titleOf,
  useSummariesAsk,
} from './state.ts';

// Has a summary made of a file: of which, for what, and how far it is.

/** Files to choose from. */
const MOST_CHOICES = 5000;
type Use = keyof typeof uses;

function Make() {
  const [asks, setAsks] = useState(false);
  const making = slice.use((state) => state.making);
  if (making !== null) {
    const { task_id, name } = making;
    const onEnd = ({ error, isCancelled }: TaskEnd) => {
      slice.update({ making: null });
      changed();
      if (error !== null) toast(error, { kind: 'error' });
      else if (!isCancelled) toast(t(summaries.made, { name }));
    };
    return html`<${TaskProgress} key=${task_id} task_id=${task_id} label=${t(summaries.making, { name })} onEnd=${onEnd} />`;
  }
  return html`<button class="primary" onClick=${() => setAsks(true)}>${t(summaries.make)}</button>
    ${asks && html`<${Question} close=${() => setAsks(false)} />`}`;
}

function Question({ close }: { close(): void }) {
  const answer = useSummariesAsk((cache_dir, signal) => askMedia(cache_dir, MOST_CHOICES, signal), []);
  const paths = (answer.value?.media ?? [])
    .filter(({ visual, transcript }) => visual.length > 0 || transcript !== null)
    .map(({ media_path }) => media_path);
  return html`<${Dialog} title=${t(summaries.make)} onClose=${close}>
    <p class="quiet">${t(summaries.makeHow)}</p>
    ${answer.state === 'failed' && html`<${Failed} error=${answer.error} again=${answer.again} />`}
    ${answer.state === 'loading' && html`<${Loading} />`}
    ${answer.state === 'ready' && (paths.length > 0 ? html`<${Form} paths=${paths} close=${close} />` : html`<p>${t(summaries.noFiles)}</p>`)}
  <//>`;
}

interface FormProps {
  readonly paths: readonly string[];
  close(): void;
}

function Form({ paths, close }: FormProps) {
  const [use, setUse] = useState<Use>('general_understanding');
  const [problem, setProblem] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const text = (field: string) => String(data.get(field) ?? '').trim();
    const [name, collection, custom_instructions] = [text('name'), text('collection'), text('instructions')];
    const request = {
      path: String(data.get('path')),
      ...(name !== '' && { analysis_name: name }),
      ...(collection !== '' && { collection }),
      summary_objective: { preset: use, ...(custom_instructions !== '' && { custom_instructions }) },
    };
    try {
      const { task_id } = await api.analyze({
        cache_dir: get().folder.cache_dir!,
        summary_requests: [request],
      });
      slice.update({ making: { task_id, name: nameOf(request.path) } });
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return html`<form class="column" onSubmit=${submit}>
    <label class="column">${t(summaries.file)}<select name="path" required>
      ${paths.map((path) => html`<option value=${path} title=${path}>${nameOf(path)}</option>`)}</select></label>
    <label class="column">${t(summaries.use)}<select value=${use} onChange=${(event: Event) => setUse((event.target as HTMLSelectElement).value as Use)}>
      ${Object.entries(uses).map(([name, words]) => html`<option value=${name}>${t(words)}</option>`)}</select></label>
    ${use === 'custom' && html`<label class="column">${t(summaries.instructions)}<textarea name="instructions" required rows="3" maxlength="20000"></textarea></label>`}
    <label class="column">${t(summaries.name)}<input name="name" maxlength="500" autocomplete="off" placeholder=${t(summaries.nameHint)} /></label>
    <label class="column">${t(summaries.into)}<input name="collection" maxlength="500" autocomplete="off" /></label>
    <p class="problem" role="alert">${problem}</p>
    <div class="row"><button class="primary" type="submit">${t(summaries.start)}</button>
      <button type="button" onClick=${close}>${t(shell.cancel)}</button></div>
  </form>`;
}

// The summaries there are, all or those of a collection, each in one line.

/** Media that are looked through at once. */
const MEDIA = 2000;
const MATCHES = 100;

async function askSummaries(cache_dir: string, most: number, signal: AbortSignal) {
  const { media, remaining } = await askMedia(cache_dir, most, signal);
  const hash_strs = [
    ...new Set(media.filter((medium) => medium.summaries > 0).map(({ hash_str }) => hash_str)),
  ];
  const [{ summaries: all, warning }, { collections }] = await Promise.all([
    api.listSummaries({ cache_dir, hash_strs }, { signal }),
    api.summaryCollections({ cache_dir }, { signal }),
  ]);
  return { all, warning, collections, remaining, hasMedia: media.length > 0 };
}

function List() {
  const [most, setMost] = useState(MEDIA);
  const answer = useSummariesAsk((cache_dir, signal) => askSummaries(cache_dir, most, signal), [most]);
  const { words, collection } = slice.use((state) => state);
  if (answer.state === 'failed') return html`<${Failed} error=${answer.error} again=${answer.again} />`;
  if (answer.value === null) return html`<${Loading} />`;
  const { all, warning, collections, remaining, hasMedia } = answer.value;
  if (all.length === 0)
    return html`<${Empty} icon="summaries" title=${t(summaries.none)}>
      <p class="quiet">${t(hasMedia ? summaries.makeHow : summaries.noFiles)}</p>
      ${hasMedia ? html`<${Make} />` : html`<a class="button" href="#/library">${t(summaries.toLibrary)}</a>`}<//>`;
  const shown = all.filter((entry) => collection === null || (entry.collection_id ?? '') === collection);
  const textOf = (event: Event) => (event.target as HTMLInputElement | HTMLSelectElement).value;
  return html`<header class="row wrap">
      <input type="search" class="grow" aria-label=${t(summaries.find)} placeholder=${t(summaries.findHint)} maxlength="2000" value=${words}
        onInput=${(event: Event) => slice.update({ words: textOf(event) })} />
      <label>${t(summaries.collection)}<select value=${collection ?? 'all'} onChange=${(event: Event) => slice.update({ collection: textOf(event) === 'all' ? null : textOf(event) })}>
        <option value="all">${t(summaries.all)}</option>
        ${collections.map((entry) => html`<option value=${entry.collection_id}>${t(summaries.entry, { name: entry.name, n: entry.member_count })}</option>`)}
        <option value="">${t(summaries.alone)}</option></select></label>
      <${Make} />
    </header>
    ${warning && html`<p class="problem">${warning}</p>`}
    ${words.trim() === '' ? html`<ul class="rows" aria-label=${t(summaries.list)}>${shown.map((entry) => html`<${Line} key=${entry.summary_ref} summary=${entry} />`)}</ul>` : html`<${Matches} words=${words.trim()} collection=${collection} />`}
    ${remaining > 0 && html`<button class="more" onClick=${() => setMost(most + MEDIA)}>${t(summaries.more)}</button>`}`;
}

function Line({ summary }: { readonly summary: ListedSummary }) {
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
    return html`<${Empty} icon="search" title=${t(summaries.nothing)}><p class="quiet">${t(summaries.nothingHow)}</p>
      <button onClick=${() => slice.update({ words: '' })}>${t(summaries.all)}</button><//>`;
  return html`<p class="quiet" role="status">${t(summaries.found, { n: total })}${truncated && html` ${t(summaries.foundMore, { n: matches.length })}`}</p>
    <ul class="rows" aria-label=${t(summaries.find)}>${matches.map((match) => html`<${Found} key=${`${match.summary_ref} ${match.node_id}`} match=${match} />`)}</ul>`;
}

function Found({ match }: { readonly match: MatchedSummary }) {
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

export const view: View = { title: shell.summaries, render: Summaries };

/** `argument`: the `summary_ref` of the one that is open, which holds no path. */
function Summaries({ argument }: { readonly argument: string }) {
  if (argument !== '')
    return html`<div class="summaries sheet column"><${OpenedSummary} summary_ref=${argument} /></div>`;
  return html`<div class="summaries sheet column"><h1 class="unseen">${t(shell.summaries)}</h1><${List} /></div>`;
}
