// Keys of the records of summaries. Names go in by their checksum, ids as they are.
import { createHash } from 'node:crypto';
import { foldName } from '../../summaries/fold-name.ts';
import { checkedHash } from '../names.ts';

/** Ids that this program gave; anything else names nothing. */
export const isSummaryId = (id: string): boolean => /^[0-9a-f]{24}$/.test(id);
const isNodeId = (id: string): boolean => /^[A-Za-z0-9._-]{1,64}$/.test(id);

/** Ascending in the order in which they were given: milliseconds since 1970, then what is random. */
export function newSummaryId(ms: number, random: string): string {
  return `${Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0')}${random}`;
}

/** When an id was given. */
export const msOfId = (id: string): number => Number.parseInt(id.slice(0, 12), 16);

const folded = (name: string): string => createHash('sha256').update(foldName(name)).digest('hex');

/** How many times summaries were stored and removed. */
export const summaryChangesKey = 'summary-changes';
export const allSummaries = 'summary/';
export const summaryPrefix = (hash: string): string => `${allSummaries}${checkedHash(hash)}/`;
export const summaryKey = (hash: string, id: string): string => `${summaryPrefix(hash)}${id}`;
export const detailKey = (hash: string, id: string): string => `summary-detail/${checkedHash(hash)}/${id}`;
/** Of the names of one content. */
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
