// The objective of a summary: each preset and each hint as weights on the signs of sentences and on the looks
// of ranges. Weights change the choice and the order, never what is true.
import type { presets, priorityHints } from './contract.ts';
import type { LookName, LookValues } from './outline/looks.ts';
import { type Sign, usualSigns } from './text/key-sentences.ts';

export interface Weights {
  /** Merit that each sign adds to a sentence, whose own merit is 0 to 1. */
  readonly signs: Readonly<Partial<Record<Sign, number>>>;
  /** Merit that each look, 0 to 1, adds to a range. */
  readonly looks: Readonly<Partial<Record<LookName, number>>>;
}

export interface Objective extends Weights {}

const weights = (signs: Weights['signs'], looks: Weights['looks'] = {}): Weights => ({ signs, looks });

export const presetWeights = {
  general_understanding: weights({}),
  trailer_teaser: weights(
    { reveal: 0.4, question: 0.3, conflict: 0.3, feeling: 0.2, outcome: -0.4 },
    { rarity: 0.4, motion: 0.4 },
  ),
  action_trailer: weights({ danger: 0.6, conflict: 0.3 }, { motion: 0.8, cuts: 0.4 }),
  visual_showcase: weights({ place: 0.4 }, { rarity: 0.5, steadiness: 0.5, silence: 0.4 }),
  highlight_reel: weights(
    { cheer: 0.5, humor: 0.3, feeling: 0.3, outcome: 0.2 },
    { motion: 0.5, rarity: 0.3, people: 0.3 },
  ),
  event_recap: weights(
    { cheer: 0.3, name: 0.3, outcome: 0.4, number: 0.2, place: 0.2 },
    { people: 0.5, together: 0.4, newcomers: 0.2 },
  ),
  documentary_research: weights({ claim: 0.5, number: 0.3, name: 0.2, rare: 0.2 }, { talk: 0.4 }),
  unscripted_story: weights(
    { feeling: 0.5, conflict: 0.4, reveal: 0.3, bond: 0.3 },
    { turns: 0.5, people: 0.3 },
  ),
  interview_selects: weights({ feeling: 0.4, claim: 0.4, question: 0.2 }, { talk: 0.8, steadiness: 0.3 }),
  archive_discovery: weights(
    { rare: 0.6, place: 0.3, name: 0.3, number: 0.3 },
    { rarity: 0.8, newcomers: 0.2 },
  ),
  season_theme_analysis: weights(
    { bond: 0.4, conflict: 0.4, outcome: 0.4, claim: 0.2 },
    { talk: 0.3, newcomers: 0.3 },
  ),
  b_roll_selects: weights({ place: 0.4, process: 0.3 }, { silence: 0.8, steadiness: 0.5, people: -0.3 }),
  social_cutdown: weights(
    { humor: 0.5, reveal: 0.4, question: 0.2, cheer: 0.2 },
    { motion: 0.3, people: 0.4, cuts: 0.2 },
  ),
  character_storyline_tracking: weights(
    { bond: 0.5, name: 0.5, feeling: 0.3 },
    { newcomers: 0.6, people: 0.6, together: 0.3 },
  ),
  continuity_review: weights({ place: 0.4, process: 0.3, number: 0.3 }, { cuts: 0.8, people: 0.2 }),
  /** The custom instructions decide, with the hints. */
  custom: weights({}),
} as const satisfies Readonly<Record<(typeof presets)[number], Weights>>;
export type Preset = keyof typeof presetWeights;

