// Where the media of an answer lies now. The same content may be known under several paths; some may be gone,
// and at others something else may lie by now.
import type { CallOptions } from '../../../runtime/ref.ts';
import { sideBySide } from '../../../runtime/sync/shared-work.ts';
import { isSame, markOf } from '../../index/store/content-name.ts';
import { type MediaRecord, storeErrors } from '../../index/store/contract.ts';
import type { LocationParts } from './location.ts';

/** A match in a media, and where that was when it was loaded. */
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
  /** The matches that can be shown. */
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
  call: CallOptions,
): Promise<MatchLocations<M>> {
  const keyOf = (match: M) => [match.hash_str, ...askedOf(match)].join('\0');
  const firsts = new Map(matches.map((match) => [keyOf(match), match]));
  const look = new PathLook(parts, cache_dir, call);
  const hashes = [...new Set(matches.map(({ hash_str }) => hash_str))];
  if (hashes.length === 0) return { shown: [], gone: [], changed: [] };
  const [last, { paths }] = await Promise.all([
    // The same message fetches the records that are needed later.
    look.lastPaths(
      hashes,
      [...firsts.values()].flatMap((match) => [...askedOf(match), match.path]),
    ),
    parts.index.ask('paths', { cache_dir, hashes }, call),
  ]);
  const asked = [...firsts].flatMap(([key, match]) => {
    const { hash_str: hash, path } = match;
    const named = askedOf(match);
    const candidates = named.length > 0 ? named : [last.get(hash) ?? path];
    return candidates.map((path) => ({ key, hash, path, isNamed: named.length > 0 }));
  });
  const looked = await look.states(asked);
  const found = new Map<string, Found>();
  const rest: typeof asked = [];
  for (const [key, candidates] of Map.groupBy(asked.keys(), (i) => asked[i]!.key)) {
    const at = candidates.find((i) => looked[i] === 'there') ?? candidates[0]!;
    found.set(key, { path: asked[at]!.path, state: looked[at]! });
    rest.push(asked[at]!);
  }
  // If a requested file was replaced, a copy elsewhere is not what was requested.
  const moved = rest.filter(({ key, isNamed }) => {
    const { state } = found.get(key)!;
    return state === 'gone' || (state !== 'there' && !isNamed);
  });
  const copies = await copiesOf(look, rest, new Map(hashes.map((hash, i) => [hash, paths[i]!])));
  for (const { key, hash, path } of moved) {
    const other = copies.get(hash)?.find((one) => one !== path);
    if (other !== undefined) found.set(key, { path: other, state: 'there' });
  }
  const inState = (expected: State) => [
    ...new Set([...found.values()].filter(({ state }) => state === expected).map(({ path }) => path)),
  ];
  const shown = matches.flatMap((match) => {
    const { path, state } = found.get(keyOf(match))!;
    if (state !== 'there' && state !== 'gone') return [];
    return [{ match, path, others: (copies.get(match.hash_str) ?? []).filter((one) => one !== path) }];
  });
  return { shown, gone: inState('gone'), changed: inState('changed') };
}

interface Candidate {
  readonly key: string;
  readonly hash: string;
  readonly path: string;
}

/**
 * Paths of each content by hash, ascending; empty for one that was only seen at the requested path. `paths`:
 * by hash, those at which it was seen.
 */
async function copiesOf(
  look: PathLook,
  candidates: readonly Candidate[],
  paths: ReadonlyMap<string, readonly string[]>,
): Promise<Map<string, string[]>> {
  const byHash = Map.groupBy(candidates, ({ hash }) => hash);
  const known = [...byHash].flatMap(([hash, own]) => {
    const seen = paths.get(hash)!;
    const isOne = own.every(({ path }) => seen.every((other) => other === path));
    return isOne ? [] : seen.slice(0, MOST_COPIES).map((path) => ({ hash, path }));
  });
  const states = await look.states(known);
  const there = known.filter((_, i) => states[i] === 'there');
  return new Map(
    [...Map.groupBy(there, ({ hash }) => hash)].map(([hash, own]) => [hash, own.map(({ path }) => path)]),
  );
}

