// The names in a query: people, files, folders, lists and speakers, and people whom it excludes.

import { isStillName } from '../../decoder/media-names.ts';
import { hasWords, wordsOfName } from '../../index/text/name-words.ts';
import type { FrameRange, VisualScope } from '../../index/visual/contract.ts';
import { secondsWithin } from '../../index/visual/shots.ts';
import type { MomentLists } from '../../library/lists/contract.ts';
import { now, untilDone } from '../loaded-data.ts';
import { type Note, type NoteCode, note } from '../notes/contract.ts';
import { frameField, peopleFilter } from '../scope/contract.ts';
import { soundTerms, soundText, withoutSounds } from '../sounds/sounds.ts';
import { isSearchWord } from '../things/question.ts';
import { textVectors } from '../visual/query-vectors.ts';
import type { MomentsRequest, Reason } from './contract.ts';
import type { FusedMoment, ListHit } from './fuse.ts';
import {
  depthOf,
  type KindFound,
  type ListedPerson,
  leastNamed,
  type MomentParts,
  personLists,
  sceneAt,
  scenesBy,
  scopeOf,
} from './lists.ts';

export interface NamedInQuery {
  readonly people: readonly ListedPerson[];
  readonly excluded: readonly ListedPerson[];
  /** The query without the people. */
  readonly remainder: string;
  /** The rest is searched only where the people are seen. */
  readonly isOfPeople: boolean;
}

/**
 * The people of a query. A word that is a part of a name and also a word for what is seen, such as `Brown`,
 * names somebody only if the query consists of names; then it is searched in pictures, too. NOT_LOADED.
 */
export async function peopleInQuery(
  parts: MomentParts,
  cache_dir: string,
  query: string,
  signal: AbortSignal | undefined,
): Promise<NamedInQuery> {
  const ask = (whole_only: string[]) =>
    parts.people.within(
      { cache_dir },
      () => parts.index.ask('people_named', { cache_dir, text: query, whole_only }, now(signal)),
      signal,
    );
  const reading = await ask([]);
  const common = await wordsForPictures(parts, cache_dir, reading.parts, signal);
  const isAmbiguous = common.length > 0;
  if (isAmbiguous && reading.remainder === '') return { ...reading, remainder: query, isOfPeople: false };
  const sure = isAmbiguous ? await ask(common) : reading;
  return { ...sure, isOfPeople: sure.people.length > 0 && sure.remainder !== '' };
}

async function wordsForPictures(
  parts: MomentParts,
  cache_dir: string,
  words: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (words.length === 0) return [];
  const { model_key } = parts.models.state;
  const searchWords = new Set(words.filter(isSearchWord));
  if (model_key !== null && parts.visual.isLoaded({ cache_dir, model_key })) {
    await parts.models.open('texts', signal);
    const vectors = await textVectors(parts, model_key, words.join(', '), [], signal);
    for (const word of vectors.knownWords) searchWords.add(word);
  }
  return words.filter((word) => searchWords.has(word));
}

/** Half-open ranges of grid frames by hash. */
export type RangesByHash = Readonly<Record<string, FrameRange[]>>;

/** Where hits are: in their scenes, or exactly where they begin and end. */
export function rangesOfHits(
  lists: readonly (readonly ListHit<Reason>[])[],
  isByScene: boolean,
): Record<string, FrameRange[]> {
  return rangesByHash(
    lists.flat().flatMap(({ hash: hash_str, scene, start, end }) => {
      const frames: FrameRange =
        isByScene && scene !== null ? secondsWithin(...scene) : [Math.floor(start), Math.ceil(end)];
      return frames[0] < frames[1] ? [{ hash_str, frames }] : [];
    }),
  );
}

/** A test of hits: whether they lie outside of all scenes in which somebody excluded is seen. */
export async function withoutPeople(
  parts: MomentParts,
  request: MomentsRequest,
  excluded: readonly ListedPerson[],
  signal: AbortSignal | undefined,
): Promise<(hit: ListHit<Reason>) => boolean> {
  if (excluded.length === 0) return () => true;
  const everywhere = { ...request, limit: 5000, people_filter: [] };
  const { lists } = await personLists(parts, everywhere, excluded, signal);
  return outside(rangesOfHits(lists, true));
}

