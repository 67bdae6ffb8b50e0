// What the index answers about things.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { joinRanges } from '../../../runtime/ranges.ts';
import type { Track } from '../../things/tracks.ts';
import { checkSearchFilters, type FilterParts, passingHashes } from '../facets/scope.ts';
import type { FrameRanges } from '../people/moments.ts';
import type { PeopleIndex } from '../people/people-index.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { RankedMatch } from '../visual/contract.ts';
import { scenesOf } from '../visual/scene-lists.ts';
import type { VisualIndex } from '../visual/visual-index.ts';
import type { ThingTerm, thingMessages } from './contract.ts';
import { type Shot, storedFaces, storedShots } from './stored-shots.ts';

type ThingContract = Contract<typeof thingMessages>;
type FindRequest = Request<ThingContract, 'find_things'>;

export interface ThingParts extends FilterParts {
  readonly visual: VisualIndex;
  readonly people: Pick<PeopleIndex, 'seen'>;
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
  const { cache_dir, scope, people } = request;
  const { filters, known, seen } = await parts.folders.with(cache_dir, (store) => ({
    filters: checkSearchFilters(scope.filters, parts.tables.known(store, scope.filters)),
    known: store.things.hashes(),
    seen: people === undefined ? null : parts.people.seen(store, people),
  }));
  const only = seen?.ranges ?? null;
  const unfiltered = { cache_dir, hashes: scope.hashes, filters };
  const passing = await passingHashes(parts, unfiltered, () => known, pause);
  const looked = new Set(known);
  const hashes = (passing ?? known).filter((hash) => looked.has(hash) && only?.has(hash) !== false);
  return parts.folders.with(cache_dir, (store) => {
    if (request.terms.length > 0 && !store.things.readOn(hashes))
      return { done: false, matches: [], ranges: {}, looked: hashes.length };
    const twice = seen?.twice ?? [];
    const answer = ranked(parts, store, { ...request, only }, hashes, pause);
    return twice.length === 0 ? answer : { ...answer, people_twice: [...twice] };
  });
}

interface Ranking extends FindRequest {
  /** Frames that show the people who are asked for; null where nobody is. */
  readonly only: FrameRanges | null;
}

