// Which clustering and which clusters the words of a command mean: clusters go by id or by name.

import type { FaceClusterJob, FaceClusterJobs } from '../../actors/faces/people/contract.ts';
import { peopleErrors } from '../../actors/index/people/contract.ts';
import { suggestion } from '../../runtime/nearest.ts';
import { printable } from '../terminal.ts';

/** Throws UNKNOWN_CLUSTER_JOB with what was probably meant. */
export function jobNamed({ jobs }: FaceClusterJobs, name: string): FaceClusterJob {
  const job = jobs.find((one) => one.name === name);
  if (job) return job;
  const names = jobs.map((one) => one.name);
  const meant = names.length === 0 ? '' : suggestion(name, names) || '; see: framehound faces list';
  const first = names.length === 0 ? '; to make one: framehound faces analyze JOB PATH' : '';
  throw peopleErrors.UNKNOWN_CLUSTER_JOB(
    `there is no face clustering named ${printable(name)}${printable(meant)}${first}`,
  );
}

type ClusterNames = Pick<FaceClusterJob, 'name' | 'cluster_ids' | 'names'>;

/**
 * Ids go before names, and a name means every cluster that has it. Throws UNKNOWN_CLUSTER with what was
 * probably meant.
 */
export function clustersMeant(job: ClusterNames, word: string): readonly string[] {
  if (job.cluster_ids.includes(word)) return [word];
  const name = word.trim();
  const alike = namesakes(job, name);
  const exact = alike.filter((id) => job.names[id] === name);
  const found = exact.length > 0 ? exact : alike;
  if (found.length > 0 && name !== '') return found;
  const known = [...new Set(Object.values(job.names).filter((name) => name !== ''))];
  const few = job.cluster_ids.length <= 1000 ? job.cluster_ids : [];
  const meant = suggestion(word, [...known, ...few]) || `; see: framehound faces show ${shellWord(job.name)}`;
  throw peopleErrors.UNKNOWN_CLUSTER(
    `${printable(job.name)} has no cluster with the id or name ${printable(word)}${printable(meant)}`,
  );
}

/** The clusters of a name, whether its letters are large or small. */
export function namesakes({ cluster_ids, names }: ClusterNames, name: string): readonly string[] {
  return cluster_ids.filter((id) => names[id] !== undefined && folded(names[id]) === folded(name));
}

/** Throws UNKNOWN_CLUSTER, also for a name that several clusters have. */
export function clusterMeant(job: ClusterNames, word: string): string {
  const [id = '', ...others] = clustersMeant(job, word);
  if (others.length === 0) return id;
  throw peopleErrors.UNKNOWN_CLUSTER(
    `${others.length + 1} clusters are named ${printable(word)}; use one of their ids: ${[id, ...others].join(', ')}`,
  );
}

function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** A word as a person types it into a shell. */
export function shellWord(text: string): string {
  const shown = printable(text);
  return /^[\p{L}\p{N}_.,:@%+=/][\p{L}\p{N}_.,:@%+=/-]*$/u.test(shown)
    ? shown
    : `'${shown.replaceAll("'", "'\\''")}'`;
}
