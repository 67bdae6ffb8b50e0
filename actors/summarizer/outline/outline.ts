// The outline of a media file: a tree whose nodes have half-open ranges on the grid that nest and cover it
// exactly. Made of shots that are joined to leaves, and of leaves that are joined to chapters, by what is
// seen, said and heard. Pure, and the same for the same material.
import type { Steps } from '../../../runtime/sync/checkpoint.ts';
import {
  channelsOf,
  nextDistances,
  type OutlineChannel,
  segmentBySecond,
  windowDistances,
} from './channels.ts';
import {
  medianOf,
  type PictureVectors,
  type SecondRange,
  type SummaryInputs,
  uncoveredRanges,
} from './summary-inputs.ts';
import {
  type Bounds,
  type Branch,
  groupsOf,
  type Rules,
  type Scale,
  type Spreads,
  scaleOf,
  spreadsOf,
  treeOf,
} from './tree.ts';

export interface OutlineNode extends SecondRange {
  /** `0` is the root, `3` its third child, `3.1` the first of that one. Local to one outline. */
  readonly node_id: string;
  /** Null of the root. */
  readonly parent_id: string | null;
  /** 0 of the root. */
  readonly level: number;
  /** Empty, or 2 to 12, in order of time; together they cover the node exactly. */
  readonly child_ids: readonly string[];
}

export interface Outline {
  /** The root first, each node before its children, all children of a node in the order of time. */
  readonly nodes: readonly OutlineNode[];
  /** Grid seconds at which shots begin, ascending; none without pictures. */
  readonly shots: readonly number[];
  /** Grid seconds of which nothing is known. */
  readonly uncovered: readonly SecondRange[];
}

/** O(seconds · dimensions · longest leaf), at most a second or two for ten hours. */
export function* outlineSteps(material: SummaryInputs): Steps<Outline> {
  const { pictures, seconds } = material;
  const scale = scaleOf(seconds);
  const shots = pictures && (yield* shotSteps(pictures));
  yield;
  const channels = yield* channelsOf(material);
  yield;
  const uncovered = uncoveredRanges(material);
  const leaves = yield* leavesOf(material, shots, channels, scale);
  const spreads = yield* spreadsOf(channels, leaves);
  const pauses = pausePenalty(material, 0.2 * scale.leaf);
  yield;
  const root = treeOf(spreads, [0, leaves.length - 1], scale.depth, (leaf) => pauses(leaves[leaf]!));
  const cuts = shots ? shots.starts.map((row) => pictures!.frames[row]!) : [];
  return { nodes: nodesOf(root, leaves), shots: cuts, uncovered };
}

/**
 * The bounds of the leaves: units joined while they are alike, and short leaves to the neighbour that is more
 * like them.
 */
function* leavesOf(
  material: SummaryInputs,
  shots: Shots | null,
  channels: readonly OutlineChannel[],
  scale: Scale,
): Steps<Bounds> {
  const units = unitsOf(material, shots, scale.unit);
  yield;
  const count = units.length - 1;
  const spreads = yield* spreadsOf(channels, units, scale.longestLeaf);
  yield;
  const pauses = pausePenalty(material, 0.2 * scale.leaf);
  const rules = {
    mostFrom: (from: number) => unitsWithin(units, from, scale.longestLeaf),
    costAt: (unit: number) => pauses(units[unit]!),
  };
  const starts = atMost(scale.leaves.most, spreads, count, { ...rules, penalty: 0.4 * scale.leaf });
  const bounds = [...starts, count];
  const strengths = Float64Array.from(bounds, (bound, i) => {
    const [before, after] = [bounds[i - 1], bounds[i + 1]];
    if (before === undefined || after === undefined) return 0;
    // No leaf that is too long comes of it, and nothing is known of how alike its seconds are.
    if (units[after]! - units[before]! > scale.longestLeaf) return Number.POSITIVE_INFINITY;
    return spreads.of(before, after) - spreads.of(before, bound) - spreads.of(bound, after);
  });
  return joinShort(
    bounds.map((unit) => units[unit]!),
    strengths,
    scale.shortestLeaf,
  );
}

function unitsWithin(units: Bounds, from: number, longest: number): number {
  let to = from + 1;
  while (to + 1 < units.length && units[to + 1]! - units[from]! <= longest) to++;
  return to - from;
}

