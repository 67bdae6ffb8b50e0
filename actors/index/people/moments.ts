// Moments at which people are seen, as ascending numbers: the number of the media and the grid frame in one.
import { lowerBound } from '../visual/frames.ts';
import type { LoadedJob } from './loaded-job.ts';

/** Frames of one media in front of the next; both together fit into the whole numbers of a double. */
const perMedia = 2 ** 32;

const momentOf = ({ media, frames }: LoadedJob, face: number): number =>
  media[face]! * perMedia + frames[face]!;

/** Clusters of one clustering that stand for somebody. */
export interface Shown {
  readonly job: LoadedJob;
  readonly clusters: readonly number[];
}

/** Where the faces of one cluster are: ascending, each moment once. */
function ofCluster(job: LoadedJob, cluster: number): Float64Array {
  const [first, end] = [job.starts[cluster]!, job.starts[cluster + 1]!];
  const moments = new Float64Array(end - first);
  let [ascends, last] = [true, -1];
  for (let face = first; face < end; face++) {
    const moment = momentOf(job, face);
    if (moment < last) ascends = false;
    last = moment;
    moments[face - first] = moment;
  }
  if (!ascends) moments.sort();
  let kept = 0;
  for (const moment of moments) if (kept === 0 || moments[kept - 1] !== moment) moments[kept++] = moment;
  return moments.subarray(0, kept);
}

/** All of several lists, halves first, so that each value is moved a few times only. */
function union(lists: readonly Float64Array[]): Float64Array {
  if (lists.length <= 1) return lists[0] ?? new Float64Array(0);
  const middle = lists.length >> 1;
  const [a, b] = [union(lists.slice(0, middle)), union(lists.slice(middle))];
  const all = new Float64Array(a.length + b.length);
  let [kept, i, j] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const left = i < a.length ? a[i]! : Number.POSITIVE_INFINITY;
    const right = j < b.length ? b[j]! : Number.POSITIVE_INFINITY;
    all[kept++] = Math.min(left, right);
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return all.subarray(0, kept);
}

/** Where somebody is seen: ascending, each moment once. */
export function momentsOf({ job, clusters }: Shown): Float64Array {
  return union(clusters.map((cluster) => ofCluster(job, cluster)));
}

/** Where any of them is seen. */
export function anyOf(shown: readonly Shown[]): Float64Array {
  return union(shown.map(momentsOf));
}

/** Where all of them are seen at once, each by a face of their own. */
export function allOf(shown: readonly Shown[]): Float64Array {
  const [fewest = new Float64Array(0), ...others] = shown.map(momentsOf).sort((a, b) => a.length - b.length);
  const together = others.reduce(intersection, fewest);
  // Within one clustering a face belongs to one cluster, so different people are different faces.
  const isOne = shown.every(({ job }) => job === shown[0]?.job);
  return isOne ? together : byOwnFaces(together, shown);
}

function intersection(a: Float64Array, b: Float64Array): Float64Array {
  const both = new Float64Array(Math.min(a.length, b.length));
  let [kept, at] = [0, 0];
  for (const moment of a) {
    while (at < b.length && b[at]! < moment) at++;
    if (b[at] === moment) both[kept++] = moment;
  }
  return both.subarray(0, kept);
}

/** One face may be one person in one clustering and another in the next: it still is one face. */
function byOwnFaces(moments: Float64Array, shown: readonly Shown[]): Float64Array {
  const faces = shown.map((one) => facesAt(moments, one));
  return moments.filter((_, at) => eachHasOwn(faces.map((own) => own[at]!)));
}

/** By moment: the faces of somebody. */
function facesAt(moments: Float64Array, { job, clusters }: Shown): number[][] {
  const faces = Array.from(moments, (): number[] => []);
  for (const cluster of clusters) {
    let at = 0;
    for (let face = job.starts[cluster]!; face < job.starts[cluster + 1]!; face++) {
      const moment = momentOf(job, face);
      if (at > 0 && moments[at - 1]! >= moment) at = lowerBound(moments, moment);
      while (at < moments.length && moments[at]! < moment) at++;
      if (moments[at] === moment) faces[at]!.push(job.ids[face]!);
    }
  }
  return faces;
}

/** Half-open ranges of grid frames by content: start, end, start, end..., ascending and apart. */
export type FrameRanges = ReadonlyMap<string, Uint32Array>;

export function rangesOf(moments: Float64Array, hashes: readonly string[]): FrameRanges {
  const ranges = new Map<string, Uint32Array>();
  const pairs = new Uint32Array(moments.length * 2);
  for (let at = 0; at < moments.length; ) {
    const media = Math.floor(moments[at]! / perMedia);
    const begin = media * perMedia;
    let used = 0;
    for (; at < moments.length && moments[at]! < begin + perMedia; at++) {
      const frame = moments[at]! - begin;
      if (used > 0 && pairs[used - 1] === frame) pairs[used - 1] = frame + 1;
      else {
        pairs[used++] = frame;
        pairs[used++] = frame + 1;
      }
    }
    ranges.set(hashes[media]!, pairs.slice(0, used));
  }
  return ranges;
}

// Whether everybody can have something of their own: a maximum matching by augmenting paths, for a handful of
// each.

/** `choices`: for each one what it could have. True when all can have different things at once. */
export function eachHasOwn(choices: readonly (readonly number[])[]): boolean {
  /** By thing: who has it. */
  const holder = new Map<number, number>();
  const give = (to: number, tried: Set<number>): boolean =>
    choices[to]!.some((thing) => {
      if (tried.has(thing)) return false;
      tried.add(thing);
      const other = holder.get(thing);
      if (other !== undefined && !give(other, tried)) return false;
      holder.set(thing, to);
      return true;
    });
  return choices.every((_, one) => give(one, new Set()));
}
