// The built-in rows of voice detection, segmentation, speaker and sound models.
import type { ModelRow } from '../contract.ts';
import { everywhere, huggingface, npmPackage } from './origins.ts';

const vadWeb = npmPackage({
  package: '@ricky0123/vad-web',
  version: '0.0.31',
  integrity:
    'sha512-ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==',
  size: 5_471_324,
});

/** The very file that its makers publish in their repository. */
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
      ...vadWeb(
        'voice',
        'dist/silero_vad_v6.onnx',
        2_327_524,
        '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
      ),
      name: 'silero_vad.onnx',
    },
  ],
};

const shared = {
  languages: ['*'],
  is_multilingual: true,
  frame_resolution: 0,
  compatible_os: everywhere,
} as const;

const pyannote = huggingface(
  'onnx-community/pyannote-segmentation-3.0',
  '733a93b6473d019a773298e08cefa686894b1854',
);
const wespeaker = huggingface(
  'Wespeaker/wespeaker-voxceleb-resnet34-LM',
  'f0c48c298fd835726c27956a5d617bad7115627e',
);

/** Which of up to three voices speaks at each moment of ten seconds. Used together with a speaker model. */
const segmentation: ModelRow = {
  ...shared,
  key: 'pyannote-segmentation',
  kind: 'turns',
  family: 'pyannote',
  title: 'pyannote segmentation 3.0',
  license: 'MIT',
  languages: ['*'],
  speed: 3,
  accuracy: 5,
  size_gb: 0.006,
  compatible_os: everywhere,
  files: [
    pyannote(
      'graph',
      'onnx/model.onnx',
      5_986_908,
      '057ee564753071c0b09b5b611648b50ac188d50846bff5f01e9f7bbf1591ea25',
    ),
  ],
};

const resnet34: ModelRow = {
  ...shared,
  key: 'wespeaker-resnet34',
  kind: 'speaker',
  family: 'wespeaker',
  title: 'WeSpeaker ResNet34-LM',
  license: 'CC-BY-4.0',
  languages: ['*'],
  speed: 2,
  is_measured: false,
  // CAM++ is used before it where both are there.
  accuracy: 3,
  size_gb: 0.027,
  files: [
    wespeaker(
      'graph',
      'voxceleb_resnet34_LM.onnx',
      26_530_309,
      '7bb2f06e9df17cdf1ef14ee8a15ab08ed28e8d0ef5054ee135741560df2ec068',
    ),
  ],
  speaker: {
    features: 'wespeaker',
    mean_removed: true,
    dimensions: 256,
    input: 'feats',
    output: 'embs',
    batch: 8,
    // pyannote 3.1: a Euclidean distance of .7046 between unit vectors.
    clustering: { linkage: 'centroid', similarity: 0.752 },
    // Not measured here: what clustering with .752 between sums comes to between single pieces.
    thresholds: { same: 0.5, same_short: 0.4 },
  },
};

const campplus: ModelRow = {
  ...shared,
  key: 'campplus-zh-en',
  kind: 'speaker',
  family: 'campplus',
  title: '3D-Speaker CAM++, Chinese and English',
  license: 'Apache-2.0',
  languages: ['*'],
  speed: 3,
  accuracy: 4,
  size_gb: 0.028,
  files: [
    {
      role: 'graph',
      name: '3dspeaker_speech_campplus_sv_zh_en_16k-common_advanced.onnx',
      url: 'https://github.com/k2-fsa/sherpa-onnx/releases/download/speaker-recongition-models/3dspeaker_speech_campplus_sv_zh_en_16k-common_advanced.onnx',
      size: 28_281_164,
      sha256: 'aa3cfc16963a10586a9393f5035d6d6b57e98d358b347f80c2a30bf4f00ceba2',
    },
  ],
  speaker: {
    features: 'campplus',
    mean_removed: true,
    dimensions: 192,
    input: 'x',
    output: 'embedding',
    batch: 8,
    // Pieces of 1.5 s of strangers have a median of .36 and a 95th percentile of .47; of one voice .67.
    clustering: { linkage: 'average', similarity: 0.5 },
    // Ten voices of LibriSpeech test-other; whole voices of strangers have a median of .53 and reach .7.
    thresholds: { same: 0.59, same_short: 0.51, pieces: 0.5, voices: 0.75 },
  },
};

/** Part of the program: starter/speaker.onnx, trained by starter/train-speaker.py. */
const starterSpeaker: ModelRow = {
  ...shared,
  key: 'starter-speaker',
  kind: 'speaker',
  family: 'speaker-starter',
  title: 'Starter: tells voices apart',
  license:
    'Apache-2.0; trained on LibriSpeech train-clean-100, CC BY 4.0, (c) 2014 Vassil Panayotov, openslr.org/12; ' +
    'speechocean762, Apache-2.0, openslr.org/101; Speech Commands, CC BY 4.0, Pete Warden, Google',
  languages: ['*'],
  speed: 5,
  accuracy: 2,
  size_gb: 0.004,
  compatible_os: ['mac-arm', 'mac-x86', 'windows', 'linux'],
  files: [],
  speaker: {
    features: 'wespeaker',
    mean_removed: false,
    dimensions: 128,
    input: 'feats',
    output: 'embs',
    batch: 32,
    // Fitted to conversations of voices that the model was not trained on: bench/diarization-fit.ts.
    evidence: { news: 0.4, saturation: 0.125, average: 260, centroid: -75, similarity: 8 },
    // `voices`: bench/voices/across-files.ts, by the five of test-other.
    thresholds: { same: 0.33, same_short: 0.2, voices: 0.35 },
  },
};

const fireRed = (role: string, name: string, size: number, sha256: string) => {
  const commit = 'c30ec49e8cc69642b0ee65362eba11b9d11c6e54';
  const folder = `https://raw.githubusercontent.com/FireRedTeam/FireRedVAD/${commit}/pretrained_models/onnx_models`;
  return { role, name, url: `${folder}/${name}`, size, sha256 };
};

/** Its detection of speech is not used: Silero is better at that. */
const fireRedAed: ModelRow = {
  ...shared,
  key: 'firered-aed',
  kind: 'sound-detection',
  family: 'firered-aed',
  title: 'FireRed AED: hears music and singing',
  license: 'Apache-2.0, FireRedVAD, (c) 2026 Xiaohongshu',
  languages: ['*'],
  speed: 5,
  accuracy: 4,
  size_gb: 0.003,
  files: [
    fireRed(
      'graph',
      'fireredvad_aed.onnx',
      2_390_544,
      '4ec27ccd86b16c38aec043215d5d2e528c07eb3b7bad8f14d636633166cff137',
    ),
    fireRed('cmvn', 'cmvn.ark', 1311, 'c87f6f13edf0f0ec7535ddfc9cc3387d9268cb234b70182d566c5e2edf3ca473'),
  ],
};

export const voiceRows: readonly ModelRow[] = [
  silero,
  starterSpeaker,
  resnet34,
  campplus,
  segmentation,
  fireRedAed,
];
