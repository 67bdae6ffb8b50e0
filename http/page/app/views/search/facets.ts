// Filters by facets: what is chosen becomes conditions of a search.
import type { Facet as FacetOfService } from '../../../../../actors/index/facets/contract.ts';
import type { Filter } from './moment.ts';

export type Facet = FacetOfService;

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
