// What the index answers about people whom a question names.

import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { joinRanges } from '../../../runtime/join-ranges.ts';
import { checkSearchFilters, type FilterParts, passingHashes } from '../facets/scope.ts';
import type { FrameRanges } from '../people/moments.ts';
import type { PeopleIndex } from '../people/people-index.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import { scenesOf } from '../visual/scene-lists.ts';
import type { VisualIndex } from '../visual/visual-index.ts';
import type { appearanceMessages } from './contract.ts';
import { appearancesInScenes, framesInBoth } from './in-scenes.ts';

export interface AppearanceParts extends FilterParts {
  readonly people: PeopleIndex;
  readonly visual: VisualIndex;
}

type AppearanceContract = Contract<typeof appearanceMessages>;
type SeenRequest = Request<AppearanceContract, 'seen_in_scenes'>;

export function appearanceHandlers(parts: AppearanceParts): Handlers<AppearanceContract> {
  const { folders, people } = parts;
  return {
    people_named: ({ cache_dir, text }) => folders.with(cache_dir, (store) => people.namedIn(store, text)),
    seen_in_scenes: (request, turn) => seenInScenes(parts, request, () => turn.throwIfCancelled()),
  };
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
