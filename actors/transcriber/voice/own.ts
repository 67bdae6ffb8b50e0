// Our own voice detector, for when none is downloaded: features of every 20 ms, judged with what came before and 140 ms of
// what comes, and Silero's rules for regions. Pure arithmetic, the same everywhere.
import { readFileSync } from 'node:fs';
import { copyFinite } from '../../acoustics/samples.ts';
import type { Heard } from '../contract.ts';
import { checkNext, together, type VoiceDetector, type VoiceDetectors } from './detector.ts';
import { frameHop, frameSize, frameValues, VoiceFeatures } from './features.ts';
import { hiddenValues, inputValues, judge, look, lookAhead, lookBack, weightCount } from './network.ts';
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

/** Frames judged between two clearings of those that are not needed any more. */
const chunk = 256;

class OwnDetector implements VoiceDetector {
  readonly #weights: Float32Array;
  readonly #features = new VoiceFeatures();
  readonly #window = new Float32Array(frameSize);
  #filled = 0;
  /** Measured frames that a judgement may still look at. */
  readonly #frames = new Float32Array((lookBack + lookAhead + 1 + chunk) * frameValues);
  #count = 0;
  /** Place in `#frames` of the next one to be judged. */
  #judged = 0;
  readonly #seen = new Float32Array(inputValues);
  readonly #hidden = new Float32Array(hiddenValues);
  #next: number | null = null;
  #segmenter: Segmenter | null = null;

  constructor(weights: Float32Array) {
    this.#weights = weights;
  }

  async hear(samples: Float32Array, firstSample: number): Promise<Heard> {
    checkNext(this.#next, firstSample);
    this.#segmenter ??= new Segmenter(ownRules, firstSample);
    this.#next = firstSample + samples.length;
    const found: number[] = [];
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + frameSize - this.#filled);
      copyFinite(part, this.#window, this.#filled);
      at += part.length;
      this.#filled += part.length;
      if (this.#filled === frameSize) this.#measure(found);
    }
    return this.#segmenter.push(found);
  }

  async end(): Promise<Heard> {
    const segmenter = this.#segmenter;
    const end = this.#next;
    if (!segmenter || end === null) return { speech: [], settled: 0 };
    const found: number[] = [];
    this.#window.fill(0, this.#filled);
    if (this.#filled > 0) this.#measure(found);
    while (this.#judged < this.#count) found.push(this.#judge());
    return together(segmenter.push(found, end), segmenter.end(end));
  }

  #measure(found: number[]): void {
    if ((this.#count + 1) * frameValues > this.#frames.length) this.#clear();
    this.#features.measure(this.#window, this.#frames, this.#count * frameValues);
    this.#count += 1;
    this.#window.copyWithin(0, frameHop);
    this.#filled = frameSize - frameHop;
    while (this.#judged + lookAhead < this.#count) found.push(this.#judge());
  }

  #judge(): number {
    look(this.#frames, this.#count, this.#judged, this.#seen);
    this.#judged += 1;
    return judge(this.#weights, this.#seen, this.#hidden);
  }

  /** Keeps what the next judgement looks back at. */
  #clear(): void {
    const gone = this.#judged - lookBack;
    this.#frames.copyWithin(0, gone * frameValues, this.#count * frameValues);
    this.#count -= gone;
    this.#judged -= gone;
  }
}
