// Counts what is in scope, facet by facet. The filters of all other facets hold, its own do not: so the
// alternatives to what is chosen stay visible, and choosing an option gives exactly as many media as it says.
import type { Column } from './column.ts';
import type { Facet as FacetAnswer, FacetOption } from './contract.ts';
import type { Facet } from './facet.ts';
import { anyOf, type CheckedFilter } from './filter.ts';
import type { FacetTable } from './table.ts';

/** Options of one facet in an answer, at most: folders can be as many as files. */
export const mostOptions = 2000;

export interface Counted {
  readonly facets: FacetAnswer[];
  /** Ids of facets that have more options than are listed. */
  readonly shortened: string[];
}

/** `rows`: what is in scope, each once. `pause` is called between facets and may throw to stop. */
export function countFacets(
  table: FacetTable,
  rows: Uint32Array,
  filters: readonly CheckedFilter[],
  pause: () => void,
): Counted {
  const { open, onlyBy } = sieve(table, rows, filters, pause);
  const shortened: string[] = [];
  const facets = table.columns.map((column) => {
    pause();
    const also = onlyBy.get(column);
    const tally = column.tally(also ? Uint32Array.from([...open, ...also]) : open);
    const own = filters.filter(({ facet }) => facet.id === column.facet.id);
    const chosen = new Set(own.flatMap(({ values }) => values));
    const options = optionsOf(column, tally, chosen);
    if (options.length > mostOptions) shortened.push(column.facet.id);
    return answerOf(column, tally, ordered(column.facet, shorten(options, chosen)));
  });
  return { facets, shortened };
}

/** Rows that pass everything, and for each filtered facet the rows that its own filters alone keep out. */
function sieve(
  table: FacetTable,
  rows: Uint32Array,
  filters: readonly CheckedFilter[],
  pause: () => void,
): { open: Uint32Array; onlyBy: Map<Column, number[]> } {
  const masks = table.masks(filters);
  const onlyBy = new Map<Column, number[]>(masks.map(({ column }) => [column, []]));
  if (masks.length === 0) return { open: rows, onlyBy };
  pause();
  const open = new Uint32Array(rows.length);
  let passed = 0;
  for (const row of rows) {
    let failed: Column | null = null;
    let failures = 0;
    for (const { column, passing } of masks) {
      if (column.passes(passing, row)) continue;
      failed = column;
      if (++failures > 1) break;
    }
    if (failures === 0) open[passed++] = row;
    else if (failures === 1 && failed !== null) onlyBy.get(failed)?.push(row);
  }
  return { open: open.subarray(0, passed), onlyBy };
}

/** Every option that any media has, and the chosen ones in any case. */
function optionsOf(column: Column, tally: Uint32Array, chosen: ReadonlySet<string>): Option[] {
  const counts = column.optionCounts(tally);
  const options: Option[] = [];
  const listed = new Set<string>();
  column.values.forEach((value, i) => {
    const count = counts[i] as number;
    if (count === 0) return;
    options.push({ value, count });
    if (chosen.has(value)) listed.add(value);
  });
  for (const value of chosen) {
    // It may be no option of its own and mean something all the same: a year of dates, 25.0 of numbers.
    if (!listed.has(value))
      options.push({ value, count: column.countOf(tally, anyOf(column.facet, [value])) });
  }
  return options;
}

interface Option {
  readonly value: string;
  readonly count: number;
}

/** The most frequent ones and the chosen ones, in the order they came. */
function shorten(options: readonly Option[], chosen: ReadonlySet<string>): readonly Option[] {
  if (options.length <= mostOptions) return options;
  const counts = Uint32Array.from(options, ({ count }) => count).sort();
  const least = counts[counts.length - mostOptions] as number;
  let room = mostOptions - counts.reduce((above, count) => above + (count > least ? 1 : 0), 0);
  return options.filter(
    ({ value, count }) => count > least || (count === least && room-- > 0) || chosen.has(value),
  );
}

function ordered(facet: Facet, options: readonly Option[]): FacetOption[] {
  return options
    .map(({ value, count }) => {
      const [label, meta, rank] = [facet.labelOf(value), facet.meta(value), facet.rank(value)];
      return { rank, option: { value, label, count, meta: { ...meta } } };
    })
    .sort((a, b) => {
      if (a.rank !== null && b.rank !== null && a.rank !== b.rank) return a.rank - b.rank;
      return b.option.count - a.option.count || (a.option.value < b.option.value ? -1 : 1);
    })
    .map(({ option }) => option);
}

function answerOf(column: Column, tally: Uint32Array, options: FacetOption[]): FacetAnswer {
  const { id, label, group, path, kind } = column.facet;
  return { id, label, group, path: [...path], kind, options, ...boundsOf(column, tally) };
}

/** The least and greatest number, or the first and last day. */
function boundsOf(column: Column, tally: Uint32Array): Pick<FacetAnswer, 'min' | 'max'> {
  const bounds = column.bounds(tally);
  if (bounds === null) return {};
  const { least, greatest } = bounds;
  return column.facet.kind === 'numeric'
    ? { min: least.size, max: greatest.size }
    : { min: least.value, max: greatest.value };
}