function outside(ranges: RangesByHash): (hit: ListHit<Reason>) => boolean {
  return ({ hash, path, time, start, end, isFile }) =>
    (isFile === true && !isStillName(path)) ||
    !(ranges[hash] ?? []).some(([from, to]) =>
      overlaps([from, to], [Math.min(time, start), Math.max(end, time + 1)]),
    );
}

/**
 * The request without the sounds that its query excludes, and a test of hits: whether they lie outside of all
 * ranges in which these are heard. The same request where nothing was listened to.
 */
export async function withoutHeard(
  { index }: MomentParts,
  request: MomentsRequest,
  signal: AbortSignal | undefined,
): Promise<{ readonly request: MomentsRequest; readonly isQuiet: (hit: ListHit<Reason>) => boolean }> {
  const everything = { request, isQuiet: () => true };
  const excluded = withoutSounds(request.query ?? '');
  if (excluded === null) return everything;
  const { cache_dir } = request;
  const scope = { hashes: null, ranges: {}, filters: [] };
  const soundSearches = await Promise.all(
    excluded.sounds.map((sound) => {
      const terms = [{ sound, negated: false }];
      const options = { cache_dir, scope, max_results: 1_000_000, terms };
      return untilDone(() => index.ask('find_sounds', options, now(signal)));
    }),
  );
  if (soundSearches.every(({ looked }) => looked === 0)) return everything;
  const frames = soundSearches.flatMap(({ matches }) =>
    matches.map(({ hash_str, start, end }) => ({ hash_str, frames: [start, end] as FrameRange })),
  );
  return { request: { ...request, query: excluded.remainder }, isQuiet: outside(rangesByHash(frames)) };
}

const overlaps = ([from, to]: readonly [number, number], [start, end]: readonly [number, number]) =>
  from < end && start < to;

/** People who are named, as reasons of the kind `name`. */
export function asNames(result: KindFound): KindFound {
  const lists = result.lists.map((hits) =>
    hits.map((hit): ListHit<Reason> => {
      const reason = (rank: number): Reason => {
        const original = hit.reason(rank);
        return original.kind === 'person'
          ? { kind: 'name', rank, of: 'person', name: original.name }
          : original;
      };
      return { ...hit, kind: 'name', reason };
    }),
  );
  return { ...result, lists };
}

/** The words of a query that names of files have to have: without the people whom it excludes. */
export function nameText({ people, excluded, remainder }: NamedInQuery, query: string): string {
  return excluded.length === 0 ? query : [...people.map(({ name }) => name), remainder].join(' ');
}

/** Notes that say how far the words of a query were understood. */
const aboutWords: readonly NoteCode[] = [
  'PARTLY_UNDERSTOOD',
  'NOT_UNDERSTOOD',
  'FOUND_ROUGHLY',
  'NOTHING_TO_LOOK_FOR',
];

interface SeenAndNamed {
  readonly seen: KindFound;
  readonly name: KindFound;
}

/**
 * Pictures and names of one query. Where names have all of its words, these are understood. Where only words
 * that no model understands name files, as in `Kakadu at sunset`, the others are searched in these files.
 */
export async function joinNames(
  { seen, name }: SeenAndNamed,
  named: (words: string) => Promise<KindFound>,
  seenOf: (query: string, within: Record<string, FrameRange[]>) => Promise<KindFound>,
  query: string,
): Promise<SeenAndNamed> {
  if (hasHits(name)) {
    const { not_understood: _, ...understood } = seen;
    const notes = seen.notes.flatMap((entry) => {
      if (entry === false || !aboutWords.includes(entry.code)) return [entry];
      return entry.code === 'NOT_UNDERSTOOD' ? excludedOf(entry, query) : [];
    });
    return { seen: { ...understood, notes }, name };
  }
  const unknown = new Set(seen.not_understood?.words.map((word) => word.toLowerCase()));
  const remainingQuery = query
    .replace(/[\p{L}\p{M}\p{N}-]+/gu, (word) => (unknown.has(word.toLowerCase()) ? '' : word))
    .trim();
  if (unknown.size === 0 || remainingQuery === '') return { seen, name };
  const files = await named([...unknown].join(' '));
  if (!hasHits(files)) return { seen, name };
  const within = rangesByHash(
    files.lists.flat().map(({ hash: hash_str, isFile, start, end }) => ({
      hash_str,
      frames: isFile ? [0, lastFrame] : [Math.floor(start), Math.ceil(end)],
    })),
  );
  const inFiles = await seenOf(remainingQuery, within);
  return { seen: inFiles, name: inOrderOf(files, inFiles) };
}

