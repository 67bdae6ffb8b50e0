// Cuts one channel into windows for a speech model: speech with short pauses in it, at most 28 s, cut where nobody speaks
// where there is such a place. Every stretch of speech lies in exactly one window. Pure; what comes out does not depend
// on the size of the blocks, and sound is held only while a window may still need it.
import { SampleBuffer } from '../../acoustics/samples.ts';
import type { Heard } from '../contract.ts';
import type { SpeechWindow } from '../family.ts';
import { checkNext, voiceRate } from './detector.ts';

/** A window and where it lies: `voices` count from `firstSample`, which is on the clock of the file. */
export interface Window extends SpeechWindow {
  readonly firstSample: number;
}

/** Lengths in samples. */
export interface WindowRules {
  /** Of a window, at most. */
  readonly longest: number;
  /** A pause that is not shorter ends a window. */
  readonly pause: number;
  /** Sound before the first voice and behind the last, at most; never that of other speech. */
  readonly leadIn: number;
  readonly tail: number;
}

export const windowRules: WindowRules = {
  longest: 28 * voiceRate,
  pause: 2 * voiceRate,
  leadIn: voiceRate / 2,
  tail: voiceRate / 5,
};

/** Blocks are taken in pieces of this length, so that a large one is never held whole. */
const piece = voiceRate;
/** How far around a place its loudness is measured, at most: 15 ms to both sides. */
const reach = 240;

type Stretch = readonly [start: number, end: number];

export class Windows {
  readonly #rules: WindowRules;
  #tail: SampleBuffer | null = null;
  /** Speech in no window yet: ascending, not touching. */
  #voices: Stretch[] = [];
  /** What the detector has told, up to `#told`; not yet taken over. */
  #heard: Stretch[] = [];
  #told = 0;
  /** Up to here it is known who speaks. */
  #settled = 0;
  /** End of the last voice of the window before. */
  #cut = 0;

  constructor(rules: WindowRules = windowRules) {
    this.#rules = rules;
  }

  /** Samples there is room for. */
  get room(): number {
    return this.#tail?.capacity ?? 0;
  }

