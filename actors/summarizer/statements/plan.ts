// What an objective makes of a text: which section comes first, and how much of each is told.
import type { Objective } from '../objective.ts';
import type { Look } from '../outline/looks.ts';
import { usualSigns } from '../text/key-sentences.ts';
import type { Sign } from '../text/signs.ts';

export type Section = 'seen' | 'people' | 'speech';

export interface Plan {
  /** All three, the most wanted first. */
  readonly sections: readonly Section[];
  /** Things and conditions that a sentence of pictures names. */
  readonly things: number;
  readonly quotes: number;
  /** Looks that are told of a range that has much of them. */
  readonly looks: readonly Look[];
  /** Whether shots are counted. */
  readonly countsShots: boolean;
  /** Whether the best comes first instead of what happens first. */
  readonly bestFirst: boolean;
}

const ofSection: Readonly<Record<Section, readonly Look[]>> = {
  seen: ['rarity', 'motion', 'steadiness', 'silence', 'cuts'],
  people: ['people', 'together', 'newcomers'],
  speech: ['talk', 'turns'],
};
/** Looks are told from this weight on. */
const leastWeight = 0.3;

export function planOf({ looks, signs, order }: Objective): Plan {
  const asked = (section: Section) =>
    ofSection[section].reduce((sum, look) => sum + Math.max(0, looks[look] ?? 0), 0);
  // Signs are many and partly of one kind: they count half.
  const said = Object.entries(signs).reduce(
    (sum, [sign, weight]) => sum + Math.max(0, weight - (usualSigns[sign as Sign] ?? 0)) / 2,
    0,
  );
  const weights: Readonly<Record<Section, number>> = {
    seen: asked('seen'),
    people: asked('people'),
    speech: asked('speech') + said,
  };
  const sections = (['seen', 'people', 'speech'] as const).toSorted((a, b) => weights[b] - weights[a]);
  const isAsked = Object.values(weights).some((weight) => weight > 0);
  const first = isAsked ? sections[0]! : null;
  return {
    sections,
    things: first === 'seen' ? 5 : first === null ? 3 : 2,
    quotes: first === 'speech' ? 3 : first === 'seen' && (looks.silence ?? 0) > 0 ? 1 : 2,
    looks: (Object.keys(looks) as Look[]).filter((look) => (looks[look] ?? 0) >= leastWeight),
    countsShots: (looks.cuts ?? 0) >= leastWeight,
    bestFirst: order === 'worth',
  };
}
