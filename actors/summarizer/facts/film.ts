// One file, outlined: what all texts of its summary are made of.
import type { Steps } from '../../../runtime/sync/steps.ts';
import type { KnownConcepts } from '../concepts/standing-out.ts';
import { lookScore, type Objective } from '../objective.ts';
import { type Looks, lookSteps } from '../outline/looks.ts';
import { type Material, type Range, rowsOf, type Spoken } from '../outline/material.ts';
import { type Outline, type OutlineNode, outlineSteps } from '../outline/outline.ts';
import { dot } from '../outline/vector.ts';
import { usualSigns } from '../text/key-sentences.ts';
import { type Sentence, sentencesOf } from '../text/sentences.ts';
import { type Sign, signsOf } from '../text/signs.ts';
import type { Sights } from './sights.ts';

export interface FilmOptions {
  readonly kind: 'video' | 'image' | 'audio';
  /** BCP 47; `und` when nobody knows. */
  readonly language: string;
  readonly objective: Objective;
  /** In words, as they were asked for; empty without. */
  readonly instructions: string;
  /** d, L2-normalised: those words in the space of the vectors; null without. */
  readonly instructionsVector: Float32Array | null;
  /** Of the model of the vectors; null when nothing can be named. */
  readonly concepts: KnownConcepts | null;
  readonly sights: Sights;
  /** Those of the people who have a name. */
  readonly named: ReadonlySet<string>;
}

export interface OutlinedFilm extends FilmOptions {
  readonly material: Material;
  /** Null where nobody listened. */
  readonly segments: readonly Spoken[] | null;
  /** Segments that begin after the end of the grid, and are in no text. */
  readonly late: number;
  readonly sentences: readonly Sentence[];
  readonly outline: Outline;
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  readonly root: OutlineNode;
  readonly looks: ReadonlyMap<string, Looks>;
  /** How much each node is wanted by the objective; to be compared between nodes. */
  readonly worth: ReadonlyMap<string, number>;
}

export function* outlinedFilmSteps(whole: Material, options: FilmOptions): Steps<OutlinedFilm> {
  const { seconds } = whole;
  const within = whole.segments?.filter(({ start_seconds }) => start_seconds < seconds) ?? null;
  const segments =
    within?.map((own) => (own.speaker?.trim() === '' ? { ...own, speaker: null } : own)) ?? null;
  const material = { ...whole, segments };
  const outline = yield* outlineSteps(material);
  const language = knownLanguage(options.language);
  yield;
  const sentences = segments ? sentencesOf(segments, language) : [];
  yield;
  const looks = yield* lookSteps(material, outline.shots, outline.nodes);
  yield;
  const worth = yield* worths(material, outline, { ...options, language }, sentences, looks);
  return {
    ...options,
    language,
    material,
    segments,
    late: (whole.segments?.length ?? 0) - (segments?.length ?? 0),
    sentences,
    outline,
    nodes: new Map(outline.nodes.map((node) => [node.node_id, node])),
    root: outline.nodes[0]!,
    looks: new Map(outline.nodes.map(({ node_id }, i) => [node_id, looks[i]!])),
    worth: new Map(outline.nodes.map(({ node_id }, i) => [node_id, worth[i]!])),
  };
}

/** ICU refuses what is no tag. */
function knownLanguage(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'und';
  } catch {
    return 'und';
  }
}

/** Of which one step reads the signs. */
const sentencesOfStep = 1000;
/** What a range that is nearest to the instructions is worth more than one that is farthest. */
const instructed = 1;

function* worths(
  material: Material,
  { nodes }: Outline,
  { objective, instructionsVector, language }: FilmOptions,
  sentences: readonly Sentence[],
  looks: readonly Looks[],
): Steps<number[]> {
  const nearness = instructionsVector ? nearnessOf(material, nodes, instructionsVector) : null;
  const wanted = new Float64Array(sentences.length);
  for (const [i, { text }] of sentences.entries()) {
    if (i % sentencesOfStep === 0) yield;
    wanted[i] = askedFor(text, language, objective);
  }
  yield;
  return nodes.map((node, i) => {
    let most = 0;
    for (const [at, { start_seconds }] of sentences.entries())
      if (start_seconds >= node.start && start_seconds < node.end) most = Math.max(most, wanted[at]!);
    return lookScore(looks[i]!, objective) + most + instructed * (nearness?.[i] ?? 0);
  });
}

/** What signs add to a sentence beyond what they add whatever is asked for. */
function askedFor(text: string, language: string, { signs }: Objective): number {
  let sum = 0;
  for (const sign of signsOf(text, language)) sum += (signs[sign as Sign] ?? 0) - (usualSigns[sign] ?? 0);
  return sum;
}

/** By range: how near its frames are to a direction on average, from 0, the farthest, to 1. */
function nearnessOf({ pictures }: Material, ranges: readonly Range[], direction: Float32Array): number[] {
  if (!pictures || pictures.dimensions !== direction.length) return ranges.map(() => 0);
  const { vectors, dimensions: d, frames } = pictures;
  const sums = new Float64Array(frames.length + 1);
  for (let row = 0; row < frames.length; row++)
    sums[row + 1] = sums[row]! + dot(vectors, row * d, direction, 0, d);
  const means = ranges.map((range) => {
    const [first, end] = rowsOf(frames, range);
    return end > first ? (sums[end]! - sums[first]!) / (end - first) : null;
  });
  const known = means.filter((mean) => mean !== null);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return means.map((mean) => (mean === null || most - least < 1e-6 ? 0 : (mean - least) / (most - least)));
}
