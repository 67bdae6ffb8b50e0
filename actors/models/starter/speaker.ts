// The files of `starter-speaker`, a speaker model that train-speaker.py trains; they are committed.
import { fileURLToPath } from 'node:url';

export const starterSpeakerFile = {
  path: fileURLToPath(new URL('./speaker.onnx', import.meta.url)),
  sha256: '2f8c16213bd2c37a4c537916acf035efa91b3eea53904f8790fd5e888e2c50d8',
} as const;

/**
 * How its vectors x vary, as little-endian f32: mean [128], M [128×128] row by row, between [128]. In y = M (x − mean)
 * vectors of one voice vary by 1 in every direction and voices by `between`.
 */
export const starterSpeakerPldaFile = {
  path: fileURLToPath(new URL('./speaker-plda.bin', import.meta.url)),
  sha256: 'e874fa9b6e8e09d0c874c5e2434ca4ca1d41668b7487a14febb81872f3882541',
} as const;
