// The filters: people, and what is known of the media, each with how many are left.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import type { Facet } from '../../../../../actors/index/facets/contract.ts';
import { api, type RequestState, useAsk } from '../../api.ts';
import { Failed, Icon, Loading } from '../../parts.ts';
import { get, useStore } from '../../store.ts';
import { facetWords, optionWords, thingWords } from '../../words/facets.ts';
import { searchWords } from '../../words/search.ts';
import { named, t } from '../../words.ts';
import { change, type Filter, type PersonChoice, search } from './state.ts';

/** Options of a facet that are shown at first. */
const FEW = 6;
/** The most used filters, in this order, after people. */
const first = [
  'technical.media_kind',
  'file.folder',
  'time.year',
  'time.creation_date',
  'things.seen',
  'description.keyword',
  'source.camera_model',
  'technical.resolution_class',
];

interface Facets {
  readonly all: readonly Facet[] | null;
  /** Media that are counted. */
  readonly total: number;
  readonly answer: Pick<RequestState<unknown>, 'state' | 'error' | 'again'>;
}

/** With counts under the filters in force. */
export function useFacets(): Facets {
  const filters = search.use(({ query }) => query.filters);
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  const loaded = useStore(({ folder }) => folder.loaded);
  const answer = useAsk(
    cache_dir === null
      ? null
      : (signal) => api.metadataFacets({ cache_dir, search_all: true, filters }, { signal }),
    [cache_dir, filters, loaded],
  );
  const { facets = null, coverage } = answer.value ?? {};
  return { all: facets, total: coverage?.indexed_count ?? 0, answer };
}

export function Filters({ facets: { all, total, answer } }: { readonly facets: Facets }) {
  const isAny = search.use(({ query }) => query.filters.length + query.people.length > 0);
  const filterOf = (facet: Facet) => html`<${FacetFilter} key=${facet.id} facet=${facet} total=${total} />`;
  const moreFacets = all?.filter(({ id }) => !first.includes(id)) ?? [];
  return html`<aside class="filters" aria-label=${t(searchWords.filters)}>
    <div class="row"><h2 class="grow">${t(searchWords.filters)}</h2>
      ${isAny && html`<button class="quiet" onClick=${() => change({ filters: [], people: [] })}>${t(searchWords.clearFilters)}</button>`}</div>
    <${PeopleFilter} />
    ${all === null && (answer.state === 'failed' ? html`<${Failed} error=${answer.error} again=${answer.again} />` : html`<${Loading} />`)}
    ${first.flatMap((id) => all?.filter((facet) => facet.id === id) ?? []).map(filterOf)}
    ${moreFacets.length > 0 && html`<details class="more-filters"><summary>${t(searchWords.moreFilters)}</summary>${moreFacets.map(filterOf)}</details>`}
    ${all?.length === 0 && html`<p class="quiet">${t(searchWords.noFacets)}</p>`}
  </aside>`;
}

function FacetFilter({ facet, total }: { readonly facet: Facet; readonly total: number }) {
  const filters = search.use(({ query }) => query.filters);
  const [showsAll, setShowsAll] = useState(false);
  const facetFilters = filters.filter(({ facet_id }) => facet_id === facet.id);
  const chosen = facetFilters.find(({ operator }) => operator === 'include_any_of')?.values ?? [];
  const isDate = facet.kind === 'date';
  // The line of the library shows the number of files by date.
  const options = isDate ? [] : optionsToShow(facet, chosen, total);
  const isRange = (facet.kind === 'numeric' || isDate) && facet.min !== facet.max;
  if (options.length === 0 && !isRange && facetFilters.length === 0) return null;
  const shown = showsAll ? options : options.filter(({ value }, at) => at < FEW || chosen.includes(value));
  return html`<section class="facet" aria-label=${labelOf(facet)}><h3>${labelOf(facet)}</h3>
    ${isRange && html`<${RangeFilter} facet=${facet} />`}
    <div class="options">${shown.map(({ value, label, count }) => {
      const toggle = () => change({ filters: withOption(filters, facet.id, value) });
      return html`<button class="option" aria-pressed=${chosen.includes(value)} title=${value} onClick=${toggle}>
        <span class="cut">${optionLabel(facet, value, label)}</span> <span class="figure">${count}</span></button>`;
    })}
    ${shown.length < options.length && html`<button class="quiet" onClick=${() => setShowsAll(true)}>${t(searchWords.showAll, { n: options.length })}</button>`}</div>
  </section>`;
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
  const toggle = (person: PersonChoice) => {
    const others = people.filter((candidate) => !isSamePerson(candidate, person));
    change({ people: others.length < people.length ? others : [...people, person] });
  };
  return html`<section class="facet" aria-label=${t(searchWords.people)}><h3>${t(searchWords.people)}</h3>
    ${named.length === 0 && html`<p class="quiet">${t(searchWords.noPeople)}</p>`}
    <div class="options">${named.map(
      (
        person,
      ) => html`<button class="option" aria-pressed=${people.some((candidate) => isSamePerson(candidate, person))} title=${person.cluster_job_name} onClick=${() => toggle(person)}>
        <${Icon} name="person" /><span class="cut">${person.name}</span>${jobs.length > 1 && html` <span class="figure cut">${person.cluster_job_name}</span>`}</button>`,
    )}</div>
    ${
      people.length > 1 &&
      html`<label><input type="checkbox" checked=${mode === 'and'}
      onChange=${() => change({ peopleMode: mode === 'and' ? 'or' : 'and' })} />${t(searchWords.together)}</label>`
    }
  </section>`;
}

