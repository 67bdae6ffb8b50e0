// What the index answers about things.

import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { joinRanges } from '../../../runtime/join-ranges.ts';
import type { Track } from '../../things/tracks.ts';
import { checkSearchFilters, type FilterParts, passingHashes } from '../facets/scope.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { RankedMatch } from '../visual/contract.ts';
import { scenesOf } from '../visual/scene-lists.ts';
import type { VisualIndex } from '../visual/visual-index.ts';
import type { thingMessages } from './contract.ts';
import { type Moment, momentsOf, seenAt } from './find.ts';
import { storedShots } from './stored-shots.ts';

type ThingContract = Contract<typeof thingMessages>;
type FindRequest = Request<ThingContract, 'find_things'>;

export interface ThingParts extends FilterParts {
  readonly visual: VisualIndex;
}

export function thingHandlers(parts: ThingParts): Handlers<ThingContract> {
  const { folders } = parts;
  return {
    things_stored: ({ cache_dir, hashes }) =>
      folders.with(cache_dir, (store) => ({
        stored: hashes.map((hash) =>
          readable(() => {
            const stored = store.things.of(hash);
            return stored && { ...stored, tracks: stored.tracks.length };
          }),
        ),
      })),
    store_things: ({ cache_dir, media, ...things }) =>
      folders.with(cache_dir, (store) => {
        store.things.store(media, things);
        return {};
      }),
    things_of: ({ cache_dir, hash_str }) =>
      folders.with(cache_dir, (store) => {
        const stored = store.things.of(hash_str);
        const { model_key = null, from_previews = false, tracks = [] } = stored ?? {};
        const shots = storedShots(store, hash_str, tracks);
        return {
          model_key,
          from_previews,
          tracks: [...tracks],
          shots: shots.map(({ size, start, end }) => ({ size, start, end })),
        };
      }),
    things_at: ({ cache_dir, terms, frames }, turn) =>
      folders.with(cache_dir, (store) => {
        const tracks = new Map<string, readonly Track[]>();
        const seen = frames.map(({ hash_str, frame_index }) => {
          turn.throwIfCancelled();
          const own = tracks.get(hash_str) ?? readable(() => store.things.tracks(hash_str)) ?? [];
          tracks.set(hash_str, own);
          return seenAt(own, terms, frame_index);
        });
        return { seen };
      }),
    find_things: (request, turn) => find(parts, request, () => turn.throwIfCancelled()),
  };
}

async function find(
  parts: ThingParts,
  request: FindRequest,
  pause: () => void,
): Promise<Reply<ThingContract, 'find_things'>> {
  const { cache_dir, scope } = request;
  const { filters, known } = await parts.folders.with(cache_dir, (store) => ({
    filters: checkSearchFilters(scope.filters, parts.tables.known(store, scope.filters)),
    known: store.things.hashes(),
  }));
  const unfiltered = { cache_dir, hashes: scope.hashes, filters };
  const passing = await passingHashes(parts, unfiltered, () => known, pause);
  const looked = new Set(known);
  const hashes = (passing ?? known).filter((hash) => looked.has(hash));
  return parts.folders.with(cache_dir, (store) => {
    if (request.terms.length > 0 && !store.things.readOn(hashes))
      return { done: false, matches: [], ranges: {}, looked: hashes.length };
    return ranked(parts, store, request, hashes, pause);
  });
}

function ranked(
  { visual }: ThingParts,
  store: Store,
  { terms, scope, model_key, max_per_media, max_results }: FindRequest,
  hashes: readonly string[],
  pause: () => void,
): Reply<ThingContract, 'find_things'> {
  const moments = new Map<string, Moment[]>();
  for (const hash of terms.length === 0 ? [] : hashes) {
    pause();
    const found = readable(() => momentsIn(store, hash, terms)) ?? [];
    const within = Object.hasOwn(scope.ranges, hash) ? inRanges(found, scope.ranges[hash]!) : found;
    if (within.length > 0) moments.set(hash, within);
  }
  const shown = [...moments.keys()];
  const { found: scenes } = scenesOf(store, visual, model_key, shown, pause);
  const matches = shown.flatMap((hash, i) => {
    const path = readable(() => store.media.pathOf(hash)) ?? null;
    if (path === null) return [];
    const all = onePerScene(moments.get(hash)!, scenes[i]?.scenes ?? null);
    const some = all.toSorted(better).slice(0, max_per_media ?? all.length);
    return some.map(({ moment, scene }) => ({
      hash_str: hash,
      path,
      frame_index: moment.best,
      scene_start: scene[0],
      scene_end: scene[1],
      score: moment.score,
    }));
  });
  matches.sort(
    (a, b) =>
      b.score - a.score ||
      (a.hash_str < b.hash_str ? -1 : a.hash_str > b.hash_str ? 1 : a.frame_index - b.frame_index),
  );
  return {
    done: true,
    matches: matches
      .slice(0, max_results)
      .map((match, original_index): RankedMatch => ({ ...match, original_index })),
    ranges: Object.fromEntries(
      [...moments].map(([hash, all]) => [
        hash,
        joinRanges(all.map(({ start, end }) => [start, end] as const)),
      ]),
    ),
    looked: hashes.length,
  };
}

function momentsIn(store: Store, hash: string, terms: FindRequest['terms']): Moment[] {
  const frames = store.media.byHash(hash)?.probe.grid_frames ?? 0;
  const tracks = store.things.tracks(hash);
  const shots = terms.some(({ shot }) => shot !== null) ? storedShots(store, hash, tracks) : [];
  return momentsOf(tracks, terms, frames, shots);
}

function inRanges(moments: readonly Moment[], ranges: FindRequest['scope']['ranges'][string]): Moment[] {
  const joined = joinRanges(ranges);
  return moments.flatMap((moment) =>
    joined.flatMap(([from, to]) => {
      const [start, end] = [Math.max(moment.start, from), Math.min(moment.end, to)];
      return start < end
        ? [{ ...moment, start, end, best: Math.min(end - 1, Math.max(start, moment.best)) }]
        : [];
    }),
  );
}

interface SceneMoment {
  readonly moment: Moment;
  readonly scene: readonly [number, number];
}

/** The best moment of each scene; where no scenes are known each is one of its own. */
function onePerScene(moments: readonly Moment[], scenes: Int32Array | null): SceneMoment[] {
  const best = new Map<number, SceneMoment>();
  for (const moment of moments) {
    const scene = sceneOf(moment.best, scenes) ?? ([moment.start, moment.end] as const);
    const before = best.get(scene[0]);
    const one = { moment, scene };
    if (before === undefined || better(one, before) < 0) best.set(scene[0], one);
  }
  return [...best.values()];
}

function better(a: SceneMoment, b: SceneMoment): number {
  return b.moment.score - a.moment.score || a.moment.best - b.moment.best;
}

function sceneOf(frame: number, scenes: Int32Array | null): readonly [number, number] | null {
  for (let i = 0; scenes !== null && i < scenes.length; i += 2) {
    if (scenes[i]! <= frame && frame < scenes[i + 1]!) return [scenes[i]!, scenes[i + 1]!];
  }
  return null;
}
