// The parakeet model: 25 European languages, fast on a processor. Pins are those of public lists; a download
// checks them again against what the server announces (download.ts).
import type { ModelRow } from '../contract.ts';
import { everywhere, huggingface } from './huggingface.ts';

const file = huggingface('istupakov/parakeet-tdt-0.6b-v3-onnx', '8f23f0c03c8761650bdb5b40aaf3e40d2c15f1ce');

export const parakeetRows: readonly ModelRow[] = [
  {
    key: 'parakeet-tdt-0.6b-v3',
    kind: 'speech',
    family: 'parakeet',
    title: 'Parakeet TDT 0.6B v3, 8 bit',
    license: 'CC-BY-4.0',
    languages: 'bg hr cs da nl en et fi fr de el hu it lv lt mt pl pt ro ru sk sl es sv uk'.split(' '),
    is_multilingual: true,
    speed: 4,
    accuracy: 4,
    frame_resolution: 0,
    size_gb: 0.67,
    compatible_os: everywhere,
    files: [
      file(
        'encoder',
        'encoder-model.int8.onnx',
        652_183_999,
        '6139d2fa7e1b086097b277c7149725edbab89cc7c7ae64b23c741be4055aff09',
      ),
      file(
        'decoder_joint',
        'decoder_joint-model.int8.onnx',
        18_202_004,
        'eea7483ee3d1a30375daedc8ed83e3960c91b098812127a0d99d1c8977667a70',
      ),
      file(
        'features',
        'nemo128.onnx',
        139_764,
        'a9fde1486ebfcc08f328d75ad4610c67835fea58c73ba57e3209a6f6cf019e9f',
      ),
      file(
        'vocabulary',
        'vocab.txt',
        93_939,
        'd58544679ea4bc6ac563d1f545eb7d474bd6cfa467f0a6e2c1dc1c7d37e3c35d',
      ),
    ],
    speech: {
      mel_bins: null,
      // Batch 1: the 8-bit encoder chooses its range from the whole batch, so a text would depend on the
      // windows beside it.
      batch: 1,
      max_window_seconds: 30,
      token_limit: { min: 32, per_second: 13, max: 1000 },
      token_ids: {},
      end_ids: [],
      times: 'tokens',
    },
  },
];
