// The lists that moments are made of: what is seen, what is said, what is written, who is there. Each is
// asked for by itself, best first.
import type { Shot } from '../../index/visual/contract.ts';
import { exactTimes, type Shots, shotAt } from '../../index/visual/shots.ts';
import type { MomentLists } from '../../library/lists/contract.ts';
import { now, type TranscriptData, untilDone } from '../loaded-data.ts';
import { type Note, note } from '../notes/contract.ts';
import { type EmptyReason, warning } from '../notes/warnings.ts';
import { frameField, peopleFilter } from '../scope/contract.ts';
import { type FoundScope, findScope, type SearchedData } from '../scope/scope.ts';
import type { Explanation, NotUnderstood } from '../visual/contract.ts';
import { emptyReason, visualWarnings } from '../visual/visual-notes.ts';
import { askVisual, type VisualRequest, type VisualSearchParts } from '../visual/visual-search.ts';
import { bandOfLine } from '../written/contract.ts';
import { sureLines } from '../written/written.ts';
import { type MomentsRequest, momentErrors, type PictureSource, type Reason } from './contract.ts';
import type { ListHit } from './fuse.ts';
import { readPictureSource } from './picture.ts';

export interface MomentParts extends VisualSearchParts {
  readonly transcripts: TranscriptData;
  readonly lists?: Pick<MomentLists, 'list' | 'get'>;
}

export interface KindFound {
  readonly lists: readonly (readonly ListHit<Reason>[])[];
  readonly notes: readonly (Note | false)[];
  readonly scope: Pick<FoundScope, 'missing' | 'unloaded' | 'requested'>;
  /** Hits that are left out because they are less sure. */
  readonly weaker?: number;
  readonly not_understood?: NotUnderstood;
  /** Something of this kind was searched. */
  readonly isSearched?: boolean;
  readonly empty?: EmptyReason;
  /** Contents that cannot be read. */
  readonly damaged?: readonly string[];
  /** How sure the hits of these ranks are. */
  readonly explain?: (ranks: readonly number[]) => Promise<Explanation[]>;
}

/** Somebody with a name, as the index answers. */
export interface ListedPerson {
  readonly name: string;
  readonly clusters: readonly { readonly cluster_job_name: string; readonly cluster_id: string }[];
}

const noScope: KindFound['scope'] = { missing: [], unloaded: [], requested: new Map() };

/**
 * Hits of a list that are looked at, whatever is asked for: moments deep in two lists come before those of
 * one.
 */
const leastDepth = 200;
/** The same of words and people, whose lists are cheap. */
export const leastNamed = 2000;
const mostDepth = 10_000;

/** With few of each file, the first ones of a list may all be of one. */
export function depthOf(
  { limit, max_per_media }: Pick<MomentsRequest, 'limit' | 'max_per_media'>,
  least: number,
): number {
  return max_per_media === undefined ? Math.min(mostDepth, Math.max(least, 2 * limit)) : mostDepth;
}

function visualRequest(request: MomentsRequest, query: string): VisualRequest {
  // How many of one file are told is counted when the lists are one: a picture may be of a moment that is
  // spoken of.
  const { max_per_media: _, ...shared } = request;
  const exclude = query === '' ? [] : request.exclude;
  return { ...shared, query, exclude, max_results: depthOf(request, leastDepth) };
}

/** Visual matches of `query`, from which names were removed. `within`: only these grid frames, by hash. */
export async function seenList(
  parts: MomentParts,
  request: MomentsRequest,
  picture: PictureSource | null,
  query: string,
  within: VisualRequest['within'],
  signal: AbortSignal | undefined,
): Promise<KindFound> {
  const { cache_dir } = request;
  if (query === '' && picture === null) return { lists: [], notes: [], scope: noScope };
  const input = { ...visualRequest(request, query), ...(within && { within }) };
  const visual = await askVisual(
    parts,
    input,
    (model) => readPictureSource(parts, model, cache_dir, picture, signal),
    signal,
  );
  const result = await visual.find(input.max_results);
  const ranking = result.matches.toSorted((a, b) => a.original_index - b.original_index);
  const hits = ranking.map(
    ({ hash_str, path, frame_index, scene_start, scene_end, shot }): ListHit<Reason> => ({
      kind: 'seen',
      hash: hash_str,
      path,
      time: frame_index,
      start: frame_index,
      end: frame_index,
      ...placeIn(shot, [scene_start, scene_end]),
      reason: (rank) => ({ kind: 'seen', rank }),
    }),
  );
  const warnings = await visualWarnings(parts, cache_dir, visual, result, signal);
  const gone = visual.gone === undefined ? [] : [visual.gone];
  const said = warning({ ...warnings, missing: [], unloaded: [], gone, changed: [], noPreview: 0 });
  const { notes, not_understood } = said;
  const empty = emptyReason(request, visual, result);
  const explain = (ranks: readonly number[]) =>
    visual.explain(
      result,
      ranks.map((rank) => ranking[rank - 1]!),
    );
  return {
    ...{ lists: [hits], notes, scope: result, weaker: result.weaker ?? 0, explain },
    ...{ isSearched: empty.kinds.length > 0, empty },
    ...(not_understood && { not_understood }),
  };
}

