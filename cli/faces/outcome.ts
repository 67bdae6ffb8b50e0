// What the clustering of a job told when it ended: which sample faces gave their name, and what became of names and
// corrections.
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { nullable } from '../../runtime/schema.ts';
import { printable } from '../terminal.ts';
import { counted, whoIs } from './lines.ts';

const Naming = Type.Object({
  assignments: Type.Array(
    Type.Object({
      name: Type.String(),
      cluster_id: Type.String(),
      similarity: Type.Number(),
      runner_up: nullable(Type.Number()),
    }),
  ),
  unassigned: Type.Array(Type.Object({ name: Type.String(), reason: Type.String() })),
});

/** Of the facts of a closing step what is told here. */
const Outcome = Type.Object({
  /** Corrections that do not hold any more, by a sentence each. */
  conflicts: Type.Array(Type.String()),
  lost_names: Type.Array(Type.String()),
  /** How many names and corrections hold as before. */
  kept_names: Type.Integer(),
  kept_corrections: Type.Integer(),
  /** Null where no samples were given. */
  sample_face_naming: nullable(Naming),
  warning: Type.Optional(Type.String()),
});
export type Outcome = Static<typeof Outcome>;

/** `facts`: of the result of the closing step. Null where it tells nothing. */
export function outcomeOf(facts: Readonly<Record<string, unknown>>): Outcome | null {
  return Object.values(facts).find((fact): fact is Outcome => Check(Outcome, fact)) ?? null;
}

const reasons: Readonly<Record<string, string>> = {
  no_match: 'no cluster is similar enough to the pictures',
  ambiguous: 'two clusters match the pictures about equally well',
  no_face: 'a picture shows no face',
  multiple_faces: 'a picture shows more than one face',
  unreadable_image: 'a picture cannot be read',
  cluster_already_named: 'the cluster already has a name',
};

export function outcomeLines({
  sample_face_naming: naming,
  conflicts,
  lost_names,
  kept_names,
  kept_corrections,
  warning,
}: Outcome): string[] {
  const given = naming?.assignments.map(({ name, cluster_id, similarity, runner_up }) => {
    const next = runner_up === null ? '' : `, next best cluster ${runner_up.toFixed(2)}`;
    return `✓ ${whoIs(cluster_id, name)}: similarity ${similarity.toFixed(2)}${next}`;
  });
  const missing = naming?.unassigned.map(({ name, reason }) => {
    return `✗ ${printable(name)} is not assigned: ${reasons[reason] ?? printable(reason)}`;
  });
  const kept = [
    ...(kept_names > 0 ? [counted(kept_names, 'name')] : []),
    ...(kept_corrections > 0 ? [counted(kept_corrections, 'correction')] : []),
  ];
  return [
    ...(kept.length > 0 ? [`kept: ${kept.join(' and ')}`] : []),
    ...(given ?? []),
    ...(missing ?? []),
    ...conflicts.map((conflict) => `– not kept: ${printable(conflict)}`),
    ...lost_names.map((name) => `– no cluster has the name ${printable(name)} any more`),
    ...(warning === undefined ? [] : [`– ${printable(warning)}`]),
  ];
}
