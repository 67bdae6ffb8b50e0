// Trains the weights of our own voice detector: Adam over small batches of frames in random order.
import { frameValues } from '../../actors/transcriber/voice/features.ts';
import {
  gatherContext,
  hiddenValues,
  inputValues,
  speechProbability,
  weightCount,
} from '../../actors/transcriber/voice/network.ts';
import type { Random } from './sounds.ts';

/** One sound: its frames, and the label of each: speech (1) or not (0). */
export interface TrainingExample {
  readonly frames: Float32Array;
  readonly speech: Uint8Array;
}

const batch = 128;
/** Weight decay. */
const decay = 1e-4;

export class Trainer {
  readonly weights: Float32Array;
  readonly #gradient = new Float32Array(weightCount);
  readonly #mean = new Float32Array(weightCount);
  readonly #square = new Float32Array(weightCount);
  readonly #inputs = new Float32Array(inputValues);
  readonly #hidden = new Float32Array(hiddenValues);
  #steps = 0;

  constructor(random: Random) {
    const spread = Math.sqrt(6 / inputValues);
    this.weights = Float32Array.from({ length: weightCount }, () => (2 * random() - 1) * spread);
  }

  /** One pass over all frames at this rate. The mean loss, nats a frame. */
  pass(examples: readonly TrainingExample[], rate: number, random: Random): number {
    const order = shuffledFrames(examples, random);
    let loss = 0;
    for (let at = 0; at < order.length; at += batch) {
      const part = order.subarray(at, at + batch);
      this.#gradient.fill(0);
      for (const place of part)
        loss += this.#backpropagate(examples[Math.floor(place / stride)]!, place % stride);
      this.#step(rate, part.length);
    }
    return loss / order.length;
  }

  #backpropagate({ frames, speech }: TrainingExample, index: number): number {
    gatherContext(frames, frames.length / frameValues, index, this.#inputs);
    const answer = speechProbability(this.weights, this.#inputs, this.#hidden);
    const label = speech[index]!;
    const error = answer - label;
    const last = hiddenValues * (inputValues + 1);
    const gradient = this.#gradient;
    gradient[weightCount - 1] = gradient[weightCount - 1]! + error;
    for (let unit = 0; unit < hiddenValues; unit++) {
      const value = this.#hidden[unit]!;
      if (value <= 0) continue;
      gradient[last + unit] = gradient[last + unit]! + error * value;
      const back = error * this.weights[last + unit]!;
      const w = unit * (inputValues + 1);
      for (let i = 0; i < inputValues; i++) gradient[w + i] = gradient[w + i]! + back * this.#inputs[i]!;
      gradient[w + inputValues] = gradient[w + inputValues]! + back;
    }
    return -Math.log(Math.max(1e-7, label === 1 ? answer : 1 - answer));
  }

  #step(rate: number, count: number): void {
    this.#steps += 1;
    const meanScale = 1 / (1 - 0.9 ** this.#steps);
    const squareScale = 1 / (1 - 0.999 ** this.#steps);
    for (let w = 0; w < weightCount; w++) {
      const gradient = this.#gradient[w]! / count + decay * this.weights[w]!;
      this.#mean[w] = 0.9 * this.#mean[w]! + 0.1 * gradient;
      this.#square[w] = 0.999 * this.#square[w]! + 0.001 * gradient * gradient;
      const size = Math.sqrt(this.#square[w]! * squareScale) + 1e-8;
      this.weights[w] = this.weights[w]! - (rate * this.#mean[w]! * meanScale) / size;
    }
  }
}

/** A frame is numbered example × stride + index. */
const stride = 2 ** 20;

function shuffledFrames(examples: readonly TrainingExample[], random: Random): Float64Array {
  const count = examples.reduce((sum, { speech }) => sum + speech.length, 0);
  const order = new Float64Array(count);
  let at = 0;
  for (const [example, { speech }] of examples.entries()) {
    for (let index = 0; index < speech.length; index++) order[at++] = example * stride + index;
  }
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const place = order[last]!;
    order[last] = order[other]!;
    order[other] = place;
  }
  return order;
}
