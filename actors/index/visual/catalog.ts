// Which rows in memory belong to which frames of which media, and the rows that are left under a scope.
import { joinRanges } from '../../../runtime/ranges.ts';
import type { FrameRanges } from '../people/moments.ts';
import { commonRanges, lowerBound } from './frames.ts';
import type { Shots } from './shots.ts';

/** The frames of a media, and where its scenes and shots begin. */
export interface Scened {
  /** Grid frames, ascending; a position below is an index into them. */
  readonly frames: Int32Array;
  /** Positions at which scenes begin, ascending, the first one 0. */
  readonly scenes: Int32Array;
  /** Null where edges are on the grid. */
  readonly shots: Shots | null;
}

export interface LoadedMedia extends Scened {
  readonly hash: string;
  /** Where it was last; follows a folder of footage that moves. */
  path: string;
  /** Changes when the stage is stored again. */
  readonly revision: number;
  /** Where its 16-bit rows lie: a bundle and where they begin in it; empty for its record. */
  readonly file: string;
  readonly start: number;
}

/** Consecutive rows in memory that hold consecutive positions of one media. */
export interface RowRun {
  readonly media: LoadedMedia;
  /** First row in memory. */
  readonly row: number;
  readonly count: number;
  /** Position of the first row among the frames of the media. */
  readonly position: number;
}

/** Rows that a search scores: part of a run, half-open `[from, from + count)` in memory. */
export interface Pick {
  readonly run: RowRun;
  readonly row: number;
  readonly count: number;
}

export interface FrameScope {
  readonly hashes: readonly string[] | null;
  readonly ranges: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  /** Frames of all media to which the search is limited; null for no limit. */
  readonly only?: FrameRanges | null;
}

export const everything: FrameScope = { hashes: null, ranges: {} };

export class Catalog {
  readonly #byHash = new Map<string, { media: LoadedMedia; runs: RowRun[] }>();
  #sortedRuns: RowRun[] | null = null;
  #listed: readonly string[] | null = null;
  #ordered: readonly string[] | null = null;
  /** Parts of these runs within the frames of the last search that had some. */
  #among: { readonly runs: RowRun[]; readonly only: FrameRanges; readonly picks: Pick[] } | null = null;
  /** Vectors that can be searched. */
  vectors = 0;

  get size(): number {
    return this.#byHash.size;
  }

  /** The same list until something is added or removed. */
  hashes(): readonly string[] {
    this.#listed ??= [...this.#byHash.keys()];
    return this.#listed;
  }

  /** The same, ascending. */
  ordered(): readonly string[] {
    this.#ordered ??= this.hashes().toSorted();
    return this.#ordered;
  }

  readonly get = (hash: string): LoadedMedia | undefined => this.#byHash.get(hash)?.media;

  /** Takes media in; the runs of an earlier loading of the same hash, in whose place it is. */
  add(media: LoadedMedia, runs: RowRun[]): readonly RowRun[] {
    const before = this.remove(media.hash);
    this.#listed = null;
    this.#ordered = null;
    this.#byHash.set(media.hash, { media, runs: runs.toSorted((a, b) => a.position - b.position) });
    this.vectors += media.frames.length;
    this.#sortedRuns = null;
    return before;
  }

  runsOf(hash: string): readonly RowRun[] {
    return this.#byHash.get(hash)?.runs ?? [];
  }

  /** Its runs, which are not looked at any more. */
  remove(hash: string): readonly RowRun[] {
    const entry = this.#byHash.get(hash);
    if (entry === undefined) return [];
    this.#byHash.delete(hash);
    this.#listed = null;
    this.#ordered = null;
    this.vectors -= entry.media.frames.length;
    this.#sortedRuns = null;
    return entry.runs;
  }

