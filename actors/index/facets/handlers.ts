// What the index answers about filters, and about the media that a search names.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Request } from '../../../runtime/contract.ts';
import type { Folders } from '../folders.ts';
import type { PeopleIndex } from '../people/people-index.ts';
import { readable } from '../store/faults.ts';
import type { TranscriptIndex } from '../transcripts/transcript-index.ts';
import type { VisualIndex } from '../visual/visual-index.ts';
import type { FacetReport, FacetScope, facetMessages, MetadataFilter } from './contract.ts';
import { countFacets } from './count.ts';
import { checkFilters } from './filter.ts';
import { facets } from './list.ts';
import { checkSearchFilters } from './scope.ts';
import type { FacetTable } from './table.ts';
import type { FacetTables } from './tables.ts';

type FacetContract = Contract<typeof facetMessages>;

export interface FacetParts {
  readonly folders: Folders;
  readonly tables: FacetTables;
  readonly visual: VisualIndex;
  readonly transcripts: TranscriptIndex;
  readonly people: Pick<PeopleIndex, 'seen'>;
}

export function facetHandlers(parts: FacetParts): Handlers<FacetContract> {
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
  { folders, tables }: FacetParts,
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
  { folders, tables, visual, transcripts, people: index }: FacetParts,
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
  { folders, tables, visual, transcripts }: FacetParts,
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
  const known = table.columns.map(({ facet }) => facet);
  const checked = checkFilters(known, filters, 'filters');
  const entries = entriesOf(scope, loaded);
  const { rows, indexed, unreadable } = table.rowsOf(entries, pause);
  return {
    ...countFacets(table, rows, checked, pause),
    scope_count: entries.length,
    indexed_count: indexed,
    unreadable: [...unreadable],
  };
}
