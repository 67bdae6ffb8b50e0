// Finds moments: asks for what is seen, said, written and named, and who is there, at the same time, fuses
// the lists, and tells where the media of each moment lies now.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { engineErrors, toFields } from '../../../runtime/errors.ts';
import { inSteps } from '../../../runtime/sync/checkpoint.ts';
import { sideBySide } from '../../../runtime/sync/shared-work.ts';
import { storeErrors } from '../../index/store/contract.ts';
import type { FrameRange } from '../../index/visual/contract.ts';
import { searchErrors } from '../contract.ts';
import { now } from '../loaded-data.ts';
import { copiesIn, locateMatches, type ShownMatch } from '../media/match-locations.ts';
import { visualModelErrors } from '../models/contract.ts';
import { ignoredFilters, listNote, type Note, note, notesAnswer } from '../notes/contract.ts';
import { type EmptyReason, emptyNote, isExplained } from '../notes/warnings.ts';
import { withExclusions } from '../scope/contract.ts';
import { requestedPaths } from '../scope/scope.ts';
import { isLimited } from '../visual/visual-notes.ts';
import {
  type Moment,
  type MomentKind,
  type Moments,
  type MomentsAnswer,
  type MomentsRequest,
  momentErrors,
  momentKinds,
  type PictureSource,
  type Reason,
} from './contract.ts';
import { type FusedMoment, fewPerMedia, fuse } from './fuse.ts';
import { type KindFound, type MomentParts, personLists, saidList, seenList, writtenList } from './lists.ts';
import {
  asNames,
  joinNames,
  type NamedInQuery,
  nameList,
  nameText,
  peopleInQuery,
  rangesOfHits,
  seenRanks,
  weakLast,
  withoutHeard,
  withoutPeople,
} from './names.ts';
import { checkPicture, pictureOf } from './picture.ts';
import { relevance } from './relevance.ts';
import { isSelection, select } from './selected.ts';

export function createMoments(parts: MomentParts): Moments {
  return {
    search: (request, signal) => searchMoments(parts, request, signal),
    relevance: (request, signal) => relevance(parts, request, signal),
  };
}

/** Result of one kind: its matches, or the reason why it was not searched. */
type Outcome = KindFound | { readonly refused: unknown };

async function searchMoments(
  parts: MomentParts,
  input: MomentsRequest,
  signal: AbortSignal | undefined,
): Promise<MomentsAnswer> {
  const { request, isQuiet } = await withoutHeard(parts, withExclusions(input), signal);
  const isSelected = isSelection(request);
  const picture = isSelected ? null : checkedPicture(request);
  if (request.people_filter.length > 0) {
    await parts.people.settled(request, signal);
    await parts.people.require(request, signal);
  }
  if (isSelected) {
    const { ranking, result } = await select(parts, request, signal);
    return answered(
      parts,
      request,
      ranking,
      { results: new Map([['person', result]]), refused: new Map() },
      signal,
    );
  }
  const kinds = request.kinds === undefined ? momentKinds : [...new Set(request.kinds)];
  const named = await namedIn(parts, request, kinds, signal);
  const { people, excluded, remainder } = named;
  if (picture === null && people.length === 0 && excluded.length > 0 && remainder === '')
    throw momentErrors.NOTHING_ASKED('query: only excludes people; say what to find', { field: 'query' });
  const outcomes = new Map<MomentKind, Outcome>();
  await sideBySide(kinds.values(), momentKinds.length, signal, async (kind, kindSignal) => {
    outcomes.set(kind, await outcomeOf(find(parts, named.request, picture, kind, named, kindSignal)));
  });
  const results = new Map<MomentKind, KindFound>();
  const refused = new Map<MomentKind, unknown>();
  for (const kind of momentKinds) {
    const outcome = outcomes.get(kind);
    if (outcome === undefined) continue;
    if ('refused' in outcome) refused.set(kind, outcome.refused);
    else results.set(kind, outcome);
  }
  await explainByNames(parts, named, picture, results, signal);
  const all = [...results.values()].flatMap((result) => result.lists);
  // Names can be looked for with nothing loaded, and are no answer to what could not be searched.
  const isRefused = refused.size > 0 && [...results.keys()].every((kind) => kind === 'name');
  if (isRefused && all.every((hits) => hits.length === 0)) throw [...refused.values()][0];
  const isWanted = await withoutPeople(parts, request, named.excluded, signal);
  const lists = all.map((hits) => hits.filter((hit) => isWanted(hit) && isQuiet(hit)));
  const fused = await inSteps(fuse(lists), () => pause(signal));
  return answered(parts, request, fused, { results, refused }, signal);
}

