// The filters: people, and what is known of the media, each with how many are left.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import type { Facet as FacetOfService } from '../../../../../actors/index/facets/contract.ts';
import { api, useAsk } from '../../api.ts';
import { Failed, Loading } from '../../parts.ts';
import { useStore } from '../../store.ts';
import { facetWords, searchWords } from '../../words/search.ts';
import { t, type Words } from '../../words.ts';
import { change, type Filter, type Person, search } from './state.ts';

/** Options of a facet that are shown at first. */
const FEW = 8;

export function Filters() {
  const filters = search.use(({ query }) => query.filters);
  const people = search.use(({ query }) => query.people);
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  const loaded = useStore(({ folder }) => folder.loaded);
  const answer = useAsk(
    cache_dir === null
      ? null
      : (signal) => api.metadataFacets({ cache_dir, search_all: true, filters }, { signal }),
    [cache_dir, filters, loaded],
  );
  const facets = answer.value?.facets ?? null;
  const total = answer.value?.coverage.indexed_count ?? 0;
  const isAny = filters.length + people.length > 0;
  return html`<aside class="filters" aria-label=${t(searchWords.filters)}>
    <div class="row"><h2 class="grow">${t(searchWords.filters)}</h2>
      ${isAny && html`<button class="quiet" onClick=${() => change({ filters: [], people: [] })}>${t(searchWords.clearFilters)}</button>`}</div>
    <${PeopleFilter} />
    ${facets === null && (answer.state === 'failed' ? html`<${Failed} error=${answer.error} again=${answer.again} />` : html`<${Loading} />`)}
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
    <summary><span class="grow">${labelOf(facet)}</span>${own.length > 0 && html`<span class="count">${own.length > 1 ? own.length : chosen.length || 1}</span>`}</summary>
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

// The people that matches have to show, of all clusterings, by name.

function PeopleFilter() {
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  const people = search.use(({ query }) => query.people);
  const mode = search.use(({ query }) => query.peopleMode);
  const answer = useAsk(cache_dir === null ? null : (signal) => api.faceClusters({ cache_dir }, { signal }), [
    cache_dir,
  ]);
  const jobs = answer.value?.jobs ?? [];
  if (jobs.length === 0) return null;
  const named = peopleOf(jobs);
  const isSame = (a: Person, b: Person) => a.name === b.name && a.cluster_job_name === b.cluster_job_name;
  const toggle = (person: Person) => {
    const others = people.filter((one) => !isSame(one, person));
    change({ people: others.length < people.length ? others : [...people, person] });
  };
  return html`<details class="facet" open=${people.length > 0}>
    <summary><span class="grow">${t(searchWords.people)}</span>${people.length > 0 && html`<span class="count">${people.length}</span>`}</summary>
    ${named.length === 0 && html`<p class="quiet">${t(searchWords.noPeople)}</p>`}
    ${named.map(
      (person) => html`<label class="option" title=${person.cluster_job_name}>
        <input type="checkbox" checked=${people.some((one) => isSame(one, person))} onChange=${() => toggle(person)} />
        <span class="grow cut">${person.name}</span>${jobs.length > 1 && html`<span class="quiet cut">${person.cluster_job_name}</span>`}</label>`,
    )}
    ${
      people.length > 1 &&
      html`<label class="option"><input type="checkbox" checked=${mode === 'and'}
      onChange=${() => change({ peopleMode: mode === 'and' ? 'or' : 'and' })} />${t(searchWords.together)}</label>`
    }
  </details>`;
}

/** Who has a name, in each clustering. */
export function peopleOf(
  jobs: readonly { readonly name: string; readonly names: Readonly<Record<string, string>> }[],
): Person[] {
  return jobs.flatMap(({ name: cluster_job_name, names }) =>
    [...new Set(Object.values(names))]
      .filter((name) => name !== '')
      .map((name): Person => ({ name, cluster_job_name })),
  );
}

// Filters by facets: what is chosen becomes conditions of a search.

export type Facet = FacetOfService;

/** The service names facets in English. */
export function labelOf({ id, label }: Pick<Facet, 'id' | 'label'>): string {
  const known: Readonly<Record<string, Words>> = facetWords;
  const words = known[id];
  return words ? t(words) : label;
}

/** Chosen ones, and those that tell media apart. */
export function optionsToShow({ options }: Facet, chosen: readonly string[], total: number) {
  return options.filter(({ value, count }) => chosen.includes(value) || (count > 0 && count < total));
}

/** Chosen, or no longer. */
export function withOption(filters: readonly Filter[], facet_id: string, value: string): Filter[] {
  const isOwn = (one: Filter) => one.facet_id === facet_id && one.operator === 'include_any_of';
  const before = filters.find(isOwn)?.values ?? [];
  const values = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  const others = filters.filter((one) => !isOwn(one));
  return values.length === 0 ? others : [...others, { facet_id, operator: 'include_any_of', values }];
}

const operators = {
  numeric: { from: 'greater_than', to: 'less_than' },
  date: { from: 'after', to: 'before' },
} as const;
type Part = 'from' | 'to';
const operatorOf = ({ kind }: Facet, part: Part) => operators[kind === 'date' ? 'date' : 'numeric'][part];

/** What stands in the two fields; both ends belong to the range. */
export function rangeOf(filters: readonly Filter[], facet: Facet): Record<Part, string> {
  const text = (part: Part) => {
    const operator = operatorOf(facet, part);
    const value = filters.find((one) => one.facet_id === facet.id && one.operator === operator)?.values[0];
    return value === undefined ? '' : moved(facet, value, part === 'from' ? 1 : -1);
  };
  return { from: text('from'), to: text('to') };
}

export function withRange(filters: readonly Filter[], facet: Facet, part: Part, value: string): Filter[] {
  const operator = operatorOf(facet, part);
  const others = filters.filter((one) => one.facet_id !== facet.id || one.operator !== operator);
  if (value.trim() === '') return others;
  return [
    ...others,
    { facet_id: facet.id, operator, values: [moved(facet, value, part === 'from' ? -1 : 1)] },
  ];
}

const DAY_MS = 86_400_000;
/** Comparisons leave the value itself out: one asks for a little less, or more. */
const LITTLE = 1e-6;

function moved({ kind }: Facet, value: string, direction: 1 | -1): string {
  if (kind !== 'date') return String(Math.round((Number(value) + direction * LITTLE) * 1e9) / 1e9);
  return new Date(Date.parse(value) + direction * DAY_MS).toISOString().slice(0, 10);
}
