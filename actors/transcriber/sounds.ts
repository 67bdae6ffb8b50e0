// How likely music and singing are in each second of sound, by FireRed AED: a network of finite context, so
// that blocks with enough of the sound around them answer what the whole would.
import { readFile } from 'node:fs/promises';
import { Fbank, fbankBands, fbankFrames, fbankHop } from '../acoustics/fbank.ts';
import { copyFinite } from '../acoustics/samples.ts';
import { modelErrors } from '../models/contract.ts';
import type { Openable } from '../models/current.ts';
import { floatsOf, type Graph, openGraph, type SessionOpener } from '../models/session.ts';
import type { HeardSounds } from './contract.ts';

/** Frames of 10 ms around one that decide what is heard in it: eight layers that look 19 back and 20 on. */
const [framesBefore, framesAfter] = [8 * 19, 8 * 20];
const framesOfSecond = 100;
/** The last frames of a sound would reach beyond its end. */
const leastOfSecond = fbankFrames(framesOfSecond * fbankHop);

/** Outputs of the graph for each frame, in its order. */
const columns = ['speech', 'singing', 'music'] as const;

export interface SoundFiles {
  readonly graph: string;
  /** Kaldi's sums of features and of their squares; null for a graph that normalises by itself. */
  readonly cmvn: string | null;
}

/** How features are brought to the mean 0 and the variance 1. */
interface Normalisation {
  readonly means: Float64Array;
  readonly scales: Float64Array;
}

export class SoundDetector implements Openable {
  readonly #graph: Graph;
  readonly #input: string;
  readonly #output: string;
  readonly #normalisation: Normalisation | null;
  readonly #fbank = new Fbank({ window: 'povey', scale: 32_768 });

  private constructor(graph: Graph, input: string, output: string, normalisation: Normalisation | null) {
    this.#graph = graph;
    this.#input = input;
    this.#output = output;
    this.#normalisation = normalisation;
  }

  /** Runs the graph once. Throws MODEL_LOAD_FAILED, naming the file. */
  static async open({ graph: file, cmvn }: SoundFiles, open: SessionOpener): Promise<SoundDetector> {
    const normalisation = cmvn === null ? null : readCmvn(await readFile(cmvn), cmvn);
    const session = await open(file);
    // Names differ between exports of the network; the shapes are the same.
    const [input = '', output = ''] = [session.inputs[0]?.name, session.outputs[0]?.name];
    const shape = [null, null, fbankBands];
    const graph = await openGraph(
      async () => session,
      file,
      [{ name: input, type: 'float32', shape }],
      [output],
    );
    const detector = new SoundDetector(graph, input, output, normalisation);
    try {
      await detector.probabilities(new Float32Array(framesOfSecond * fbankBands));
      return detector;
    } catch (error) {
      await session.release();
      if (!modelErrors.MODEL_RUN_FAILED.is(error)) throw error;
      throw modelErrors.MODEL_LOAD_FAILED(error.message, { file }, error);
    }
  }

  get runsOn() {
    return this.#graph.session;
  }

  close(): Promise<void> {
    return this.#graph.session.release();
  }

  /**
   * The seconds that these samples complete. `samples`: the next ones; `before`: the answer for those before
   * them, null at the beginning. `isLast`: nothing follows, and an incomplete second is left out.
   */
  async hear(samples: Float32Array, before: HeardSounds | null, isLast: boolean): Promise<HeardSounds> {
    const { first_sample, remainder } = before ?? { first_sample: 0, remainder: new Uint8Array(0) };
    const earlier = new Float32Array(remainder.slice().buffer);
    const all = new Float32Array(earlier.length + samples.length);
    all.set(earlier);
    copyFinite(samples.map(asInteger), all, earlier.length);
    const firstFrame = first_sample / fbankHop;
    const frames = firstFrame + fbankFrames(all.length);
    const settled = isLast ? frames + framesOfSecond - leastOfSecond : frames - framesAfter;
    const second = before?.next_second ?? 0;
    const next_second = Math.max(second, Math.floor(settled / framesOfSecond));
    if (next_second === second) return { seconds: [], next_second, first_sample, remainder: bytesOf(all) };
    const probabilities = await this.probabilities(this.#fbank.whole(all));
    const seconds = Array.from({ length: next_second - second }, (_, i) =>
      meansOf(probabilities, (second + i) * framesOfSecond - firstFrame),
    );
    const from = Math.max(first_sample, (next_second * framesOfSecond - framesBefore) * fbankHop);
    return {
      seconds,
      next_second,
      first_sample: from,
      remainder: bytesOf(all.subarray(from - first_sample)),
    };
  }

  /** frames×3, in the order of `columns`, of frames×80 features. */
  async probabilities(features: Float32Array): Promise<Float32Array> {
    const frames = features.length / fbankBands;
    const data = this.#normalisation === null ? features : normalised(features, this.#normalisation);
    const results = await this.#graph.run({ [this.#input]: { data, dims: [1, frames, fbankBands] } });
    const { data: values, dims } = floatsOf(this.#graph, results, this.#output, 3);
    if (dims[1] === frames && dims[2] === columns.length) return values;
    const { file } = this.#graph;
    const expected = `1×${frames}×${columns.length}`;
    throw modelErrors.MODEL_RUN_FAILED(`${file}: answers ${dims.join('×')}, expected ${expected}`, { file });
  }
}

/**
 * Rounds like the training data: without it, probabilities differ by up to .46 where sound fades to nothing.
 */
function asInteger(sample: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))) / 32_768;
}

function bytesOf(samples: Float32Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(samples.slice().buffer);
}

function meansOf(probabilities: Float32Array, first: number): { music: number; singing: number } {
  const end = Math.min(first + framesOfSecond, probabilities.length / columns.length);
  const mean = (column: (typeof columns)[number]) => {
    let sum = 0;
    for (let frame = first; frame < end; frame++)
      sum += probabilities[frame * columns.length + columns.indexOf(column)]!;
    return sum / (end - first);
  };
  return { music: mean('music'), singing: mean('singing') };
}

function normalised(features: Float32Array, { means, scales }: Normalisation): Float32Array {
  return features.map((value, i) => (value - means[i % fbankBands]!) * scales[i % fbankBands]!);
}

/** Before the size of a matrix of doubles in a file of Kaldi. */
const matrixHead = Buffer.from('\0BDM \x04', 'latin1');
const [rowsAt, columnsAt, valuesAt] = [matrixHead.length, matrixHead.length + 5, matrixHead.length + 9];

/**
 * Two rows: sums of the features and of their squares, each with the number of frames behind them. Throws
 * MODEL_LOAD_FAILED.
 */
export function readCmvn(bytes: Uint8Array, file: string): Normalisation {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = fbankBands + 1;
  const fits =
    view.length === valuesAt + 2 * width * 8 &&
    view.subarray(0, matrixHead.length).equals(matrixHead) &&
    view.readInt32LE(rowsAt) === 2 &&
    view.readInt32LE(columnsAt) === width;
  const value = (row: number, column: number) => view.readDoubleLE(valuesAt + (row * width + column) * 8);
  const count = fits ? value(0, fbankBands) : 0;
  if (!(count >= 1)) {
    const what = `is not a matrix of 2×${width} doubles with a number of frames`;
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${what}`, { file });
  }
  const means = Float64Array.from({ length: fbankBands }, (_, band) => value(0, band) / count);
  const scales = means.map(
    (mean, band) => 1 / Math.sqrt(Math.max(1e-20, value(1, band) / count - mean ** 2)),
  );
  return { means, scales };
}
