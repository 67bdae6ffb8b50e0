// The sentences of a transcript that say most of it: those the others lead to, that hold much and bear the
// signs that are asked for, without saying the same twice.
import { centrality, overlap, textRank, type WordVector, wordVectors } from './graph.ts';
import type { Sentence } from './sentences.ts';
import { type Sign, signsOf } from './signs.ts';
import { termsOf } from './terms.ts';

export interface SentenceOptions {
  /** How many to choose at most. */
  readonly count: number;
  /** BCP 47 of what is spoken. */
  readonly language?: string;
  /** Of people and speakers that are known. */
  readonly names?: readonly string[];
  /** What each sign adds to a score of 0 to 1. */
  readonly signs?: Readonly<Partial<Record<Sign, number>>>;
  /** Words of an instruction: sentences that have them come first. */
  readonly about?: string;
  /** Added to the score of a sentence, by its position; for what a model says of it. */
  readonly bonus?: (sentence: number) => number;
}

export interface KeySentence {
  /** Position in the sentences that were given. */
  readonly sentence: number;
  /** 0 to 1 without signs, an instruction and a bonus. */
  readonly score: number;
}

/** Signs that make a sentence worth keeping whatever is asked for. */
export const usualSigns: Readonly<Partial<Record<Sign, number>>> = {
  number: 0.15,
  name: 0.1,
  claim: 0.05,
  question: 0.05,
  reveal: 0.05,
  outcome: 0.05,
};

/** Sentences that are ranked against each other at once. */
const block = 256;
const weights = { rank: 0.2, content: 0.8, density: 0.5, about: 1, repetition: 0.7 };
/** Words that say something, of which a sentence with as many has half of the content. */
const halfContent = 4;

/**
 * In the order of time, at most `count`, of long transcripts at most 256; a sentence without a word that says
 * something only where there is no other. Above 256 sentences each 256 that follow one another choose theirs
 * by what they have in common with all of these, and only those are ranked as a graph: O(sentences) and 256²
 * at the end.
 */
export function keySentences(sentences: readonly Sentence[], options: SentenceOptions): KeySentence[] {
  if (options.count <= 0) return [];
  const terms = sentences.map(({ text }) => termsOf(text));
  const vectors = wordVectors(terms);
  const about = options.about ? wordVectors([termsOf(options.about)])[0]! : null;
  const merits = sentences.map(({ text }, i) => {
    const merit =
      meritOf(vectors[i]!, terms[i]!.length) + signMerit(text, options) + (options.bonus?.(i) ?? 0);
    return merit + (about ? weights.about * overlap(vectors[i]!, about) : 0);
  });
  let left = sentences.map((_, i) => i);
  while (left.length > block) {
    const each = Math.min(block / 2, Math.max(1, Math.ceil((options.count * 2 * block) / left.length), 8));
    const blocks = Array.from({ length: Math.ceil(left.length / block) }, (_, at) =>
      left.slice(at * block, (at + 1) * block),
    );
    left = blocks.flatMap((own) =>
      chosenOf(own, vectors, merits, each, centrality).map(({ sentence }) => sentence),
    );
  }
  return chosenOf(left, vectors, merits, options.count, textRank);
}

/** What a sentence of so many words is worth by what it holds: much, and not thinly spread. */
function meritOf(vector: WordVector, words: number): number {
  const amount = vector.size / (vector.size + halfContent);
  return weights.content * amount * Math.min(1, vector.size / Math.max(1, words)) ** weights.density;
}

function signMerit(text: string, { language, names, signs = usualSigns }: SentenceOptions): number {
  let merit = 0;
  for (const sign of signsOf(text, language, names)) merit += signs[sign] ?? 0;
  return merit;
}

/**
 * Maximal marginal relevance: the best of those left, less what it repeats of those chosen; in the order of
 * time.
 */
function chosenOf(
  candidates: readonly number[],
  vectors: readonly WordVector[],
  merits: readonly number[],
  count: number,
  rankOf: (vectors: readonly WordVector[]) => Float64Array,
): KeySentence[] {
  const own = candidates.map((i) => vectors[i]!);
  const scores = rankOf(own).map((rank, at) => weights.rank * rank + merits[candidates[at]!]!);
  const repeated = new Float64Array(own.length);
  const left = new Set(own.keys());
  const chosen: KeySentence[] = [];
  while (chosen.length < count && left.size > 0) {
    let [best, most] = [-1, Number.NEGATIVE_INFINITY];
    for (const at of left) {
      const worth = scores[at]! - weights.repetition * repeated[at]! - (own[at]!.size === 0 ? 10 : 0);
      if (worth > most) [best, most] = [at, worth];
    }
    if (own[best]!.size === 0 && chosen.length > 0) break;
    left.delete(best);
    chosen.push({ sentence: candidates[best]!, score: scores[best]! });
    for (const at of left) repeated[at] = Math.max(repeated[at]!, overlap(own[at]!, own[best]!));
  }
  return chosen.sort((a, b) => a.sentence - b.sentence);
}
