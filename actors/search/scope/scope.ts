// Which media and which of their frames a search looks at: the files it names, or everything loaded; of these
// what its filters speak of; and of their frames those in the ranges it gives.

import { isAbsolute } from 'node:path';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Request } from '../../../runtime/contract.ts';
import { spelledOnDisk } from '../../../runtime/files/spelling.ts';
import { addTo } from '../../../runtime/lists.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { inSteps, type Steps } from '../../../runtime/sync/checkpoint.ts';
import type { indexContract } from '../../index/contract.ts';
import type { FacetReport, FacetScope } from '../../index/facets/contract.ts';
import type { FrameRange, VisualScope } from '../../index/visual/contract.ts';
import type { FacetAnswer, FacetRequest } from '../contract.ts';
import { now, type TranscriptData, untilDone } from '../loaded-data.ts';
import { type LocationParts, renamedFiles } from '../media/location.ts';
import { ignoredFilters, type Note } from '../notes/contract.ts';
import type { VisualData } from '../visual/visual-data.ts';
import {
  FILES_A_STEP,
  type FilterScope,
  frameField,
  frameRanges,
  type MetadataFilterRequest,
  type Segments,
  scopeErrors,
} from './contract.ts';

// The files that a scope names, as a client says it.

/** One file of a scope, named by path, hash or both. */
interface ScopeEntry {
  readonly path: string | null;
  readonly hash: string | null;
}

/** `field`: where the scope stands, empty for the body itself. Throws WRONG_SCOPE. */
export function entriesOf(
  { media_paths, hash_strs }: Pick<FilterScope, 'media_paths' | 'hash_strs'>,
  field: string,
): ScopeEntry[] {
  const at = (name: string) => (field === '' ? name : `${field}.${name}`);
  if (media_paths.length === 0) return hash_strs.map((hash) => ({ path: null, hash }));
  if (hash_strs.length > 0 && hash_strs.length !== media_paths.length) {
    throw scopeErrors.WRONG_SCOPE(
      `${at('hash_strs')}: ${hash_strs.length} hashes for ${media_paths.length} media_paths; send one hash for each path`,
      { field: at('hash_strs') },
    );
  }
  return media_paths.map((path, i) => ({ path, hash: hash_strs[i] || null }));
}

/** Naming nothing means everything that is loaded, for filters, facets and searches alike. */
export function isGlobal({ mode }: Pick<FilterScope, 'mode'>, entries: readonly ScopeEntry[]): boolean {
  return mode === 'global' || entries.length === 0;
}

interface ScopeRequest {
  readonly cache_dir: string;
  readonly media_paths: readonly string[];
  readonly search_all: boolean;
  readonly metadata_filter_request: MetadataFilterRequest | null;
  /** Half-open ranges of frames or of seconds, by media path or hash. */
  readonly ranges: Segments;
}

/** Searched data: frames by a model, or transcripts if there is none. */
export interface SearchedData {
  readonly model_key: string | null;
  /** Neither: what is stored of pictures, and nothing has to be loaded. */
  readonly stored?: boolean;
  readonly field: string;
}

export interface FoundScope {
  readonly scope: VisualScope;
  /** Files that are named but not analysed: told, not an error. */
  readonly missing: readonly string[];
  /** Files that are named and known, but nothing of them is loaded. */
  readonly unloaded: readonly string[];
  /** Requested paths of each content by hash, in their order. */
  readonly requested: RequestedPaths;
}

/** A path that was named, and the ranges that were given for it. */
interface RequestedPath {
  readonly path: string;
  readonly ranges: readonly FrameRange[];
}
export type RequestedPaths = ReadonlyMap<string, readonly RequestedPath[]>;

/**
 * The paths at which the caller looks for this part of a content: first those whose own ranges hold some of
 * it.
 */
