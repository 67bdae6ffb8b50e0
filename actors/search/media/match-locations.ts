// Where the media of an answer lies now. The same content may be known under several paths; some may be gone,
// and at others something else may lie by now.
import type { AskOptions } from '../../../runtime/ref.ts';
import { sideBySide } from '../../../runtime/sync/shared-work.ts';
import { isSame, markOf } from '../../index/store/content-name.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import type { LocationParts } from './location.ts';

interface LocatedMatch {
  readonly hash_str: string;
  readonly path: string;
}

export interface ShownMatch<M> {
  readonly match: M;
  /** To show. */
  readonly path: string;
  /** Other paths at which the content lies now, ascending. */
  readonly others: readonly string[];
}

/** The field that names copies, where there are some. */
export function copiesIn({ others }: Pick<ShownMatch<unknown>, 'others'>): { other_paths?: string[] } {
  return others.length > 0 ? { other_paths: [...others] } : {};
}

interface MatchLocations<M> {
  readonly shown: readonly ShownMatch<M>[];
  /** Paths of which no copy is there any more: shown all the same, the drive may be away. */
  readonly gone: readonly string[];
  /**
   * Paths at which another content lies since the analysis, and no copy of the analysed one is known: not
   * shown.
   */
  readonly changed: readonly string[];
}

/**
 * Files of one answer that are read to tell whether only their time changed; what is beyond counts as the
 * same.
 */
const MOST_READ = 32;
const TOGETHER = 4;
/** Paths of one content that are looked at. */
const MOST_COPIES = 32;

/** `replaced`: another content is known at the path by now. */
type State = 'there' | 'gone' | 'changed' | 'replaced';

interface Found {
  readonly path: string;
  readonly state: State;
}

/**
 * A path the caller named wins, then the last one known, then another at which the content lies. `askedOf`:
 * the paths named, of which the first that is there is answered.
 */
export async function locateMatches<M extends LocatedMatch>(
  parts: LocationParts,
  cache_dir: string,
  matches: readonly M[],
  askedOf: (match: M) => readonly string[],
  call: AskOptions,
): Promise<MatchLocations<M>> {
  if (matches.length === 0) return { shown: [], gone: [], changed: [] };
  const keyOf = (match: M) => [match.hash_str, ...askedOf(match)].join('\0');
  const firsts = new Map(matches.map((match) => [keyOf(match), match]));
  const hashes = [...new Set(matches.map(({ hash_str }) => hash_str))];
  const likely = [...firsts.values()].flatMap((match) => [...askedOf(match), match.path]);
  const { contents, records } = await parts.index.ask('places', { cache_dir, hashes, paths: likely }, call);
  const byHash = new Map(hashes.map((hash, i) => [hash, contents[i]!]));
  const statesOf = lookAt(parts, cache_dir, new Map(records), call);
  const lookups = [...firsts].flatMap(([key, match]) => {
    const { hash_str: hash, path } = match;
    const named = askedOf(match);
    const candidates = named.length > 0 ? named : [byHash.get(hash)!.last ?? path];
    return candidates.map((path) => ({ key, hash, path, isNamed: named.length > 0 }));
  });
  const looked = await statesOf(lookups);
  const placesByKey = new Map<string, Found>();
  const bestLookups: typeof lookups = [];
  for (const [key, candidates] of Map.groupBy(lookups.keys(), (i) => lookups[i]!.key)) {
    const at = candidates.find((i) => looked[i] === 'there') ?? candidates[0]!;
    placesByKey.set(key, { path: lookups[at]!.path, state: looked[at]! });
    bestLookups.push(lookups[at]!);
  }
  // If a requested file was replaced, a copy elsewhere is not what was requested.
  const moved = bestLookups.filter(({ key, isNamed }) => {
    const { state } = placesByKey.get(key)!;
    return state === 'gone' || (state !== 'there' && !isNamed);
  });
  const knownCopies = [...Map.groupBy(bestLookups, ({ hash }) => hash)].flatMap(([hash, group]) => {
    const { paths } = byHash.get(hash)!;
    const isOne = group.every(({ path }) => paths.every((otherPath) => otherPath === path));
    return isOne ? [] : paths.slice(0, MOST_COPIES).map((path) => ({ hash, path }));
  });
  const states = await statesOf(knownCopies);
  const copies = Map.groupBy(
    knownCopies.filter((_, i) => states[i] === 'there'),
    ({ hash }) => hash,
  );
  const copiesBeside = (hash: string, path: string) =>
    (copies.get(hash) ?? []).map((copy) => copy.path).filter((otherPath) => otherPath !== path);
  for (const { key, hash, path } of moved) {
    const [copyPath] = copiesBeside(hash, path);
    if (copyPath !== undefined) placesByKey.set(key, { path: copyPath, state: 'there' });
  }
  const inState = (expected: State) => [
    ...new Set([...placesByKey.values()].filter(({ state }) => state === expected).map(({ path }) => path)),
  ];
  const shown = matches.flatMap((match) => {
    const { path, state } = placesByKey.get(keyOf(match))!;
    if (state !== 'there' && state !== 'gone') return [];
    return [{ match, path, others: copiesBeside(match.hash_str, path) }];
  });
  return { shown, gone: inState('gone'), changed: inState('changed') };
}

