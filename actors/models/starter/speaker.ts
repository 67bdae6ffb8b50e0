// The files of `starter-speaker`, a speaker model that train-speaker.py trains; they are committed.
import { fileURLToPath } from 'node:url';

export const starterSpeakerFile = {
  path: fileURLToPath(new URL('./speaker.onnx', import.meta.url)),
  sha256: 'bed51084f77c1d468705a3b5016c3ac588f0953302eb3adbd0228444c77e744f',
} as const;

/**
 * How its vectors x vary, as little-endian f32: mean [128], M [128×128] row by row, between [128]. In y = M (x − mean)
 * vectors of one voice vary by 1 in every direction and voices by `between`.
 */
export const starterSpeakerPldaFile = {
  path: fileURLToPath(new URL('./speaker-plda.bin', import.meta.url)),
  sha256: '060655bdfe71e471a8a7c582fb25ca40644fe507ce7a95b7f59ec40d43237e89',
} as const;
