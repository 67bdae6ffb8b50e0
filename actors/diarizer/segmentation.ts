// pyannote's segmentation model: which of up to three local speakers are active in each frame of a window of ten seconds.
import { soundRate } from '../decoder/contract.ts';
import { type ModelRow, modelErrors } from '../models/contract.ts';
import type { ModelSession } from '../models/session.ts';

/** Samples of a window. */
export const segmentationSamples = 10 * soundRate;
/** Samples from one frame to the next, and from the start of the window to the middle of the first frame. */
export const segmentationStep = 270;
export const segmentationFirst = 495;
export const segmentationFrames = 589;
/** Speakers it tells apart within a window; their numbers mean nothing in another window. */
export const localSpeakers = 3;

/** The local speakers active in each of the seven classes, as bits. */
const powerset = [0, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110] as const;

export interface Segmentation {
  /** `samples`: one window, *borrowed until the promise settles*. Answers the active speakers of each frame, as bits. */
  activity(samples: Float32Array): Promise<Uint8Array>;
}

/** The session stays the caller's. Throws MODEL_LOAD_FAILED. */
export function segmentationOf(session: ModelSession, file: string): Segmentation {
  // Names of the export on Hugging Face, or of that of sherpa-onnx.
  const input = ['input_values', 'x'].find((name) => session.inputs.some((port) => port.name === name));
  const output = ['logits', 'y'].find((name) => session.outputs.some((port) => port.name === name));
  if (input === undefined || output === undefined) {
    const names = [...session.inputs, ...session.outputs].map(({ name }) => name).join(', ');
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: has ${names}, not input_values and logits`, { file });
  }
  return {
    activity: async (samples) => {
      const dims = [1, 1, segmentationSamples];
      const results = await session.run({ [input]: { data: samples, dims } }, [output]);
      const logits = results[output];
      const wanted = segmentationFrames * powerset.length;
      if (!(logits?.data instanceof Float32Array) || logits.data.length !== wanted) {
        throw modelErrors.MODEL_RUN_FAILED(
          `${file}: ${output} is ${logits?.dims.join('×') ?? 'missing'}, expected 1×589×7 floats`,
        );
      }
      return readPowerset(logits.data);
    },
  };
}

/** `logits`: frames×7. The likeliest class of each frame; a frame of NaN is silent. */
export function readPowerset(logits: Float32Array): Uint8Array {
  const classes = powerset.length;
  return Uint8Array.from({ length: logits.length / classes }, (_, frame) => {
    let best = 0;
    for (let at = 1; at < classes; at++) {
      if (logits[frame * classes + at]! > logits[frame * classes + best]!) best = at;
    }
    return powerset[best]!;
  });
}

export function isSegmentation(row: ModelRow): boolean {
  return row.kind === 'turns' && row.family === 'pyannote';
}
