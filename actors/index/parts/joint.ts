// The answers of engines that each hold a part of a library, as the one that an engine with all of it gives:
// the same scores, the same order, byte for byte.
import { type Background, backgroundIn, type Sample, spreadIn } from '../visual/background.ts';
import type { RankedMatch, Take } from '../visual/contract.ts';
import { byVideo } from '../visual/rank.ts';
import { type Aspect, type Query, type Scoring, scoringSteps } from '../visual/scoring.ts';
import { type Comparison, withBars } from '../visual/takes/compare.ts';
import type { Barred, Seed, Sought } from '../visual/takes/look.ts';
import { chosen, withWeights } from '../visual/takes/votes.ts';

/** Of each part, how the frames that stand for it score by each. */
export type AskSamples = (scorings: readonly Scoring[]) => Promise<readonly (readonly Sample[])[]>;

/** The likeness to an aspect alone. */
export function plain(bases: Aspect): Scoring {
  return { bases, exclude: [] };
}

/** How frames are scored, by samples of all parts. */
export async function jointScoring(query: Query, ask: AskSamples): Promise<Scoring> {
  const steps = scoringSteps(query);
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    const aspects = step.value;
    const parts = await ask(aspects.map(plain));
    step = steps.next(aspects.map((_, i) => spreadIn(parts.map((samples) => samples[i]!))));
  }
}

/** What is usual by each, over all parts. */
export async function jointBackgrounds(scorings: readonly Scoring[], ask: AskSamples): Promise<Background[]> {
  if (scorings.length === 0) return [];
  const parts = await ask(scorings);
  return scorings.map((_, i) => backgroundIn(parts.map((samples) => samples[i]!.scores)));
}

/**
 * The best of all parts, grouped by video. Each part ranks other media, so none has too many matches of one.
 */
export function jointRanking(answers: readonly (readonly RankedMatch[])[], most: number): RankedMatch[] {
  const ranking = answers.flat().sort((a, b) => {
    if (a.score !== b.score) return b.score - a.score;
    if (a.hash_str !== b.hash_str) return a.hash_str < b.hash_str ? -1 : 1;
    return a.frame_index - b.frame_index;
  });
  return byVideo(ranking.slice(0, most).map((match, original_index) => ({ ...match, original_index })));
}

/** What parts are asked in a step of a comparison, each answer being that of one of them. */
export interface AskTakes {
  readonly samples: AskSamples;
  /** For each seed, how many contents of the part have a frame that is like it. */
  votes(seeds: readonly Barred[]): Promise<readonly (readonly number[])[]>;
  sequences(seeds: readonly Seed[]): Promise<readonly (readonly Take[])[]>;
}

/** The sequences that show what the seeds are frames of. */
export async function jointTakes(
  seeds: readonly Sought[],
  how: Pick<Comparison, 'least' | 'above'>,
  ask: AskTakes,
): Promise<Take[]> {
  const scorings = seeds.map(({ vector }) => plain([vector]));
  const barred = withBars(seeds, how, await jointBackgrounds(scorings, ask.samples));
  const parts = await ask.votes(barred);
  const contents = seeds.map((_, i) => parts.reduce((sum, own) => sum + own[i]!, 0));
  return chosen((await ask.sequences(withWeights(barred, contents))).flat());
}