  /**
   * `samples`: the next block, *copied*; `heard`: the detector's answer to it. The windows that became complete, in order,
   * *owned by the caller*. Throws RangeError for a gap.
   */
  push(samples: Float32Array, firstSample: number, heard: Heard): Window[] {
    const tail = this.#begin(firstSample);
    this.#tell(heard);
    const windows: Window[] = [];
    for (let at = 0; at < samples.length; at += piece) {
      tail.add(samples.subarray(at, at + piece));
      windows.push(...this.#advance(tail, Math.min(this.#told, tail.end)));
    }
    return windows;
  }

  /** The channel has ended; `heard`: what the detector answered to that. The last windows. */
  end(heard: Heard): Window[] {
    const tail = this.#tail;
    if (!tail) return [];
    this.#tell(heard);
    const windows = this.#advance(tail, Math.min(this.#told, tail.end));
    while (this.#voices.length > 0) windows.push(this.#take(tail, this.#voices.length));
    return windows;
  }

  #begin(firstSample: number): SampleBuffer {
    if (this.#tail) {
      checkNext(this.#tail.end, firstSample);
      return this.#tail;
    }
    this.#cut = firstSample;
    this.#settled = firstSample;
    this.#tail = new SampleBuffer(firstSample);
    return this.#tail;
  }

  #tell({ speech, settled }: Heard): void {
    for (const [start, end] of speech) append(this.#heard, start, end);
    this.#told = Math.max(this.#told, settled);
  }

  /** Takes over what was heard up to `settled` and cuts what can be cut. */
  #advance(tail: SampleBuffer, settled: number): Window[] {
    this.#settled = Math.max(this.#settled, settled);
    while (this.#heard[0] && this.#heard[0][0] < this.#settled) {
      const [start, end] = this.#heard.shift()!;
      append(this.#voices, start, Math.min(end, this.#settled));
      if (end > this.#settled) this.#heard.unshift([this.#settled, end]);
    }
    const windows: Window[] = [];
    for (let count = this.#complete(tail); count > 0; count = this.#complete(tail)) {
      windows.push(this.#take(tail, count));
    }
    tail.drop(this.#voices.length > 0 ? this.#start() : this.#settled - this.#rules.leadIn);
    return windows;
  }

  /** Where the next window begins: before its first voice, but not in the speech of the one before. */
  #start(): number {
    return Math.max(this.#cut, this.#voices[0]![0] - this.#rules.leadIn);
  }

  /** How many voices make up the next window; 0 while that is not known. */
  #complete(tail: SampleBuffer): number {
    const voices = this.#voices;
    if (voices.length === 0) return 0;
    const limit = this.#start() + this.#rules.longest;
    for (let at = 0; at < voices.length && voices[at]![1] <= limit; at++) {
      const next = voices[at + 1]?.[0] ?? this.#settled;
      if (next - voices[at]![1] >= this.#rules.pause) return at + 1;
    }
    return voices.at(-1)![1] > limit ? this.#divide(tail, limit) : 0;
  }

  /** The window is too long: its longest pause in the latter half, else the place there that is least loud. */
  #divide(tail: SampleBuffer, limit: number): number {
    const voices = this.#voices;
    const middle = limit - Math.floor(this.#rules.longest / 2);
    let best = 0;
    let longest = 0;
    for (let at = 0; at + 1 < voices.length && voices[at]![1] <= limit; at++) {
      const pause = voices[at + 1]![0] - voices[at]![1];
      if (voices[at + 1]![0] <= middle || pause < longest) continue;
      best = at + 1;
      longest = pause;
    }
    if (best > 0) return best;
    // No pause: the whole latter half is in one voice.
    const at = voices.findIndex(([, end]) => end > limit);
    const [start, end] = voices[at]!;
    const place = leastLoud(tail, Math.max(middle, start + 1), limit);
    voices.splice(at, 1, [start, place], [place, end]);
    return at + 1;
  }

  /** The first `count` voices as a window. */
  #take(tail: SampleBuffer, count: number): Window {
    const first = this.#start();
    const voices = this.#voices.splice(0, count);
    const speechEnd = voices.at(-1)![1];
    const silenceEnd = Math.max(speechEnd, this.#voices[0]?.[0] ?? this.#settled);
    const end = Math.min(speechEnd + this.#rules.tail, silenceEnd, first + this.#rules.longest, tail.end);
    this.#cut = speechEnd;
    return {
      firstSample: first,
      samples: tail.copy(first, end),
      voices: voices.map(([start, stop]) => [start - first, stop - first] as const),
    };
  }
}

/** Speech that touches what came before goes on with it. */
function append(voices: Stretch[], start: number, end: number): void {
  const last = voices.at(-1);
  if (last?.[1] === start) voices[voices.length - 1] = [last[0], end];
  else if (end > start) voices.push([start, end]);
}

/** The place from `from` to `to` around which there is least energy, the last of several. Looks at nothing behind `to`. */
function leastLoud(tail: SampleBuffer, from: number, to: number): number {
  const around = Math.min(reach, (to - from) >> 2);
  const low = Math.max(tail.first, from - around);
  const sound = tail.view(low, to);
  const sums = new Float64Array(sound.length + 1);
  for (let i = 0; i < sound.length; i++) sums[i + 1] = sums[i]! + sound[i]! ** 2;
  let place = to;
  let least = Infinity;
  for (let at = from; at <= to - around; at++) {
    const start = Math.max(0, at - low - around);
    const stop = at - low + around;
    // A place that is 0 samples wide tells nothing.
    const energy = stop > start ? (sums[stop]! - sums[start]!) / (stop - start) : Infinity;
    if (energy > least) continue;
    least = energy;
    place = at;
  }
  return place;
}
