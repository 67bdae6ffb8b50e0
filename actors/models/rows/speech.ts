// The speech models the program knows by name.
import type { ModelRow, SpeechSide } from '../contract.ts';
import type { ModelFile } from '../model-file.ts';
import { everywhere, huggingface } from './origins.ts';

// The rows of Whisper in its sizes. Pins were compared in several independent public lists; a download
// checks them again against what the server announces (download.ts).

/** In the order of the tokenizer; `jv` and `fil` are its `jw` and `tl`. */
const languages =
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo fil mg as tt haw ln ha ba jv su'.split(
    ' ',
  );

function side(mel_bins: 80 | 128): SpeechSide {
  return {
    mel_bins,
    // Batch 1: the 8-bit decoders choose the range of a tensor from the whole batch, so a text would depend
    // on the windows beside it and change when a file is transcribed again.
    batch: 1,
    // Two seconds less than the model's window: room for the silence that ends a phrase.
    max_window_seconds: 28,
    // Georgian takes 35 tokens a second. A decoding has no more than the positions of the decoder; the rest
    // of the window is decoded after it, from the end of the last phrase, so that many tokens are written
    // twice.
    token_limit: { min: 48, per_second: 90, max: 2600 },
    // Whisper names all its tokens in the tokenizer.
    token_ids: {},
    end_ids: [],
    times: 'segments',
  };
}

const row = {
  kind: 'speech',
  family: 'whisper',
  license: 'MIT',
  is_multilingual: true,
  is_measured: false,
  frame_resolution: 0,
  compatible_os: everywhere,
} as const;

const tiny = huggingface('onnx-community/whisper-tiny', 'ff4177021cc41f7db950912b73ea4fdf7d01d8e7');
const base = huggingface('onnx-community/whisper-base', '1846881b6b3a3024392c1eea3ad983695bc23925');
const small = huggingface('onnx-community/whisper-small', '36050c46d777d46dc4b5f43f6d90574fc38f8732');
const medium = huggingface('onnx-community/whisper-medium-ONNX', 'd3978248a6b5de6df7ec29ddfbde3993845fa806');
const turbo = huggingface(
  'onnx-community/whisper-large-v3-turbo',
  '360ebcde2559d60bb474678be3c1de9ef347d01a',
);

function tokenizer(from: ReturnType<typeof huggingface>): ModelFile {
  return from(
    'tokenizer',
    'tokenizer.json',
    2_480_466,
    '27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566',
  );
}

export const whisperRows: readonly ModelRow[] = [
  {
    ...row,
    key: 'whisper-tiny',
    title: 'Whisper tiny, 8 bit',
    languages,
    speed: 5,
    accuracy: 1,
    size_gb: 0.04,
    files: [
      tiny(
        'encoder',
        'onnx/encoder_model_quantized.onnx',
        10_124_990,
        '2af4a414ca47aa30f61246017e5fe82b0a8d229281d1255ba666a2a7f6b84d19',
      ),
      tiny(
        'decoder',
        'onnx/decoder_model_merged_quantized.onnx',
        30_719_241,
        '25e807a962b6349356d0ea5d0dfe530b7e5bf0e2a484aeca0359d03143faddd3',
      ),
      tokenizer(tiny),
    ],
    speech: side(80),
  },
  {
    ...row,
    key: 'whisper-base',
    title: 'Whisper base, 8-bit decoder',
    is_measured: true,
    languages,
    speed: 4,
    accuracy: 2,
    size_gb: 0.14,
    files: [
      // Its 8-bit encoder is reported to loop.
      base(
        'encoder',
        'onnx/encoder_model.onnx',
        82_468_078,
        'a9f3b752833b49e880dec91ee5b6d936112be7c3ea07c221024ba493439f46fe',
      ),
      base(
        'decoder',
        'onnx/decoder_model_merged_quantized.onnx',
        53_693_315,
        'fa3ef9902734ce5ae6f9ef2bdb2ba9a6c4b5785b09f4f420ce036573dc9d090b',
      ),
      tokenizer(base),
    ],
    speech: side(80),
  },
  {
    ...row,
    key: 'whisper-small',
    title: 'Whisper small, 8-bit decoder',
    languages,
    speed: 3,
    accuracy: 3,
    size_gb: 0.51,
    files: [
      // Encoders suffer most from fewer bits.
      small(
        'encoder',
        'onnx/encoder_model.onnx',
        352_825_870,
        'b37cd6625dc36f9178ec7539a1876b9680ea26a910097e092be39dc766320c7b',
      ),
      small(
        'decoder',
        'onnx/decoder_model_merged_quantized.onnx',
        156_750_845,
        'ec07c3cbb64172c39791e26ee870a65ac22b458c36722bfe2776b3dbf741e0c9',
      ),
      tokenizer(small),
    ],
    speech: side(80),
  },
  {
    ...row,
    key: 'whisper-medium',
    title: 'Whisper medium, 8 bit',
    languages,
    speed: 1,
    accuracy: 4,
    size_gb: 0.99,
    files: [
      medium(
        'encoder',
        'onnx/encoder_model_quantized.onnx',
        313_154_567,
        '2507d090bf9f1d468f4c1cef274aa34eda025894118f5476e24a0d80308a5315',
      ),
      medium(
        'decoder',
        'onnx/decoder_model_merged_quantized.onnx',
        672_556_229,
        'a524f9f1759143e1a8ec3ca3559594ced7282e2061e23ef2fd602bf1813bbde1',
      ),
      medium(
        'tokenizer',
        'tokenizer.json',
        3_930_494,
        '7b469ff15eb7816315aa45eec391f5943d639b9d73d110f5c003df5192fd54e3',
      ),
    ],
    speech: side(80),
  },
  {
    ...row,
    key: 'whisper-large-v3-turbo',
    title: 'Whisper large v3 turbo, 8 bit',
    languages: [...languages, 'yue'],
    speed: 2,
    accuracy: 5,
    size_gb: 1.09,
    files: [
      turbo(
        'encoder',
        'onnx/encoder_model_quantized.onnx',
        644_822_195,
        'd2f853dc3254fdc0079f55dd4433ea716ac98ec5574d3b475f288f2a77cebba9',
      ),
      turbo(
        'decoder',
        'onnx/decoder_model_merged_quantized.onnx',
        439_936_716,
        '61481bd3be3a445d5a4b9070e8f8b2c6cc4fbbbbdc9f0e7ed048a132b8b84e0d',
      ),
      turbo(
        'tokenizer',
        'tokenizer.json',
        2_480_617,
        '6d8cbd7cd0d8d5815e478dac67b85a26bbe77c1f5e0c6d76d1ce2abc0e5f21ca',
      ),
    ],
    speech: side(128),
  },
];

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
  is_measured: false,
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
    is_measured: false,
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