export function requestedPaths(requested: RequestedPaths, hash: string, [start, end]: FrameRange): string[] {
  const named = requested.get(hash) ?? [];
  const inRange = ({ ranges }: RequestedPath) => ranges.some(([from, to]) => from < end && start < to);
  const first = named.filter(inRange);
  return [...new Set([...first, ...named].map(({ path }) => path))];
}

/** Content of a name in the folder. */
interface Known {
  readonly hash: string | null;
  readonly loaded: boolean;
}

/** Errors: UNKNOWN_MEDIA, WRONG_SEGMENTS, WRONG_SCOPE naming the field; NOT_LOADED. */
export async function findScope(
  parts: LocationParts,
  request: ScopeRequest,
  { model_key, stored = false, field }: SearchedData,
  signal: AbortSignal | undefined,
): Promise<FoundScope> {
  const { cache_dir, metadata_filter_request: metadataFilter } = request;
  const pause = async () => {
    await eventLoopTurn();
    signal?.throwIfAborted();
  };
  const segments = await spelledKeys(await inSteps(frameRanges(request.ranges, field), pause));
  const filters = metadataFilter?.filters ?? [];
  const paths = request.search_all ? [] : request.media_paths;
  const speaksOf = namesOf(metadataFilter, model_key === null && !stored ? 'visual' : 'speech');
  const names = [...new Set([...paths, ...segments.keys(), ...(speaksOf ?? []).map(nameOf)])];
  if (names.length === 0 && filters.length === 0 && speaksOf === null) {
    return { scope: { hashes: null, ranges: {}, filters }, missing: [], unloaded: [], requested: new Map() };
  }
  const mediaByName = await resolveNames(parts, { cache_dir, model_key, stored, names, filters }, signal);
  if (filters.length > 0) await untilDone(() => parts.index.ask('ready_facets', { cache_dir }, now(signal)));
  return inSteps(narrow(paths, segments, speaksOf, filters, mediaByName, field), pause);
}

/** The ranges, by keys whose accents are as on the disk; paths of the request are spelled so before. */
async function spelledKeys(segments: Map<string, FrameRange[]>): Promise<Map<string, FrameRange[]>> {
  const keys = [...segments.keys()];
  const spelled = await spelledOnDisk(keys);
  const all = new Map<string, FrameRange[]>();
  for (const [i, key] of keys.entries()) for (const pair of segments.get(key)!) addTo(all, spelled[i]!, pair);
  return all;
}

/** Resolves each name to its content, also the new name of a renamed file. */
async function resolveNames(
  parts: LocationParts,
  request: Request<typeof indexContract, 'resolve'>,
  signal: AbortSignal | undefined,
): Promise<Map<string, Known>> {
  const call = now(signal);
  const resolve = async (names: string[]) => {
    const { hashes, loaded } = await parts.index.ask('resolve', { ...request, names }, call);
    return names.map((_, i): Known => ({ hash: hashes[i] ?? null, loaded: loaded[i] ?? false }));
  };
  const first = await resolve(request.names);
  const mediaByName = new Map(request.names.map((name, i) => [name, first[i]!]));
  const unknown = request.names.filter((_, i) => first[i]!.hash === null);
  if (unknown.length === 0) return mediaByName;
  const renamed = [...(await renamedFiles(parts, request.cache_dir, unknown, call))];
  if (renamed.length === 0) return mediaByName;
  const renamedMedia = await resolve(renamed.map(([, hash]) => hash));
  for (const [i, [path]] of renamed.entries()) mediaByName.set(path, renamedMedia[i]!);
  return mediaByName;
}

/**
 * The files that the scope of the filters names, which holds without any filter too; null when the search
 * itself says where. `otherMediaType`: what is not searched here.
 */
function namesOf(
  metadataFilter: MetadataFilterRequest | null,
  otherMediaType: 'visual' | 'speech',
): ScopeEntry[] | null {
  const scope = metadataFilter?.scope;
  if (!scope) return null;
  const entries = entriesOf(scope, 'metadata_filter_request.scope');
  if (isGlobal(scope, entries)) return scope.media_type === otherMediaType ? [] : null;
  return entries;
}

