// The face models the program knows by name: detectors and embedders. Weights that may not be used
// commercially are left out; a folder with its own model.json brings any other of families `scrfd` and
// `arcface`.
import type { ModelRow } from '../contract.ts';
import type { FaceDetectorSide, FaceEmbedderSide } from '../face-sides.ts';
import type { ModelFile } from '../model-file.ts';
import { everywhere, huggingface, npmGraph } from './origins.ts';

// Common part of the vectors of dlib's face recognition network, whoever is seen: the mean of the vectors, of
// length 1 each, of 200 portraits and their mirror images, found by BlazeFace and its face mesh. All were
// drawn by Stable Diffusion 3 and are in the public domain (CC0): no photograph of anybody is among them.
// docs/measurements.md names their source; `face-likeness` of bench/ computes it anew.

const dlibCentre: number[] = [
  -0.10606, 0.05904, 0.04135, -0.02742, -0.05694, -0.04819, -0.00743, -0.0817, 0.11781, -0.04643, 0.14385,
  -0.01396, -0.13008, -0.0532, -0.00772, 0.09529, -0.12118, -0.09705, -0.05839, -0.06331, 0.00083, 0.01948,
  0.00379, 0.04565, -0.08137, -0.20702, -0.04575, -0.08077, 0.02323, -0.0519, -0.00726, 0.0463, -0.14778,
  -0.04925, 0.0133, 0.07294, -0.00392, -0.02203, 0.11759, 0.00838, -0.12797, -0.00235, 0.03392, 0.18811,
  0.15639, 0.0072, -0.01642, -0.04175, 0.08309, -0.16927, 0.0162, 0.10526, 0.06742, 0.0322, 0.0393, -0.10557,
  0.00053, 0.05459, -0.11411, 0.02283, 0.03544, -0.06844, -0.0305, -0.04141, 0.16046, 0.06754, -0.07949,
  -0.07912, 0.11058, -0.09687, -0.02805, 0.05877, -0.08003, -0.10782, -0.19738, 0.0334, 0.27667, 0.06961,
  -0.12834, 0.02401, -0.09072, -0.00737, 0.02189, 0.04807, -0.03243, -0.00133, -0.07125, 0.00539, 0.13352,
  -0.00788, -0.00198, 0.15202, -0.01618, 0.00784, 0.01209, 0.02309, -0.0729, -0.02062, -0.0901, -0.04101,
  0.0267, -0.04571, 0.00347, 0.07739, -0.13753, 0.08379, 0.00687, -0.00314, -0.0029, -0.00576, -0.04273,
  -0.02849, 0.10583, -0.15936, 0.15232, 0.10914, -0.00306, 0.10152, 0.03494, 0.04333, -0.03116, -0.01605,
  -0.07866, -0.03831, 0.03085, -0.02621, 0.02776, 0.01869,
];

const shared: Pick<ModelRow, 'languages' | 'is_multilingual' | 'compatible_os'> = {
  languages: [],
  is_multilingual: false,
  compatible_os: everywhere,
};

/** Large files of a repository on GitHub; its ordinary address answers with a pointer to them. */
function opencvZoo(commit: string, path: string, size: number, sha256: string): ModelFile[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const url = `https://media.githubusercontent.com/media/opencv/opencv_zoo/${commit}/models/${path}`;
  return [{ role: 'graph', name, url, size, sha256 }];
}
const zoo = '966be4cb6eefc2a4f586ed0581bf4bbaa2533070';

/**
 * Its makers call for .9 in demonstrations and .6 to .7 to miss little, and say which sizes of faces it is
 * trained for.
 */
const yunetSide: FaceDetectorSide = {
  color: 'bgr',
  mean: 0,
  scale: 1,
  multiple: 32,
  fixed_side: null,
  least_face: 10,
  most_face: 300,
  // Measured with another export of the same network: 61 of 61 portraits are found at any score from .3 to
  // .9; of 18 pictures without faces the highest false alarms are gravel with .77 and a cat with .66.
  score: 0.8,
  overlap: 0.3,
};

/**
 * The weights are MIT. The pictures of WIDER FACE, on which they were trained, are offered for research only;
 * whether that binds the weights nobody has said.
 */
const yunetLicense = 'MIT; trained on WIDER FACE, whose pictures are for non-commercial use';