export const hintWeights = {
  beauty_scale: weights({ place: 0.4 }, { rarity: 0.5, steadiness: 0.5, silence: 0.3 }),
  action_danger_violence: weights({ danger: 0.7 }, { motion: 0.8, cuts: 0.3 }),
  conflict: weights({ conflict: 0.7 }, { turns: 0.5 }),
  reactions: weights({ feeling: 0.6 }, { people: 0.6 }),
  humor: weights({ humor: 0.7 }),
  reveals_reversals: weights({ reveal: 0.7 }, { rarity: 0.3 }),
  strong_dialogue: weights({ question: 0.4, feeling: 0.3, conflict: 0.3 }, { turns: 0.7, talk: 0.4 }),
  people_relationships: weights({ bond: 0.7, name: 0.2 }, { together: 0.7, people: 0.3 }),
  claims_evidence: weights({ claim: 0.7, number: 0.3 }, { talk: 0.3 }),
  themes_contradictions: weights({ conflict: 0.5, claim: 0.5 }, { talk: 0.3 }),
  rare_material: weights({ rare: 0.7 }, { rarity: 0.8 }),
  clean_coverage: weights({}, { steadiness: 0.8, silence: 0.3 }),
  processes_demos: weights({ process: 0.7 }, { talk: 0.2 }),
  crowd_energy: weights({ cheer: 0.7 }, { together: 0.5, motion: 0.4 }),
  locations_atmosphere: weights({ place: 0.7 }, { silence: 0.6, rarity: 0.3 }),
  resolutions_open_questions: weights({ outcome: 0.5, question: 0.5 }),
} as const satisfies Readonly<Record<(typeof priorityHints)[number], Weights>>;
export type Hint = keyof typeof hintWeights;

/** Sums the usual weights, the preset's and those of all hints; a repeated hint counts once. */
export function objectiveOf(preset: Preset, hints: readonly Hint[] = []): Objective {
  const parts = [presetWeights[preset], ...[...new Set(hints)].map((hint) => hintWeights[hint])];
  return {
    signs: added([usualSigns, ...parts.map(({ signs }) => signs)]),
    looks: added(parts.map(({ looks }) => looks)),
  };
}

function added<K extends string>(parts: readonly Readonly<Partial<Record<K, number>>>[]): Record<K, number> {
  const sums: Partial<Record<K, number>> = {};
  for (const part of parts)
    for (const [name, weight] of Object.entries(part) as [K, number][])
      sums[name] = (sums[name] ?? 0) + weight;
  return sums as Record<K, number>;
}

/** How much a range is wanted; 0 where the objective asks for no looks. */
export function lookScore(looks: LookValues, objective: Pick<Objective, 'looks'>): number {
  return Object.entries(objective.looks).reduce(
    (sum, [look, weight]) => sum + weight * looks[look as LookName],
    0,
  );
}

/** Positions of the `count` highest of some numbers, of equal ones the earlier; the highest first. */
export function highestScores(worth: readonly number[], count: number): number[] {
  return worth
    .map((_, i) => i)
    .sort((a, b) => worth[b]! - worth[a]! || a - b)
    .slice(0, Math.max(0, count));
}

// The effect of an objective on a text: the order of its sections and the space for each.

export type SummarySection = 'seen' | 'people' | 'speech';

export interface SummaryPlan {
  /** All three, the most wanted first. */
  readonly sections: readonly SummarySection[];
  /** Things and conditions that a sentence of pictures names. */
  readonly things: number;
  readonly quotes: number;
  /** Looks that are told of a range that has much of them. */
  readonly looks: readonly LookName[];
}

const ofSection: Readonly<Record<SummarySection, readonly LookName[]>> = {
  seen: ['rarity', 'motion', 'steadiness', 'silence', 'cuts'],
  people: ['people', 'together', 'newcomers'],
  speech: ['talk', 'turns'],
};
/** Looks are told from this weight on. */
const leastWeight = 0.3;

export function planOf({ looks, signs }: Objective): SummaryPlan {
  const interest = (section: SummarySection) =>
    ofSection[section].reduce((sum, look) => sum + Math.max(0, looks[look] ?? 0), 0);
  // Signs are many and partly of one kind: they count half.
  const said = Object.entries(signs).reduce(
    (sum, [sign, weight]) => sum + Math.max(0, weight - (usualSigns[sign as Sign] ?? 0)) / 2,
    0,
  );
  const weights: Readonly<Record<SummarySection, number>> = {
    seen: interest('seen'),
    people: interest('people'),
    speech: interest('speech') + said,
  };
  const sections = (['seen', 'people', 'speech'] as const).toSorted((a, b) => weights[b] - weights[a]);
  const isAsked = Object.values(weights).some((weight) => weight > 0);
  const first = isAsked ? sections[0]! : null;
  return {
    sections,
    things: first === 'seen' ? 5 : first === null ? 3 : 2,
    quotes: first === 'speech' ? 3 : first === 'seen' && (looks.silence ?? 0) > 0 ? 1 : 2,
    looks: (Object.keys(looks) as LookName[]).filter((look) => (looks[look] ?? 0) >= leastWeight),
  };
}
