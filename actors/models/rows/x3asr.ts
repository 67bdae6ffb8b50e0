// The x3-asr models: Qwen3-ASR exported as encoder, two decoders that share their weights, and a table of
// token vectors. No pins are known for these files, so a download trusts what the server announces
// (download.ts).
import type { ModelRow, SpeechSide } from '../contract.ts';
import { everywhere, huggingface } from './huggingface.ts';

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

export const x3asrRows: readonly ModelRow[] = [
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
