// Trees of summaries that belong to nobody: of removed, replaced and abandoned ones. They are marked in the transaction that
// takes their summary away, and leave the disk later in steps, since a tree may have half a million nodes.
import type { Environment, Writes } from '../environment.ts';
import { SummaryId } from '../records.ts';
import { seal } from '../table.ts';
import { allGarbage, evidencePrefix, garbageKey, nodePrefix, treePrefix } from './keys.ts';

/** Records of one step: a few milliseconds. */
const stepRecords = 2000;

export function markGarbage(writes: Writes, hash: string, token: string): void {
  const key = garbageKey(hash, token);
  writes.put(key, seal(SummaryId, key, { id: token }));
}

export function hasGarbage(environment: Environment): boolean {
  return environment.someKeys(allGarbage, null, 1).length > 0;
}

/** Frees some records. For who holds the lease. */
export function sweepStep(environment: Environment, confirm: (writes: Writes) => void): void {
  const [key] = environment.someKeys(allGarbage, null, 1);
  if (key === undefined) return;
  const [hash = '', token = ''] = key.slice(allGarbage.length).split('/');
  const of = [nodePrefix(hash, token), evidencePrefix(hash, token)];
  const found = of.flatMap((prefix) => environment.someKeys(prefix, null, stepRecords));
  environment.transact((writes) => {
    confirm(writes);
    for (const one of found.slice(0, stepRecords)) writes.remove(one);
    if (found.length <= stepRecords) writes.remove(key);
  });
}

/** The tokens of all trees of a content, also of those that no record speaks of any more. */
export function treesOf(environment: Environment, hash: string): string[] {
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
