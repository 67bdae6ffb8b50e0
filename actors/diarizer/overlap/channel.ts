// One channel's search for overlapping speech: takes the features of sound as they are made, and runs the
// detector over windows of about twelve seconds. Windows lie on a grid of their own, so that results do not
// depend on how sound comes.
import { fbankBands, fbankHop } from '../../acoustics/fbank.ts';
import { modelErrors } from '../../models/contract.ts';
import type { ModelSession } from '../../models/session.ts';
import type { SpeechRegion } from '../../transcriber/contract.ts';

// The overlap detector: a small network that comes with the program and says, every 20 ms, how likely two
// speak at once.

/** Frames of the features for each frame of the answer. */
export const overlapStep = 2;
/**
 * Frames of the features that the network looks at before and after a frame: what it answers there does not
 * depend on what lies further away, but for the loudness of the whole.
 */
export const overlapContext = 80;

/** `features`: frames×80 of the wespeaker fbank, *borrowed*. Answers ⌈frames/2⌉ probabilities. */
export type DetectOverlap = (features: Float32Array) => Promise<Float32Array>;

const input = 'feats';
const output = 'overlap';

/** `file` names the graph in messages. The session stays the caller's. Throws MODEL_LOAD_FAILED. */
export function overlapDetectorOf(session: ModelSession, file: string): DetectOverlap {
  const names = [...session.inputs, ...session.outputs].map(({ name }) => name);
  if (!names.includes(input) || !names.includes(output)) {
    throw modelErrors.MODEL_LOAD_FAILED(
      `${file}: has the inputs and outputs ${names.join(', ')}, not ${input} and ${output}`,
      { file },
    );
  }
  return async (features) => {
    const frames = features.length / fbankBands;
    const expected = Math.ceil(frames / overlapStep);
    const results = await session.run({ [input]: { data: features, dims: [1, frames, fbankBands] } }, [
      output,
    ]);
    const tensor = results[output];
    if (tensor?.data instanceof Float32Array && tensor.data.length === expected) return tensor.data;
    const shape = tensor?.dims.join('×') ?? 'missing';
    throw modelErrors.MODEL_RUN_FAILED(
      `${file}: output ${output} is ${shape}, expected 1×${expected} floats`,
    );
  };
}

/** Frames of the features that a window decides: 10 s. */
const core = 1000;
/** Stands in for a feature that is no number: the lowest that the fbank answers. */
const lowest = Math.log(1.1920928955078125e-7);

interface Window {
  /**
   * First frame of the features, and the frames that the window decides: of them the window has context
   * around.
   */
  readonly first: number;
  readonly from: number;
  readonly to: number;
  readonly features: Float32Array;
}

export class OverlapChannel {
  /** Position of the first sample. */
  #start: number | null = null;
  /** Features from frame `#first` on. */
  #frames = new Float32Array(0);
  #first = 0;
  /** First frame of the next window's core: a multiple of `core`. */
  #next = 0;
  /** Speech that ends in or after the core of the next window, ascending. */
  #speech: SpeechRegion[] = [];
  #settled = 0;
  #ended = false;
  /** For every 20 ms, 0 to 255; 0 where nobody speaks. */
  #probabilities = new Uint8Array(0);

  /** First sample of the channel; 0 before the first block. */
  get start(): number {
    return this.#start ?? 0;
  }

  /**
   * For every 20 ms from `start` on, 0 to 255: complete once the channel has ended and `detect` was answered.
   * *Read only.*
   */
  get probabilities(): Uint8Array {
    return this.#probabilities;
  }

  /**
   * `start`: of the channel. `frames`: the next features, *copied*. `speech` and `settled` as the transcriber
   * answered.
   */
  push(start: number, frames: Float32Array, speech: readonly SpeechRegion[], settled: number): void {
    this.#start ??= start;
    this.#speech.push(...speech);
    this.#settled = Math.max(this.#settled, settled);
    const joined = new Float32Array(this.#frames.length + frames.length);
    joined.set(this.#frames);
    frames.forEach((value, at) => {
      joined[this.#frames.length + at] = Number.isFinite(value) ? value : lowest;
    });
    this.#frames = joined;
  }

  /** The channel has ended. */
  end(speech: readonly SpeechRegion[]): void {
    this.#speech.push(...speech);
    this.#ended = true;
  }

  /** Runs the detector over what can be decided by now. One call at a time. */
  async detect(detect: DetectOverlap): Promise<void> {
    for (let window = this.#take(); window; window = this.#take()) {
      if (window.features.length === 0) continue;
      const probabilities = await detect(window.features);
      this.#keep(window, probabilities);
    }
  }

  /** The next window, with no features where nobody speaks in it; null when it cannot be decided yet. */
  #take(): Window | null {
    const count = this.#first + this.#frames.length / fbankBands;
    const from = this.#next;
    const whole = from + core;
    const ready =
      whole + overlapContext <= count && this.#start !== null && this.#sample(whole) <= this.#settled;
    if (!ready && !(this.#ended && from < count)) return null;
    const to = Math.min(whole, count);
    const [begin, end] = [this.#sample(from), this.#sample(to)];
    const spoken = this.#speech.some((region) => region[0] < end && region[1] > begin);
    const first = Math.max(0, from - overlapContext);
    const last = Math.min(count, to + overlapContext);
    const features = spoken
      ? this.#frames.slice((first - this.#first) * fbankBands, (last - this.#first) * fbankBands)
      : new Float32Array(0);
    this.#next = whole;
    this.#drop(Math.min(count, whole - overlapContext));
    this.#speech = this.#speech.filter((region) => region[1] > end);
    return { first, from, to, features };
  }

  #keep({ first, from, to }: Window, probabilities: Float32Array): void {
    const last = Math.ceil(to / overlapStep);
    if (last > this.#probabilities.length) {
      const larger = new Uint8Array(Math.max(last, this.#probabilities.length + core));
      larger.set(this.#probabilities);
      this.#probabilities = larger;
    }
    for (let at = from / overlapStep; at < last; at++) {
      this.#probabilities[at] = Math.round(255 * (probabilities[at - first / overlapStep] ?? 0));
    }
  }

  #sample(frame: number): number {
    return this.start + frame * fbankHop;
  }

  #drop(before: number): void {
    const frameCount = before - this.#first;
    if (frameCount <= 0) return;
    this.#frames = this.#frames.slice(frameCount * fbankBands);
    this.#first = before;
  }
}
