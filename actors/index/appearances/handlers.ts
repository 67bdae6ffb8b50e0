// What the index answers about people whom a question names, and about all who have a name.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { joinRanges } from '../../../runtime/ranges.ts';
import { checkSearchFilters, passingHashes } from '../facets/scope.ts';
import type { StoredClusters } from '../people/cluster-columns.ts';
import { idText } from '../people/entry-id.ts';
import type { FrameRanges } from '../people/moments.ts';
import type { PeopleIndex } from '../people/people-index.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import { storedFaces } from '../things/stored-shots.ts';
import { scenesOf } from '../visual/scene-lists.ts';
import type { appearanceMessages } from './contract.ts';
import { appearancesInScenes, common } from './scenes.ts';
import { type SelectedParts, selected } from './selected.ts';

export interface AppearanceParts extends SelectedParts {
  readonly people: PeopleIndex;
}

type AppearanceContract = Contract<typeof appearanceMessages>;
type SeenRequest = Request<AppearanceContract, 'seen_in_scenes'>;

export function appearanceHandlers(parts: AppearanceParts): Handlers<AppearanceContract> {
  const { folders, people } = parts;
  return {
    named_faces: ({ cache_dir, hashes }, turn) =>
      folders.with(cache_dir, (store) => namedFaces(store, hashes, () => turn.throwIfCancelled())),
    people_named: ({ cache_dir, text }) => folders.with(cache_dir, (store) => people.namedIn(store, text)),
    seen_in_scenes: (request, turn) => seenInScenes(parts, request, () => turn.throwIfCancelled()),
    selected: ({ cache_dir, ...request }, turn) =>
      parts.folders.with(cache_dir, (store) =>
        selected(parts, store, request, () => turn.throwIfCancelled()),
      ),
  };
}

function namedFaces(
  store: Store,
  hashes: readonly string[],
  pause: () => void,
): Reply<AppearanceContract, 'named_faces'> {
  const unreadable: string[] = [];
  // By content: names of each face, by its id.
  const names = hashes.map(() => new Map<string, Set<string>>());
  for (const clustering of store.people.clusterings()) {
    pause();
    const stored = readable(
      () => store.people.readClusters(clustering),
      () => unreadable.push(clustering),
    );
    if (stored) addNames(names, stored, hashes);
  }
  return { people: hashes.map((hash, at) => peopleOf(storedFaces(store, hash), names[at]!)), unreadable };
}

function addNames(
  names: readonly Map<string, Set<string>>[],
  { hashes: all, names: ofClusters, ids, media, clusters }: StoredClusters,
  hashes: readonly string[],
): void {
  const places = new Map(hashes.map((hash, at) => [hash, at]));
  const wanted = Int32Array.from(all, (hash) => places.get(hash) ?? -1);
  for (let at = 0; at < media.length; at++) {
    const place = wanted[media[at]!]!;
    const name = place < 0 ? '' : (ofClusters[clusters[at]!] ?? '');
    if (name === '') continue;
    const id = idText(ids, at);
    const own = names[place]!.get(id);
    if (own) own.add(name);
    else names[place]!.set(id, new Set([name]));
  }
}

type NamedFaces = Reply<AppearanceContract, 'named_faces'>['people'][number];

/** What two models found of one face is one face. */
function peopleOf(
  faces: ReturnType<typeof storedFaces>,
  names: ReadonlyMap<string, Set<string>>,
): NamedFaces {
  const found = new Map<string, NamedFaces[number]['faces']>();
  const seen = new Set<string>();
  for (const { id, frame, box } of faces) {
    if (seen.has(id)) continue;
    seen.add(id);
    for (const name of names.get(id) ?? []) {
      const own = found.get(name);
      if (own) own.push({ frame, box });
      else found.set(name, [{ frame, box }]);
    }
  }
  return [...found]
    .map(([name, own]) => ({ name, faces: own.toSorted((a, b) => a.frame - b.frame) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function seenInScenes(
  parts: AppearanceParts,
  request: SeenRequest,
  pause: () => void,
): Promise<Reply<AppearanceContract, 'seen_in_scenes'>> {
  const { cache_dir, person, people: filter, scope } = request;
  const { frames, filters } = await parts.folders.with(cache_dir, (store) => {
    const only = filter === undefined ? null : parts.people.seen(store, filter).ranges;
    const filters = checkSearchFilters(scope.filters, parts.tables.known(store, scope.filters));
    return { frames: framesInBoth(parts.people.seen(store, person).ranges, only), filters };
  });
  const unfiltered = { cache_dir, hashes: scope.hashes, filters };
  const passing = await passingHashes(parts, unfiltered, () => [...frames.keys()], pause);
  const within = framesInBoth(frames, rangesOf(frames, passing && new Set(passing), scope.ranges));
  return parts.folders.with(cache_dir, (store) => best(parts, store, request, within, pause));
}

/** What the scope leaves of these contents. */
function rangesOf(
  frames: FrameRanges,
  hashes: ReadonlySet<string> | null,
  ranges: SeenRequest['scope']['ranges'],
): FrameRanges {
  const left = new Map<string, Uint32Array>();
  for (const hash of frames.keys()) {
    if (hashes?.has(hash) === false) continue;
    const own = Object.hasOwn(ranges, hash) ? joinRanges(ranges[hash]!).flat() : [0, 2 ** 32 - 1];
    left.set(hash, Uint32Array.from(own));
  }
  return left;
}

function best(
  { visual }: AppearanceParts,
  store: Store,
  { model_key, max_results }: SeenRequest,
  frames: FrameRanges,
  pause: () => void,
): Reply<AppearanceContract, 'seen_in_scenes'> {
  const hashes = [...frames.keys()].sort();
  const { found } = scenesOf(store, visual, model_key, hashes, pause);
  const scenes = new Map(hashes.map((hash, i) => [hash, found[i]?.scenes ?? null]));
  const appearances = appearancesInScenes(frames, hashes, (hash) => scenes.get(hash) ?? null);
  const paths = new Map<string, string>();
  const pathOf = (hash: string): string => {
    const path = paths.get(hash) ?? readable(() => store.media.pathOf(hash)) ?? '';
    paths.set(hash, path);
    return path;
  };
  const matches = appearances.slice(0, max_results).map(({ hash, start, end, scene }) => ({
    hash_str: hash,
    path: pathOf(hash),
    frames: [start, end] as [number, number],
    scene: scene && ([...scene] as [number, number]),
  }));
  // A folder that was emptied since they were clustered knows no path.
  return { matches: matches.filter(({ path }) => path !== '') };
}

/** The frames in both; `only` null: all of `ranges`. */
function framesInBoth(ranges: FrameRanges, only: FrameRanges | null): FrameRanges {
  if (only === null) return ranges;
  const both = new Map<string, Uint32Array>();
  for (const [hash, own] of ranges) {
    const other = only.get(hash);
    if (other !== undefined) both.set(hash, common(own, other));
  }
  return both;
}
