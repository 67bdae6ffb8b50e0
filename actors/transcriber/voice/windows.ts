// Cuts one channel into windows for a speech model: at most 28 s of speech and short pauses, cut in a pause
// if there is one. All speech lies in exactly one window. Pure; windows do not depend on the size of the
// blocks, and sound is held only while a window may still need it.
import { SampleBuffer } from '../../acoustics/samples.ts';
import type { DetectedSpeech } from '../contract.ts';
import type { SpeechWindow } from '../family.ts';
import { checkContiguous, voiceRate } from './detector.ts';

/** A window and its place in the file: `speech` counts from `firstSample`. */
export interface PlacedWindow extends SpeechWindow {
  readonly firstSample: number;
}

/** Lengths in samples. */
export interface WindowRules {
  /** Longest window. */
  readonly longest: number;
  /** A pause that is not shorter ends a window. */
  readonly pause: number;
  /** Sound before the first speech and after the last, at most; never that of other speech. */
  readonly leadIn: number;
  readonly tail: number;
}

export const windowRules: WindowRules = {
  longest: 28 * voiceRate,
  pause: 2 * voiceRate,
  // Detectors cut quiet starts and ends: with .5 and .2 s 13.1 % of words are wrong, with these 12.4 %.
  leadIn: (4 * voiceRate) / 5,
  tail: (3 * voiceRate) / 5,
};

/** Blocks are processed in steps of this length, so that a large one is never held whole. */
const step = voiceRate;
/** Energy is measured over this many samples to both sides, at most: 15 ms. */
const reach = 240;

type Range = readonly [start: number, end: number];

export class WindowCutter {
  readonly #rules: WindowRules;
  #buffer: SampleBuffer | null = null;
  /** Speech in no window yet, up to `#settled`: ascending, not touching. */
  #speech: Range[] = [];
  #settled = 0;
  /** Detected speech after `#settled`, up to `#detectedTo`. */
  #pending: Range[] = [];
  #detectedTo = 0;
  /** End of the speech of the window before. */
  #cut = 0;

  constructor(rules: WindowRules = windowRules) {
    this.#rules = rules;
  }

  /** Samples there is memory for. */
  get capacity(): number {
    return this.#buffer?.capacity ?? 0;
  }

