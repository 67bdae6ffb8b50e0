// The models the program knows by name that tell where somebody speaks, and who.
import type { ModelRow } from './contract.ts';
import { everywhere } from './hub.ts';

/** Its makers publish it in their repository and on no hub. */
const silero: ModelRow = {
  key: 'silero-vad',
  kind: 'voice',
  family: 'silero',
  title: 'Silero: where somebody speaks',
  license: 'MIT',
  languages: ['*'],
  is_multilingual: true,
  speed: 5,
  accuracy: 5,
  frame_resolution: 0,
  size_gb: 0.002,
  compatible_os: everywhere,
  files: [
    {
      role: 'voice',
      name: 'silero_vad.onnx',
      url: 'https://raw.githubusercontent.com/snakers4/silero-vad/60b7ffa243625ebdc1070275a29f18c87843786a/src/silero_vad/data/silero_vad.onnx',
      size: 2_327_524,
      sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
    },
  ],
};

export const voiceRows: readonly ModelRow[] = [silero];
