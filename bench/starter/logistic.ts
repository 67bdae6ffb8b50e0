// A logistic regression over many measures, with a penalty on large weights: Newton's method, whose steps
// conjugate gradients find, so that no matrix of all measures by all measures is made.

export interface Example {
  readonly is: boolean;
  /** How much the example counts. */
  readonly weight: number;
  /** Answer of the rule made by hand, 0..1. */
  readonly rule: number;
  /** In spreads from their usual values. */
  readonly features: Float64Array;
}

export interface Regression {
  readonly bias: number;
  readonly rule: number;
  /** One for each feature. */
  readonly weights: Float64Array;
}

const PENALTY = 60;
/** A difference in the rule of this much counts as one spread of a feature. */
const RULE_SPREAD = 0.25;
const ROUNDS = 20;
const STEPS = 60;
/** Less of a step than this is none. */
const STILL = 1e-4;
/** Largest error at the end of a step, as a share of that at its beginning. */
const EXACT = 1e-3;

/** Examples that are and those that are not count alike together. */
export function regression(examples: readonly Example[], from?: Regression): Regression {
  const sum = (is: boolean) =>
    examples.reduce((total, example) => total + (example.is === is ? example.weight : 0), 0);
  const share = { true: (0.35 * examples.length) / sum(true), false: (0.35 * examples.length) / sum(false) };
  const counts = Float64Array.from(examples, ({ is, weight }) => weight * share[`${is}`]);
  const rows = examples.map(({ rule, features }) => rowOf(rule, features));
  const size = rows[0]!.length;
  const weights = new Float64Array(size);
  if (from !== undefined) weights.set([...from.weights, from.rule * RULE_SPREAD, from.bias]);
  for (let round = 0; round < ROUNDS; round++) {
    const slope = weights.map((weight, k) => (k === size - 1 ? 0 : PENALTY * weight));
    const bends = new Float64Array(rows.length);
    rows.forEach((row, i) => {
      const value = logistic(dot(row, weights));
      bends[i] = counts[i]! * value * (1 - value);
      add(slope, row, counts[i]! * (value - (examples[i]!.is ? 1 : 0)));
    });
    const step = solved(rows, bends, slope);
    add(weights, step, -1);
    if (step.every((by) => Math.abs(by) < STILL)) break;
  }
  return {
    weights: weights.slice(0, size - 2),
    rule: weights[size - 2]! / RULE_SPREAD,
    bias: weights[size - 1]!,
  };
}

/** Logarithm of the odds. */
export function odds(
  { bias, rule, weights }: Regression,
  example: Pick<Example, 'rule' | 'features'>,
): number {
  return bias + rule * example.rule + dot(example.features, weights);
}

export const logistic = (value: number): number => 1 / (1 + Math.exp(-value));

function rowOf(rule: number, features: Float64Array): Float64Array {
  const row = new Float64Array(features.length + 2);
  row.set(features);
  row[features.length] = rule / RULE_SPREAD;
  row[features.length + 1] = 1;
  return row;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}

function add(to: Float64Array, what: Float64Array, times: number): void {
  for (let k = 0; k < to.length; k++) to[k]! += times * what[k]!;
}

/**
 * x of curve·x = slope, where the curve is the sum of bend·row·rowᵀ and the penalty, by conjugate gradients.
 */
function solved(rows: readonly Float64Array[], bends: Float64Array, slope: Float64Array): Float64Array {
  const solution = new Float64Array(slope.length);
  const residual = slope.slice();
  let direction = slope.slice();
  let error = dot(residual, residual);
  const enough = error * EXACT ** 2;
  for (let step = 0; step < STEPS && error > enough; step++) {
    const curved = direction.map((value, k) => (k === slope.length - 1 ? 1e-6 : PENALTY) * value);
    rows.forEach((row, i) => {
      add(curved, row, bends[i]! * dot(row, direction));
    });
    const length = error / dot(direction, curved);
    add(solution, direction, length);
    add(residual, curved, -length);
    const next = dot(residual, residual);
    direction = residual.map((value, k) => value + (next / error) * direction[k]!);
    error = next;
  }
  return solution;
}
