// The outline of a media file: a tree whose nodes have half-open ranges on the grid that nest and cover it
// exactly. Made of shots that are joined to leaves, and of leaves that are joined to chapters, by what is
// seen, said and heard. Pure, and the same for the same material.
import { atOnce, type Steps } from '../../../runtime/sync/steps.ts';
import { type Channel, channelsOf, segmentBySecond } from './channels.ts';
import { groupsOf, type Rules } from './grouping.ts';
import { checkMaterial, type Material, type Range, uncoveredRanges } from './material.ts';
import { type Scale, scaleOf } from './scale.ts';
import { type Shots, shotSteps } from './shots.ts';
import { type Bounds, type Spreads, spreadsOf } from './spread.ts';
import { type Branch, treeOf } from './tree.ts';
import { joinShort, unitsOf } from './units.ts';

export interface OutlineNode extends Range {
  /** `0` is the root, `3` its third child, `3.1` the first of that one. Local to one outline. */
  readonly node_id: string;
  /** Null of the root. */
  readonly parent_id: string | null;
  /** 0 of the root. */
  readonly level: number;
  /** None, or 2 to 12, in the order of time; they cover the node exactly. */
  readonly child_ids: readonly string[];
}

export interface Outline {
  /** The root first, each node before its children, all children of a node in the order of time. */
  readonly nodes: readonly OutlineNode[];
  /** Grid seconds at which shots begin, ascending; none without pictures. */
  readonly shots: readonly number[];
  /** Grid seconds of which nothing is known. */
  readonly uncovered: readonly Range[];
}

/** As `outlineSteps`, without a pause. */
export const outlineOf = (material: Material): Outline => atOnce(outlineSteps(material));

/** Throws MATERIAL_INVALID. O(seconds · dimensions · longest leaf), at most a second or two for ten hours. */
export function* outlineSteps(material: Material): Steps<Outline> {
  checkMaterial(material);
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
  material: Material,
  shots: Shots | null,
  channels: readonly Channel[],
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

/** What it costs to begin in the midst of speech; less than nothing where a pause ends. */
function pausePenalty({ segments, seconds }: Material, cost: number): (second: number) => number {
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
