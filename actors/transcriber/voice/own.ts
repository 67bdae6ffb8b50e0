// Our own voice detector, for when none is downloaded: features of every 20 ms, a small network over 500 ms before and 140 ms
// after each frame, and Silero's rules for regions. Plain arithmetic, the same on every machine.
import { readFileSync } from 'node:fs';
import { copyFinite } from '../../acoustics/samples.ts';
import type { DetectedSpeech } from '../contract.ts';
import { checkContiguous, joinDetected, type VoiceDetector, type VoiceDetectors } from './detector.ts';
import { frameHop, frameSize, frameValues, VoiceFeatures } from './features.ts';
import {
  gatherContext,
  hiddenValues,
  inputValues,
  lookAhead,
  lookBack,
  speechProbability,
  weightCount,
} from './network.ts';
import { Segmenter, type SegmentRules, sileroRules } from './segmenter.ts';

export const ownRules: SegmentRules = { ...sileroRules, hop: frameHop };

/** Needs no model and nothing to be freed. */
export function ownDetectors(weights: Float32Array = fittedWeights()): VoiceDetectors {
  return { modelKey: null, open: () => new OwnDetector(weights), close: async () => {} };
}

/** What bench/voice-fit.ts wrote: little-endian floats. */
function fittedWeights(): Float32Array {
  const bytes = readFileSync(new URL('./own-weights.bin', import.meta.url));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength !== weightCount * 4) throw new Error(`own-weights.bin has ${bytes.byteLength} bytes`);
  return Float32Array.from({ length: weightCount }, (_, at) => view.getFloat32(at * 4, true));
}

/** Frames between two moves of those still needed to the start of the buffer. */
const chunk = 256;

class OwnDetector implements VoiceDetector {
  readonly #weights: Float32Array;
  readonly #features = new VoiceFeatures();
  readonly #window = new Float32Array(frameSize);
  #filled = 0;
  /** Features of the frames that are still in the context of a frame to be scored. */
  readonly #frames = new Float32Array((lookBack + lookAhead + 1 + chunk) * frameValues);
  #count = 0;
  /** Place in `#frames` of the next one to be scored. */
  #scored = 0;
  readonly #context = new Float32Array(inputValues);
  readonly #hidden = new Float32Array(hiddenValues);
  #next: number | null = null;
  #segmenter: Segmenter | null = null;

  constructor(weights: Float32Array) {
    this.#weights = weights;
  }

  async push(samples: Float32Array, firstSample: number): Promise<DetectedSpeech> {
    checkContiguous(this.#next, firstSample);
    this.#segmenter ??= new Segmenter(ownRules, firstSample);
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
    while (this.#scored < this.#count) probabilities.push(this.#score());
    return joinDetected(segmenter.push(probabilities, end), segmenter.end(end));
  }

  #measure(probabilities: number[]): void {
    if ((this.#count + 1) * frameValues > this.#frames.length) this.#compact();
    this.#features.measure(this.#window, this.#frames, this.#count * frameValues);
    this.#count += 1;
    this.#window.copyWithin(0, frameHop);
    this.#filled = frameSize - frameHop;
    while (this.#scored + lookAhead < this.#count) probabilities.push(this.#score());
  }

  #score(): number {
    gatherContext(this.#frames, this.#count, this.#scored, this.#context);
    this.#scored += 1;
    return speechProbability(this.#weights, this.#context, this.#hidden);
  }

  /** Drops frames before the context of the next one. */
  #compact(): void {
    const gone = this.#scored - lookBack;
    this.#frames.copyWithin(0, gone * frameValues, this.#count * frameValues);
    this.#count -= gone;
    this.#scored -= gone;
  }
}
