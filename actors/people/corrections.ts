// Checks merges, moves and what is held apart before they are asked for, so that an error names the field.
import { quoted } from '../../runtime/quoted.ts';
import { type ClusterJob, peopleErrors } from '../index/people/contract.ts';
import { type ModifyRequest, peopleRequestErrors } from './contract.ts';
import { knownCluster } from './persons.ts';

type Merge = ModifyRequest['merges'][number];
type Move = ModifyRequest['moves'][number];
type Apart = NonNullable<ModifyRequest['apart']>[number];

interface Corrections {
  readonly merges: { cluster_ids: string[]; target_cluster_id?: string }[];
  readonly moves: { from_cluster_id: string; to_cluster_id: string | null; entry_ids: string[] }[];
  readonly apart?: { cluster_ids: string[] }[];
}

/** What is named twice in one list counts once. Throws NO_CORRECTION, UNKNOWN_CLUSTER and WRONG_CORRECTION naming the field. */
export function checkedCorrections(
  job: ClusterJob,
  { merges, moves, apart = [] }: Pick<ModifyRequest, 'merges' | 'moves' | 'apart'>,
): Corrections {
  if (merges.length === 0 && moves.length === 0 && apart.length === 0) {
    throw peopleRequestErrors.NO_CORRECTION('merges, moves or apart is required', { field: 'merges' });
  }
  return {
    merges: merges.map((merge, i) => checkedMerge(job, merge, `merges[${i}]`)),
    moves: moves.map((move, i) => checkedMove(job, move, `moves[${i}]`)),
    ...(apart.length > 0 && {
      apart: apart.map((one, i) => checkedApart(job, one, `apart[${i}].cluster_ids`)),
    }),
  };
}

function checkedApart(job: ClusterJob, { cluster_ids }: Apart, at: string) {
  for (const [i, id] of cluster_ids.entries()) knownCluster(job, id, `${at}[${i}]`);
  if (cluster_ids.length !== 2 || cluster_ids[0] === cluster_ids[1]) {
    throw wrong(at, 'must name two different clusters');
  }
  return { cluster_ids: [...cluster_ids] };
}

function checkedMerge(job: ClusterJob, { cluster_ids, target_cluster_id }: Merge, at: string) {
  for (const [i, id] of cluster_ids.entries()) knownCluster(job, id, `${at}.cluster_ids[${i}]`);
  const joined = [...new Set(cluster_ids)];
  if (joined.length < 2) throw wrong(`${at}.cluster_ids`, 'must name at least two clusters');
  if (target_cluster_id === undefined) return { cluster_ids: joined };
  if (!joined.includes(target_cluster_id)) {
    throw wrong(`${at}.target_cluster_id`, `must be one of cluster_ids: ${quoted(target_cluster_id)}`);
  }
  return { cluster_ids: joined, target_cluster_id };
}

function checkedMove(job: ClusterJob, { from_cluster_id, to_cluster_id, entry_ids }: Move, at: string) {
  knownCluster(job, from_cluster_id, `${at}.from_cluster_id`);
  if (to_cluster_id !== null) knownCluster(job, to_cluster_id, `${at}.to_cluster_id`);
  if (from_cluster_id === to_cluster_id)
    throw wrong(`${at}.to_cluster_id`, 'is the cluster that already contains them');
  if (entry_ids.length === 0) throw wrong(`${at}.entry_ids`, 'names no face');
  return { from_cluster_id, to_cluster_id, entry_ids: [...new Set(entry_ids)] };
}

function wrong(field: string, what: string) {
  return peopleErrors.WRONG_CORRECTION(`${field} ${what}`, { field });
}
