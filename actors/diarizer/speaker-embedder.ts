// A speaker embedding model: features of sound to a vector of who speaks. How models differ (names of ports,
// features, whether the mean is removed) is said by the row.
import {
  campplusFbank,
  type FbankOptions,
  fbankBands,
  removeMean,
  wespeakerFbank,
} from '../acoustics/fbank.ts';
import { modelErrors, type SpeakerRow } from '../models/contract.ts';
import type { ModelSession, TensorOut } from '../models/session.ts';

const fbanks = { wespeaker: wespeakerFbank, campplus: campplusFbank } as const;

export interface SpeakerEmbedder {
  readonly dimensions: number;
  /** Embeddings in one run, at most. */
  readonly batch: number;
  readonly fbank: FbankOptions;
  /**
   * `features`: count×frames×80, as the fbank gives them, *changed and borrowed until the promise settles*.
   * Answers count×d, each of length 1; zeros where the model answers no direction. Throws MODEL_RUN_FAILED.
   */
  embed(features: Float32Array, count: number): Promise<Float32Array>;
}

/** `file` names the graph in messages. The session stays the caller's. Throws MODEL_LOAD_FAILED. */
export function speakerEmbedderOf(row: SpeakerRow, session: ModelSession, file: string): SpeakerEmbedder {
  const { dimensions, batch, input, output, features: kind, mean_removed: meanRemoved } = row.speaker;
  checkDeclared(session.inputs, input, file, 'input');
  checkDeclared(session.outputs, output, file, 'output');
  return {
    dimensions,
    batch,
    fbank: fbanks[kind],
    embed: async (features, count) => {
      const size = features.length / count;
      if (meanRemoved) {
        for (let at = 0; at < count; at++) {
          removeMean(features.subarray(at * size, (at + 1) * size), fbankBands);
        }
      }
      const dims = [count, size / fbankBands, fbankBands];
      const results = await session.run({ [input]: { data: features, dims } }, [output]);
      return normalized(results[output], count, dimensions, `${file}: output ${output}`);
    },
  };
}

function checkDeclared(
  ports: readonly { name: string }[],
  expected: string,
  file: string,
  what: string,
): void {
  const names = ports.map(({ name }) => name);
  if (names.includes(expected)) return;
  const message = `${file}: has the ${what}s ${names.join(', ')}, not ${expected} (/speaker/${what})`;
  throw modelErrors.MODEL_LOAD_FAILED(message, { file });
}

/** Each row scaled to length 1; one that is all zeros or holds a NaN becomes zeros. */
function normalized(
  tensor: TensorOut | undefined,
  count: number,
  dimensions: number,
  what: string,
): Float32Array {
  if (!(tensor?.data instanceof Float32Array) || tensor.data.length !== count * dimensions) {
    throw modelErrors.MODEL_RUN_FAILED(
      `${what} is ${tensor?.dims.join('×') ?? 'missing'}, expected ${count}×${dimensions} floats (/speaker/dimensions)`,
    );
  }
  const vectors = tensor.data;
  for (let start = 0; start < vectors.length; start += dimensions) {
    const row = vectors.subarray(start, start + dimensions);
    const length = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
    if (length > 0 && Number.isFinite(length)) for (let i = 0; i < dimensions; i++) row[i]! /= length;
    else row.fill(0);
  }
  return vectors;
}
