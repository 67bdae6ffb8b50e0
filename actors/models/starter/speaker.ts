// The files of `starter-speaker`, a speaker model that train-speaker.py trains; they are committed.
import { fileURLToPath } from 'node:url';

export const starterSpeakerFile = {
  path: fileURLToPath(new URL('./speaker.onnx', import.meta.url)),
  sha256: '31fae2e0a686df8280c06be5f5918c24b457746a682c9923607020b8d10c2038',
} as const;

/**
 * How its vectors x vary, as little-endian f32: mean [128], M [128×128] row by row, between [128]. In y = M (x − mean)
 * vectors of one voice vary by 1 in every direction and voices by `between`.
 */
export const starterSpeakerPldaFile = {
  path: fileURLToPath(new URL('./speaker-plda.bin', import.meta.url)),
  sha256: 'd05cb69979d7eddd6029dbe4ea4e9cbd74fa84a916eb0f25d7acc094fe8f0600',
} as const;