const nameOf = ({ path, hash }: ScopeEntry) => hash ?? path ?? '';

/** `speaksOf`: the files that filters are limited to, or null. */
export function* narrow(
  paths: readonly string[],
  segments: ReadonlyMap<string, FrameRange[]>,
  speaksOf: readonly ScopeEntry[] | null,
  filters: VisualScope['filters'],
  mediaByName: ReadonlyMap<string, Known>,
  field = frameField,
): Steps<FoundScope> {
  const hashOf = (name: string) => mediaByName.get(name)?.hash ?? null;
  const inPaths = new Set(paths);
  const named = paths.length === 0 ? null : new Set(paths.flatMap((path) => hashOf(path) ?? []));
  const rangesByHash = new Map<string, FrameRange[]>();
  let files = 0;
  for (const [key, pairs] of segments) {
    if (++files % FILES_A_STEP === 0) yield;
    const hash = hashOf(key);
    const inside = named ? inPaths.has(key) || named.has(hash ?? '') : mediaByName.get(key)?.loaded;
    if (!inside) {
      throw scopeErrors.UNKNOWN_MEDIA(`${field}: ${key} is not in the searched media`, { field });
    }
    // Two names of one content are one media.
    if (hash !== null) for (const pair of pairs) addTo(rangesByHash, hash, pair);
  }
  const ranges: VisualScope['ranges'] = {};
  for (const [hash, pairs] of rangesByHash) {
    if (++files % FILES_A_STEP === 0) yield;
    ranges[hash] = pairs;
  }
  const limits = [
    named,
    // Media without a key are left out as soon as one has ranges.
    segments.size > 0 ? new Set(rangesByHash.keys()) : null,
    speaksOf === null ? null : new Set(speaksOf.flatMap((entry) => hashOf(nameOf(entry)) ?? [])),
  ].filter((limit) => limit !== null);
  yield;
  const [first, ...others] = limits;
  const hashes = first ? [...first].filter((hash) => others.every((limit) => limit.has(hash))) : null;
  const scope = { hashes, ranges, filters: [...filters] };
  const requested = yield* askedBy(paths, segments, speaksOf ?? [], hashOf);
  return {
    scope,
    missing: paths.filter((path) => hashOf(path) === null),
    unloaded: paths.filter((path) => hashOf(path) !== null && mediaByName.get(path)?.loaded === false),
    requested,
  };
}

/** Names of media take precedence over keys of ranges, and these over limits of filters. */
function* askedBy(
  paths: readonly string[],
  segments: ReadonlyMap<string, FrameRange[]>,
  speaksOf: readonly ScopeEntry[],
  hashOf: (name: string) => string | null,
): Steps<RequestedPaths> {
  const requested = new Map<string, RequestedPath[]>();
  const keys = [...segments.keys()].filter((key) => isAbsolute(key));
  const plain = [paths, keys].find((names) => names.length > 0);
  const named = plain?.map((path) => ({ path, hash: null })) ?? speaksOf;
  for (const [i, entry] of named.entries()) {
    if (i % FILES_A_STEP === FILES_A_STEP - 1) yield;
    const { path } = entry;
    const hash = hashOf(nameOf(entry));
    if (path !== null && hash !== null) addTo(requested, hash, { path, ranges: segments.get(path) ?? [] });
  }
  return requested;
}

// Asks the index what media can be filtered by; what it lost of the loaded data is loaded again first.

export interface ScopeFacetParts {
  readonly index: Ref<typeof indexContract>;
  readonly visualData: VisualData;
  readonly transcriptData: TranscriptData;
}

