// Fits the weights of our own voice detector: Adam over small batches of frames in random order.
import { frameValues } from '../../actors/transcriber/voice/features.ts';
import {
  gatherContext,
  hiddenValues,
  inputValues,
  speechProbability,
  weightCount,
} from '../../actors/transcriber/voice/network.ts';
import type { Random } from './sounds.ts';

/** One sound: its frames, and for each of them whether somebody speaks (1 or 0). */
export interface Lesson {
  readonly frames: Float32Array;
  readonly speech: Uint8Array;
}

const batch = 128;
/** Pulls weights towards zero. */
const decay = 1e-4;

export class Learner {
  readonly weights: Float32Array;
  readonly #slope = new Float32Array(weightCount);
  readonly #mean = new Float32Array(weightCount);
  readonly #square = new Float32Array(weightCount);
  readonly #seen = new Float32Array(inputValues);
  readonly #hidden = new Float32Array(hiddenValues);
  #steps = 0;

  constructor(random: Random) {
    const spread = Math.sqrt(6 / inputValues);
    this.weights = Float32Array.from({ length: weightCount }, () => (2 * random() - 1) * spread);
  }

  /** One pass over all frames at this rate. The mean loss, nats a frame. */
  pass(lessons: readonly Lesson[], rate: number, random: Random): number {
    const order = shuffledFrames(lessons, random);
    let loss = 0;
    for (let at = 0; at < order.length; at += batch) {
      const part = order.subarray(at, at + batch);
      this.#slope.fill(0);
      for (const place of part) loss += this.#see(lessons[Math.floor(place / far)]!, place % far);
      this.#step(rate, part.length);
    }
    return loss / order.length;
  }

  #see({ frames, speech }: Lesson, index: number): number {
    gatherContext(frames, frames.length / frameValues, index, this.#seen);
    const answer = speechProbability(this.weights, this.#seen, this.#hidden);
    const truth = speech[index]!;
    const error = answer - truth;
    const last = hiddenValues * (inputValues + 1);
    const slope = this.#slope;
    slope[weightCount - 1] = slope[weightCount - 1]! + error;
    for (let unit = 0; unit < hiddenValues; unit++) {
      const value = this.#hidden[unit]!;
      if (value <= 0) continue;
      slope[last + unit] = slope[last + unit]! + error * value;
      const back = error * this.weights[last + unit]!;
      const w = unit * (inputValues + 1);
      for (let i = 0; i < inputValues; i++) slope[w + i] = slope[w + i]! + back * this.#seen[i]!;
      slope[w + inputValues] = slope[w + inputValues]! + back;
    }
    return -Math.log(Math.max(1e-7, truth === 1 ? answer : 1 - answer));
  }

  #step(rate: number, count: number): void {
    this.#steps += 1;
    const meanScale = 1 / (1 - 0.9 ** this.#steps);
    const squareScale = 1 / (1 - 0.999 ** this.#steps);
    for (let w = 0; w < weightCount; w++) {
      const slope = this.#slope[w]! / count + decay * this.weights[w]!;
      this.#mean[w] = 0.9 * this.#mean[w]! + 0.1 * slope;
      this.#square[w] = 0.999 * this.#square[w]! + 0.001 * slope * slope;
      const size = Math.sqrt(this.#square[w]! * squareScale) + 1e-8;
      this.weights[w] = this.weights[w]! - (rate * this.#mean[w]! * meanScale) / size;
    }
  }
}

/** A frame as lesson × far + index. */
const far = 2 ** 20;

function shuffledFrames(lessons: readonly Lesson[], random: Random): Float64Array {
  const count = lessons.reduce((sum, { speech }) => sum + speech.length, 0);
  const order = new Float64Array(count);
  let at = 0;
  for (const [lesson, { speech }] of lessons.entries()) {
    for (let index = 0; index < speech.length; index++) order[at++] = lesson * far + index;
  }
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const place = order[last]!;
    order[last] = order[other]!;
    order[other] = place;
  }
  return order;
}
