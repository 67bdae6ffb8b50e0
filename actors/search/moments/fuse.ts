// One list of several: what is seen, said, written and named, and who is there, fused by rank.
//
// Lists of different kinds have no common score; their ranks are comparable. So each list gives a moment 1 /
// (60 + its best rank there), and a moment is worth the sum (reciprocal rank fusion). Hits are one moment
// when they fall into one scene, or lie within two seconds of each other. Two pictures of different scenes
// stay two moments: a cut lies between them. A scene longer than a minute counts by half minutes, so that a
// whole lecture from one camera is not one moment. In steps, because lists may be long.
import type { Steps } from '../../../runtime/sync/checkpoint.ts';
import { compareText } from '../../../runtime/text.ts';
import type { Shot } from '../../index/visual/contract.ts';

export type HitKind = 'seen' | 'said' | 'person' | 'written' | 'name';

/** One place that a list found. */
export interface ListHit<R> {
  readonly kind: HitKind;
  readonly hash: string;
  readonly path: string;
  /** Where to begin. */
  readonly time: number;
  /** Half-open; of what is seen both are `time`. */
  readonly start: number;
  readonly end: number;
  /** Half-open range of seconds around `time`; null where nobody knows of scenes. */
  readonly scene: readonly [number, number] | null;
  /** The same, where its edges are exact. */
  readonly shot?: Shot | undefined;
  /** The whole file, found by its name: a reason of its best moment, or a moment of its own without one. */
  readonly isFile?: boolean;
  /** `rank`: from 1. */
  reason(rank: number): R;
}

export interface FusedMoment<R> {
  readonly hash: string;
  readonly path: string;
  readonly time: number;
  readonly start: number;
  readonly end: number;
  readonly shot?: Shot | undefined;
  readonly reasons: readonly R[];
  readonly kinds: ReadonlySet<HitKind>;
}

/** Constant of reciprocal rank fusion, as proposed by its authors. */
export const k = 60;
/** Seconds. */
export const within = 2;
export const longScene = 60;
export const part = 30;
export const mostReasons = 20;
/** Where ranks are the same. */
const order: readonly HitKind[] = ['name', 'seen', 'person', 'said', 'written'];

interface Placed<R> extends ListHit<R> {
  readonly list: number;
  readonly rank: number;
  /** The part of a scene it lies in. */
  readonly place: readonly [number, number] | null;
}

interface Growing<R> {
  readonly first: Placed<R>;
  readonly hits: Placed<R>[];
}

/** Hits that are taken, or moments that are made, between two pauses: some milliseconds. */
const together = 1024;

/**
 * `lists`: best first. The same moments in the same order for the same lists, in whichever order these are.
 */
export function* fuse<R>(lists: readonly (readonly ListHit<R>[])[]): Steps<FusedMoment<R>[]> {
  const media = new Map<string, MediaMoments<R>>();
  let count = 0;
  for (const hit of byRank(lists)) {
    const moments = media.get(hit.hash) ?? new MediaMoments<R>();
    media.set(hit.hash, moments);
    moments.take(hit);
    if (++count % together === 0) yield;
  }
  const ranked: { readonly moment: Growing<R>; readonly worth: number }[] = [];
  for (const moments of media.values()) {
    for (const moment of moments.finish()) {
      ranked.push({ moment, worth: worthOf(moment) });
      if (ranked.length % together === 0) yield;
    }
  }
  ranked.sort((a, b) => b.worth - a.worth || inOrder(a.moment.first, b.moment.first));
  yield;
  const fused: FusedMoment<R>[] = [];
  for (const { moment } of ranked) {
    fused.push(finished(moment));
    if (fused.length % together === 0) yield;
  }
  return fused;
}

/** The hits of all lists in one order: the first of each, the second of each... */
function* byRank<R>(lists: readonly (readonly ListHit<R>[])[]): Generator<Placed<R>> {
  const most = Math.max(0, ...lists.map(({ length }) => length));
  for (let at = 0; at < most; at++) {
    const same = lists.flatMap((hits, list): Placed<R>[] => {
      const hit = hits[at];
      return hit ? [{ ...hit, list, rank: at + 1, place: placeOf(hit) }] : [];
    });
    yield* same.sort(inOrder);
  }
}

/** The first `most` of each media. */
export function fewPerMedia<M extends { readonly hash: string }>(moments: readonly M[], most: number): M[] {
  const counts = new Map<string, number>();
  return moments.filter(({ hash }) => {
    const before = counts.get(hash) ?? 0;
    counts.set(hash, before + 1);
    return before < most;
  });
}