function isSamePerson(a: PersonChoice, b: PersonChoice): boolean {
  return a.name === b.name && a.cluster_job_name === b.cluster_job_name;
}

// Active filters, each with a button that removes it.

export function FilterChips({ facets }: { readonly facets: Facets }) {
  const { filters, people, unlike } = search.use(({ query }) => query);
  const chip = (
    text: string,
    take: () => void,
  ) => html`<span class="chip" title=${text}><span class="cut">${text}</span>
    <button class="quiet icon-only" aria-label=${t(searchWords.removeFilter, { name: text })} onClick=${take}><${Icon} name="close" /></button></span>`;
  return html`${people.map((person) => chip(person.name, () => change({ people: people.filter((candidate) => !isSamePerson(person, candidate)) })))}
    ${filters.map((filter) => {
      const facet = facets.all?.find(({ id }) => id === filter.facet_id);
      return chip(filterText(filter, facet), () =>
        change({ filters: filters.filter((candidate) => candidate !== filter) }),
      );
    })}
    ${unlike.length > 0 && chip(t(searchWords.unlikeThese, { n: unlike.length }), () => change({ unlike: [] }))}`;
}

const signs = {
  include_any_of: '=',
  exclude_any_of: '≠',
  greater_than: '≥',
  less_than: '≤',
  after: '≥',
  before: '≤',
} as const;

/** `facet`: undefined while the facets are asked for. */
export function filterText(filter: Filter, facet: Facet | undefined): string {
  const { facet_id: id, operator } = filter;
  const labels = new Map(facet?.options.map(({ value, label }) => [value, label]));
  const values = valuesOf(filter).map((value) => optionLabel({ id }, value, labels.get(value)));
  return `${labelOf(facet ?? { id, label: id })} ${signs[operator]} ${values.join(', ')}`;
}

// When the media of the library were made: a bar for each month, or each year where there are many months. A
// click leaves what was made then.

const MOST_BARS = 72;

interface DateBar {
  /** `2024-05` or `2024`. */
  readonly value: string;
  readonly count: number;
}

/** All from the first to the last, also those without media. */
export function datesOf(months: readonly DateBar[]): DateBar[] {
  const sorted = months.filter(({ count }) => count > 0).toSorted((a, b) => (a.value < b.value ? -1 : 1));
  const [from, to] = [sorted.at(0)?.value, sorted.at(-1)?.value];
  if (from === undefined || to === undefined) return [];
  const number = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
  const isByYear = number(to) - number(from) >= MOST_BARS;
  const bars = new Map<string, number>();
  for (let at = number(from); at <= number(to); at++) bars.set(nameOfMonth(at).slice(0, isByYear ? 4 : 7), 0);
  for (const { value, count } of sorted) {
    const name = value.slice(0, isByYear ? 4 : 7);
    bars.set(name, (bars.get(name) ?? 0) + count);
  }
  return [...bars].map(([value, count]) => ({ value, count }));
}

function nameOfMonth(number: number): string {
  return `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}`;
}

export function DateLine({ facets: { all } }: { readonly facets: Facets }) {
  const filters = search.use(({ query }) => query.filters);
  const bars = datesOf(all?.find(({ id }) => id === 'time.month')?.options ?? []);
  if (bars.length < 2) return null;
  const facet_id = bars[0]!.value.length === 4 ? 'time.year' : 'time.month';
  const most = Math.max(...bars.map(({ count }) => count));
  const chosen = filters.find((filter) => filter.facet_id === facet_id)?.values ?? [];
  const bar = ({
    value,
    count,
  }: DateBar) => html`<button disabled=${count === 0} aria-pressed=${chosen.includes(value)}
    aria-label=${t(searchWords.madeIn, { date: value, n: count })} title=${t(searchWords.madeIn, { date: value, n: count })}
    onClick=${() => change({ filters: withOption(filters, facet_id, value) })}>
    <span style=${{ height: `${count === 0 ? 0 : 15 + (85 * count) / most}%` }}></span></button>`;
  return html`<div class="date-line row" role="group" aria-label=${t(searchWords.dates)}><span class="quiet">${bars[0]!.value}</span>
    <div class="bars grow">${bars.map(bar)}</div><span class="quiet">${bars.at(-1)!.value}</span></div>`;
}