/** The network was measured here in another export; these files were not. */
const yunet = {
  ...shared,
  kind: 'face-detector',
  family: 'yunet',
  license: yunetLicense,
  speed: 5,
  is_measured: false,
} as const;

/**
 * Takes pictures of any size. Makers: 2023mar has an average precision of .884, .866 and .750 on WIDER FACE.
 */
const yunet2026: ModelRow = {
  ...yunet,
  key: 'yunet-2026may',
  title: 'YuNet, May 2026: pictures of any size',
  accuracy: 4,
  frame_resolution: 0,
  size_gb: 0.0003,
  files: opencvZoo(
    '47534e27c9851bb1128ccc0102f1145e27f23f98',
    'face_detection_yunet/face_detection_yunet_2026may.onnx',
    229_738,
    'ebafce4e3c118d6554634be5c27ab333b4c047a9a8c3faf1d7cf93101c22f0f0',
  ),
  detector: yunetSide,
};

/** onnxruntime takes no size but 640×640 of it, so of a large frame it finds fewer small faces. */
const yunet2023: ModelRow = {
  ...yunet,
  key: 'yunet-2023mar',
  title: 'YuNet, March 2023: pictures of 640×640',
  accuracy: 3,
  frame_resolution: 640,
  size_gb: 0.0003,
  files: opencvZoo(
    zoo,
    'face_detection_yunet/face_detection_yunet_2023mar.onnx',
    232_589,
    '8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4',
  ),
  detector: { ...yunetSide, fixed_side: 640 },
};

/** Normalises by itself, takes one face at a time. */
const sfaceSide: FaceEmbedderSide = {
  color: 'rgb',
  mean: 0,
  scale: 1,
  dimensions: 128,
  batch: 1,
  // Not measured: below the distance of `same`, because in a chain of pairs that just pass strangers meet.
  eps: 0.48,
  // `same` is of its makers, for pairs of LFW. The margin is not measured.
  thresholds: { same: 0.363, margin: 0.1 },
};

const sface = {
  ...shared,
  kind: 'face-embedder',
  family: 'sface',
  license: 'Apache-2.0',
  is_measured: false,
  frame_resolution: 112,
} as const;

/** Makers: 99.40 % of the pairs of LFW. */
const sfaceFloat: ModelRow = {
  ...sface,
  key: 'sface',
  title: 'SFace',
  speed: 4,
  accuracy: 4,
  size_gb: 0.039,
  files: opencvZoo(
    zoo,
    'face_recognition_sface/face_recognition_sface_2021dec.onnx',
    38_696_353,
    '0ba9fbfa01b5270c96627c4ef784da859931e02f04419c829e83484087c34e79',
  ),
  embedder: sfaceSide,
};

/**
 * Makers: 99.32 % of the pairs of LFW. What is computed in whole numbers may depend on the other faces of a
 * batch.
 */
const sfaceInt8: ModelRow = {
  ...sface,
  key: 'sface-int8',
  title: 'SFace, 8 bits',
  speed: 5,
  accuracy: 3,
  size_gb: 0.01,
  files: opencvZoo(
    zoo,
    'face_recognition_sface/face_recognition_sface_2021dec_int8.onnx',
    9_896_933,
    '2b0e941e6f16cc048c20aee0c8e31f569118f65d702914540f7bfdc14048d78a',
  ),
  embedder: sfaceSide,
};

const auraFile = huggingface('fal/AuraFace-v1', 'af6d057c9b0ec4071d4c49c80e3539258798b609');

/**
 * A ResNet100. Makers: 99.65 % of the pairs of LFW. The detector that lies beside it is of others and not for
 * commercial use: only this file is fetched.
 */
const auraface: ModelRow = {
  ...shared,
  key: 'auraface-v1',
  kind: 'face-embedder',
  family: 'arcface',
  title: 'AuraFace v1',
  license: 'Apache-2.0',
  is_measured: false,
  speed: 2,
  accuracy: 5,
  frame_resolution: 112,
  size_gb: 0.261,
  files: [
    auraFile(
      'graph',
      'glintr100.onnx',
      260_694_151,
      'a7933ea5330113b01c9b60351d8f4c33003f145d8470ac5f0e52ee2effe25c60',
    ),
  ],
  embedder: {
    color: 'rgb',
    mean: 127.5,
    scale: 127.5,
    dimensions: 512,
    // It takes several; one, so that a vector never depends on the other faces of a batch.
    batch: 1,
    // Measured with another network of its family: clusters of 61 portraits of 13 people are without a fault
    // from .45 to .70, cosines are .70 on average of one person and .01 of two. That it holds for this one is
    // inferred.
    eps: 0.48,
    // InsightFace takes .48 for clusters. The margin is not measured.
    thresholds: { same: 0.48, margin: 0.1 },
  },
};

