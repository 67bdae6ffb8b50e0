// Whether nodes that come in any order make one whole tree, told without holding them. An edge is summed up
// twice: as its parent lists it, and as its child names its parent. Only when the two sums are the same,
// every child that is listed is there, is listed once, and lies one level below.
import { createHash } from 'node:crypto';

export interface TreeNode {
  readonly node_id: string;
  /** Null for the root. */
  readonly parent_id: string | null;
  /** 0 for the root. */
  readonly level: number;
  readonly child_ids: readonly string[];
}

export interface TreeSums {
  readonly nodes: number;
  readonly roots: number;
  /** Edges as parents list them. */
  readonly listed: number;
  /** Edges as children name their parents. */
  readonly named: number;
}

export const noNodes: TreeSums = { nodes: 0, roots: 0, listed: 0, named: 0 };

/** Sums of six bytes stay whole numbers of a double. */
const MODULUS = 2 ** 48;

function edge(parent: string, child: string, level: number): number {
  return createHash('sha256').update(`${parent}/${child}/${level}`).digest().readUIntBE(0, 6);
}

function moved(sum: number, by: number, sign: 1 | -1): number {
  return (sum + sign * by + MODULUS) % MODULUS;
}

function changed(sums: TreeSums, { node_id, parent_id, level, child_ids }: TreeNode, sign: 1 | -1): TreeSums {
  const listed = child_ids.reduce(
    (sum, child) => moved(sum, edge(node_id, child, level + 1), sign),
    sums.listed,
  );
  const named = parent_id === null ? sums.named : moved(sums.named, edge(parent_id, node_id, level), sign);
  const roots = sums.roots + (parent_id === null ? sign : 0);
  return { nodes: sums.nodes + sign, roots, listed, named };
}

export function withNode(sums: TreeSums, node: TreeNode): TreeSums {
  return changed(sums, node, 1);
}

/** After a node was replaced, without the one that was there. */
export function withoutNode(sums: TreeSums, node: TreeNode): TreeSums {
  return changed(sums, node, -1);
}

/** One root, and every other node below it. */
export function isWhole({ nodes, roots, listed, named }: TreeSums): boolean {
  return nodes > 0 && roots === 1 && listed === named;
}