/** Groups with the penalty of the rules, or with the least of its doubles that leaves no more than `most`. */
function atMost(most: number, spreads: Spreads, count: number, rules: Rules): number[] {
  let starts = groupsOf(spreads, 0, count, rules);
  for (let doubled = 1; starts.length > most && doubled <= 40; doubled++)
    starts = groupsOf(spreads, 0, count, { ...rules, penalty: rules.penalty * 2 ** doubled });
  return starts;
}

/** Cost of a start in the middle of speech; negative where a pause ends. */
function pausePenalty({ segments, seconds }: SummaryInputs, cost: number): (second: number) => number {
  if (!segments) return () => 0;
  const by = segmentBySecond(segments, seconds);
  return (second) => {
    const [before, here] = [by[second - 1] ?? -1, by[second] ?? -1];
    if (before === here) return here < 0 ? 0 : cost;
    return before < 0 || here < 0 ? -cost / 2 : 0;
  };
}

function nodesOf(root: Branch, leaves: Bounds): OutlineNode[] {
  const nodes: OutlineNode[] = [];
  const add = (
    { first, end, children }: Branch,
    node_id: string,
    parent_id: string | null,
    level: number,
  ) => {
    const child_ids = children.map((_, i) => (parent_id === null ? `${i + 1}` : `${node_id}.${i + 1}`));
    nodes.push({ node_id, parent_id, level, start: leaves[first]!, end: leaves[end]!, child_ids });
    children.forEach((child, i) => {
      add(child, child_ids[i]!, node_id, level + 1);
    });
  };
  add(root, '0', null, 0);
  return nodes;
}

// The smallest parts that an outline is made of: shots, short ones joined, long ones divided where nobody
// speaks.

/**
 * The bounds of units, 0 the first and the length of the grid the last. `shots`: null without pictures. No
 * unit is shorter than `shortest` seconds but a whole file, and few are longer than `longest`.
 */
function unitsOf(
  material: SummaryInputs,
  shots: Shots | null,
  { shortest, longest }: { readonly shortest: number; readonly longest: number },
): Bounds {
  const { seconds } = material;
  const by = segmentBySecond(material.segments ?? [], seconds);
  const inner = shots
    ? shots.starts.map((row) => material.pictures!.frames[row]!)
    : speechTurns(material, by);
  const all = [...new Set([0, ...inner, seconds])].sort((a, b) => a - b);
  const joined = joinShort(all, strengthsOf(material, shots, all), shortest);
  return divideLong(joined, by, shortest, longest);
}

/** Where somebody begins or ends to speak, or another speaker goes on. */
function speechTurns({ segments, seconds }: SummaryInputs, by: Int32Array): number[] {
  const speaker = (second: number) => (by[second]! < 0 ? undefined : segments![by[second]!]!.speaker);
  const turns: number[] = [];
  for (let second = 1; second < seconds; second++)
    if (speaker(second) !== speaker(second - 1)) turns.push(second);
  return turns;
}

/** How much the picture changes at each bound. */
function strengthsOf(
  { pictures, seconds }: SummaryInputs,
  shots: Shots | null,
  bounds: Bounds,
): Float64Array {
  const strengths = new Float64Array(bounds.length);
  if (!pictures || !shots) return strengths;
  const bySecond = new Float32Array(seconds + 1);
  for (const row of shots.starts) bySecond[pictures.frames[row]!] = shots.changes[row]!;
  return strengths.map((_, i) => bySecond[bounds[i]!]!);
}

/** Takes the weakest bounds away as long as a part beside them is too short. O(bounds · log bounds). */
function joinShort(bounds: Bounds, strengths: Float64Array, shortest: number): number[] {
  const last = bounds.length - 1;
  const before = Int32Array.from(bounds, (_, i) => i - 1);
  const after = Int32Array.from(bounds, (_, i) => i + 1);
  const inner = Array.from({ length: Math.max(0, last - 1) }, (_, i) => i + 1);
  inner.sort((a, b) => strengths[a]! - strengths[b]! || a - b);
  for (const i of inner) {
    const [left, right] = [before[i]!, after[i]!];
    if (bounds[i]! - bounds[left]! >= shortest && bounds[right]! - bounds[i]! >= shortest) continue;
    after[left] = right;
    before[right] = left;
  }
  const remaining = [];
  for (let i = 0; i <= last; i = after[i]!) remaining.push(bounds[i]!);
  return remaining;
}

