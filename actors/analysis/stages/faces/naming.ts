// Which cluster each sample person is: a name is only given where nothing else comes near.
import type { SampleFaceNaming, UnassignedReason } from './facts.ts';

/** A person with a row of similarities for each picture that shows one face. */
export interface ReferencedPerson {
  readonly name: string;
  /** By cluster, a row for each reference; none: `reason` says why. */
  readonly rows: readonly Float32Array[];
  readonly reason: UnassignedReason | null;
}

export interface NamedClusters {
  readonly ids: readonly string[];
  /** Aligned with `ids`; empty without a name. */
  readonly names: readonly string[];
}

export interface Confidence {
  /** Cosine from which a face shows the person. */
  readonly same: number;
  /** By how much the runner-up must be less similar. */
  readonly margin: number;
}

interface Claim {
  readonly name: string;
  readonly cluster: number;
  readonly similarity: number;
  readonly runner_up: number | null;
}

export function nameClusters(
  people: readonly ReferencedPerson[],
  { ids, names }: NamedClusters,
  confidence: Confidence,
): SampleFaceNaming {
  const unassigned = new Map<string, UnassignedReason>();
  const claims: Claim[] = [];
  for (const person of people) {
    const claim = claimOf(person, ids.length, confidence);
    if (typeof claim === 'string') unassigned.set(person.name, claim);
    else claims.push(claim);
  }
  const assignments = claims.filter((claim) => {
    const others = claims.filter((one) => one !== claim && one.cluster === claim.cluster);
    const reason = others.some((one) => claim.similarity - one.similarity < confidence.margin)
      ? 'ambiguous'
      : isNamedOtherwise(names[claim.cluster], claim.name)
        ? 'cluster_already_named'
        : null;
    if (reason !== null) unassigned.set(claim.name, reason);
    return reason === null;
  });
  return {
    assignments: assignments.map(({ name, cluster, similarity, runner_up }) => ({
      name,
      cluster_id: ids[cluster]!,
      similarity: rounded(similarity),
      runner_up: runner_up === null ? null : rounded(runner_up),
    })),
    // In the order of the request.
    unassigned: people.flatMap(({ name }) => {
      const reason = unassigned.get(name);
      return reason === undefined ? [] : [{ name, reason }];
    }),
  };
}

/** The cluster that is this person and no other; or why there is none. */
function claimOf(
  { name, rows, reason }: ReferencedPerson,
  clusters: number,
  { same, margin }: Confidence,
): Claim | UnassignedReason {
  if (reason !== null) return reason;
  let best: { readonly cluster: number; readonly similarity: number } | null = null;
  let runner_up: number | null = null;
  for (let cluster = 0; cluster < clusters; cluster++) {
    const similarity = meanOf(rows, cluster);
    if (best !== null && similarity <= best.similarity) {
      runner_up = Math.max(runner_up ?? -1, similarity);
      continue;
    }
    runner_up = best?.similarity ?? null;
    best = { cluster, similarity };
  }
  if (best === null || best.similarity < same) return 'no_match';
  if (runner_up !== null && best.similarity - runner_up < margin) return 'ambiguous';
  return { name, ...best, runner_up };
}

function meanOf(rows: readonly Float32Array[], cluster: number): number {
  const sum = rows.reduce((all, row) => all + (row[cluster] ?? -1), 0);
  return rows.length === 0 ? -1 : sum / rows.length;
}

function isNamedOtherwise(known: string | undefined, name: string): boolean {
  return known !== undefined && known !== '' && known !== name;
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