/** Looks at paths for one answer. */
class PathLook {
  readonly #parts: LocationParts;
  readonly #cacheDir: string;
  readonly #call: CallOptions;
  /** Records by path. */
  readonly #records = new Map<string, MediaRecord | null>();
  #read = 0;

  constructor(parts: LocationParts, cacheDir: string, call: CallOptions) {
    this.#parts = parts;
    this.#cacheDir = cacheDir;
    this.#call = call;
  }

  /** Last path of each content by hash. */
  async lastPaths(hashes: string[], likely: readonly string[]): Promise<Map<string, string>> {
    const records = await this.#find(likely, hashes);
    return new Map(records.flatMap((record, i) => (record ? [[hashes[i]!, record.path]] : [])));
  }

  /** State of each content at its path. */
  async states(candidates: readonly Pick<Candidate, 'hash' | 'path'>[]): Promise<State[]> {
    await this.#find(
      candidates.map(({ path }) => path),
      [],
    );
    const states: State[] = candidates.map(() => 'there');
    await sideBySide(candidates.entries(), TOGETHER, this.#call.signal, async ([i, { hash, path }]) => {
      states[i] = await this.#state(hash, path);
    });
    return states;
  }

  async #state(hash: string, path: string): Promise<State> {
    const mark = await markOf(path);
    if (mark === null) return 'gone';
    const record = this.#records.get(path) ?? null;
    // Not known at this path: its record is damaged, or it was found there by its content.
    if (record === null) return 'there';
    if (record.identity.hash_str !== hash) return 'replaced';
    if (isSame(record.identity, mark)) return 'there';
    if (record.identity.size_bytes !== mark.size_bytes) return 'changed';
    if (this.#read++ >= MOST_READ) return 'there';
    const now = await this.#parts.identities.find(this.#cacheDir, path, mark, this.#call);
    return now?.identity.hash_str === hash ? 'there' : 'changed';
  }

  /** Asks what was remembered of the paths that are not known yet; answers the records of the hashes. */
  async #find(paths: readonly string[], hashes: string[]): Promise<(MediaRecord | null)[]> {
    const unknown = [...new Set(paths)].filter((path) => !this.#records.has(path));
    if (unknown.length + hashes.length === 0) return [];
    const request = { cache_dir: this.#cacheDir, paths: unknown, hashes };
    const { by_path, by_hash } = await this.#parts.index.ask('find', request, this.#call).catch((error) => {
      if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
      // One of the records is damaged: then the paths of the matches themselves have to do.
      return { by_path: [], by_hash: [] };
    });
    for (const [i, path] of unknown.entries()) this.#records.set(path, by_path[i] ?? null);
    return by_hash;
  }
}

// The best matches that can be shown: what has to be left out, because another content lies at its path by
// now, gives its place to the next best.

/** Times more is asked for; each time more than twice as much. */
const MOST_ROUNDS = 3;

export interface FoundMatches<M> {
  readonly matches: readonly M[];
}

/** `find` answers at most so many; `first` takes the best of those that can be shown. */
export async function shownMatches<M extends LocatedMatch, F extends FoundMatches<M>, L>(
  find: (max: number) => Promise<F>,
  locate: (found: F) => Promise<MatchLocations<M> & L>,
  max: number,
  first: (shown: readonly ShownMatch<M>[], max: number) => readonly ShownMatch<M>[],
) {
  for (let [most, round] = [max, 1]; ; round++) {
    const found = await find(most);
    const locations = await locate(found);
    const lost = found.matches.length - locations.shown.length;
    if (lost === 0 || found.matches.length < most || round === MOST_ROUNDS) {
      const shown = first(locations.shown, max);
      const paths = new Set(shown.map(({ path }) => path));
      const gone = locations.gone.filter((path) => paths.has(path));
      return { found, locations: { ...locations, gone }, lost, shown };
    }
    most = 2 * (most + lost);
  }
}