/** Speech that answers the whole query. */
export async function saidList(
  parts: MomentParts,
  request: MomentsRequest,
  isAsked: boolean,
  signal: AbortSignal | undefined,
): Promise<KindFound> {
  const { index, transcripts } = parts;
  const { cache_dir } = request;
  const query = request.query?.trim() ?? '';
  if (query === '') return { lists: [], notes: [], scope: noScope };
  const only = peopleFilter(request);
  const find = async () => {
    const searched = { model_key: null, field: frameField };
    const { scope, ...scopeReport } = await scopeOf(parts, request, searched, signal);
    const options = { cache_dir, query, scope, ...only, max_results: depthOf(request, leastNamed) };
    return { scope: scopeReport, ...(await index.ask('search_said', options, now(signal))) };
  };
  const findWithPeople = () => (only.people ? parts.people.within({ cache_dir }, find, signal) : find());
  const { matches, media, scope } = await transcripts.within({ cache_dir }, findWithPeople, signal);
  const hashes = [...new Set(matches.map(({ hash_str }) => hash_str))];
  const scenes = await scenesBy(parts, cache_dir, hashes, signal);
  const hits = matches.map(({ hash_str, path, segment_index: _, ...said }): ListHit<Reason> => {
    const { start_seconds, end_seconds, text } = said;
    const { speaker, speaker_name } = { speaker: said.speaker ?? '', speaker_name: said.speaker_name ?? '' };
    return {
      kind: 'said',
      hash: hash_str,
      path,
      time: start_seconds,
      start: start_seconds,
      end: end_seconds,
      ...sceneAt(scenes.get(hash_str), start_seconds),
      reason: (rank) => ({
        kind: 'said',
        rank,
        text: text.trim(),
        start_seconds,
        end_seconds,
        speaker,
        speaker_name,
      }),
    };
  });
  const notes = [isAsked && media === 0 && note('NOTHING_TRANSCRIBED', {})];
  return { lists: [hits], notes, scope, damaged: transcripts.damaged, isSearched: media > 0 };
}

/**
 * Lines that answer the whole query. Throws NOTHING_READ if the kind is not requested and no words are
 * stored.
 */
export async function writtenList(
  parts: MomentParts,
  request: MomentsRequest,
  isAsked: boolean,
  signal: AbortSignal | undefined,
): Promise<KindFound> {
  const { cache_dir } = request;
  const query = request.query?.trim() ?? '';
  if (query === '') return { lists: [], notes: [], scope: noScope };
  const only = peopleFilter(request);
  const find = async () => {
    const searched = { model_key: null, stored: true, field: frameField };
    const { scope, ...scopeReport } = await scopeOf(parts, request, searched, signal);
    const options = { cache_dir, query, scope, ...only, max_results: depthOf(request, leastNamed) };
    const answer = await untilDone(() => parts.index.ask('search_written', options, now(signal)));
    return { scope: scopeReport, ...answer };
  };
  const outcome = await (only.people ? parts.people.within({ cache_dir }, find, signal) : find());
  if (!isAsked && outcome.media === 0)
    throw momentErrors.NOTHING_READ('no text has been recognized in pictures');
  const { matches, weaker } = sureLines(outcome.matches, request.min_band);
  const scenes = await scenesBy(
    parts,
    cache_dir,
    [...new Set(matches.map(({ hash_str }) => hash_str))],
    signal,
  );
  const hits = matches.map(({ hash_str, path, best, start, end, meant, ...read }): ListHit<Reason> => {
    const line = { ...read, band: bandOfLine({ ...read, meant }) };
    const [start_seconds, end_seconds] = exactTimes(scenes.get(hash_str)?.shots ?? null, start, end);
    return {
      ...{ kind: 'written', hash: hash_str, path },
      // A line may stay for a whole film: its moment is the one in which it is read best.
      ...{ time: best, start: best, end: best + 1 },
      ...sceneAt(scenes.get(hash_str), best),
      reason: (rank) => ({
        ...{ kind: 'written', rank, ...line, best_seconds: best },
        ...{ start_seconds, end_seconds },
      }),
    };
  });
  const notes = [isAsked && outcome.media === 0 && note('NOTHING_READ', {})];
  const isSearched = outcome.media > 0;
  return { lists: [hits], notes, scope: outcome.scope, weaker, damaged: outcome.unreadable, isSearched };
}