/** Words that names explain need not be understood in pictures. */
async function explainByNames(
  parts: MomentParts,
  { request, remainder, isOfPeople }: Named,
  picture: PictureSource | null,
  results: Map<MomentKind, KindFound>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [seen, name] = [results.get('seen'), results.get('name')];
  if (!seen || !name || isOfPeople) return;
  const namesOf = (words: string) => nameList(parts, request, words, signal);
  const seenOf = (query: string, within: Record<string, FrameRange[]>) =>
    seenList(parts, request, picture, query, within, signal);
  const both = await joinNames({ seen, name }, namesOf, seenOf, remainder);
  results.set('seen', both.seen).set('name', both.name);
}

interface Searched {
  readonly results: ReadonlyMap<MomentKind, KindFound>;
  readonly refused: ReadonlyMap<MomentKind, unknown>;
}

async function answered(
  parts: MomentParts,
  request: MomentsRequest,
  fused: readonly FusedMoment<Reason>[],
  { results, refused }: Searched,
  signal: AbortSignal | undefined,
): Promise<MomentsAnswer> {
  const ordered = await weakLast(fused, request, results.get('seen'));
  const ranking = request.max_per_media === undefined ? ordered : fewPerMedia(ordered, request.max_per_media);
  const { shown, gone, changed } = await located(parts, request, ranking, results, signal);
  const explained = request.explain ? await explain(shown, results.get('seen')) : shown;
  const not_understood = results.get('seen')?.not_understood;
  const counts = { seen: 0, said: 0, person: 0, written: 0, name: 0 };
  for (const { kinds } of fused) for (const kind of kinds) counts[kind]++;
  const weaker = [...results.values()].reduce((sum, result) => sum + (result.weaker ?? 0), 0);
  const notes = [
    ignoredFilters(request.metadata_filter_request?.filters),
    ...refusals(refused, request.kinds),
    ...[...results.values()].flatMap(({ notes }) => notes),
    ...(await mediaWarnings(parts, request, results, { gone, changed }, signal)),
  ];
  if (shown.length === 0 && !isExplained(notes)) notes.push(emptyNote(emptyReason(request, results, weaker)));
  return {
    moments: await described(parts, request.cache_dir, explained, signal),
    counts,
    ...(request.min_band && { weaker }),
    ...(not_understood && { not_understood }),
    ...notesAnswer(notes),
  };
}

function emptyReason(request: MomentsRequest, results: Found, weaker: number): EmptyReason {
  const kinds = momentKinds.filter((kind) => results.get(kind)?.isSearched);
  const { looked = 0, things = [] } = results.get('seen')?.empty ?? {};
  return { isLimited: isLimited(request), kinds, looked, things, weaker };
}

/** Other requests come in. Throws CANCELLED. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await eventLoopTurn();
  if (signal?.aborted) throw engineErrors.CANCELLED();
}

/** Throws SEVERAL_PICTURES, WHICH_MEDIA, NOTHING_ASKED, EXCLUDE_WITHOUT_QUERY, WRONG_PICTURE. */
function checkedPicture(request: MomentsRequest): PictureSource | null {
  const { query = '', exclude, kinds } = request;
  const picture = pictureOf(request);
  const hasQuery = query.trim() !== '';
  if (!hasQuery && exclude.length > 0)
    throw searchErrors.EXCLUDE_WITHOUT_QUERY('exclude needs a query', { field: 'exclude' });
  checkPicture(picture);
  const byPicture = picture !== null && (kinds === undefined || kinds.includes('seen'));
  if (hasQuery || byPicture) return picture;
  const what =
    picture === null
      ? 'query: give a query, a picture, or filters'
      : 'query: is required for these kinds; a picture finds pictures only';
  throw momentErrors.NOTHING_ASKED(what, { field: 'query' });
}

interface Named extends NamedInQuery {
  /** Why people could not be looked for; then the whole query is searched in pictures. */
  readonly refused?: unknown;
  /** The people as lists; null for nobody. */
  readonly personResult: KindFound | null;
  /** Without what `exclude` says of people. */
  readonly request: MomentsRequest;
}

