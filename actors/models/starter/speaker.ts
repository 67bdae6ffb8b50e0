// The file of `starter-speaker`, a speaker model that train-speaker.py trains; it is committed.
import { fileURLToPath } from 'node:url';

export const starterSpeakerFile = {
  path: fileURLToPath(new URL('./speaker.onnx', import.meta.url)),
  sha256: 'bed51084f77c1d468705a3b5016c3ac588f0953302eb3adbd0228444c77e744f',
} as const;
