// Checks the names that clusters are to be given.
import { quoted } from '../../runtime/quoted.ts';
import type { ClusterJob } from '../index/people/contract.ts';
import { givenName } from '../index/people/person-name.ts';
import { type NamesRequest, peopleRequestErrors } from './contract.ts';
import { knownCluster } from './persons.ts';

interface Assignment {
  readonly cluster_id: string;
  /** Empty: the name is taken away. */
  readonly name: string;
}

/**
 * The names in their plain form, each cluster once. Throws BAD_NAME, NAMED_TWICE and UNKNOWN_CLUSTER naming the
 * field.
 */
export function checkedAssignments(job: ClusterJob, given: NamesRequest['assignments']): Assignment[] {
  const names = new Map<string, string>();
  for (const [i, { cluster_id, name }] of given.entries()) {
    const at = `assignments[${i}]`;
    knownCluster(job, cluster_id, `${at}.cluster_id`);
    const plain = givenName(name ?? '', `${at}.name`);
    const before = names.get(cluster_id);
    if (before !== undefined && before !== plain) {
      const what = `${at}: the cluster ${cluster_id} is given two names, ${quoted(before)} and ${quoted(plain)}`;
      throw peopleRequestErrors.NAMED_TWICE(what, { field: at });
    }
    names.set(cluster_id, plain);
  }
  return [...names].map(([cluster_id, name]) => ({ cluster_id, name }));
}

/** Only those that differ from the names before. */
export function realChanges(
  { names }: ClusterJob,
  changes: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(changes).filter(([id, name]) => (names[id] ?? '') !== name));
}
