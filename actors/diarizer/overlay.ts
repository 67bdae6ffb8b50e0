// Lays the windows of a segmentation over each other: in each moment as many voices speak as the windows say on average,
// and those that most of them name.
import { soundRate } from '../decoder/contract.ts';
import type { LocalWindow } from './locals.ts';
import { segmentationFirst, segmentationFrames, segmentationStep } from './segmentation.ts';
import type { VoiceTurn } from './turns.ts';

/** Windows between two pauses: about 20 ms of work. */
const windowsPerStep = 100;

/**
 * `labels`: the voice of each vector, -1 for none. `windows` ascending by start. A generator: it pauses often, so that its
 * thread can answer.
 */
export function* turnsOfWindows(
  windows: readonly LocalWindow[],
  labels: ArrayLike<number>,
  voices: number,
): Generator<void, VoiceTurn[]> {
  const overlay = new Overlay(voices);
  for (const [at, window] of windows.entries()) {
    if (at % windowsPerStep === 0) yield;
    overlay.settle(frameOf(window.start));
    overlay.add(window, labels);
  }
  overlay.settle(Number.POSITIVE_INFINITY);
  return overlay.turns.sort((a, b) => a.start - b.start || a.voice - b.voice);
}

/** Number of a frame on one clock for all windows. */
const frameOf = (sample: number) => Math.round(sample / segmentationStep);
const secondsOf = (frame: number) =>
  Math.max(0, frame * segmentationStep + segmentationFirst - segmentationStep / 2) / soundRate;

interface Moment {
  /** Windows that saw it, and how many voices they heard together. */
  windows: number;
  heard: number;
  readonly votes: Float32Array;
}

class Overlay {
  readonly turns: VoiceTurn[] = [];
  readonly #voices: number;
  readonly #moments = new Map<number, Moment>();
  /** The frame in which each voice began to speak; -1 while it is silent. */
  readonly #since: Int32Array;
  #next = 0;

  constructor(voices: number) {
    this.#voices = voices;
    this.#since = new Int32Array(voices).fill(-1);
  }

  add({ start, voices, rows }: LocalWindow, labels: ArrayLike<number>): void {
    const first = frameOf(start);
    const names = rows.map((row) => (row < 0 ? -1 : labels[row]!));
    for (let frame = 0; frame < segmentationFrames; frame++) {
      const moment = this.#moment(first + frame);
      const bits = voices[frame]!;
      moment.windows += 1;
      // Two voices of a window that are one speaker count once.
      const speaking = new Set(names.filter((name, voice) => name >= 0 && (bits & (1 << voice)) !== 0));
      moment.heard += speaking.size;
      for (const name of speaking) moment.votes[name]! += 1;
    }
  }

  /** Nothing before frame `until` will change. */
  settle(until: number): void {
    const frames = [...this.#moments.keys()].filter((frame) => frame < until).sort((a, b) => a - b);
    for (const frame of frames) {
      if (frame > this.#next) this.#silence(this.#next);
      this.#speak(frame, this.#moments.get(frame)!);
      this.#moments.delete(frame);
      this.#next = frame + 1;
    }
    if (until > this.#next) this.#silence(this.#next);
  }

  #moment(frame: number): Moment {
    const found = this.#moments.get(frame);
    if (found) return found;
    const made = { windows: 0, heard: 0, votes: new Float32Array(this.#voices) };
    this.#moments.set(frame, made);
    return made;
  }

  #speak(frame: number, { windows, heard, votes }: Moment): void {
    const count = Math.round(heard / windows);
    const order = [...votes.keys()].filter((voice) => votes[voice]! > 0);
    order.sort((a, b) => votes[b]! - votes[a]! || a - b);
    const speaking = new Set(order.slice(0, count));
    for (let voice = 0; voice < this.#voices; voice++) {
      if (speaking.has(voice)) {
        if (this.#since[voice]! < 0) this.#since[voice] = frame;
      } else {
        this.#stop(voice, frame);
      }
    }
  }

  #silence(frame: number): void {
    for (let voice = 0; voice < this.#voices; voice++) this.#stop(voice, frame);
  }

  #stop(voice: number, frame: number): void {
    const since = this.#since[voice]!;
    if (since < 0) return;
    this.#since[voice] = -1;
    this.turns.push({ start: secondsOf(since), end: secondsOf(frame), voice });
  }
}