async function namedIn(
  parts: MomentParts,
  request: MomentsRequest,
  kinds: readonly MomentKind[],
  signal: AbortSignal | undefined,
): Promise<Named> {
  const { cache_dir } = request;
  const query = request.query?.trim() ?? '';
  const nobody = {
    people: [],
    excluded: [],
    remainder: query,
    isOfPeople: false,
    personResult: null,
    request,
  };
  if (query === '' || !(kinds.includes('person') || kinds.includes('name'))) return nobody;
  try {
    const named = await peopleInQuery(parts, cache_dir, query, signal);
    const unwanted = await Promise.all(
      request.exclude.map((text) => peopleInQuery(parts, cache_dir, text, signal)),
    );
    const isSomebody = ({ people, remainder }: NamedInQuery) => people.length > 0 && remainder === '';
    const exclude = request.exclude.filter((_, i) => !isSomebody(unwanted[i]!));
    const excluded = [...named.excluded, ...unwanted.filter(isSomebody).flatMap(({ people }) => people)];
    const personResult =
      named.people.length > 0 ? await personLists(parts, request, named.people, signal) : null;
    return { ...named, excluded, personResult, request: { ...request, exclude } };
  } catch (error) {
    if (isMissing(error)) return { ...nobody, refused: error };
    throw error;
  }
}

async function find(
  parts: MomentParts,
  request: MomentsRequest,
  picture: PictureSource | null,
  kind: MomentKind,
  named: Named,
  signal: AbortSignal | undefined,
): Promise<KindFound> {
  const isAsked = request.kinds !== undefined;
  if (kind === 'said') return saidList(parts, request, isAsked, signal);
  if (kind === 'written') return writtenList(parts, request, isAsked, signal);
  if (kind === 'seen') {
    const isByScene = Object.keys(request.segments_to_frame_indices).length === 0;
    const within = named.isOfPeople ? rangesOfHits(named.personResult?.lists ?? [], isByScene) : undefined;
    return seenList(parts, request, picture, named.remainder, within, signal);
  }
  if (kind === 'name') {
    const others = await nameList(parts, request, nameText(named, request.query?.trim() ?? ''), signal);
    const isAlone = request.kinds?.includes('person') === false;
    if (named.personResult === null || !isAlone) return others;
    return { ...others, lists: [...asNames(named.personResult).lists, ...others.lists] };
  }
  if (named.refused !== undefined) throw named.refused;
  if (named.personResult !== null) return named.personResult;
  if (!isAsked) return { lists: [], notes: [], scope: { missing: [], unloaded: [], requested: new Map() } };
  throw momentErrors.NOBODY_NAMED('query: names none of the loaded people', { field: 'query' });
}

async function outcomeOf(work: Promise<KindFound>): Promise<Outcome> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return { refused: error };
    throw error;
  }
}

/** True if a needed part is missing; every other error fails the whole search. */
function isMissing(error: unknown): boolean {
  return [
    storeErrors.NOT_LOADED,
    visualModelErrors.MODELS_LOADING,
    visualModelErrors.NO_VISUAL_MODEL,
    searchErrors.SUMMARY_RUNNING,
    momentErrors.NOBODY_NAMED,
    momentErrors.NOTHING_READ,
  ].some((row) => row.is(error));
}

const refusal = {
  seen: 'PICTURES_NOT_SEARCHED',
  said: 'SPEECH_NOT_SEARCHED',
  person: 'PEOPLE_NOT_SEARCHED',
  written: 'TEXT_NOT_SEARCHED',
} as const;

/** A request without kinds gets no notes about missing clusterings or readings. */
function refusals(refused: ReadonlyMap<MomentKind, unknown>, request: MomentsRequest['kinds']): Note[] {
  return [...refused].flatMap(([kind, error]) => {
    if (kind === 'name' || ((kind === 'person' || kind === 'written') && request === undefined)) return [];
    const { code: reason, message } = toFields(error);
    return [note(refusal[kind], { reason, message })];
  });
}

type Found = ReadonlyMap<MomentKind, KindFound>;

