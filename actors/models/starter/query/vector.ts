// Turns the terms of a query into a vector of the space of starter-visual: a weight for every feature that
// speaks for or against the query, so that the dot product with a picture is the sum of what the terms find
// in it.
import { ways } from '../fitted.ts';
import { type CellLook, DIMENSIONS, type Feature, featureIndex, NEUTRAL, scales } from '../layout.ts';
import { type BasicColour, type ShadeName, shades } from '../palette.ts';
import { tones } from './colours.ts';
import { parseQuery, type Term } from './query.ts';

/** One of the things that a query asks for, by itself. */
interface QueryPart {
  /** DIMENSIONS long, of length 1. */
  readonly vector: Float32Array;
  readonly negated: boolean;
  /** False for named shades, places and small amounts, which were not measured. */
  readonly isSure: boolean;
  /** Measured to find other things too often. */
  readonly isWeak: boolean;
}

interface QueryVector {
  /** DIMENSIONS long, of length 1, owned by the caller. */
  readonly vector: Float32Array;
  readonly knownWords: readonly string[];
  readonly unknownWords: readonly string[];
  /** Known words by which little of what is meant is found. */
  readonly weakWords: readonly string[];
  /** False when the query says nothing about a picture that this model can see: the vector ranks nothing. */
  readonly understood: boolean;
  /** Each thing that is asked for, or asked not to be there. */
  readonly parts: readonly QueryPart[];
}

export function queryVector(text: string): QueryVector {
  const { terms, knownWords, unknownWords, weakWords } = parseQuery(text);
  const vector = vectorOf(terms);
  const understood = vector !== null;
  return {
    vector: vector ?? nothing(),
    ...{ knownWords, unknownWords, weakWords, understood },
    parts: terms.flatMap((term) => partOf(term) ?? []),
  };
}

/** Vector of length 1; null if no terms are left. */
function vectorOf(terms: readonly Term[]): Float32Array | null {
  const vector = new Float32Array(DIMENSIONS);
  const areSeveral = terms.filter(({ negated }) => !negated).length > 1;
  for (const term of terms) {
    for (const [feature, weight] of termWeights(term)) {
      if (areSeveral && isHint(feature, weight)) continue;
      const at = featureIndex(feature);
      const sign = term.negated ? -againstWeight(feature) : 1;
      vector[at] = vector[at]! + (sign * weight) / scales[at]!;
    }
  }
  const length = Math.hypot(...vector);
  if (length <= 1e-6) return null;
  for (let i = 0; i < vector.length; i++) vector[i] = vector[i]! / length;
  return vector;
}

/** Half a likeness of what is not to be there must not outweigh what is asked for. */
const AGAINST = 0.4;
/** Largest weight of a word's secondary meaning. */
const HINT = 0.4;
const fitted = new Set(Object.keys(ways).map((unit) => `unit ${unit}`));

function againstWeight(feature: Feature): number {
  return fitted.has(feature) ? AGAINST : 1;
}

/**
 * Hints find one thing better; of several things each has to be there by itself, and hints make one stand for
 * another.
 */
function isHint(feature: Feature, weight: number): boolean {
  return fitted.has(feature) && weight > 0 && weight <= HINT;
}

function nothing(): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector[NEUTRAL] = 1;
  return vector;
}

function partOf(term: Term): QueryPart | null {
  const vector = vectorOf([{ ...term, negated: false }]);
  const { negated, look, colour, place, amount } = term;
  // Named shades, and looks at a place, were not measured.
  const isSome = colour?.isUnsure && amount !== 'most' && amount !== 'much';
  const isSure = !(look?.isWeak || (look && place) || colour?.shades || isSome);
  return vector && { vector, negated, isSure, isWeak: look?.isWeak === true };
}

type Weights = [feature: Feature, weight: number][];