/** The note without the words of the query: those that are left are excluded. None where there are none. */
function excludedOf({ values }: Note, query: string): Note[] {
  const { names: all = [], model_key = '', commands = [] } = values;
  const names = all.filter((word) => !query.toLowerCase().includes(word.toLowerCase()));
  return names.length === 0
    ? []
    : [note('NOT_UNDERSTOOD', { names, count: names.length, model_key, commands })];
}

/** Names of files say nothing of the other words, so files come in the order of what is seen in them. */
function inOrderOf(files: KindFound, { lists: [seen = []] }: KindFound): KindFound {
  const ranks = new Map(seen.toReversed().map(({ hash }, i) => [hash, seen.length - i]));
  const rankOf = ({ hash }: ListHit<Reason>) => ranks.get(hash) ?? seen.length + 1;
  return { ...files, lists: files.lists.map((hits) => hits.toSorted((a, b) => rankOf(a) - rankOf(b))) };
}

const lastFrame = 2 ** 31;
const hasHits = ({ lists }: KindFound) => lists.some((hits) => hits.length > 0);

/** Files, folders, speakers, lists and sounds whose names have all words of a text, as a list each. */
export async function nameList(
  parts: MomentParts,
  request: MomentsRequest,
  text: string,
  signal: AbortSignal | undefined,
): Promise<KindFound> {
  const { index, people, transcripts } = parts;
  const { cache_dir } = request;
  const only = peopleFilter(request);
  await transcripts.settled({ cache_dir }, signal);
  const hasSpeech = transcripts.isLoaded({ cache_dir });
  const find = async (): Promise<KindFound> => {
    const searched = { model_key: null, stored: true, field: frameField };
    const { scope, ...scopeReport } = await scopeOf(parts, request, searched, signal);
    const query = { cache_dir, text, scope, ...only, max_results: depthOf(request, leastNamed) };
    const speakers = () => index.ask('speakers_named', query, now(signal));
    const terms = soundTerms(text);
    const [media, spoken, items, sounds] = await Promise.all([
      index.ask('media_named', query, now(signal)),
      hasSpeech ? transcripts.within({ cache_dir }, speakers, signal) : { matches: [] },
      itemsOfLists(parts, request, text, scope, signal),
      terms ? untilDone(() => index.ask('find_sounds', { ...query, terms }, now(signal))) : { matches: [] },
    ]);
    const hashes = [...spoken.matches, ...items, ...sounds.matches].map(({ hash_str }) => hash_str);
    const scenes = await scenesBy(parts, cache_dir, [...new Set(hashes)], signal);
    const placed = (
      hash: string,
      path: string,
      start: number,
      end: number,
      named: Named,
    ): ListHit<Reason> => ({
      ...{ kind: 'name', hash, path, time: start, start, end },
      ...sceneAt(scenes.get(hash), start),
      reason: (rank) => ({ kind: 'name', rank, ...named }),
    });
    const files = media.matches.map(({ hash_str, path, frames, ...named }): ListHit<Reason> => {
      const [start, end] = frames ?? [0, Number.POSITIVE_INFINITY];
      return {
        ...placed(hash_str, path, start, end, named),
        ...{ scene: null, shot: undefined },
        ...(frames === null && { isFile: true }),
      };
    });
    const speaking = spoken.matches.map(({ hash_str, path, start_seconds, end_seconds, speaker_name = '' }) =>
      placed(hash_str, path, start_seconds, end_seconds, { of: 'speaker', name: speaker_name ?? '' }),
    );
    const listed = items.map(({ hash_str, media_path, start_seconds, end_seconds, list }) =>
      placed(hash_str, media_path, start_seconds, end_seconds, { of: 'list', name: list }),
    );
    const sounding = sounds.matches.map(({ hash_str, path, start, end }) =>
      placed(hash_str, path, start, end, { of: 'sound', name: soundText(terms ?? []) }),
    );
    return { lists: [files, speaking, listed, sounding], notes: [], scope: scopeReport };
  };
  return only.people ? people.within({ cache_dir }, find, signal) : find();
}

type Named = Pick<Extract<Reason, { readonly kind: 'name' }>, 'of' | 'name'>;

