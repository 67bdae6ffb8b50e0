// A small logistic regression: of many features the few that tell most, one after the other, with a penalty on large
// weights.

export interface Example {
  readonly is: boolean;
  /** How much the example counts. */
  readonly weight: number;
  /** What the rule made by hand says, 0..1. */
  readonly rule: number;
  /** In spreads from their usual values. */
  readonly features: Float64Array;
}

export interface Chosen {
  readonly bias: number;
  readonly rule: number;
  readonly weights: readonly { readonly feature: number; readonly weight: number }[];
}

/** Features in a fit, beside the rule. */
const MOST = 12;
const PENALTY = 20;
/** A difference in the rule of this much counts as one spread of a feature. */
const RULE_SPREAD = 0.25;
const ROUNDS = 30;
/** Less of a step than this is none. */
const STILL = 1e-6;

/** Examples that are and those that are not count alike together. */
export function chosen(examples: readonly Example[]): Chosen {
  const sum = (is: boolean) => examples.reduce((total, one) => total + (one.is === is ? one.weight : 0), 0);
  const share = { true: (0.35 * examples.length) / sum(true), false: (0.35 * examples.length) / sum(false) };
  const counts = examples.map(({ is, weight }) => weight * share[`${is}`]);
  const picked: number[] = [];
  for (;;) {
    const rows = examples.map(({ rule, features }) => [
      rule / RULE_SPREAD,
      ...picked.map((k) => features[k]!),
      1,
    ]);
    const weights = solved(rows, examples, counts);
    if (picked.length === MOST) {
      const [rule = 0, ...rest] = weights;
      return {
        rule: rule / RULE_SPREAD,
        bias: rest.at(-1)!,
        weights: picked.map((feature, i) => ({ feature, weight: rest[i]! })),
      };
    }
    picked.push(mostTelling(examples, errors(rows, weights, examples, counts), picked));
  }
}

/** The feature along which the error falls fastest. */
function mostTelling(
  examples: readonly Example[],
  wrong: readonly number[],
  picked: readonly number[],
): number {
  const slopes = new Float64Array(examples[0]!.features.length);
  examples.forEach(({ features }, i) => {
    for (let k = 0; k < slopes.length; k++) slopes[k]! += wrong[i]! * features[k]!;
  });
  for (const k of picked) slopes[k] = 0;
  return slopes.reduce((best, slope, k) => (Math.abs(slope) > Math.abs(slopes[best]!) ? k : best), 0);
}

export function probability({ bias, rule, weights }: Chosen, example: Example): number {
  const sum = weights.reduce(
    (total, { feature, weight }) => total + weight * example.features[feature]!,
    bias,
  );
  return logistic(sum + rule * example.rule);
}

const logistic = (value: number): number => 1 / (1 + Math.exp(-value));
const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);

function errors(
  rows: readonly number[][],
  weights: readonly number[],
  examples: readonly Example[],
  counts: readonly number[],
): number[] {
  return rows.map((row, i) => counts[i]! * (logistic(dot(row, weights)) - (examples[i]!.is ? 1 : 0)));
}

/** Newton's method; the last weight, the bias, has no penalty. */
function solved(
  rows: readonly number[][],
  examples: readonly Example[],
  counts: readonly number[],
): number[] {
  const size = rows[0]!.length;
  const weights = new Array<number>(size).fill(0);
  const penalty = (k: number) => (k === size - 1 ? STILL : PENALTY);
  for (let round = 0; round < ROUNDS; round++) {
    const slope = weights.map((weight, k) => penalty(k) * weight);
    const curve = weights.map((_, a) => weights.map((_, b) => (a === b ? penalty(a) : 0)));
    errors(rows, weights, examples, counts).forEach((wrong, i) => {
      const row = rows[i]!;
      const value = logistic(dot(row, weights));
      const bend = counts[i]! * value * (1 - value);
      for (let a = 0; a < size; a++) {
        slope[a]! += wrong * row[a]!;
        for (let b = 0; b < size; b++) curve[a]![b]! += bend * row[a]! * row[b]!;
      }
    });
    const step = eliminated(curve, slope);
    step.forEach((by, k) => {
      weights[k]! -= by;
    });
    if (Math.max(...step.map(Math.abs)) < STILL) break;
  }
  return weights;
}

/** x of matrix·x = right, for a matrix that is symmetric and positive. Changes both. */
function eliminated(matrix: number[][], right: number[]): number[] {
  const size = right.length;
  for (let at = 0; at < size; at++) {
    for (let row = at + 1; row < size; row++) {
      const factor = matrix[row]![at]! / matrix[at]![at]!;
      for (let column = at; column < size; column++) matrix[row]![column]! -= factor * matrix[at]![column]!;
      right[row]! -= factor * right[at]!;
    }
  }
  const found = new Array<number>(size).fill(0);
  for (let at = size - 1; at >= 0; at--) {
    const rest = matrix[at]!.reduce(
      (sum, value, column) => (column > at ? sum + value * found[column]! : sum),
      0,
    );
    found[at] = (right[at]! - rest) / matrix[at]![at]!;
  }
  return found;
}