/** Looks at the files of one answer; `records` are those of their paths. */
function lookAt(
  { identities }: LocationParts,
  cache_dir: string,
  records: ReadonlyMap<string, MediaRecord | null>,
  call: AskOptions,
) {
  let filesRead = 0;
  const stateOf = async (hash: string, path: string): Promise<State> => {
    const mark = await markOf(path);
    if (mark === null) return 'gone';
    const record = records.get(path) ?? null;
    // Not known at this path: its record is damaged, or it was found there by its content.
    if (record === null) return 'there';
    if (record.identity.hash_str !== hash) return 'replaced';
    if (isSame(record.identity, mark)) return 'there';
    if (record.identity.size_bytes !== mark.size_bytes) return 'changed';
    if (filesRead++ >= MOST_READ) return 'there';
    const now = await identities.find(cache_dir, path, mark, call);
    return now?.identity.hash_str === hash ? 'there' : 'changed';
  };
  return async (places: readonly { readonly hash: string; readonly path: string }[]): Promise<State[]> => {
    const states: State[] = places.map(() => 'there');
    await sideBySide(places.entries(), TOGETHER, call.signal, async ([i, { hash, path }]) => {
      states[i] = await stateOf(hash, path);
    });
    return states;
  };
}

// The best matches that can be shown: what has to be left out, because another content lies at its path by
// now, gives its place to the next best.

/** Times more is asked for; each time more than twice as much. */
const MOST_ROUNDS = 3;

interface FoundMatches<M> {
  readonly matches: readonly M[];
}

/** `find` answers at most so many; `first` takes the best of those that can be shown. */
export async function shownMatches<M extends LocatedMatch, F extends FoundMatches<M>, L>(
  find: (max: number) => Promise<F>,
  locate: (result: F) => Promise<MatchLocations<M> & L>,
  max: number,
  first: (shown: readonly ShownMatch<M>[], max: number) => readonly ShownMatch<M>[],
) {
  for (let [most, round] = [max, 1]; ; round++) {
    const result = await find(most);
    const locations = await locate(result);
    const lost = result.matches.length - locations.shown.length;
    if (lost === 0 || result.matches.length < most || round === MOST_ROUNDS) {
      const shown = first(locations.shown, max);
      const paths = new Set(shown.map(({ path }) => path));
      const gone = locations.gone.filter((path) => paths.has(path));
      return { result, locations: { ...locations, gone }, lost, shown };
    }
    most = 2 * (most + lost);
  }
}
