// Turns speech probabilities, one for every hop, into regions by Silero's rules, as a state machine that
// answers what is settled. Regions do not depend on how the probabilities are split into blocks.
import type { DetectedSpeech, SpeechRegion } from '../contract.ts';

/** Lengths in samples. */
export interface SegmentRules {
  /** Samples that one probability stands for. */
  readonly hop: number;
  /** Speech begins at this probability and ends below the other. */
  readonly on: number;
  readonly off: number;
  /** Speech that is not longer is ignored. */
  readonly minSpeech: number;
  /** A shorter pause does not end a region. */
  readonly minSilence: number;
  /** Added before and after a region; at most half of `minSilence`. */
  readonly pad: number;
}

/** Silero's own: 250 ms, 100 ms, 30 ms at 16 kHz. */
export const sileroRules: SegmentRules = {
  hop: 512,
  on: 0.5,
  off: 0.35,
  minSpeech: 4000,
  minSilence: 1600,
  pad: 480,
};

export class Segmenter {
  readonly #rules: SegmentRules;
  readonly #first: number;
  #position: number;
  #settled: number;
  /** Start of the current speech, without its pad. */
  #start: number | null = null;
  /** Where it may have ended: the probability has not been high since. */
  #silence: number | null = null;
  #emitted: SpeechRegion[] = [];

  /** `first`: sample at which the first probability begins; nothing is answered before it. */
  constructor(rules: SegmentRules, first: number) {
    if (rules.pad * 2 > rules.minSilence) throw new RangeError('The pads of two regions would overlap');
    this.#rules = rules;
    this.#first = first;
    this.#position = first;
    this.#settled = first;
  }

  /** `end`: where the sound ends, when it does so within the last hop. */
  push(probabilities: ArrayLike<number>, end = Infinity): DetectedSpeech {
    for (let at = 0; at < probabilities.length; at++) this.#step(probabilities[at]!, end);
    return this.#answer();
  }

  /** The sound has ended at sample `end`. */
  end(end: number): DetectedSpeech {
    const { minSpeech, pad } = this.#rules;
    if (this.#start !== null && (this.#silence ?? end) - this.#start > minSpeech) {
      this.#emit(this.#silence === null ? end : Math.min(end, this.#silence + pad));
    }
    this.#settled = Math.max(this.#first, end);
    return this.#answer();
  }

  #step(probability: number, end: number): void {
    const { hop, on, off, minSpeech, minSilence, pad } = this.#rules;
    const at = this.#position;
    this.#position = Math.min(end, at + hop);
    if (probability >= on) {
      this.#start ??= at;
      this.#silence = null;
    } else if (this.#start !== null) {
      if (probability < off) this.#silence ??= at;
      // Also at probabilities between the two thresholds, where Silero's code waits on and nothing would
      // settle.
      if (this.#silence !== null && at - this.#silence >= minSilence) {
        if (this.#silence - this.#start > minSpeech) this.#emit(this.#silence + pad);
        this.#start = null;
        this.#silence = null;
      }
    }
    if (this.#start === null) this.#settle(this.#position - pad);
    else if ((this.#silence ?? this.#position) - this.#start <= minSpeech) this.#settle(this.#start - pad);
    // Whatever comes next, the region reaches at least to here.
    else this.#emit(this.#silence === null ? this.#position : Math.min(this.#position, this.#silence + pad));
  }

  #settle(until: number): void {
    this.#settled = Math.max(this.#settled, until);
  }

  /** Emits speech from its start, or from where it was emitted last. */
  #emit(until: number): void {
    const from = Math.max(this.#settled, this.#start! - this.#rules.pad);
    if (until <= from) return;
    const last = this.#emitted.at(-1);
    if (last?.[1] === from) last[1] = until;
    else this.#emitted.push([from, until]);
    this.#settled = until;
  }

  #answer(): DetectedSpeech {
    const speech = this.#emitted;
    this.#emitted = [];
    return { speech, settled: this.#settled };
  }
}
