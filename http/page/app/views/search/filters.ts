// The filters: people, and what is known of the media, each with how many are left.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { useStore } from '../../store.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import { type Facet, optionsToShow, rangeOf, withOption, withRange } from './facets.ts';
import { PeopleFilter } from './people.ts';
import { change, search } from './state.ts';

/** Options of a facet that are shown at first. */
const FEW = 8;

export function Filters() {
  const filters = search.use(({ query }) => query.filters);
  const people = search.use(({ query }) => query.people);
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  const loaded = useStore(({ folder }) => folder.loaded);
  const asked = useAsk(
    cache_dir === null
      ? null
      : (signal) => api.metadataFacets({ cache_dir, search_all: true, filters }, { signal }),
    [cache_dir, filters, loaded],
  );
  const facets = asked.value?.facets ?? null;
  const total = asked.value?.coverage.indexed_count ?? 0;
  const isAny = filters.length + people.length > 0;
  return html`<aside class="filters" aria-label=${t(searchWords.filters)}>
    <div class="row"><h2 class="grow">${t(searchWords.filters)}</h2>
      ${isAny && html`<button class="quiet" onClick=${() => change({ filters: [], people: [] })}>${t(searchWords.clearFilters)}</button>`}</div>
    <${PeopleFilter} />
    ${facets === null && (asked.state === 'failed' ? html`<${Failed} error=${asked.error} again=${asked.again} />` : html`<${Loading} />`)}
    ${facets?.map((facet) => html`<${FacetFilter} key=${facet.id} facet=${facet} total=${total} />`)}
    ${facets?.length === 0 && html`<p class="quiet">${t(searchWords.noFacets)}</p>`}
  </aside>`;
}

function FacetFilter({ facet, total }: { readonly facet: Facet; readonly total: number }) {
  const filters = search.use(({ query }) => query.filters);
  const [showsAll, setShowsAll] = useState(false);
  const own = filters.filter(({ facet_id }) => facet_id === facet.id);
  const chosen = own.find(({ operator }) => operator === 'include_any_of')?.values ?? [];
  const options = optionsToShow(facet, chosen, total);
  const isRange = (facet.kind === 'numeric' || facet.kind === 'date') && facet.min !== facet.max;
  if (options.length === 0 && !isRange && own.length === 0) return null;
  const shown = showsAll ? options : options.filter(({ value }, at) => at < FEW || chosen.includes(value));
  return html`<details class="facet" open=${own.length > 0}>
    <summary><span class="grow">${facet.label}</span>${own.length > 0 && html`<span class="count">${own.length > 1 ? own.length : chosen.length || 1}</span>`}</summary>
    ${isRange && html`<${RangeFilter} facet=${facet} />`}
    ${shown.map(
      ({ value, label, count }) => html`<label class="option" title=${value}>
        <input type="checkbox" checked=${chosen.includes(value)} onChange=${() => change({ filters: withOption(filters, facet.id, value) })} />
        <span class="grow cut">${label}</span><span class="quiet">${count}</span></label>`,
    )}
    ${shown.length < options.length && html`<button class="quiet" onClick=${() => setShowsAll(true)}>${t(searchWords.showAll, { n: options.length })}</button>`}
  </details>`;
}

function RangeFilter({ facet }: { readonly facet: Facet }) {
  const filters = search.use(({ query }) => query.filters);
  const range = rangeOf(filters, facet);
  const field = (part: 'from' | 'to', label: string) =>
    html`<label class="grow">${label}
      <input class="grow" type=${facet.kind === 'date' ? 'date' : 'number'} step="any" value=${range[part]} placeholder=${String(facet[part === 'from' ? 'min' : 'max'] ?? '')}
        onChange=${(event: Event) => change({ filters: withRange(filters, facet, part, (event.target as HTMLInputElement).value) })} /></label>`;
  return html`<div class="row range">${field('from', t(searchWords.from))}${field('to', t(searchWords.to))}</div>`;
}
