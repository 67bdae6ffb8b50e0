// Takes summaries out of the records, within the transaction of whoever removes. Their trees are marked, and
// swept later.
import type { SummaryName } from '../../summaries/contract.ts';
import { countChange } from '../changes.ts';
import type { Environment, Transaction } from '../environment.ts';
import { readable } from '../faults.ts';
import { FilmSummaryRow, SummaryCollectionRow, SummaryIdRow } from '../records.ts';
import { seal, unseal } from '../table.ts';
import {
  allCollections,
  allGarbage,
  collectionKey,
  collectionNameKey,
  detailKey,
  evidencePrefix,
  garbageKey,
  isSummaryId,
  memberKey,
  memberPrefix,
  nodePrefix,
  openPrefix,
  summaryChangesKey,
  summaryKey,
  summaryNameKey,
  summaryNamePrefix,
  summaryPrefix,
  treePrefix,
} from './rows.ts';

/** The id of a summary that has this name; null when none has, also when that one is gone or damaged. */
export function summaryNamed(reader: Pick<Transaction, 'get'>, hash: string, name: string, file: string) {
  const id = idAt(reader, summaryNameKey(hash, name), file);
  return id !== null && reader.get(summaryKey(hash, id)) !== undefined ? id : null;
}

/** Null when there is none, or it is damaged. */
export function idAt(reader: Pick<Transaction, 'get'>, key: string, file: string): string | null {
  const bytes = reader.get(key);
  return bytes === undefined ? null : readable(() => unseal(SummaryIdRow, key, bytes, file).id);
}

/** The collections there are; to be asked before the transaction. */
export function collectionIds(environment: Environment): string[] {
  return environment.keys(allCollections).map((key) => key.slice(allCollections.length));
}

/**
 * False when it is not there. `collections`: all there are. A damaged one goes from wherever it may be a
 * member.
 */
export function removeSummary(
  writes: Transaction,
  { hash_str: hash, analysis_id: id }: SummaryName,
  collections: readonly string[],
  file: string,
): boolean {
  if (!isSummaryId(id)) return false;
  const key = summaryKey(hash, id);
  const bytes = writes.get(key);
  const row = bytes === undefined ? null : readable(() => unseal(FilmSummaryRow, key, bytes, file));
  if (row !== null) {
    markGarbage(writes, hash, row.token);
    const nameKey = summaryNameKey(hash, row.name);
    if (idAt(writes, nameKey, file) === id) writes.remove(nameKey);
  }
  const within = row === null ? collections : row.collection_id === '' ? [] : [row.collection_id];
  for (const collection of within) writes.remove(memberKey(collection, hash, id));
  writes.remove(detailKey(hash, id));
  writes.remove(key);
  return bytes !== undefined;
}

/** Everything of contents that are forgotten. Made with the lease held, before the transaction. */
export class ForgottenSummaries {
  readonly #file: string;
  readonly #collections: readonly string[];
  readonly #contents: readonly {
    readonly hash: string;
    readonly ids: readonly string[];
    readonly keys: readonly string[];
    readonly trees: readonly string[];
  }[];

  constructor(environment: Environment, hashes: Iterable<string>) {
    this.#file = environment.file;
    this.#collections = collectionIds(environment);
    this.#contents = Array.from(hashes, (hash) => ({
      hash,
      ids: environment.keys(summaryPrefix(hash)).map((key) => key.slice(summaryPrefix(hash).length)),
      keys: [...environment.keys(summaryNamePrefix(hash)), ...environment.keys(openPrefix(hash))],
      trees: treesOf(environment, hash),
    }));
  }

  /** How many summaries went, by content. */
  within(writes: Transaction): ReadonlyMap<string, number> {
    const removed = new Map<string, number>();
    for (const { hash, ids, keys, trees } of this.#contents) {
      for (const analysis_id of ids) {
        removeSummary(writes, { hash_str: hash, analysis_id }, this.#collections, this.#file);
      }
      for (const key of keys) writes.remove(key);
      for (const token of trees) markGarbage(writes, hash, token);
      removed.set(hash, ids.length);
    }
    countChange(writes, summaryChangesKey, this.#file);
    return removed;
  }
}

/** Removes those of these collections that have no members, and returns their ids. Needs the lease. */
export function removeEmptyCollections(
  environment: Environment,
  ids: readonly string[],
  confirm: (writes: Transaction) => void,
): string[] {
  environment.refresh();
  const existingIds = ids.filter((id) => isSummaryId(id) && environment.has(collectionKey(id)));
  const empty = existingIds.filter((id) => environment.count(memberPrefix(id)) === 0);
  if (empty.length === 0) return [];
  environment.transact((writes) => {
    confirm(writes);
    for (const id of empty) {
      const key = collectionKey(id);
      const bytes = writes.get(key);
      const row = bytes && readable(() => unseal(SummaryCollectionRow, key, bytes, environment.file));
      if (row) writes.remove(collectionNameKey(row.name));
      writes.remove(key);
    }
  });
  return empty;
}

// Trees of summaries that belong to nobody: of removed, replaced and abandoned ones. They are marked in the
// transaction that takes their summary away, and leave the disk later in steps, since a tree may have half a
// million nodes.

/** Records of one step: a few milliseconds. */
const stepRecords = 2000;

export function markGarbage(writes: Transaction, hash: string, token: string): void {
  const key = garbageKey(hash, token);
  writes.put(key, seal(SummaryIdRow, key, { id: token }));
}

export function hasGarbage(environment: Environment): boolean {
  return environment.someKeys(allGarbage, null, 1).length > 0;
}

/** Frees some records. For who holds the lease. */
export function sweepStep(environment: Environment, confirm: (writes: Transaction) => void): void {
  const [key] = environment.someKeys(allGarbage, null, 1);
  if (key === undefined) return;
  const [hash = '', token = ''] = key.slice(allGarbage.length).split('/');
  const of = [nodePrefix(hash, token), evidencePrefix(hash, token)];
  const keys = of.flatMap((prefix) => environment.someKeys(prefix, null, stepRecords));
  environment.transact((writes) => {
    confirm(writes);
    for (const foundKey of keys.slice(0, stepRecords)) writes.remove(foundKey);
    if (keys.length <= stepRecords) writes.remove(key);
  });
}

/** The tokens of all trees of a content, also of those that no record speaks of any more. */
function treesOf(environment: Environment, hash: string): string[] {
  const prefix = treePrefix(hash);
  const tokens: string[] = [];
  let [key] = environment.someKeys(prefix, null, 1);
  while (key !== undefined) {
    const token = key.slice(prefix.length).split('/')[0]!;
    tokens.push(token);
    // '0' follows '/': the first key behind all of this tree.
    [key] = environment.someKeys(prefix, `${prefix}${token}0`, 1);
  }
  return tokens;
}
