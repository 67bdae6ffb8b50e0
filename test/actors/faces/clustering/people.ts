// Synthetic faces for tests: vectors around people, and DBSCAN written down as it is defined.
import type { ClusterLabels } from '../../../../actors/faces/contract.ts';
import { normal, seeded } from '../../../seeded.ts';

export interface Crowd {
  readonly dimensions: number;
  /** Faces of each person. */
  readonly people: readonly number[];
  /** Faces of nobody else. */
  readonly loners?: number;
  /** Mean cosine of two faces of a person. */
  readonly same: number;
  readonly seed: number;
}

export interface Faces {
  readonly vectors: Float32Array<ArrayBuffer>;
  /** The person of each; loners have numbers of their own. */
  readonly who: number[];
}

/** In a random order. */
export function crowd({ dimensions, people, loners = 0, same, seed }: Crowd): Faces {
  const random = seeded(seed);
  const who = [...people, ...Array.from({ length: loners }, () => 1)].flatMap((count, person) =>
    Array.from({ length: count }, () => person),
  );
  for (let i = who.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [who[i], who[j]] = [who[j]!, who[i]!];
  }
  const centres = Array.from({ length: people.length + loners }, () => direction(dimensions, random));
  const vectors = new Float32Array(who.length * dimensions);
  for (const [i, person] of who.entries()) {
    const own = direction(dimensions, random);
    const mixed = own.map((value, k) => Math.sqrt(same) * centres[person]![k]! + Math.sqrt(1 - same) * value);
    vectors.set(unit(mixed), i * dimensions);
  }
  return { vectors, who };
}

function direction(dimensions: number, random: () => number): Float32Array {
  return unit(Float32Array.from({ length: dimensions }, () => normal(random)));
}

export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

export interface NaiveOptions {
  readonly dimensions: number;
  readonly eps: number;
  readonly minSamples: number;
  readonly weak?: Uint8Array;
}

/** DBSCAN over all pairs, with the rules of the face actor. */
export function naive(vectors: Float32Array, options: NaiveOptions): ClusterLabels {
  const { dimensions, eps, minSamples } = options;
  const count = vectors.length / dimensions;
  const weak = options.weak ?? new Uint8Array(count);
  const rows = Array.from({ length: count }, (_, i) =>
    unit(vectors.subarray(i * dimensions, (i + 1) * dimensions)),
  );
  const cosine = (i: number, j: number) => rows[i]!.reduce((sum, value, k) => sum + value * rows[j]![k]!, 0);
  const near = rows.map((_, i) =>
    rows
      .map((_, j) => j)
      .filter((j) => j !== i && weak[i] !== 2 && weak[j] === 0 && cosine(i, j) >= 1 - eps - 1e-6),
  );
  const neighbours = Int32Array.from(near, (list) => list.length + 1);
  const isCore = rows.map((_, i) => weak[i] === 0 && neighbours[i]! >= minSamples);
  const labels = new Int32Array(count).fill(-1);
  let clusters = 0;
  for (let i = 0; i < count; i++) {
    if (!isCore[i] || labels[i] !== -1) continue;
    const reached = [i];
    labels[i] = clusters;
    for (const core of reached) {
      for (const j of near[core]!) {
        if (isCore[j] && labels[j] === -1) {
          labels[j] = clusters;
          reached.push(j);
        }
      }
    }
    clusters += 1;
  }
  const joined = labels.map((label, i) => {
    if (label !== -1) return label;
    const cores = near[i]!.filter((j) => isCore[j]).sort((a, b) => cosine(i, b) - cosine(i, a) || a - b);
    return cores.length === 0 ? -1 : labels[cores[0]!]!;
  });
  return { ...numbered(joined), neighbours, eps };
}

/** The same clusters, numbered in the order of their first entries. */
export function numbered(labels: Int32Array): { labels: Int32Array; clusters: number } {
  const numbers = new Map<number, number>();
  const renumbered = labels.map((label) => {
    if (label < 0) return -1;
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    return numbers.get(label)!;
  });
  return { labels: renumbered, clusters: numbers.size };
}
