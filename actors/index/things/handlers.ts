// Handlers about things.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { joinRanges } from '../../../runtime/ranges.ts';
import type { DetectionConfidence } from '../../things/confidence.ts';
import type { ThingTrack } from '../../things/tracks.ts';
import { inScope, type ScopeParts } from '../facets/scope.ts';
import type { FrameRanges } from '../people/moments.ts';
import { LoadedItems } from '../results/loaded-items.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { RankedMatch } from '../visual/contract.ts';
import { scenesOf } from '../visual/scene-lists.ts';
import { shotAt } from '../visual/shots.ts';
import type { VisualIndex } from '../visual/visual-index.ts';
import type { thingMessages } from './contract.ts';
import { partOf, type SureMoment, seenAt, sureMomentsOf } from './moments.ts';
import { storedFaces, storedShots } from './stored-shots.ts';

type ThingContract = Contract<typeof thingMessages>;
type FindRequest = Request<ThingContract, 'find_things'>;

export interface ThingParts extends ScopeParts {
  readonly visual: VisualIndex;
}

export function thingHandlers(parts: ThingParts): Handlers<ThingContract> {
  const { folders } = parts;
  const loaded = new LoadedItems('things');
  return {
    things_of: ({ cache_dir, hash_str }) =>
      folders.with(cache_dir, (store) => {
        const stored = store.results('things').of(hash_str);
        const { model_key = null, from_previews = false, items: tracks = [] } = stored ?? {};
        const faces = storedFaces(store, hash_str);
        const shots = storedShots(store, hash_str, tracks, faces);
        return {
          model_key,
          from_previews,
          tracks: [...tracks],
          shots: shots.map(({ size, start, end }) => ({ size, start, end })),
          faces: faces.map(({ frame, box }) => ({ frame, box })),
        };
      }),
    things_at: ({ cache_dir, terms, frames }, turn) =>
      folders.with(cache_dir, (store) => {
        const tracks = new Map<string, readonly ThingTrack[]>();
        const seen = frames.map(({ hash_str, frame_index }) => {
          turn.throwIfCancelled();
          const hashTracks = tracks.get(hash_str) ?? readable(() => loaded.items(store, hash_str)) ?? [];
          tracks.set(hash_str, hashTracks);
          return seenAt(hashTracks, terms, frame_index);
        });
        return { seen };
      }),
    find_things: (request, turn) => find({ ...parts, loaded }, request, () => turn.throwIfCancelled()),
  };
}

interface FindParts extends ThingParts {
  readonly loaded: LoadedItems<'things'>;
}

async function find(
  parts: FindParts,
  request: FindRequest,
  pause: () => void,
): Promise<Reply<ThingContract, 'find_things'>> {
  const { cache_dir } = request;
  const open = (store: Store) => parts.loaded.hashes(store);
  const {
    data: knownHashes,
    hashes: passing,
    sightings,
  } = await inScope(parts, request, open, (all) => all, pause);
  const only = sightings?.ranges ?? null;
  const looked = new Set(knownHashes);
  const hashes = (passing ?? knownHashes).filter((hash) => looked.has(hash) && only?.has(hash) !== false);
  return parts.folders.with(cache_dir, (store) => {
    if (request.terms.length > 0 && !parts.loaded.readOn(store, hashes))
      return { done: false, matches: [], ranges: {}, likely: {}, strong: {}, looked: hashes.length };
    const twice = sightings?.twice ?? [];
    const answer = ranked(parts, store, { ...request, only }, hashes, pause);
    return twice.length === 0 ? answer : { ...answer, people_twice: [...twice] };
  });
}

interface Ranking extends FindRequest {
  /** Frames that show the people who are asked for; null where nobody is. */
  readonly only: FrameRanges | null;
}

function ranked(
  { visual, loaded }: FindParts,
  store: Store,
  { terms, scope, only, model_key, max_per_media, max_results }: Ranking,
  hashes: readonly string[],
  pause: () => void,
): Reply<ThingContract, 'find_things'> {
  const moments = new Map<string, SureMoment[]>();
  for (const hash of terms.length === 0 ? [] : hashes) {
    pause();
    const recognized = only === null ? null : pairsOf(only.get(hash)!);
    const sureMoments = readable(() => momentsIn(store, loaded, hash, terms, recognized ?? [])) ?? [];
    const rangedMoments = Object.hasOwn(scope.ranges, hash)
      ? inRanges(sureMoments, scope.ranges[hash]!)
      : sureMoments;
    const within = recognized === null ? rangedMoments : inRanges(rangedMoments, recognized);
    if (within.length > 0) moments.set(hash, within);
  }
  const shown = [...moments.keys()];
  const { lists: scenes } = scenesOf(store, visual, model_key, shown, pause);
  const matches = shown.flatMap((hash, i) => {
    const shots = scenes[i]?.shots ?? null;
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
      ...(shots && { shot: shotAt(shots, moment.best) }),
      moment,
    }));
  });
  matches.sort(
    ({ moment: a, ...first }, { moment: b, ...second }) =>
      surer(a, b) ||
      (first.hash_str < second.hash_str ? -1 : first.hash_str > second.hash_str ? 1 : a.best - b.best),
  );
  return {
    done: true,
    matches: matches
      .slice(0, max_results)
      .map(({ moment: _, ...match }, original_index): RankedMatch => ({ ...match, original_index })),
    ranges: rangesOf(moments, 'weak'),
    likely: rangesOf(moments, 'likely'),
    strong: rangesOf(moments, 'strong'),
    looked: hashes.length,
  };
}

