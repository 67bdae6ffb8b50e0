// The network of our own voice detector: a gated recurrent unit (GRU) over the features of each frame, whose
// state says some frames later how likely speech was. Its weights are trained by bench/voice-fit.ts and
// bench/voice/train.py.
import { frameValues } from './features.ts';

/** Frames after the scored one that are heard before it is scored: 140 ms. */
export const lookAhead = 7;
export const stateValues = 56;

/**
 * Floats of the three gates (reset, update, candidate) of one state value: its inputs, its state, their two
 * biases.
 */
const gateRow = frameValues + stateValues + 2;
/** Floats in a file of weights: all gates, gate by gate; then those of the result and its bias. */
export const weightCount = 3 * stateValues * gateRow + stateValues + 1;

/** One run over a sound, frame by frame. */
export class SpeechNetwork {
  readonly #weights: Float32Array;
  #state = new Float64Array(stateValues);
  #next = new Float64Array(stateValues);

  /** `weights`: `weightCount` of them, *shared*. */
  constructor(weights: Float32Array) {
    this.#weights = weights;
  }

  /**
   * Takes a frame of `frameValues`; answers the probability of speech, 0 to 1, `lookAhead` frames before it.
   */
  advance(frame: Float32Array): number {
    const weights = this.#weights;
    const next = this.#next;
    let last = 3 * stateValues * gateRow;
    let sum = this.#weights[last + stateValues]!;
    for (let unit = 0; unit < stateValues; unit++) {
      const value = this.#advanceUnit(unit, frame);
      next[unit] = value;
      sum += weights[last++]! * value;
    }
    this.#next = this.#state;
    this.#state = next;
    return sigmoid(sum);
  }

  /**
   * The next value of one of the state. Its three gates are summed side by side, which is faster than in
   * turn.
   */
  #advanceUnit(unit: number, frame: Float32Array): number {
    const weights = this.#weights;
    const state = this.#state;
    let r = unit * gateRow;
    let u = (stateValues + unit) * gateRow;
    let c = (2 * stateValues + unit) * gateRow;
    let reset = 0;
    let update = 0;
    let candidate = 0;
    for (let i = 0; i < frameValues; i++) {
      const value = frame[i]!;
      reset += weights[r++]! * value;
      update += weights[u++]! * value;
      candidate += weights[c++]! * value;
    }
    let kept = 0;
    for (let i = 0; i < stateValues; i++) {
      const value = state[i]!;
      reset += weights[r++]! * value;
      update += weights[u++]! * value;
      kept += weights[c++]! * value;
    }
    reset = sigmoid(reset + weights[r]! + weights[r + 1]!);
    update = sigmoid(update + weights[u]! + weights[u + 1]!);
    candidate = Math.tanh(candidate + weights[c]! + reset * (kept + weights[c + 1]!));
    return (1 - update) * candidate + update * state[unit]!;
  }
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