const human = npmGraph({
  package: '@vladmandic/human',
  version: '3.3.6',
  integrity:
    'sha512-Nr5mPfq1gQ+uKeXY5uM3Fj8UxvF5CEh2s6txM5wRThqaW0mF9huooOuZSrT8hhGho0hGaXLFdAwfD/2+teCv6A==',
  size: 28_615_417,
});

/**
 * BlazeFace of MediaPipe for faces at any distance ("back"), and the face mesh, which looks at each face
 * again: from the npm registry.
 */
const blazeface: ModelRow = {
  ...shared,
  key: 'blazeface-256',
  kind: 'face-detector',
  family: 'blazeface',
  title: 'BlazeFace with a face mesh',
  license:
    'Apache-2.0, Google MediaPipe; trained on some 66,000 pictures of faces and 30,000 photos of mobile phones, which are not ' +
    'published',
  speed: 4,
  accuracy: 3,
  frame_resolution: 256,
  size_gb: 0.004,
  files: [
    human(
      'graph',
      'blazeface-256.onnx',
      ['models/blazeface.json', 'models/blazeface.bin'],
      561_653,
      '317ee7d2cf66a1e9e0a8312910c1795657d940566c93b6c9a0db0312580f68e3',
    ),
    human(
      'mesh',
      'facemesh-192.onnx',
      ['models/facemesh.json', 'models/facemesh.bin'],
      2_975_947,
      '2e10a8129b68918094e94285109579a1699c334b9eed902ee15ab682cfabf767',
    ),
  ],
  detector: {
    color: 'rgb',
    mean: 127.5,
    scale: 127.5,
    multiple: 32,
    fixed_side: 256,
    least_face: 10,
    most_face: 256,
    // Low, because the mesh takes away what is no face.
    score: 0.5,
    overlap: 0.3,
  },
};

const faceApi = npmGraph(
  {
    package: '@vladmandic/face-api',
    version: '1.7.15',
    integrity:
      'sha512-WDMmK3CfNLo8jylWqMoQgf4nIst3M0fzx1dnac96wv/dvMTN4DxC/Pq1DGtduDk1lktCamQ3MIDXFnvrdHTXDw==',
    size: 12_677_476,
  },
  'dlib-resnet',
);

/** The face recognition network of dlib, from the npm registry. Its author: 99.38 % of the pairs of LFW. */
const dlib: ModelRow = {
  ...shared,
  key: 'dlib-resnet-v1',
  kind: 'face-embedder',
  family: 'dlib',
  title: "dlib's face recognition network",
  license:
    'CC0-1.0, Davis King; trained on FaceScrub, VGG-Face and pictures found on the web: the author claims no rights in it, and ' +
    'says to ask a lawyer about commercial use',
  speed: 4,
  accuracy: 3,
  frame_resolution: 150,
  size_gb: 0.022,
  files: [
    faceApi(
      'graph',
      'dlib-resnet-v1.onnx',
      ['model/face_recognition_model-weights_manifest.json', 'model/face_recognition_model.bin'],
      22_436_581,
      '32e3e7f9c6f9c385c7d1126a89aba703a20f6d2157773908fa00505aa3604ed2',
    ),
  ],
  embedder: {
    color: 'rgb',
    mean: 0,
    scale: 1,
    dimensions: 128,
    batch: 1,
    mirrored: true,
    centre: dlibCentre,
    // Measured: docs/measurements.md.
    eps: 0.26,
    thresholds: { same: 0.64, margin: 0.1 },
  },
};

export const faceRows: readonly ModelRow[] = [
  yunet2026,
  yunet2023,
  blazeface,
  sfaceFloat,
  sfaceInt8,
  auraface,
  dlib,
];
