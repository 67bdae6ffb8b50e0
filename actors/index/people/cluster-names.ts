// Names that people give to clusters. One name on two clusters is one person, in searches as well.
import type { ClusteringState } from './clustering-state.ts';
import { peopleErrors } from './contract.ts';
import { givenName } from './person-name.ts';

interface Assignment {
  readonly cluster_id: string;
  /** Empty: no name. */
  readonly name: string;
}

/** Plain names by cluster id; the last one of an id counts. UNKNOWN_CLUSTER, BAD_NAME. */
function plainAssignments(
  assignments: readonly Assignment[],
  known: ReadonlySet<string>,
): Map<string, string> {
  const plain = new Map<string, string>();
  for (const [i, { cluster_id, name }] of assignments.entries()) {
    const field = `assignments[${i}].cluster_id`;
    if (!known.has(cluster_id)) {
      throw peopleErrors.UNKNOWN_CLUSTER(`${field}: there is no cluster ${cluster_id}`, { field });
    }
    plain.set(cluster_id, givenName(name, `assignments[${i}].name`));
  }
  return plain;
}

/** Writes what is another one now into `changes`. */
function changedNames(
  before: Readonly<Record<string, string>>,
  plain: ReadonlyMap<string, string>,
  changes: Record<string, string>,
): Record<string, string> {
  const names = { ...before };
  for (const [id, name] of plain) {
    if ((before[id] ?? '') === name) continue;
    changes[id] = name;
    if (name === '') delete names[id];
    else names[id] = name;
  }
  return names;
}

/** The state with other names. A name that is given again is not remembered as lost any more. */
export function named(
  state: ClusteringState,
  assignments: readonly Assignment[],
  changes: Record<string, string>,
): ClusteringState {
  const plain = plainAssignments(assignments, new Set(state.cluster_ids));
  const names = changedNames(state.names, plain, changes);
  const given = new Set(plain.values());
  const lost = state.lost.filter(({ name }) => !given.has(name));
  if (state.undo === null) return { ...state, names, lost };
  // Whoever takes a correction back does not take back the names given since.
  const there = new Set(state.undo.cluster_ids);
  const since = new Map([...plain].filter(([id]) => there.has(id)));
  const undo = { ...state.undo, names: changedNames(state.undo.names, since, {}) };
  return { ...state, names, lost, undo };
}
