// Our own voice detector, for when none is downloaded: features of every 20 ms, a small recurrent network
// that hears 140 ms beyond each frame, and Silero's rules for regions. Plain arithmetic, the same on every
// machine.
import { readFileSync } from 'node:fs';
import { copyFinite } from '../../acoustics/samples.ts';
import type { DetectedSpeech } from '../contract.ts';
import { checkContiguous, joinDetected, type VoiceDetector, type VoiceDetectors } from './detector.ts';
import { frameHop, frameSize, frameValues, VoiceFeatures } from './features.ts';
import { Segmenter, type SegmentRules, sileroRules } from './segmenter.ts';

// The network of our own voice detector: a gated recurrent unit (GRU) over the features of each frame, whose
// state says some frames later how likely speech was. Its weights are trained by bench/voice-fit.ts and
// bench/voice/train.py.

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
    let memory = 0;
    for (let i = 0; i < stateValues; i++) {
      const value = state[i]!;
      reset += weights[r++]! * value;
      update += weights[u++]! * value;
      memory += weights[c++]! * value;
    }
    reset = sigmoid(reset + weights[r]! + weights[r + 1]!);
    update = sigmoid(update + weights[u]! + weights[u + 1]!);
    candidate = Math.tanh(candidate + weights[c]! + reset * (memory + weights[c + 1]!));
    return (1 - update) * candidate + update * state[unit]!;
  }
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

const builtInRules: SegmentRules = { ...sileroRules, hop: frameHop };

/** Needs no model and nothing to be freed. */
export function builtInDetectors(weights: Float32Array = fittedWeights()): VoiceDetectors {
  return { modelKey: null, open: () => new BuiltInDetector(weights), close: async () => {} };
}

/** Weights written by bench/voice/train.py: little-endian floats. */
function fittedWeights(): Float32Array {
  const bytes = readFileSync(new URL('./own-weights.bin', import.meta.url));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength !== weightCount * 4) throw new Error(`own-weights.bin has ${bytes.byteLength} bytes`);
  return Float32Array.from({ length: weightCount }, (_, at) => view.getFloat32(at * 4, true));
}

class BuiltInDetector implements VoiceDetector {
  readonly #features = new VoiceFeatures();
  readonly #network: SpeechNetwork;
  readonly #window = new Float32Array(frameSize);
  #filled = 0;
  readonly #frame = new Float32Array(frameValues);
  /** Frames that the network has taken. */
  #taken = 0;
  #next: number | null = null;
  #segmenter: Segmenter | null = null;

  constructor(weights: Float32Array) {
    this.#network = new SpeechNetwork(weights);
  }

  async push(samples: Float32Array, firstSample: number): Promise<DetectedSpeech> {
    checkContiguous(this.#next, firstSample);
    this.#segmenter ??= new Segmenter(builtInRules, firstSample);
    this.#next = firstSample + samples.length;
    const probabilities: number[] = [];
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + frameSize - this.#filled);
      copyFinite(part, this.#window, this.#filled);
      at += part.length;
      this.#filled += part.length;
      if (this.#filled === frameSize) this.#measure(probabilities);
    }
    return this.#segmenter.push(probabilities);
  }

  async end(): Promise<DetectedSpeech> {
    const segmenter = this.#segmenter;
    const end = this.#next;
    if (!segmenter || end === null) return { speech: [], settled: 0 };
    const probabilities: number[] = [];
    this.#window.fill(0, this.#filled);
    if (this.#filled > 0) this.#measure(probabilities);
    // Beyond its end a sound is as its last frame.
    for (let ahead = 0; ahead < lookAhead; ahead++) this.#advance(probabilities);
    return joinDetected(segmenter.push(probabilities, end), segmenter.end(end));
  }

  #measure(probabilities: number[]): void {
    this.#features.measure(this.#window, this.#frame, 0);
    this.#window.copyWithin(0, frameHop);
    this.#filled = frameSize - frameHop;
    this.#advance(probabilities);
  }

  #advance(probabilities: number[]): void {
    const probability = this.#network.advance(this.#frame);
    this.#taken += 1;
    if (this.#taken > lookAhead) probabilities.push(probability);
  }
}