function ranked(
  { visual }: ThingParts,
  store: Store,
  { terms, scope, only, model_key, max_per_media, max_results }: Ranking,
  hashes: readonly string[],
  pause: () => void,
): Reply<ThingContract, 'find_things'> {
  const moments = new Map<string, Moment[]>();
  for (const hash of terms.length === 0 ? [] : hashes) {
    pause();
    const recognized = only === null ? null : pairsOf(only.get(hash)!);
    const found = readable(() => momentsIn(store, hash, terms, recognized ?? [])) ?? [];
    const inScope = Object.hasOwn(scope.ranges, hash) ? inRanges(found, scope.ranges[hash]!) : found;
    const within = recognized === null ? inScope : inRanges(inScope, recognized);
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

/** `recognized`: half-open ranges of frames that show people who were recognized by their faces. */
function momentsIn(
  store: Store,
  hash: string,
  terms: FindRequest['terms'],
  recognized: readonly (readonly [number, number])[],
): Moment[] {
  const frames = store.media.byHash(hash)?.probe.grid_frames ?? 0;
  const tracks = store.things.tracks(hash);
  const shots = terms.some(({ shot }) => shot !== null) ? storedShots(store, hash, tracks) : [];
  const people = recognized.map(([start, end]) => ({ start, end, score: 1, best: start }));
  return momentsOf(tracks, terms, frames, { shots, people });
}

/** Both ascend. A film may show things and people in thousands of places, so each is looked at once. */
function inRanges(moments: readonly Moment[], ranges: FindRequest['scope']['ranges'][string]): Moment[] {
  const joined = joinRanges(ranges);
  const found: Moment[] = [];
  let first = 0;
  for (const moment of moments) {
    while (first < joined.length && joined[first]![1] <= moment.start) first++;
    for (let at = first; at < joined.length && joined[at]![0] < moment.end; at++) {
      const [start, end] = [Math.max(moment.start, joined[at]![0]), Math.min(moment.end, joined[at]![1])];
      found.push({ ...moment, start, end, best: Math.min(end - 1, Math.max(start, moment.best)) });
    }
  }
  return found;
}

function pairsOf(ranges: Uint32Array): [number, number][] {
  return Array.from({ length: ranges.length / 2 }, (_, i) => [ranges[2 * i]!, ranges[2 * i + 1]!]);
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

// In which seconds of a film the things are seen that a question names.

/** Grid frames `[start, end)` in which all is as it was asked for. */
interface Moment {
  readonly start: number;
  readonly end: number;
  /** Of the frame that shows it best: of the weakest of its terms, 0 to 1. */
  readonly score: number;
  /** That frame. */
  readonly best: number;
}

/** What is known of a film beside the tracks of the detector. */
interface OtherSights {
  readonly shots?: readonly Shot[];
  /** Somebody was recognized. */
  readonly people?: readonly Moment[];
}

/** A colour that is less of a thing than this is not what a person calls it by. */
const leastColour = 0.2;
/** Of the area of the picture: something this large is seen close, something this small from afar. */
const [close, far] = [0.35, 0.03];

/**
 * `frames`: of the film. Ascending; what is asked for is wanted of each, and nothing of a question without
 * terms.
 */
export function momentsOf(
  tracks: readonly Track[],
  terms: readonly ThingTerm[],
  frames: number,
  { shots = [], people = [] }: OtherSights = {},
): Moment[] {
  if (terms.length === 0) return [];
  let found: Moment[] = [{ start: 0, end: frames, score: 1, best: 0 }];
  for (const term of terms) {
    if (found.length === 0) return [];
    const shown = momentsOfTerm(tracks, term, { shots, people });
    found = term.negated ? without(found, shown) : both(found, shown);
  }
  return found;
}

function momentsOfTerm(
  tracks: readonly Track[],
  term: ThingTerm,
  { shots, people }: Required<OtherSights>,
): Moment[] {
  const seen = () =>
    shownBy(
      tracks.filter((track) => suits(track, term)),
      term.count,
    );
  if (term.shot === null) {
    const all = seen();
    // Somebody who was recognized is a person, whether the detector saw one or not.
    const others = isPlain(term) && term.classes.includes('person') ? without(people, all) : [];
    return others.length === 0 ? all : [...all, ...others].sort((a, b) => a.start - b.start);
  }
  const sized = shots.filter(({ size }) => size === term.shot);
  // A face that fills the picture is a person, whether the detector of things saw one or not.
  return isPlain(term) ? sized.map(({ size: _, ...moment }) => moment) : both(sized, seen());
}

/** Nothing is asked of what it names but that it is there. */
function isPlain({ colours, place, size, count }: ThingTerm): boolean {
  return colours.length === 0 && place === null && size === null && count.least === 1 && count.most === null;
}

/** What is seen in a frame of what the terms want, best first. */
export function seenAt(tracks: readonly Track[], terms: readonly ThingTerm[], frame: number): Track[] {
  const wanted = terms.filter(({ negated }) => !negated);
  const here = tracks.filter(({ start, end }) => start <= frame && frame < end);
  return here.filter((track) => wanted.some((term) => suits(track, term))).sort((a, b) => b.score - a.score);
}

function suits(track: Track, { classes, colours, place, size }: ThingTerm): boolean {
  const isClass = classes.includes(track.class);
  const isColoured =
    colours.length === 0 ||
    track.colours.some((one) => one.share >= leastColour && colours.includes(one.colour));
  return (
    isClass && isColoured && (place === null || isAt(track, place)) && (size === null || isOf(track, size))
  );
}

function isAt({ box: [left, top, width, height] }: Track, place: NonNullable<ThingTerm['place']>): boolean {
  const [x, y] = [left + width / 2, top + height / 2];
  const at = { left: x < 0.45, right: x > 0.55, top: y < 0.45, bottom: y > 0.55 };
  return place === 'centre' ? Math.abs(x - 0.5) < 0.2 && Math.abs(y - 0.5) < 0.25 : at[place];
}

function isOf({ box }: Track, size: NonNullable<ThingTerm['size']>): boolean {
  const area = box[2] * box[3];
  return size === 'close' ? area >= close : area <= far;
}

/** When at least and at most as many of the tracks are seen at once. */
function shownBy(tracks: readonly Track[], { least, most }: ThingTerm['count']): Moment[] {
  const times = [...new Set(tracks.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const found: Moment[] = [];
  const coming = tracks.toSorted((a, b) => a.start - b.start);
  let [next, seen]: [number, Track[]] = [0, []];
  for (let i = 0; i + 1 < times.length; i++) {
    const [start, end] = [times[i]!, times[i + 1]!];
    // A film may have thousands, of which few are seen at once.
    seen = seen.filter((track) => track.end > start);
    for (; coming[next] && coming[next]!.start <= start; next++) seen.push(coming[next]!);
    if (seen.length < Math.max(1, least) || (most !== null && seen.length > most)) continue;
    // Of several that are wanted, the weakest one counts.
    const weakest = seen.toSorted((a, b) => b.score - a.score)[Math.max(1, least) - 1]!;
    found.push({ start, end, score: weakest.score, best: Math.min(end - 1, Math.max(start, weakest.best)) });
  }
  return found;
}

function both(some: readonly Moment[], others: readonly Moment[]): Moment[] {
  const found: Moment[] = [];
  for (const a of some) {
    for (const b of others) {
      const [start, end] = [Math.max(a.start, b.start), Math.min(a.end, b.end)];
      if (start >= end) continue;
      const weaker = a.score < b.score ? a : b;
      found.push({ start, end, score: weaker.score, best: Math.min(end - 1, Math.max(start, weaker.best)) });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Both ascend, and what is in one of them does not overlap. */
function without(some: readonly Moment[], others: readonly Moment[]): Moment[] {
  const found: Moment[] = [];
  let first = 0;
  for (const moment of some) {
    while (first < others.length && others[first]!.end <= moment.start) first++;
    let from = moment.start;
    const add = (start: number, end: number) => {
      const best = Math.min(end - 1, Math.max(start, moment.best));
      if (start < end) found.push({ ...moment, start, end, best });
    };
    for (let at = first; at < others.length && others[at]!.start < moment.end; at++) {
      add(from, others[at]!.start);
      from = Math.max(from, others[at]!.end);
    }
    add(from, moment.end);
  }
  return found;
}
