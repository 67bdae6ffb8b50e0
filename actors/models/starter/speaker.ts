// Where `starter-speaker` lies: a model of voices that train-speaker.py makes and that is committed beside it.
import { fileURLToPath } from 'node:url';

export const starterSpeakerFile = {
  path: fileURLToPath(new URL('./speaker.onnx', import.meta.url)),
  sha256: '813cbf2f570b131814f129baf9e5f42afc5a732750a80d71e7ff416ac5d4878c',
} as const;