/** Named people of each clustering. */
export function peopleOf(
  jobs: readonly { readonly name: string; readonly names: Readonly<Record<string, string>> }[],
): PersonChoice[] {
  return jobs.flatMap(({ name: cluster_job_name, names }) =>
    [...new Set(Object.values(names))]
      .filter((name) => name !== '')
      .map((name): PersonChoice => ({ name, cluster_job_name })),
  );
}

// Filters by facets: what is chosen becomes conditions of a search.

export const labelOf = ({ id, label }: Pick<Facet, 'id' | 'label'>) => named(facetWords, id, label);

const languageFacets = ['technical.audio_language', 'technical.subtitle_language'];

/** `label`: as the service says it, in English. */
export function optionLabel({ id }: Pick<Facet, 'id'>, value: string, label = value): string {
  if (id === 'things.seen' || id === 'things.unmeasured') return named(thingWords, value, label);
  if (languageFacets.includes(id)) return languageName(value) ?? label;
  return named(optionWords, `${id}=${value}`, label);
}

/** Null for what is no tag of a language. */
function languageName(tag: string): string | null {
  try {
    return new Intl.DisplayNames(get().language, { type: 'language', fallback: 'none' }).of(tag) ?? null;
  } catch {
    return null;
  }
}

/** Chosen ones, and those that tell media apart: a folder of which all lies in one below it does not. */
export function optionsToShow({ options }: Facet, chosen: readonly string[], total: number) {
  const below = new Set(options.map(({ meta, count }) => JSON.stringify([meta?.['parent'], count])));
  const isHere = ({ value, count }: Facet['options'][number]) =>
    count > 0 && count < total && !below.has(JSON.stringify([value, count]));
  return options.filter((option) => chosen.includes(option.value) || isHere(option));
}

/** Chosen, or no longer. */
export function withOption(filters: readonly Filter[], facet_id: string, value: string): Filter[] {
  const isOwn = (filter: Filter) => filter.facet_id === facet_id && filter.operator === 'include_any_of';
  const before = filters.find(isOwn)?.values ?? [];
  const values = before.includes(value) ? before.filter((entry) => entry !== value) : [...before, value];
  const others = filters.filter((filter) => !isOwn(filter));
  return values.length === 0 ? others : [...others, { facet_id, operator: 'include_any_of', values }];
}

const operators = {
  numeric: { from: 'greater_than', to: 'less_than' },
  date: { from: 'after', to: 'before' },
} as const;
type Part = 'from' | 'to';
const operatorOf = ({ kind }: Facet, part: Part) => operators[kind === 'date' ? 'date' : 'numeric'][part];

const ends: Partial<Record<Filter['operator'], readonly [Facet['kind'], 1 | -1]>> = {
  greater_than: ['numeric', 1],
  less_than: ['numeric', -1],
  after: ['date', 1],
  before: ['date', -1],
};

/** Values in words; both ends belong to a range. */
export function valuesOf({ operator, values }: Filter): readonly string[] {
  const end = ends[operator];
  return end ? values.map((value) => moved(end[0], value, end[1])) : values;
}

/** Content of the two fields. */
export function rangeOf(filters: readonly Filter[], facet: Facet): Record<Part, string> {
  const text = (part: Part) => {
    const operator = operatorOf(facet, part);
    const current = filters.find((filter) => filter.facet_id === facet.id && filter.operator === operator);
    return (current && valuesOf(current)[0]) ?? '';
  };
  return { from: text('from'), to: text('to') };
}

export function withRange(filters: readonly Filter[], facet: Facet, part: Part, value: string): Filter[] {
  const operator = operatorOf(facet, part);
  const others = filters.filter((filter) => filter.facet_id !== facet.id || filter.operator !== operator);
  if (value.trim() === '') return others;
  return [
    ...others,
    { facet_id: facet.id, operator, values: [moved(facet.kind, value, part === 'from' ? -1 : 1)] },
  ];
}

const DAY_MS = 86_400_000;
/** Comparisons leave the value itself out: one asks for a little less, or more. */
const LITTLE = 1e-6;

/** A value of an address that is no number and no date stays unchanged. */
function moved(kind: Facet['kind'], value: string, direction: 1 | -1): string {
  const number = kind === 'date' ? Date.parse(value) : Number(value);
  if (Number.isNaN(number)) return value;
  if (kind !== 'date') return String(Math.round((number + direction * LITTLE) * 1e9) / 1e9);
  return new Date(number + direction * DAY_MS).toISOString().slice(0, 10);
}