async function mediaWarnings(
  { index }: MomentParts,
  { cache_dir }: MomentsRequest,
  results: Found,
  { gone, changed }: { readonly gone: readonly string[]; readonly changed: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<(Note | false)[]> {
  // Names are of files whether anything of them is loaded or not.
  const searched = [...results].flatMap(([kind, { scope }]) =>
    kind === 'name' && results.size > 1 ? [] : [scope],
  );
  const missing = [...new Set(searched.flatMap((scope) => scope.missing))];
  // Media that another kind covers are not reported: a silent film has no transcript.
  const [first, ...others] = searched.map(({ unloaded }) => unloaded);
  const unloaded = (first ?? []).filter((path) => others.every((list) => list.includes(path)));
  const damaged = [...new Set([...results.values()].flatMap(({ damaged = [] }) => damaged))];
  const broken =
    damaged.length === 0
      ? []
      : (await index.ask('find', { cache_dir, paths: [], hashes: damaged }, now(signal))).by_hash;
  const names = damaged.map((hash, i) => broken[i]?.path ?? hash);
  return [
    listNote('NOT_ANALYSED', missing),
    listNote('NOT_LOADED', unloaded),
    listNote('FILE_GONE', gone),
    listNote('FILE_CHANGED', changed),
    listNote('TRANSCRIPT_DAMAGED', names),
  ];
}

interface Place extends FusedMoment<Reason> {
  readonly hash_str: string;
}

/**
 * The first `limit` that can be shown; what was written anew since gives its place to the next. Each time
 * more is asked for, so that a library that was written anew costs a few questions.
 */
async function located(
  parts: MomentParts,
  { cache_dir, limit }: MomentsRequest,
  ranking: readonly FusedMoment<Reason>[],
  results: Found,
  signal: AbortSignal | undefined,
) {
  const paths =
    [...results.values()].find(({ scope }) => scope.requested.size > 0)?.scope.requested ?? new Map();
  const namedBy = ({ hash, start, end }: Place) => requestedPaths(paths, hash, [start, end]);
  const showable: ShownMatch<Place>[] = [];
  const [away, changed] = [new Set<string>(), new Set<string>()];
  for (let [at, most] = [0, limit]; at < ranking.length && showable.length < limit; most *= 2) {
    const some = ranking.slice(at, at + most).map((moment) => ({ ...moment, hash_str: moment.hash }));
    at += some.length;
    const locations = await locateMatches(parts, cache_dir, some, namedBy, now(signal));
    showable.push(...locations.shown);
    for (const path of locations.gone) away.add(path);
    for (const path of locations.changed) changed.add(path);
  }
  const shown = showable.slice(0, limit);
  const gone = new Set(shown.map(({ path }) => path).filter((path) => away.has(path)));
  return { shown, gone: [...gone], changed: [...changed] };
}

/** With how sure what is seen there is. */
async function explain(shown: readonly ShownMatch<Place>[], seen: KindFound | undefined) {
  const ranks = shown.flatMap(({ match }) => seenRanks(match));
  if (!seen?.explain || ranks.length === 0) return shown;
  const explanations = await seen.explain(ranks);
  const byRank = new Map(ranks.map((rank, i) => [rank, explanations[i]]));
  return shown.map(({ match, ...lies }) => {
    const reasons = match.reasons.map((reason): Reason => {
      const explanation = reason.kind === 'seen' ? byRank.get(reason.rank) : undefined;
      return reason.kind === 'seen' && explanation ? { ...reason, explanation } : reason;
    });
    return { match: { ...match, reasons }, ...lies };
  });
}

/** Moments in the form of the API: with the kind of the file, and no scene longer than it. */
async function described(
  { index }: MomentParts,
  cache_dir: string,
  shown: readonly ShownMatch<Place>[],
  signal: AbortSignal | undefined,
): Promise<Moment[]> {
  const hashes = [...new Set(shown.map(({ match }) => match.hash))];
  if (hashes.length === 0) return [];
  const { by_hash } = await index.ask('find', { cache_dir, paths: [], hashes }, now(signal));
  const records = new Map(hashes.map((hash, i) => [hash, by_hash[i]?.probe]));
  return shown.map(({ match: { hash, time, start, end, shot, reasons }, path, others }) => {
    const { kind = 'video', duration_seconds = 0 } = records.get(hash) ?? {};
    const whole = Math.max(1, Math.ceil(duration_seconds));
    const until = end === Number.POSITIVE_INFINITY ? whole : end;
    const last = kind === 'image' || duration_seconds === 0 ? until : Math.min(until, duration_seconds);
    return {
      moment_id: `${hash}@${Math.floor(time)}`,
      hash_str: hash,
      media_path: path,
      ...copiesIn({ others }),
      kind,
      time_seconds: time,
      start_seconds: start,
      end_seconds: Math.max(start, last),
      ...(shot && { shot }),
      reasons: [...reasons],
    };
  });
}