  #runs(): RowRun[] {
    this.#sortedRuns ??= [...this.#byHash.values()].flatMap(({ runs }) => runs).sort((a, b) => a.row - b.row);
    return this.#sortedRuns;
  }

  /** The row of a position, which is loaded when the media is. */
  rowOf(media: LoadedMedia, position: number): { row: number; run: RowRun } {
    return rowAmong(this.runsOf(media.hash), media, position);
  }

  /** The rows left under a scope, ascending; costs what is left, not what is loaded. */
  picks(scope: FrameScope): readonly Pick[] {
    const limited = Object.keys(scope.ranges).length > 0;
    const { only = null } = scope;
    if (only !== null) {
      if (scope.hashes !== null || limited) return this.#picksAmong(scope, only);
      const runs = this.#runs();
      // The same people are often asked for again and again, with other words.
      if (this.#among?.runs !== runs || this.#among.only !== only)
        this.#among = { runs, only, picks: this.#picksAmong(scope, only) };
      return this.#among.picks;
    }
    if (scope.hashes === null && !limited) {
      return this.#runs().map((run) => ({ run, row: run.row, count: run.count }));
    }
    const picks: Pick[] = [];
    for (const hash of new Set(scope.hashes ?? this.#byHash.keys())) {
      const entry = this.#byHash.get(hash);
      if (entry === undefined) continue;
      picks.push(...picksOf(entry.media, entry.runs, scope));
    }
    return picks.sort((a, b) => a.row - b.row);
  }

  /** There may be very many, which are in order when the runs are. */
  #picksAmong({ hashes, ranges }: FrameScope, only: FrameRanges): Pick[] {
    const named = hashes && new Set(hashes);
    const picks: Pick[] = [];
    for (const run of this.#runs())
      if (named?.has(run.media.hash) !== false) addPicksAmong(picks, run, { ranges, only });
    return picks;
  }
}

/** The row of a position among the runs of its media, which hold all of them. */
export function rowAmong(
  runs: readonly RowRun[],
  media: LoadedMedia,
  position: number,
): { row: number; run: RowRun } {
  const run = runs.find(
    (candidate) => position >= candidate.position && position < candidate.position + candidate.count,
  );
  if (run === undefined) throw new RangeError(`${media.hash} has no position ${position}`);
  return { row: run.row + position - run.position, run };
}

function addPicksAmong(
  picks: Pick[],
  run: RowRun,
  { ranges, only }: { readonly ranges: FrameScope['ranges']; readonly only: FrameRanges },
): void {
  const { hash } = run.media;
  const among = only.get(hash);
  if (among === undefined) return;
  const hashRanges = Object.hasOwn(ranges, hash)
    ? commonRanges(among, joinRanges(ranges[hash] ?? []))
    : among;
  addPicks(picks, run, hashRanges);
}

/** `ranges`: start, end, start, end..., ascending. */
function addPicks(picks: Pick[], run: RowRun, ranges: Uint32Array): void {
  const { frames } = run.media;
  const end = run.position + run.count;
  let first = run.position;
  for (let i = 0; i < ranges.length && first < end; i += 2) {
    first = Math.max(first, Math.min(end, positionFrom(frames, ranges[i]!)));
    const last = Math.min(end, positionFrom(frames, ranges[i + 1]!));
    if (last > first) picks.push({ run, row: run.row + first - run.position, count: last - first });
    first = Math.max(first, last);
  }
}

/**
 * The position of the first frame that is not before this one; at once where every frame before it is there.
 */
function positionFrom(frames: Int32Array, frame: number): number {
  return frame === 0 || frames[frame - 1] === frame - 1 ? frame : lowerBound(frames, frame);
}

/** Parts of one medium within the scope. */
export function picksOf(
  media: LoadedMedia,
  runs: readonly RowRun[],
  { ranges, only = null }: Omit<FrameScope, 'hashes'>,
): Pick[] {
  const picks: Pick[] = [];
  if (only !== null) {
    for (const run of runs) addPicksAmong(picks, run, { ranges, only });
    return picks;
  }
  if (!Object.hasOwn(ranges, media.hash)) return runs.map((run) => ({ run, row: run.row, count: run.count }));
  for (const [start, end] of joinRanges(ranges[media.hash] ?? [])) {
    const first = lowerBound(media.frames, start);
    const last = lowerBound(media.frames, end, first);
    for (const run of runs) {
      const from = Math.max(first, run.position);
      const to = Math.min(last, run.position + run.count);
      if (to > from) picks.push({ run, row: run.row + from - run.position, count: to - from });
    }
  }
  return picks;
}

/** Index of the scene that holds a position. */
export function sceneAt(media: Omit<Scened, 'shots'>, position: number): number {
  return lowerBound(media.scenes, position + 1) - 1;
}

/** Half-open range of grid frames of a scene. */
export function sceneRange(media: Omit<Scened, 'shots'>, scene: number): [number, number] {
  const start = media.scenes[scene] ?? 0;
  const end = media.scenes[scene + 1] ?? media.frames.length;
  return [media.frames[start] as number, (media.frames[end - 1] as number) + 1];
}

/** All scenes of a media: start, end, start, end... of grid frames, ascending. */
export function sceneRanges(media: Omit<Scened, 'shots'>): Int32Array<ArrayBuffer> {
  const ranges = new Int32Array(media.frames.length === 0 ? 0 : media.scenes.length * 2);
  for (let scene = 0; scene * 2 < ranges.length; scene++) ranges.set(sceneRange(media, scene), scene * 2);
  return ranges;
}
