// Aggregates overlapping segmentation windows into turns. The number of speakers of a frame is the mean over
// the windows that cover it, and the speakers are those with the most votes: several may speak at once.
import { soundRate } from '../decoder/contract.ts';
import { frameOf, type SegmentationWindow, sampleOf, segmentationFrames } from './segmentation-channel.ts';
import type { LabelledTurn } from './turns.ts';

/** Windows between two yields: about 20 ms of work. */
const windowsPerStep = 100;

/** A window, and the speaker of each of its local speakers: -1 for none. */
export interface LabelledWindow extends Pick<SegmentationWindow, 'start' | 'activity'> {
  readonly labels: readonly number[];
}

/**
 * Labels count from 0 to `speakers` - 1. `windows` ascending by start. A generator: it yields often, so that
 * its thread can answer messages.
 */
export function* turnsOfWindows(
  windows: readonly LabelledWindow[],
  speakers: number,
): Generator<void, LabelledTurn[]> {
  const aggregation = new Aggregation(speakers);
  for (const [at, window] of windows.entries()) {
    if (at % windowsPerStep === 0) yield;
    aggregation.settle(frameOf(window.start));
    aggregation.add(window);
  }
  aggregation.settle(Number.POSITIVE_INFINITY);
  return aggregation.turns.sort((a, b) => a.start - b.start || a.label - b.label);
}

const secondsOf = (frame: number) => sampleOf(frame) / soundRate;

interface Frame {
  /** Windows that cover the frame. */
  windows: number;
  /** Speakers active in it, summed over these windows. */
  active: number;
  readonly votes: Float32Array;
}

class Aggregation {
  readonly turns: LabelledTurn[] = [];
  readonly #speakers: number;
  readonly #frames = new Map<number, Frame>();
  /** The frame in which the current turn of each speaker began; -1 for one that is silent. */
  readonly #since: Int32Array;
  #next = 0;

  constructor(speakers: number) {
    this.#speakers = speakers;
    this.#since = new Int32Array(speakers).fill(-1);
  }

  add({ start, activity, labels }: LabelledWindow): void {
    const first = frameOf(start);
    for (let at = 0; at < segmentationFrames; at++) {
      const frame = this.#frame(first + at);
      const bits = activity[at]!;
      frame.windows += 1;
      // Two local speakers with one label count once.
      const active = new Set(labels.filter((label, local) => label >= 0 && (bits & (1 << local)) !== 0));
      frame.active += active.size;
      for (const label of active) frame.votes[label]! += 1;
    }
  }

  /** No later window covers a frame before `until`: their turns are decided. */
  settle(until: number): void {
    const settled = [...this.#frames.keys()].filter((at) => at < until).sort((a, b) => a - b);
    for (const at of settled) {
      if (at > this.#next) this.#stopAll(this.#next);
      this.#decide(at, this.#frames.get(at)!);
      this.#frames.delete(at);
      this.#next = at + 1;
    }
    if (until > this.#next) this.#stopAll(this.#next);
  }

  #frame(at: number): Frame {
    const votes = this.#frames.get(at);
    if (votes) return votes;
    const frame = { windows: 0, active: 0, votes: new Float32Array(this.#speakers) };
    this.#frames.set(at, frame);
    return frame;
  }

  #decide(at: number, { windows, active, votes }: Frame): void {
    const count = Math.round(active / windows);
    const order = [...votes.keys()].filter((label) => votes[label]! > 0);
    order.sort((a, b) => votes[b]! - votes[a]! || a - b);
    const speaking = new Set(order.slice(0, count));
    for (let label = 0; label < this.#speakers; label++) {
      if (speaking.has(label)) {
        if (this.#since[label]! < 0) this.#since[label] = at;
      } else {
        this.#stop(label, at);
      }
    }
  }

  #stopAll(at: number): void {
    for (let label = 0; label < this.#speakers; label++) this.#stop(label, at);
  }

  #stop(label: number, at: number): void {
    const since = this.#since[label]!;
    if (since < 0) return;
    this.#since[label] = -1;
    this.turns.push({ start: secondsOf(since), end: secondsOf(at), label });
  }
}
