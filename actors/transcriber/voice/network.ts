// The network of our own voice detector: one hidden layer over the context of a frame. Its weights are trained by
// bench/voice-fit.ts and lie beside it.
import { frameValues } from './features.ts';

/** Ranges of frames around the one that is scored, both ends included: their means are the inputs of the layer. */
export const contextRanges: readonly (readonly [from: number, to: number])[] = [
  [-24, -13],
  [-12, -7],
  [-6, -4],
  [-3, -2],
  [-1, -1],
  [0, 0],
  [1, 1],
  [2, 3],
  [4, 7],
];
/** Frames of context before the scored one, and after it. */
export const lookBack = 24;
export const lookAhead = 7;
export const inputValues = contextRanges.length * frameValues;
export const hiddenValues = 16;

/** Floats in a file of weights: for each hidden value its inputs and its bias, then those of the result. */
export const weightCount = hiddenValues * (inputValues + 1) + hiddenValues + 1;

/** Writes the inputs for frame `index` to `into`. `frames`: count×frameValues; its first and last frames are repeated. */
export function gatherContext(frames: Float32Array, count: number, index: number, into: Float32Array): void {
  into.fill(0);
  for (const [group, [from, to]] of contextRanges.entries()) {
    const share = 1 / (to - from + 1);
    const at = group * frameValues;
    for (let offset = from; offset <= to; offset++) {
      const frame = Math.max(0, Math.min(count - 1, index + offset)) * frameValues;
      for (let i = 0; i < frameValues; i++) into[at + i] = into[at + i]! + share * frames[frame + i]!;
    }
  }
}

/** The probability of speech, 0 to 1. `inputs`: of `gatherContext`; `hidden`: written, for training. */
export function speechProbability(weights: Float32Array, inputs: Float32Array, hidden: Float32Array): number {
  let sum = weights[weightCount - 1]!;
  for (let unit = 0, w = 0; unit < hiddenValues; unit++) {
    let value = 0;
    for (let i = 0; i < inputValues; i++) value += weights[w + i]! * inputs[i]!;
    w += inputValues;
    value = Math.max(0, value + weights[w++]!);
    hidden[unit] = value;
    sum += value * weights[hiddenValues * (inputValues + 1) + unit]!;
  }
  return 1 / (1 + Math.exp(-sum));
}
