// A graph that turns a stretch of sound into a vector of its voice. How models differ - names, window of the features,
// whether the mean is taken out - is said by the row.
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

export interface Voiceprint {
  readonly dimensions: number;
  /** Windows in one run, at most. */
  readonly batch: number;
  readonly fbank: FbankOptions;
  /**
   * `features`: windows×frames×80, as the fbank gives them, *changed and borrowed until the promise settles*. Answers
   * windows×d, each of length 1; zeros for a window in which nothing can be told. Throws MODEL_RUN_FAILED.
   */
  vectors(features: Float32Array, windows: number): Promise<Float32Array>;
}

/** `file` names the graph in messages. The session stays the caller's. Throws MODEL_LOAD_FAILED. */
export function voiceprintOf(row: SpeakerRow, session: ModelSession, file: string): Voiceprint {
  const { dimensions, batch, input, output, features: kind, mean_removed: meanRemoved } = row.speaker;
  declared(session.inputs, input, file, 'input');
  declared(session.outputs, output, file, 'output');
  return {
    dimensions,
    batch,
    fbank: fbanks[kind],
    vectors: async (features, windows) => {
      const size = features.length / windows;
      if (meanRemoved) {
        for (let at = 0; at < windows; at++) {
          removeMean(features.subarray(at * size, (at + 1) * size), fbankBands);
        }
      }
      const dims = [windows, size / fbankBands, fbankBands];
      const results = await session.run({ [input]: { data: features, dims } }, [output]);
      return read(results[output], windows, dimensions, `${file}: output ${output}`);
    },
  };
}

function declared(ports: readonly { name: string }[], wanted: string, file: string, what: string): void {
  const names = ports.map(({ name }) => name);
  if (names.includes(wanted)) return;
  throw modelErrors.MODEL_LOAD_FAILED(`${file}: has the ${what}s ${names.join(', ')}, not ${wanted}`, {
    file,
  });
}

/** Each row scaled to length 1; one with no direction or with a number that is none becomes zeros. */
function read(
  tensor: TensorOut | undefined,
  windows: number,
  dimensions: number,
  what: string,
): Float32Array {
  if (!(tensor?.data instanceof Float32Array) || tensor.data.length !== windows * dimensions) {
    throw modelErrors.MODEL_RUN_FAILED(
      `${what} is ${tensor?.dims.join('×') ?? 'missing'}, expected ${windows}×${dimensions} floats`,
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
