// Our own detector's judgement: one hidden layer over a frame, what came before and a little of what comes. Its weights
// are fitted by bench/voice-fit.ts and lie beside it.
import { frameValues } from './features.ts';

/** Frames from the one that is judged, both ends included: their means are what the layer sees. */
export const outlook: readonly (readonly [from: number, to: number])[] = [
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
/** Frames before the judged one that it looks at, and behind it. */
export const lookBack = 24;
export const lookAhead = 7;
export const inputValues = outlook.length * frameValues;
export const hiddenValues = 16;

/** Floats in a file of weights: for each hidden value its inputs and its bias, then those of the result. */
export const weightCount = hiddenValues * (inputValues + 1) + hiddenValues + 1;

/** Writes what is seen of frame `index` to `into`. `frames`: count×frameValues; beyond its ends the last frame stands. */
export function look(frames: Float32Array, count: number, index: number, into: Float32Array): void {
  into.fill(0);
  for (const [group, [from, to]] of outlook.entries()) {
    const share = 1 / (to - from + 1);
    const at = group * frameValues;
    for (let offset = from; offset <= to; offset++) {
      const frame = Math.max(0, Math.min(count - 1, index + offset)) * frameValues;
      for (let i = 0; i < frameValues; i++) into[at + i] = into[at + i]! + share * frames[frame + i]!;
    }
  }
}

/** How likely the frame is speech, 0 to 1. `hidden`: written, for who learns. */
export function judge(weights: Float32Array, seen: Float32Array, hidden: Float32Array): number {
  let sum = weights[weightCount - 1]!;
  for (let unit = 0, w = 0; unit < hiddenValues; unit++) {
    let value = 0;
    for (let i = 0; i < inputValues; i++) value += weights[w + i]! * seen[i]!;
    w += inputValues;
    value = Math.max(0, value + weights[w++]!);
    hidden[unit] = value;
    sum += value * weights[hiddenValues * (inputValues + 1) + unit]!;
  }
  return 1 / (1 + Math.exp(-sum));
}