/** Lists whose items are looked at. */
const mostLists = 20;

interface ListedMoment {
  readonly hash_str: string;
  readonly media_path: string;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly list: string;
}

/** The moments of the lists with these names that are in the folder and in scope. */
async function itemsOfLists(
  { index, lists }: MomentParts,
  request: MomentsRequest,
  text: string,
  scope: VisualScope,
  signal: AbortSignal | undefined,
): Promise<ListedMoment[]> {
  const words = wordsOfName(text);
  if (lists === undefined || words.length === 0) return [];
  const items = await itemsNamed(lists, words, signal ?? new AbortController().signal);
  if (items.length === 0) return [];
  const { cache_dir } = request;
  const names = items.map(({ hash_str, media_path }) => hash_str ?? media_path);
  const question = { cache_dir, model_key: null, stored: true, names, filters: [] };
  const { hashes } = await index.ask('resolve', question, now(signal));
  const { filters } = scope;
  const { passing } =
    filters.length === 0
      ? { passing: null }
      : await index.ask(
          'passing',
          { cache_dir, names: hashes.map((hash) => hash ?? ''), filters },
          now(signal),
        );
  const { people } = peopleFilter(request);
  const shown =
    people &&
    rangesByHash(
      (
        await index.ask(
          'seen_in_scenes',
          { cache_dir, model_key: null, person: people, scope, max_results: 10_000 },
          now(signal),
        )
      ).matches,
    );
  return items.flatMap((item, i) => {
    const hash_str = hashes[i] ?? null;
    if (hash_str === null || passing?.[i] === false || scope.hashes?.includes(hash_str) === false) return [];
    const isIn = (ranges: RangesByHash) =>
      (ranges[hash_str] ?? []).some((range) => overlaps(range, [item.start_seconds, item.end_seconds]));
    if (Object.hasOwn(scope.ranges, hash_str) && !isIn(scope.ranges)) return [];
    return shown && !isIn(shown) ? [] : [{ ...item, hash_str }];
  });
}

async function itemsNamed(
  lists: Pick<MomentLists, 'list' | 'get'>,
  words: readonly string[],
  signal: AbortSignal,
) {
  const overview = await lists.list(signal);
  const named = overview.lists.filter(({ name }) => hasWords(name, words)).slice(0, mostLists);
  const all = await Promise.all(named.map(({ list_id }) => lists.get(list_id, signal)));
  return all.flatMap(({ name, items }) =>
    items.map(({ media_path, hash_str, start_seconds, end_seconds }) => ({
      ...{ media_path, hash_str, start_seconds, end_seconds, list: name },
    })),
  );
}

function rangesByHash(matches: readonly { readonly hash_str: string; readonly frames: FrameRange }[]) {
  const byHash = [...Map.groupBy(matches, ({ hash_str }) => hash_str)];
  return Object.fromEntries(byHash.map(([hash, places]) => [hash, places.map(({ frames }) => frames)]));
}

/** Where something is found by a name, what is only weak comes after everything else. */
export async function weakLast(
  fused: readonly FusedMoment<Reason>[],
  { min_band = 'weak' }: MomentsRequest,
  seen: KindFound | undefined,
): Promise<readonly FusedMoment<Reason>[]> {
  const isNamed = fused.some(({ kinds }) => kinds.has('name') || kinds.has('person'));
  if (!isNamed || min_band !== 'weak') return fused;
  const ranks = fused.flatMap(seenRanks);
  const explanations = ranks.length > 0 ? await seen?.explain?.(ranks) : undefined;
  const bands = new Map(ranks.map((rank, i) => [rank, explanations?.[i]?.band]));
  const isWeak = (reason: Reason) =>
    (reason.kind === 'seen' && bands.get(reason.rank) === 'weak') ||
    (reason.kind === 'written' && reason.band === 'weak');
  const { sure = [], weak = [] } = Object.groupBy(fused, ({ reasons }) =>
    reasons.length > 0 && reasons.every(isWeak) ? 'weak' : 'sure',
  );
  return [...sure, ...weak];
}

/** Ranks of a moment in the list of what is seen. */
export function seenRanks({ reasons }: Pick<FusedMoment<Reason>, 'reasons'>): number[] {
  return reasons.flatMap((reason) => (reason.kind === 'seen' ? [reason.rank] : []));
}