  /**
   * `samples`: the next block, *copied*; `detected`: the detector's answer to it. Answers the windows that
   * became complete, in order, *owned by the caller*. Throws RangeError for a gap.
   */
  push(samples: Float32Array, firstSample: number, detected: DetectedSpeech): PlacedWindow[] {
    const buffer = this.#begin(firstSample);
    this.#addDetected(detected);
    const windows: PlacedWindow[] = [];
    for (let at = 0; at < samples.length; at += step) {
      buffer.add(samples.subarray(at, at + step));
      windows.push(...this.#advance(buffer, Math.min(this.#detectedTo, buffer.end)));
    }
    return windows;
  }

  /** The channel has ended; `detected`: the detector's answer to that. Answers the last windows. */
  end(detected: DetectedSpeech): PlacedWindow[] {
    const buffer = this.#buffer;
    if (!buffer) return [];
    this.#addDetected(detected);
    const windows = this.#advance(buffer, Math.min(this.#detectedTo, buffer.end));
    while (this.#speech.length > 0) windows.push(this.#cutWindow(buffer, this.#speech.length));
    return windows;
  }

  #begin(firstSample: number): SampleBuffer {
    if (this.#buffer) {
      checkContiguous(this.#buffer.end, firstSample);
      return this.#buffer;
    }
    this.#cut = firstSample;
    this.#settled = firstSample;
    this.#buffer = new SampleBuffer(firstSample);
    return this.#buffer;
  }

  #addDetected({ speech, settled }: DetectedSpeech): void {
    for (const [start, end] of speech) append(this.#pending, start, end);
    this.#detectedTo = Math.max(this.#detectedTo, settled);
  }

  /** Moves detected speech up to `settled` to `#speech`, and cuts the windows that are complete. */
  #advance(buffer: SampleBuffer, settled: number): PlacedWindow[] {
    this.#settled = Math.max(this.#settled, settled);
    while (this.#pending[0] && this.#pending[0][0] < this.#settled) {
      const [start, end] = this.#pending.shift()!;
      append(this.#speech, start, Math.min(end, this.#settled));
      if (end > this.#settled) this.#pending.unshift([this.#settled, end]);
    }
    const windows: PlacedWindow[] = [];
    for (let count = this.#complete(buffer); count > 0; count = this.#complete(buffer)) {
      windows.push(this.#cutWindow(buffer, count));
    }
    buffer.drop(this.#speech.length > 0 ? this.#start() : this.#settled - this.#rules.leadIn);
    return windows;
  }

  /** Where the next window begins: before its first speech, but not in the speech of the window before. */
  #start(): number {
    return Math.max(this.#cut, this.#speech[0]![0] - this.#rules.leadIn);
  }

  /** How many regions make up the next window; 0 while that is not known. */
  #complete(buffer: SampleBuffer): number {
    const speech = this.#speech;
    if (speech.length === 0) return 0;
    const limit = this.#start() + this.#rules.longest;
    for (let at = 0; at < speech.length && speech[at]![1] <= limit; at++) {
      const next = speech[at + 1]?.[0] ?? this.#settled;
      if (next - speech[at]![1] >= this.#rules.pause) return at + 1;
    }
    return speech.at(-1)![1] > limit ? this.#split(buffer, limit) : 0;
  }

  /**
   * Splits a window that is too long in the longest pause of its latter half, else at the quietest place
   * there.
   */
  #split(buffer: SampleBuffer, limit: number): number {
    const speech = this.#speech;
    const middle = limit - Math.floor(this.#rules.longest / 2);
    let best = 0;
    let longest = 0;
    for (let at = 0; at + 1 < speech.length && speech[at]![1] <= limit; at++) {
      const pause = speech[at + 1]![0] - speech[at]![1];
      if (speech[at + 1]![0] <= middle || pause < longest) continue;
      best = at + 1;
      longest = pause;
    }
    if (best > 0) return best;
    // No pause: one region spans the whole latter half.
    const at = speech.findIndex(([, end]) => end > limit);
    const [start, end] = speech[at]!;
    const place = quietestPlace(buffer, Math.max(middle, start + 1), limit);
    speech.splice(at, 1, [start, place], [place, end]);
    return at + 1;
  }

  /** Cuts a window of the first `count` regions. */
  #cutWindow(buffer: SampleBuffer, count: number): PlacedWindow {
    const first = this.#start();
    const speech = this.#speech.splice(0, count);
    const speechEnd = speech.at(-1)![1];
    const silenceEnd = Math.max(speechEnd, this.#speech[0]?.[0] ?? this.#settled);
    const end = Math.min(speechEnd + this.#rules.tail, silenceEnd, first + this.#rules.longest, buffer.end);
    this.#cut = speechEnd;
    return {
      firstSample: first,
      samples: buffer.copy(first, end),
      speech: speech.map(([start, stop]) => [start - first, stop - first] as const),
    };
  }
}

/** A range that begins where the last one ends is joined with it. */
function append(ranges: Range[], start: number, end: number): void {
  const last = ranges.at(-1);
  if (last?.[1] === start) ranges[ranges.length - 1] = [last[0], end];
  else if (end > start) ranges.push([start, end]);
}

/**
 * The place from `from` to `to` with the least energy around it, the last of several. Looks at nothing after
 * `to`.
 */
function quietestPlace(buffer: SampleBuffer, from: number, to: number): number {
  const around = Math.min(reach, (to - from) >> 2);
  const low = Math.max(buffer.first, from - around);
  const sound = buffer.view(low, to);
  const sums = new Float64Array(sound.length + 1);
  for (let i = 0; i < sound.length; i++) sums[i + 1] = sums[i]! + sound[i]! ** 2;
  let place = to;
  let least = Infinity;
  for (let at = from; at <= to - around; at++) {
    const start = Math.max(0, at - low - around);
    const stop = at - low + around;
    // Without samples around it there is no energy to compare.
    const energy = stop > start ? (sums[stop]! - sums[start]!) / (stop - start) : Infinity;
    if (energy > least) continue;
    least = energy;
    place = at;
  }
  return place;
}