/** Errors: those of facetScope and of the filters; STORE_UNAVAILABLE and its like. */
export async function findFacets(
  { index, visualData, transcriptData }: ScopeFacetParts,
  request: FacetRequest,
  signal: AbortSignal | undefined,
): Promise<FacetAnswer> {
  const { cache_dir, filters } = request;
  await Promise.all([visualData.restored(signal), transcriptData.restored(signal)]);
  const model_key = visualData.current?.model_key ?? '';
  const context = visualData.isLoaded({ cache_dir, model_key }) ? visualData.current : null;
  const requestedScope = facetScope(request, context?.model_key ?? null);
  const hasTranscripts = transcriptData.isLoaded({ cache_dir });
  const scope =
    requestedScope.scope.mode === 'paths'
      ? requestedScope.scope
      : { ...requestedScope.scope, transcripts: hasTranscripts };
  await untilDone(() => index.ask('ready_facets', { cache_dir }, now(signal)));
  const ask = () => index.ask('facets', { cache_dir, scope, filters }, now(signal));
  const whole = () => (hasTranscripts ? transcriptData.within({ cache_dir }, ask, signal) : ask());
  const report = await (context ? visualData.within(context, whole, signal) : whole());
  return facetAnswer(report, requestedScope, filters);
}

// Scope of a request for facets, and its answer.

export interface RequestedScope {
  readonly scope: FacetScope;
  /** Files the client means; 0 when it does not say. */
  readonly expected: number;
}

/**
 * The scope of a request for facets: the one it gives, or the one its flat fields make. `modelKey`: the model
 * whose analysis of the folder is loaded, or null. Errors: as entriesOf.
 */
export function facetScope(request: FacetRequest, modelKey: string | null): RequestedScope {
  const mode = request.search_all ? 'global' : 'paths';
  const flat = { ...request, mode } as const;
  const { scope, field } = request.scope
    ? { scope: request.scope, field: 'scope' }
    : { scope: flat, field: '' };
  const expected = scope.expected_count ?? 0;
  const entries = entriesOf(scope, field);
  if (isGlobal(scope, entries)) {
    return { scope: { mode: 'global', media_type: scope.media_type, model_key: modelKey }, expected };
  }
  return { scope: { mode: 'paths', hashes: entries.map(({ hash }) => hash) }, expected };
}

/** The answer to a client. Files that were announced but not named count as missing. */
export function facetAnswer(
  report: FacetReport,
  { scope, expected }: RequestedScope,
  filters: FacetRequest['filters'],
): FacetAnswer {
  const { facets, indexed_count } = report;
  const scope_count = Math.max(report.scope_count, expected);
  const missing_count = scope_count - indexed_count;
  return {
    success: true,
    facets,
    coverage: { scope_count, indexed_count, missing_count },
    active_filter_count: filters.length,
    warning: warningOf(report, scope, scope_count, missing_count, ignoredFilters(filters)),
  };
}

function warningOf(
  { scope_count: named, unreadable, unreadable_people: clusterings = [], shortened }: FacetReport,
  scope: FacetScope,
  files: number,
  missing: number,
  ignored: Note | false,
): string | null {
  const unknown = missing - unreadable.length;
  const hashless = scope.mode === 'paths' ? scope.hashes.filter((hash) => hash === null).length : 0;
  const speech = scope.mode === 'global' && scope.media_type === 'speech';
  const parts = [
    ignored !== false && ignored.text,
    scope.mode === 'global' && named === 0 && `No ${speech ? 'transcription' : 'analysis data'} is loaded`,
    unknown > 0 && `${unknown} of ${files} files in scope have no metadata`,
    hashless > 0 &&
      `${hashless} paths were sent without a hash: send the hash_strs from /media/metadata along with media_paths`,
    unreadable.length > 0 && `Damaged metadata; analyse these files again: ${unreadable.join(', ')}`,
    clusterings.length > 0 && `Damaged face clusterings; cluster these again: ${clusterings.join(', ')}`,
    shortened.length > 0 && `Only the most frequent options are listed for ${shortened.join(', ')}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join('. ') : null;
}