/** Ranges by hash, of the media with moments that are at least so sure. */
function rangesOf(
  moments: ReadonlyMap<string, readonly SureMoment[]>,
  least: DetectionConfidence,
): Record<string, [number, number][]> {
  const ranges = [...moments].map(([hash, all]): [string, [number, number][]] => [
    hash,
    joinRanges(all.filter((moment) => rank(moment) >= ranks[least]).map(({ start, end }) => [start, end])),
  ]);
  return Object.fromEntries(ranges.filter(([, some]) => some.length > 0));
}

/** `recognized`: half-open ranges of frames that show people who were recognized by their faces. */
function momentsIn(
  store: Store,
  loaded: LoadedItems<'things'>,
  hash: string,
  terms: FindRequest['terms'],
  recognized: readonly (readonly [number, number])[],
): SureMoment[] {
  const frames = store.media.byHash(hash)?.probe.grid_frames ?? 0;
  const tracks = loaded.items(store, hash);
  const shots = terms.some(({ shot }) => shot !== null) ? storedShots(store, hash, tracks) : [];
  const people = recognized.map(([start, end]) => ({ start, end, score: 1, best: start, prominence: 1 }));
  return sureMomentsOf(tracks, terms, frames, { shots, people });
}

/** Both ascend. A film may show things and people in thousands of places, so each is looked at once. */
function inRanges(
  moments: readonly SureMoment[],
  ranges: FindRequest['scope']['ranges'][string],
): SureMoment[] {
  const joined = joinRanges(ranges);
  const parts: SureMoment[] = [];
  let first = 0;
  for (const moment of moments) {
    while (first < joined.length && joined[first]![1] <= moment.start) first++;
    for (let at = first; at < joined.length && joined[at]![0] < moment.end; at++) {
      const [start, end] = [Math.max(moment.start, joined[at]![0]), Math.min(moment.end, joined[at]![1])];
      parts.push(partOf(moment, start, end));
    }
  }
  return parts;
}

function pairsOf(ranges: Uint32Array): [number, number][] {
  return Array.from({ length: ranges.length / 2 }, (_, i) => [ranges[2 * i]!, ranges[2 * i + 1]!]);
}

interface SceneMoment {
  readonly moment: SureMoment;
  readonly scene: readonly [number, number];
}

/**
 * The surest moment of each scene, with the frame that shows it best among those that are as sure; where no
 * scenes are known, each moment is a scene of its own.
 */
function onePerScene(moments: readonly SureMoment[], scenes: Int32Array | null): SceneMoment[] {
  const best = new Map<number, SceneMoment>();
  for (const moment of moments) {
    const scene = sceneOf(moment.best, scenes) ?? ([moment.start, moment.end] as const);
    const before = best.get(scene[0]);
    const surest = before === undefined || surer(moment, before.moment) < 0 ? moment : before.moment;
    const sights = [before?.moment ?? moment, moment].filter((candidate) => rank(candidate) === rank(surest));
    const { best: frame, prominence } = sights.reduce((a, b) => (b.prominence > a.prominence ? b : a));
    best.set(scene[0], { moment: { ...surest, best: frame, prominence }, scene });
  }
  return [...best.values()];
}

function better(a: SceneMoment, b: SceneMoment): number {
  return surer(a.moment, b.moment) || a.moment.best - b.moment.best;
}

/** For sorting, the surest first. */
function surer(a: SureMoment, b: SureMoment): number {
  return rank(b) - rank(a) || b.score - a.score;
}

const ranks: Readonly<Record<DetectionConfidence, number>> = { weak: 0, likely: 1, strong: 2 };
const rank = ({ confidence }: SureMoment) => ranks[confidence];

function sceneOf(frame: number, scenes: Int32Array | null): readonly [number, number] | null {
  for (let i = 0; scenes !== null && i < scenes.length; i += 2) {
    if (scenes[i]! <= frame && frame < scenes[i + 1]!) return [scenes[i]!, scenes[i + 1]!];
  }
  return null;
}
