// How much sentences have in common, and which of them the others lead to: TextRank over cosines of their
// weighted words.
import { isStopWord } from './stop-words.ts';
import { documentFrequencies } from './terms.ts';

/** Weights by term, of length 1; empty where a sentence has no word that says anything. */
export type WordVector = ReadonlyMap<string, number>;

/** The words of each sentence by its terms; rare ones weigh more. */
export function wordVectors(sentences: readonly (readonly string[])[]): WordVector[] {
  const terms = sentences.map((own) => own.filter((term) => !isStopWord(term)));
  const frequencies = documentFrequencies(terms);
  return terms.map((own) => {
    const weights = new Map<string, number>();
    for (const term of own) {
      const rarity = Math.log(1 + sentences.length / frequencies.get(term)!);
      weights.set(term, (weights.get(term) ?? 0) + rarity);
    }
    const length = Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0));
    return new Map([...weights].map(([term, weight]) => [term, weight / length]));
  });
}

/** Cosine of two. */
export function overlap(a: WordVector, b: WordVector): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [term, weight] of few) sum += weight * (many.get(term) ?? 0);
  return sum;
}

/** How much each has in common with all others together, the highest 1. O(words). */
export function centrality(vectors: readonly WordVector[]): Float64Array {
  const sum = new Map<string, number>();
  for (const vector of vectors)
    for (const [term, weight] of vector) sum.set(term, (sum.get(term) ?? 0) + weight);
  return upToOne(
    Float64Array.from(vectors, (vector) => Math.max(0, overlap(vector, sum) - overlap(vector, vector))),
  );
}

function upToOne(ranks: Float64Array): Float64Array {
  const highest = ranks.reduce((most, rank) => Math.max(most, rank), 0);
  return highest > 0 ? ranks.map((rank) => rank / highest) : ranks;
}

const damping = 0.85;
const rounds = 30;

/** The rank of each, the highest 1; O(n²) at worst, so a caller bounds n. */
export function textRank(vectors: readonly WordVector[]): Float64Array {
  const n = vectors.length;
  const links = linksOf(vectors);
  const totals = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) totals[i]! += links[i * n + j]!;
  let ranks = new Float64Array(n).fill(1);
  for (let round = 0; round < rounds; round++) {
    const next = new Float64Array(n).fill(1 - damping);
    for (let i = 0; i < n; i++) {
      if (totals[i] === 0) continue;
      const share = (damping * ranks[i]!) / totals[i]!;
      for (let j = 0; j < n; j++) next[j]! += share * links[i * n + j]!;
    }
    ranks = next;
  }
  return upToOne(ranks);
}

/**
 * n×n, symmetric, nothing on the diagonal; summed up term by term, so that only sentences that share one are
 * touched.
 */
function linksOf(vectors: readonly WordVector[]): Float32Array {
  const n = vectors.length;
  const links = new Float32Array(n * n);
  const having = new Map<string, [number, number][]>();
  for (const [i, vector] of vectors.entries()) {
    for (const [term, weight] of vector) {
      const before = having.get(term);
      if (!before) having.set(term, [[i, weight]]);
      else {
        for (const [j, other] of before) {
          links[i * n + j]! += weight * other;
          links[j * n + i]! += weight * other;
        }
        before.push([i, weight]);
      }
    }
  }
  return links;
}