/** The weighted features of a fully present term sum to about 1. */
function termWeights(term: Term): Weights {
  if (term.colour !== undefined) return colourWeights(term);
  const { look } = term;
  if (term.place !== undefined && look?.cell !== undefined) return cellLookWeights(look.cell, term.place);
  const strength = term.amount === 'little' ? 0.6 : term.amount === undefined ? 1 : 1.3;
  return entries(look?.features ?? {}).map(([feature, weight]) => [feature, weight * strength]);
}

function colourWeights({ colour, tone, amount, place }: Term): Weights {
  const colours = entries(colour!.colours);
  const chosen = tone === undefined ? colour!.shades : (toneShades(colours, tone) ?? colour!.shades);
  const body =
    place === undefined ? wholeWeights(colours, chosen, amount) : placedWeights(colours, chosen, place);
  return body;
}

function wholeWeights(
  colours: readonly (readonly [BasicColour, number])[],
  chosen: Partial<Record<ShadeName, number>> | undefined,
  amount: Term['amount'],
): Weights {
  const [some, share, most, spot] = amountWeights[amount ?? 'any'];
  const parts = chosen === undefined ? 1 : 0.35;
  const weights: Weights = colours.flatMap(
    ([colour, weight]): Weights => [
      [`some ${colour}`, some * weight * parts],
      [`amount ${colour}`, share * weight * parts],
      [`most ${colour}`, most * weight * parts],
      [`spot ${colour}`, spot * weight * parts],
    ],
  );
  return chosen === undefined ? weights : [...weights, ...shadeWeights(chosen, 0.75)];
}

/** Weights of the features some, amount, most and spot. */
const amountWeights = {
  any: [0.4, 0.5, 0, 0.35],
  little: [0.9, -1.3, -0.8, 0.3],
  much: [0.4, 1, 0.2, 0],
  most: [0.1, 0.9, 0.8, 0],
} as const;

function placedWeights(
  colours: readonly (readonly [BasicColour, number])[],
  chosen: Partial<Record<ShadeName, number>> | undefined,
  place: readonly number[],
): Weights {
  const inCells = cellWeights(place, 0.5);
  const weights = colours.flatMap(
    ([colour, weight]): Weights => [
      ...inCells.map(([cell, share]): Weights[number] => [`cell ${cell} ${colour}`, share * weight]),
      [`some ${colour}`, 0.15 * weight],
    ],
  );
  return chosen === undefined ? weights : [...weights, ...shadeWeights(chosen, 0.4)];
}

function cellLookWeights([look, sign]: readonly [CellLook, 1 | -1], place: readonly number[]): Weights {
  return cellWeights(place, 0.7).map(([cell, share]) => [`cell ${cell} ${look}`, 1.5 * sign * share]);
}

/** Mean over the cells of the place, less `against` times the mean over the others. */
function cellWeights(place: readonly number[], against: number) {
  return ([0, 1, 2, 3, 4, 5, 6, 7, 8] as const).map(
    (cell) => [cell, place.includes(cell) ? 1 / place.length : -against / (9 - place.length)] as const,
  );
}

function shadeWeights(chosen: Partial<Record<ShadeName, number>>, strength: number): Weights {
  return entries(chosen).map(([shade, weight]) => [`shade ${shade}`, weight * strength]);
}

/** Shades of the colours in the tone, and the other shades of the colour held against it a little. */
function toneShades(
  colours: readonly (readonly [BasicColour, number])[],
  tone: keyof typeof tones,
): Partial<Record<ShadeName, number>> | undefined {
  const [main] = colours.toSorted((a, b) => b[1] - a[1]);
  const chosen = main && tones[tone][main[0]];
  if (main === undefined || chosen === undefined) return undefined;
  const others = shades.filter(
    ({ name, counts }) =>
      ((counts as Partial<Record<string, number>>)[main[0]] ?? 0) >= 0.8 && !(name in chosen),
  );
  return { ...Object.fromEntries(others.map(({ name }) => [name, -0.3])), ...chosen };
}

function entries<K extends string>(record: Partial<Record<K, number>>): [K, number][] {
  return Object.entries(record) as [K, number][];
}