/** The scene, or the half minute of a long one in which the time lies. */
export function placeOf({
  scene,
  time,
}: Pick<ListHit<unknown>, 'scene' | 'time'>): readonly [number, number] | null {
  if (scene === null || scene[1] - scene[0] <= longScene) return scene;
  const start = scene[0] + Math.max(0, Math.floor((time - scene[0]) / part)) * part;
  return [start, Math.min(scene[1], start + part)];
}

/** Best first, and a total order of different hits. */
function inOrder<R>(a: Placed<R>, b: Placed<R>): number {
  return (
    a.rank - b.rank ||
    order.indexOf(a.kind) - order.indexOf(b.kind) ||
    compareText(a.path, b.path) ||
    compareText(a.hash, b.hash) ||
    a.time - b.time ||
    compareText(JSON.stringify(a.reason(a.rank)), JSON.stringify(b.reason(b.rank)))
  );
}

/** The moments of one media, by the scene and by the time of the hit that began each. */
class MediaMoments<R> {
  readonly #moments: Growing<R>[] = [];
  /** Hits that are the whole file. */
  readonly #files: Placed<R>[] = [];
  readonly #byPlace = new Map<number, Growing<R>>();
  /** Entries by pieces of some seconds. */
  readonly #near = new Map<number, Growing<R>[]>();

  take(hit: Placed<R>): void {
    if (hit.isFile) {
      this.#files.push(hit);
      return;
    }
    const moment = (hit.place && this.#byPlace.get(hit.place[0])) ?? this.#nearest(hit);
    if (moment) moment.hits.push(hit);
    else this.#begin(hit);
  }

  /** The moments, after the last hit. */
  finish(): readonly Growing<R>[] {
    const [first] = this.#files;
    if (first === undefined) return this.#moments;
    if (this.#moments.length === 0) return [{ first, hits: [...this.#files] }];
    const worths = this.#moments.map(worthOf);
    const best = this.#moments[worths.indexOf(Math.max(...worths))]!;
    best.hits.push(...this.#files);
    best.hits.sort(inOrder);
    return this.#moments;
  }

  #begin(hit: Placed<R>): void {
    const moment = { first: hit, hits: [hit] };
    this.#moments.push(moment);
    if (hit.place) this.#byPlace.set(hit.place[0], moment);
    for (const piece of piecesOf(hit)) {
      const neighbours = this.#near.get(piece);
      if (neighbours) neighbours.push(moment);
      else this.#near.set(piece, [moment]);
    }
  }

  #nearest(hit: Placed<R>): Growing<R> | undefined {
    let best: Growing<R> | undefined;
    const gapTo = (moment: Growing<R>) => gap(moment.first, hit);
    for (const piece of piecesOf(hit)) {
      for (const moment of this.#near.get(piece) ?? []) {
        if (gapTo(moment) > within || isApart(moment, hit)) continue;
        const nearer = best === undefined ? -1 : gapTo(moment) - gapTo(best);
        if (best === undefined || nearer < 0 || (nearer === 0 && moment.first.time < best.first.time))
          best = moment;
      }
    }
    return best;
  }
}

/** Seconds of one piece. */
const pieceSeconds = 8;

function piecesOf({ start, end }: Pick<ListHit<unknown>, 'start' | 'end'>): number[] {
  const first = Math.floor((start - within) / pieceSeconds);
  const last = Math.floor((end + within) / pieceSeconds);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function gap(a: Pick<ListHit<unknown>, 'start' | 'end'>, b: Pick<ListHit<unknown>, 'start' | 'end'>): number {
  return Math.max(0, a.start - b.end, b.start - a.end);
}

/** Pictures of two scenes, or a person in two: a cut lies between them. */
function isApart<R>({ hits }: Growing<R>, hit: Placed<R>): boolean {
  if (hit.kind === 'said' || hit.place === null) return false;
  const at = hit.place[0];
  return hits.some(({ list, place }) => list === hit.list && place !== null && place[0] !== at);
}

function worthOf<R>({ hits }: Growing<R>): number {
  if (hits.length === 1) return 1 / (k + hits[0]!.rank);
  // In the order of ranks, so the best of each list comes first.
  const best = new Map<number, number>();
  for (const { list, rank } of hits) if (!best.has(list)) best.set(list, rank);
  const ranks = [...best.values()].sort((a, b) => a - b);
  return ranks.reduce((sum, rank) => sum + 1 / (k + rank), 0);
}

function finished<R>({ first, hits }: Growing<R>): FusedMoment<R> {
  const { hash, path, time, place, shot } = first;
  const [start, end] = place ?? [first.start, first.end];
  const reasons = hits.slice(0, mostReasons).map((hit) => hit.reason(hit.rank));
  const kinds = new Set(hits.map(({ kind }) => kind));
  return { hash, path, time, start, end, ...(shot && { shot }), reasons, kinds };
}
