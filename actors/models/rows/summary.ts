// The language models the program knows by name: they look at pictures and write about them. No sha256 is
// pinned: the only public lists of these files are of altered copies, so a download trusts what the server
// announces (download.ts).
import type { ModelRow, SummarySide } from '../contract.ts';
import { everywhere, huggingface } from './origins.ts';

const shared: Pick<ModelRow, 'kind' | 'license' | 'is_measured' | 'compatible_os'> = {
  kind: 'summary',
  license: 'Apache-2.0',
  is_measured: false,
  compatible_os: everywhere,
};

/** Weights of 4 bits; all that is computed with them is float32. */
const qwenFile = huggingface(
  'onnx-community/Qwen3-VL-2B-Instruct-ONNX',
  '3e4136ea66ae6e07c110e64fe07da2e029517ab5',
);

const qwen2b: ModelRow = {
  ...shared,
  key: 'x3-vl-2b-instruct',
  family: 'qwen3vl',
  title: 'X3 VL 2B (Qwen3-VL), 4 bit',
  languages: ['*'],
  is_multilingual: true,
  speed: 2,
  accuracy: 3,
  // Pixels of a square of this side: 196 tokens a picture.
  frame_resolution: 448,
  size_gb: 1.53,
  files: [
    qwenFile('vision', 'onnx/vision_encoder_q4.onnx', null, null),
    qwenFile('vision_data', 'onnx/vision_encoder_q4.onnx_data', null, null),
    qwenFile('embeddings', 'onnx/embed_tokens_q4.onnx', null, null),
    qwenFile('embeddings_data', 'onnx/embed_tokens_q4.onnx_data', null, null),
    qwenFile('decoder', 'onnx/decoder_model_merged_q4.onnx', null, null),
    qwenFile('decoder_data', 'onnx/decoder_model_merged_q4.onnx_data', null, null),
    qwenFile('tokenizer', 'tokenizer.json', null, null),
  ],
  // 28 layers of 8 heads of 128.
  summary: { context: 4096, answer: 512, pictures: 4, cache_bytes: 28 * 8 * 128 * 2 * 4 },
};

const smolFiles = (repository: string): ModelRow['files'] => {
  const file = huggingface(repository, 'main');
  return [
    file('vision', 'onnx/vision_encoder_q4.onnx', null, null),
    file('embeddings', 'onnx/embed_tokens_q4.onnx', null, null),
    file('decoder', 'onnx/decoder_model_merged_q4.onnx', null, null),
    file('tokenizer', 'tokenizer.json', null, null),
  ];
};

const smol: Pick<ModelRow, 'family' | 'languages' | 'is_multilingual' | 'frame_resolution'> = {
  family: 'smolvlm',
  languages: ['en'],
  is_multilingual: false,
  frame_resolution: 512,
};
const smolSide: Omit<SummarySide, 'cache_bytes'> = { context: 4096, answer: 384, pictures: 4 };

export const summaryRows: readonly ModelRow[] = [
  {
    ...shared,
    ...smol,
    key: 'smolvlm2-256m',
    title: 'SmolVLM2 256M, 4 bit',
    speed: 4,
    accuracy: 1,
    size_gb: 0.27,
    files: smolFiles('HuggingFaceTB/SmolVLM2-256M-Video-Instruct'),
    // 30 layers of 3 heads of 64.
    summary: { ...smolSide, cache_bytes: 30 * 3 * 64 * 2 * 4 },
  },
  {
    ...shared,
    ...smol,
    key: 'smolvlm2-500m',
    title: 'SmolVLM2 500M, 4 bit',
    speed: 3,
    accuracy: 2,
    size_gb: 0.49,
    files: smolFiles('HuggingFaceTB/SmolVLM2-500M-Video-Instruct'),
    // 32 layers of 5 heads of 64.
    summary: { ...smolSide, cache_bytes: 32 * 5 * 64 * 2 * 4 },
  },
  qwen2b,
];
