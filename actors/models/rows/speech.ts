// The speech models the program knows by name.
import type { ModelRow, SpeechSide } from '../contract.ts';
import { everywhere, huggingface } from './huggingface.ts';
import { whisperRows } from './whisper.ts';

// The x3-asr models: Qwen3-ASR exported as encoder, two decoders that share their weights, and a table of
// token vectors. No pins are known for these files, so a download trusts what the server announces
// (download.ts).

const VOCABULARY = 151_936;

const speech: SpeechSide = {
  mel_bins: 128,
  // The step takes no mask, so windows of different lengths cannot share a run.
  batch: 1,
  max_window_seconds: 30,
  token_limit: { min: 32, per_second: 16, max: 512 },
  token_ids: {
    im_start: 151_644,
    im_end: 151_645,
    audio_start: 151_669,
    audio_end: 151_670,
    audio_pad: 151_676,
    asr_text: 151_704,
  },
  end_ids: [151_643, 151_645],
  times: 'none',
};

const shared = {
  kind: 'speech',
  family: 'x3asr',
  license: 'Apache-2.0',
  languages:
    'zh en yue ar de fr es pt id it ko ru th vi ja tr hi ms nl sv da fi pl cs fil fa el hu mk ro'.split(' '),
  is_multilingual: true,
  frame_resolution: 0,
  compatible_os: everywhere,
  speech,
} as const;

/** `width`: of a token's vector. */
function files(repository: string, width: number) {
  const file = huggingface(repository, 'main');
  return [
    file('encoder', 'encoder.int4.onnx', null, null),
    file('decoder_init', 'decoder_init.int4.onnx', null, null),
    file('decoder_step', 'decoder_step.int4.onnx', null, null),
    file('decoder_weights', 'decoder_weights.int4.data', null, null),
    // The size follows from its shape.
    file('embeddings', 'embed_tokens.bin', VOCABULARY * width * 2, null),
    file('tokenizer', 'tokenizer.json', null, null),
  ];
}

const x3asrRows: readonly ModelRow[] = [
  {
    ...shared,
    key: 'x3-asr-0.6b',
    title: 'X3 ASR 0.6B (Qwen3-ASR), 4 bit',
    speed: 3,
    accuracy: 4,
    size_gb: 2,
    files: files('andrewleech/qwen3-asr-0.6b-onnx', 1024),
  },
  {
    ...shared,
    key: 'x3-asr-1.7b',
    title: 'X3 ASR 1.7B (Qwen3-ASR), 4 bit',
    speed: 2,
    accuracy: 5,
    size_gb: 4,
    files: files('andrewleech/qwen3-asr-1.7b-onnx', 2048),
  },
];

// The parakeet model: 25 European languages, fast on a processor. Pins are those of public lists; a download
// checks them again against what the server announces (download.ts).

const file = huggingface('istupakov/parakeet-tdt-0.6b-v3-onnx', '8f23f0c03c8761650bdb5b40aaf3e40d2c15f1ce');

const parakeetRows: readonly ModelRow[] = [
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

export const speechRows: readonly ModelRow[] = [...x3asrRows, ...parakeetRows, ...whisperRows];
