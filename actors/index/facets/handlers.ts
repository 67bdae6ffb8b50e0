// Handlers about filters, and about the media in the scope of a search.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Request } from '../../../runtime/contract.ts';
import type { IndexFolders } from '../folders.ts';
import type { PeopleIndex } from '../people/people-index.ts';
import { readable } from '../store/faults.ts';
import type { TranscriptIndex } from '../transcripts/transcript-index.ts';
import type { VisualIndex } from '../visual/visual-index.ts';
import type {
  Facet,
  FacetOption,
  FacetReport,
  FacetScope,
  facetMessages,
  MetadataFilter,
} from './contract.ts';
import type { FacetDefinition } from './facet.ts';
import { anyOf, type CheckedFilter, checkFilters } from './filter.ts';
import { facets } from './list.ts';
import { checkSearchFilters } from './scope.ts';
import type { Column, FacetTable } from './table.ts';
import type { FacetTables } from './tables.ts';

type FacetContract = Contract<typeof facetMessages>;

export interface FacetHandlerParts {
  readonly folders: IndexFolders;
  readonly tables: FacetTables;
  readonly visual: VisualIndex;
  readonly transcripts: TranscriptIndex;
  readonly people: Pick<PeopleIndex, 'seen'>;
}

export function facetHandlers(parts: FacetHandlerParts): Handlers<FacetContract> {
  const { folders, tables } = parts;
  return {
    resolve: (request) => resolveNames(parts, request),
    ready_facets: ({ cache_dir }, turn) =>
      folders.with(cache_dir, (store) => ({ done: tables.step(store, () => turn.throwIfCancelled()) })),
    facets: (request, turn) => report(parts, request, () => turn.throwIfCancelled()),
    passing: (request, turn) => passing(parts, request, () => turn.throwIfCancelled()),
  };
}

function passing(
  { folders, tables }: FacetHandlerParts,
  { cache_dir, names, filters }: Request<FacetContract, 'passing'>,
  pause: () => void,
) {
  return folders.with(cache_dir, (store) => {
    const checked = checkSearchFilters(filters, facets);
    if (names.length === 0) return { passing: [] };
    const table = tables.of(store, pause);
    const passes = table.passing(checked);
    const isIn = (hash: string | null) => hash === null || table.row(hash) === undefined || passes(hash);
    return { passing: names.map((name) => isIn(readable(() => store.media.hashOf(name)))) };
  });
}

function resolveNames(
  { folders, tables, visual, transcripts, people: index }: FacetHandlerParts,
  { cache_dir, model_key, stored = false, names, filters, people }: Request<FacetContract, 'resolve'>,
) {
  return folders.with(cache_dir, (store) => {
    checkSearchFilters(filters, tables.known(store, filters));
    if (people !== undefined) index.seen(store, people);
    const hashes = names.map((name) => store.media.hashOf(name));
    if (stored) return { hashes, loaded: hashes.map((hash) => hash !== null) };
    const { get } = model_key === null ? transcripts.of(store) : visual.of(store, model_key).catalog;
    return { hashes, loaded: hashes.map((hash) => hash !== null && get(hash) !== undefined) };
  });
}

function report(
  { folders, tables, visual, transcripts }: FacetHandlerParts,
  { cache_dir, scope, filters }: Request<FacetContract, 'facets'>,
  pause: () => void,
): Promise<FacetReport> {
  return folders.with(cache_dir, (store) => {
    store.requireReadable();
    const isGlobal = scope.mode === 'global';
    const model = isGlobal ? scope.model_key : null;
    const loaded = {
      visual: model === null ? [] : visual.of(store, model).catalog.hashes(),
      speech: isGlobal && scope.transcripts ? transcripts.of(store).hashes() : [],
    };
    const table = tables.of(store, pause);
    const report = facetReport(table, scope, loaded, filters, pause);
    return { ...report, unreadable_people: tables.unreadablePeople(store) };
  });
}

// The answer to one question for facets: which rows are in scope, what is missing, and the counts.

/** `loaded`: hashes that are loaded and can be searched, by what they are searched for. */
interface LoadedHashes {
  readonly visual: readonly string[];
  readonly speech: readonly string[];
}

/** The files or hashes a scope speaks of; the same content may lie in several files. */
function entriesOf(scope: FacetScope, loaded: LoadedHashes): readonly (string | null)[] {
  if (scope.mode === 'paths') return scope.hashes;
  const { visual, speech } = loaded;
  if (scope.media_type === 'any') return speech.length === 0 ? visual : [...new Set([...visual, ...speech])];
  return loaded[scope.media_type];
}

/** Errors: those of checkFilters, naming `filters[i]`. */
export function facetReport(
  table: FacetTable,
  scope: FacetScope,
  loaded: LoadedHashes,
  filters: readonly MetadataFilter[],
  pause: () => void,
): FacetReport {
  const facets = table.columns.map(({ facet }) => facet);
  const checked = checkFilters(facets, filters, 'filters');
  const entries = entriesOf(scope, loaded);
  const { rows, indexed, unreadable } = table.rowsOf(entries, pause);
  return {
    ...countFacets(table, rows, checked, pause),
    scope_count: entries.length,
    indexed_count: indexed,
    unreadable: [...unreadable],
  };
}

// Counts what is in scope, facet by facet. The filters of all other facets hold, its own do not: so the
// alternatives to what is chosen stay visible, and choosing an option gives exactly as many media as it says.

/** Options of one facet in an answer, at most: folders can be as many as files. */
export const mostOptions = 2000;

interface Counted {
  readonly facets: Facet[];
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
    const columnFilters = filters.filter(({ facet }) => facet.id === column.facet.id);
    const chosen = new Set(columnFilters.flatMap(({ values }) => values));
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

function ordered(facet: FacetDefinition, options: readonly Option[]): FacetOption[] {
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

function answerOf(column: Column, tally: Uint32Array, options: FacetOption[]): Facet {
  const { id, label, group, path, kind } = column.facet;
  return { id, label, group, path: [...path], kind, options, ...boundsOf(column, tally) };
}

/** The least and greatest number, or the first and last day. */
function boundsOf(column: Column, tally: Uint32Array): Pick<Facet, 'min' | 'max'> {
  const bounds = column.bounds(tally);
  if (bounds === null) return {};
  const { least, greatest } = bounds;
  return column.facet.kind === 'numeric'
    ? { min: least.size, max: greatest.size }
    : { min: least.value, max: greatest.value };
}
