// Records of summaries: as values of the contract and back, their keys, and whether nodes are one whole tree.
// Lists that nobody computes with are JSON in them.
import { createHash } from 'node:crypto';
import type {
  NewSummaryNode,
  SummaryDetail,
  SummaryEvidence,
  SummaryNode,
} from '../../summaries/contract.ts';
import { foldName } from '../../summaries/fold-name.ts';
import { checkedHash } from '../names.ts';
import { SummaryDetailRow, SummaryEvidenceRow, SummaryNodeRow } from '../records.ts';
import { seal, unseal } from '../table.ts';

export function sealNode(key: string, node: SummaryNode): Uint8Array {
  const [start, end] = node.range;
  return seal(SummaryNodeRow, key, {
    node_id: node.node_id,
    parent_id: node.parent_id ?? '',
    level: node.level,
    text: node.text,
    start,
    end,
    children_json: JSON.stringify(node.child_ids),
    hints_json: JSON.stringify(node.verification_hints),
    failed: node.failed ? 1 : 0,
  });
}

/** Throws STORE_DAMAGED. */
export function unsealNode(key: string, bytes: Uint8Array, file: string): SummaryNode {
  const row = unseal(SummaryNodeRow, key, bytes, file);
  return {
    node_id: row.node_id,
    parent_id: row.parent_id === '' ? null : row.parent_id,
    level: row.level,
    text: row.text,
    range: [row.start, row.end],
    // Written by this program under a checksum, here and below.
    child_ids: JSON.parse(row.children_json) as string[],
    verification_hints: JSON.parse(row.hints_json) as SummaryNode['verification_hints'],
    failed: row.failed === 1,
  };
}

export function sealEvidence(key: string, evidence: NonNullable<NewSummaryNode['evidence']>): Uint8Array {
  return seal(SummaryEvidenceRow, key, { evidence_json: JSON.stringify(evidence) });
}

/** Throws STORE_DAMAGED. */
export function unsealEvidence(key: string, bytes: Uint8Array, file: string): SummaryEvidence {
  return JSON.parse(unseal(SummaryEvidenceRow, key, bytes, file).evidence_json) as SummaryEvidence;
}

export function sealDetail(key: string, detail: SummaryDetail): Uint8Array {
  const { root_id, short_summary, objective, quality } = detail;
  const lists = { objective_json: JSON.stringify(objective), quality_json: JSON.stringify(quality) };
  return seal(SummaryDetailRow, key, { root_id, short_summary, ...lists });
}

/** Throws STORE_DAMAGED. */
export function unsealDetail(key: string, bytes: Uint8Array, file: string): SummaryDetail {
  const { root_id, short_summary, objective_json, quality_json } = unseal(SummaryDetailRow, key, bytes, file);
  return {
    root_id,
    short_summary,
    objective: JSON.parse(objective_json) as SummaryDetail['objective'],
    quality: JSON.parse(quality_json) as SummaryDetail['quality'],
  };
}

// Keys of the records of summaries. Names go in by their checksum, ids as they are.

/** Ids that this program gave; anything else names nothing. */
export const isSummaryId = (id: string): boolean => /^[0-9a-f]{24}$/.test(id);
const isNodeId = (id: string): boolean => /^[A-Za-z0-9._-]{1,64}$/.test(id);

/** Ascending in the order in which they were given: milliseconds since 1970, then what is random. */
export function newSummaryId(ms: number, random: string): string {
  return `${Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0')}${random}`;
}

export const msOfId = (id: string): number => Number.parseInt(id.slice(0, 12), 16);

const folded = (name: string): string => createHash('sha256').update(foldName(name)).digest('hex');

/** How many times summaries were stored and removed. */
export const summaryChangesKey = 'summary-changes';
export const allSummaries = 'summary/';
export const summaryPrefix = (hash: string): string => `${allSummaries}${checkedHash(hash)}/`;
export const summaryKey = (hash: string, id: string): string => `${summaryPrefix(hash)}${id}`;
export const detailKey = (hash: string, id: string): string => `summary-detail/${checkedHash(hash)}/${id}`;
/** Prefix of the names of one content. */
export const summaryNamePrefix = (hash: string): string => `summary-name/${checkedHash(hash)}/`;
export const summaryNameKey = (hash: string, name: string): string =>
  `${summaryNamePrefix(hash)}${folded(name)}`;
export const allOpen = 'summary-open/';
export const openPrefix = (hash: string): string => `${allOpen}${checkedHash(hash)}/`;
export const openKey = (hash: string, name: string): string => `${openPrefix(hash)}${folded(name)}`;

/** `token`: of the tree, another one for each that is written. */
export const treePrefix = (hash: string): string => `summary-node/${checkedHash(hash)}/`;
export const nodePrefix = (hash: string, token: string): string => `${treePrefix(hash)}${token}/`;
/** Null for what cannot be the id of a node. */
export const nodeKey = (hash: string, token: string, node: string): string | null =>
  isNodeId(node) ? `${nodePrefix(hash, token)}${node}` : null;
export const evidencePrefix = (hash: string, token: string): string =>
  `summary-evidence/${checkedHash(hash)}/${token}/`;
export const evidenceKey = (hash: string, token: string, node: string): string =>
  `${evidencePrefix(hash, token)}${node}`;
export const allGarbage = 'summary-garbage/';
export const garbageKey = (hash: string, token: string): string =>
  `${allGarbage}${checkedHash(hash)}/${token}`;

export const allCollections = 'summary-collection/';
export const collectionKey = (id: string): string => `${allCollections}${id}`;
export const collectionNameKey = (name: string): string => `summary-collection-name/${folded(name)}`;
export const memberPrefix = (collection: string): string => `summary-member/${collection}/`;
export const memberKey = (collection: string, hash: string, id: string): string =>
  `${memberPrefix(collection)}${checkedHash(hash)}/${id}`;

// Checks whether nodes that come in any order make one whole tree, without holding them. Each edge is summed
// twice: once as its parent lists it, and once as its child names its parent. The sums are equal only if
// every listed child exists, is listed once, and lies one level below.

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
