// The line below the box: what matches should not be like, one film alone, and how the matches are shown.
import { html } from 'htm/preact';
import { useMemo } from 'preact/hooks';
import { Icon } from '../../parts/icon.ts';
import { clock, nameOf, secondsOf } from '../../times.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import { filesOf, type Ordered } from './groups.ts';
import type { OneFilm } from './moment.ts';
import { change, search, sides } from './state.ts';

export function Refine({ ordered }: { readonly ordered: Ordered | null }) {
  const query = search.use((state) => state.query);
  const isBoth = query.picture !== null && query.text.trim() !== '';
  const onExclude = (event: Event) => change({ exclude: (event.target as HTMLInputElement).value });
  return html`<div class="refine">
    <label class="exclude">${t(searchWords.exclude)}
      <input type="text" value=${query.exclude} placeholder=${t(searchWords.excludeHint)} autocomplete="off" onInput=${onExclude} /></label>
    ${isBoth && html`<${Weight} />`}
    ${query.film && html`<${FilmChip} film=${query.film} />`}
    <span class="grow"></span>
    <${Told} ordered=${ordered} />
    <${Shown} />
  </div>`;
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
  const n = ordered?.moments.length ?? 0;
  const films = useMemo(() => t(searchWords.films, { n: ordered ? filesOf(ordered) : 0 }), [ordered]);
  const found = t(searchWords.foundIn, { n, films });
  const text = state === 'loading' ? t(searchWords.searching) : state === 'ready' ? found : '';
  return html`<span class="told" role="status">${text}</span>`;
}

function Shown() {
  const isGrouped = search.use((slice) => slice.isGrouped);
  const side = search.use((slice) => slice.side);
  return html`<button aria-pressed=${isGrouped} onClick=${() => search.update({ isGrouped: !isGrouped })}>${t(searchWords.grouped)}</button>
    <input class="size" type="range" min=${sides.least} max=${sides.most} step="10" value=${side} aria-label=${t(searchWords.size)}
      title=${t(searchWords.size)} onInput=${(event: Event) => search.update({ side: Number((event.target as HTMLInputElement).value) })} />`;
}
