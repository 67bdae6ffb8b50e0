// The overlap detector: a small network that comes with the program and says, every 20 ms, how likely two
// speak at once.
import { fbankBands } from '../../acoustics/fbank.ts';
import { modelErrors } from '../../models/contract.ts';
import type { ModelSession } from '../../models/session.ts';

/** Frames of the features for each frame of the answer. */
export const overlapStep = 2;
/**
 * Frames of the features that the network looks at before and after a frame: what it answers there does not
 * depend on what lies further away, but for the loudness of the whole.
 */
export const overlapContext = 80;

/** `features`: frames×80 of the wespeaker fbank, *borrowed*. Answers ⌈frames/2⌉ probabilities. */
export type DetectOverlap = (features: Float32Array) => Promise<Float32Array>;

const input = 'feats';
const output = 'overlap';

/** `file` names the graph in messages. The session stays the caller's. Throws MODEL_LOAD_FAILED. */
export function overlapDetectorOf(session: ModelSession, file: string): DetectOverlap {
  const names = [...session.inputs, ...session.outputs].map(({ name }) => name);
  if (!names.includes(input) || !names.includes(output)) {
    throw modelErrors.MODEL_LOAD_FAILED(
      `${file}: has the inputs and outputs ${names.join(', ')}, not ${input} and ${output}`,
      { file },
    );
  }
  return async (features) => {
    const frames = features.length / fbankBands;
    const expected = Math.ceil(frames / overlapStep);
    const results = await session.run({ [input]: { data: features, dims: [1, frames, fbankBands] } }, [
      output,
    ]);
    const found = results[output];
    if (found?.data instanceof Float32Array && found.data.length === expected) return found.data;
    const shape = found?.dims.join('×') ?? 'missing';
    throw modelErrors.MODEL_RUN_FAILED(
      `${file}: output ${output} is ${shape}, expected 1×${expected} floats`,
    );
  };
}