/** Where each of the people is seen: a list each. */
export async function personLists(
  parts: MomentParts,
  request: MomentsRequest,
  people: readonly ListedPerson[],
  signal: AbortSignal | undefined,
): Promise<KindFound> {
  const { cache_dir } = request;
  const model_key = parts.visual.isLoaded({ cache_dir, model_key: parts.models.state.model_key ?? '' })
    ? parts.models.state.model_key
    : null;
  const hasTranscripts = parts.transcripts.isLoaded({ cache_dir });
  const find = async (): Promise<KindFound> => {
    // Names of media are looked up where something of them is loaded.
    const { scope, ...scopeReport } =
      model_key !== null || hasTranscripts
        ? await scopeOf(parts, request, { model_key, field: frameField }, signal)
        : { scope: { hashes: null, ranges: {}, filters: [] }, ...noScope };
    const lists: ListHit<Reason>[][] = [];
    for (const person of people)
      lists.push(await personList(parts, request, person, { model_key, scope }, signal));
    return { lists, notes: [], scope: scopeReport, isSearched: true };
  };
  return parts.people.within({ cache_dir }, find, signal);
}

async function personList(
  { index }: MomentParts,
  request: MomentsRequest,
  { name, clusters }: ListedPerson,
  where: { readonly model_key: string | null; readonly scope: FoundScope['scope'] },
  signal: AbortSignal | undefined,
): Promise<ListHit<Reason>[]> {
  const query = {
    ...{ cache_dir: request.cache_dir, ...where, ...peopleFilter(request) },
    person: { mode: 'or' as const, people: clusters.map((cluster) => ({ ...cluster })) },
    max_results: depthOf(request, leastNamed),
  };
  const { matches } = await index.ask('seen_in_scenes', query, now(signal));
  const { cluster_id = '', cluster_job_name = '' } = clusters[0] ?? {};
  return matches.map(({ hash_str, path, frames, seconds, scene, shot }) => ({
    kind: 'person',
    hash: hash_str,
    path,
    time: frames[0],
    start: frames[0],
    end: frames[1],
    ...placeIn(shot, scene),
    reason: (rank) => ({
      ...{ kind: 'person', rank, name, cluster_id, cluster_job_name },
      ...{ start_seconds: seconds[0], end_seconds: seconds[1] },
    }),
  }));
}

export function scopeOf(
  parts: MomentParts,
  request: MomentsRequest,
  searched: SearchedData,
  signal: AbortSignal | undefined,
) {
  const { segments_to_frame_indices: ranges } = request;
  return findScope(parts, { ...request, ranges }, searched, signal);
}

interface SceneList {
  /** Start, end, start, end... of grid frames. */
  readonly scenes: Int32Array;
  /** Null where edges are on the grid. */
  readonly shots: Shots | null;
}

export async function scenesBy(
  { index, models }: MomentParts,
  cache_dir: string,
  hashes: string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, SceneList>> {
  if (hashes.length === 0) return new Map();
  const { lists } = await index.ask(
    'scenes',
    { cache_dir, model_key: models.state.model_key, hashes },
    now(signal),
  );
  return new Map(lists.flatMap((scenes, i) => (scenes ? [[hashes[i]!, scenes]] : [])));
}

type PlaceOfHit = Pick<ListHit<unknown>, 'scene' | 'shot'>;

/** The shot, or the scene on the grid where edges are not exact. */
export function placeIn(shot: Shot | undefined, scene: PlaceOfHit['scene']): PlaceOfHit {
  return shot ? { scene: [shot.start_seconds, shot.end_seconds], shot } : { scene };
}

export function sceneAt(list: SceneList | undefined, seconds: number): PlaceOfHit {
  if (!list?.shots) return { scene: list ? sceneOnGrid(list.scenes, seconds) : null };
  const shot = shotAt(list.shots, seconds);
  return seconds < shot.end_seconds ? placeIn(shot, null) : { scene: null };
}

/** Null where there is none. */
function sceneOnGrid(scenes: Int32Array, seconds: number): readonly [number, number] | null {
  let [low, high] = [0, scenes.length / 2];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (scenes[middle * 2 + 1]! <= seconds) low = middle + 1;
    else high = middle;
  }
  const start = scenes[low * 2];
  return start !== undefined && start <= seconds ? [start, scenes[low * 2 + 1]!] : null;
}
