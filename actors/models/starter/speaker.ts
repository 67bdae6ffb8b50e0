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

// The file of the detector of overlapping speech, a small network that train-overlap.py trains; it is
// committed.

export const overlapFile = {
  path: fileURLToPath(new URL('./overlap.onnx', import.meta.url)),
  sha256: '25f7b4ed56a62e2541a7b6f8b6131c3bcf29ff09e082aed9a9280ba5f8aaab9c',
} as const;