/** Parts of equal length, moved by up to a quarter of it to where nobody speaks or another speech begins. */
function divideLong(bounds: Bounds, by: Int32Array, shortest: number, longest: number): number[] {
  const divided: number[] = [];
  for (let i = 0; i < bounds.length - 1; i++) {
    const [start, end] = [bounds[i]!, bounds[i + 1]!];
    divided.push(start);
    const parts = Math.ceil((end - start) / longest);
    const length = (end - start) / parts;
    for (let part = 1; part < parts && length >= shortest; part++)
      divided.push(calmest(by, Math.round(start + part * length), Math.floor(length / 4)));
  }
  divided.push(bounds.at(-1)!);
  return divided;
}

/** The second at most `reach` from `near` at which best to cut; of equally good ones the nearest. */
function calmest(by: Int32Array, near: number, reach: number): number {
  for (const good of [isPause, isTurn])
    for (let k = 0; k <= reach; k++)
      for (const second of [near - k, near + k]) if (good(by, second)) return second;
  return near;
}

const isPause = (by: Int32Array, second: number) => by[second]! < 0 || by[second - 1]! < 0;
const isTurn = (by: Int32Array, second: number) => by[second] !== by[second - 1];

// Where shots begin: at the cuts that were found where the pictures were analysed, and in the midst of slow
// fades, which change little from frame to frame, but much from the seconds before them to those after them.

// Bounds of a scene change, as in search: smaller distances are noise of a still picture, and larger ones
// mean different pictures however restless the film is.
const lowest = 0.25;
const highest = 0.35;
/** Rows that share a threshold, and rows before and after them that count for it. */
const block = 64;
/** Rows on each side of a slow transition. */
const side = 6;

interface Shots {
  /** Rows at which shots begin, ascending, the first one 0; none of no rows. */
  readonly starts: readonly number[];
  /**
   * For each row, how different the seconds from it on are from those before it: 1 - cosine of their means.
   */
  readonly changes: Float32Array;
}

/** O(n · d). */
export function* shotSteps(pictures: PictureVectors): Steps<Shots> {
  const rows = pictures.frames.length;
  const changes = yield* windowDistances(pictures, side);
  if (rows === 0) return { starts: [], changes };
  const next = yield* nextDistances(pictures);
  const thresholds = thresholdsOf(next);
  yield;
  const begins = new Set(pictures.cuts);
  const cuts = [0];
  for (let row = 1; row < rows; row++) if (begins.has(pictures.frames[row]!)) cuts.push(row);
  yield;
  return { starts: withFades(cuts, changes, thresholds, rows), changes };
}

/**
 * Threshold of each block: the median plus four deviations of the distances around it, within both bounds.
 */
function thresholdsOf(next: Float32Array): Float32Array {
  return Float32Array.from({ length: Math.max(1, Math.ceil(next.length / block)) }, (_, at) => {
    const around = next.slice(Math.max(0, (at - 1) * block), (at + 2) * block);
    const centre = medianOf(around);
    const spread = medianOf(around.map((distance) => Math.abs(distance - centre)));
    return Math.min(highest, Math.max(lowest, centre + 4 * 1.4826 * spread));
  });
}

/**
 * Cuts and, within the shots between them, the middles of slow transitions: peaks that reach the threshold
 * and stand twice as high as what is a window before and after them. A pan, which goes on, is none.
 */
function withFades(
  cuts: readonly number[],
  changes: Float32Array,
  thresholds: Float32Array,
  rows: number,
): number[] {
  const starts: number[] = [];
  cuts.forEach((cut, at) => {
    starts.push(cut);
    const end = cuts[at + 1] ?? rows;
    let last = cut;
    for (let i = cut + side; i <= end - side; i++) {
      if (i - last < side || changes[i]! <= thresholds[Math.floor((i - 1) / block)]! || !isPeak(changes, i))
        continue;
      // Next to a cut the windows reach over it.
      const before = i - side >= cut + side ? changes[i - side]! : 0;
      const after = i + side <= end - side ? changes[i + side]! : 0;
      if (changes[i]! < 2 * Math.max(before, after)) continue;
      starts.push(i);
      last = i;
    }
  });
  return starts;
}

/** No row within half a window is higher, and none before it as high. */
function isPeak(changes: Float32Array, i: number): boolean {
  for (let k = 1; k <= side / 2; k++) {
    if (changes[i - k]! >= changes[i]! || (changes[i + k] ?? 0) > changes[i]!) return false;
  }
  return true;
}
