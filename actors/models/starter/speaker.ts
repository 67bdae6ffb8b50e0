// The files of `starter-speaker`, a speaker model that train-speaker.py trains; they are committed.
import { fileURLToPath } from 'node:url';

export const starterSpeakerFile = {
  path: fileURLToPath(new URL('./speaker.onnx', import.meta.url)),
  sha256: '4a19ce5935d202c122450110fd3d365b7fa5842fa56dd8bf1502156f1893f91d',
} as const;

/**
 * How its vectors x vary, as little-endian f32: mean [128], M [128×128] row by row, between [128]. In y = M
 * (x − mean) vectors of one voice vary by 1 in every direction and voices by `between`.
 */
export const starterSpeakerPldaFile = {
  path: fileURLToPath(new URL('./speaker-plda.bin', import.meta.url)),
  sha256: '2e14def8a2d3e5fd20c85b2bb7041ac1c2d552d0648339fc6d38bfed4a3ff1ea',
} as const;
