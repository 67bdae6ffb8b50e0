// Stands in for a face embedder, of which none can be here: graphs with the names, shapes and types of SFace
// and ArcFace that know the four people of ../shared/media/faces/signers by what is dark in their aligned
// faces, hair above all. It says nothing about anybody else, and little about those four in another room.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaceDetectorRow, FaceEmbedderRow } from '../../../actors/models/contract.ts';
import { GraphBuilder, onnxBytes } from '../../../actors/models/starter/graph/onnx.ts';
import { sharedPath } from '../../shared.ts';
import { weights } from '../embedder/graphs.ts';

/** What a test that calls `facesModels` needs of ../shared. */
export const yunetWeights = 'weights/yunet_n_dynamic.onnx';

/** Brighter values of a colour count as not dark. */
const DARK = 140;
const CELL = 28;
/** Cells of 28×28 px, three colours each. */
const FEATURES = 3 * (112 / CELL) ** 2;

/** Fitted to the faces of the clips at one picture a second. */
interface Fit {
  /** How dark each cell is in the mean of the four. */
  readonly mean: readonly number[];
  /** Directions in which one person changes by turning and smiling; they are taken out. */
  readonly moods: readonly (readonly number[])[];
  /** A direction in which two of the four differ little; it is stretched by `gain`. */
  readonly telling: readonly number[];
  readonly gain: number;
}

const fit = JSON.parse(await readFile(new URL('./stand-in-embedder.json', import.meta.url), 'utf8')) as Fit;

/** data f32 [1,3,112,112], RGB 0 to 255 -> fc1 [1,128]. */
export function sfaceStandIn(): Uint8Array {
  const graph = new GraphBuilder('sface-stand-in');
  const data = graph.input('data', 'float', [1, 3, 112, 112]);
  graph.output(projected(graph, data, 128), 'fc1', 'float', [1, 128]);
  return onnxBytes(graph.model());
}

/** input.1 f32 [B,3,112,112], RGB, (x-127.5)/127.5 -> [B,512]. */
export function arcfaceStandIn(): Uint8Array {
  const graph = new GraphBuilder('arcface-stand-in');
  const scaled = graph.input('input.1', 'float', ['B', 3, 112, 112]);
  const half = graph.scalar(127.5);
  const data = graph.op('Add', [graph.op('Mul', [scaled, half]), half]);
  graph.output(projected(graph, data, 512), '683', 'float', ['B', 512]);
  return onnxBytes(graph.model());
}

function projected(graph: GraphBuilder, data: string, dimensions: number): string {
  const dark = graph.op('Relu', [graph.op('Sub', [graph.scalar(DARK), data])]);
  const cells = graph.op('AveragePool', [dark], { kernel_shape: [CELL, CELL], strides: [CELL, CELL] });
  const features = graph.op('Reshape', [cells, graph.ints([-1, FEATURES])]);
  const around = graph.op('Sub', [features, graph.floats([FEATURES], fit.mean)]);
  const matrix = multiplied(known(), orthonormal(dimensions), dimensions);
  return graph.op('MatMul', [around, graph.tensor('float', [FEATURES, dimensions], matrix)]);
}

/** FEATURES×FEATURES: without the moods, and with the telling direction stretched. */
function known(): Float64Array {
  const matrix = new Float64Array(FEATURES * FEATURES);
  for (let row = 0; row < FEATURES; row++) {
    for (let column = 0; column < FEATURES; column++) {
      const mood = fit.moods.reduce((sum, one) => sum + one[row]! * one[column]!, 0);
      const told = (fit.gain - 1) * fit.telling[row]! * fit.telling[column]!;
      matrix[row * FEATURES + column] = (row === column ? 1 : 0) - mood + told;
    }
  }
  return matrix;
}

/** FEATURES×dimensions with rows of length 1 at right angles (Gram-Schmidt): cosines stay as they are. */
function orthonormal(dimensions: number): Float64Array {
  const matrix = Float64Array.from(weights(FEATURES * dimensions, 7));
  for (let row = 0; row < FEATURES; row++) {
    const one = matrix.subarray(row * dimensions, (row + 1) * dimensions);
    for (let before = 0; before < row; before++) {
      const other = matrix.subarray(before * dimensions, (before + 1) * dimensions);
      const both = one.reduce((sum, value, at) => sum + value * other[at]!, 0);
      for (let at = 0; at < dimensions; at++) one[at]! -= both * other[at]!;
    }
    const length = Math.hypot(...one);
    for (let at = 0; at < dimensions; at++) one[at]! /= length;
  }
  return matrix;
}

function multiplied(left: Float64Array, right: Float64Array, columns: number): Float32Array {
  const product = new Float32Array(FEATURES * columns);
  for (let row = 0; row < FEATURES; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let at = 0; at < FEATURES; at++) sum += left[row * FEATURES + at]! * right[at * columns + column]!;
      product[row * columns + column] = sum;
    }
  }
  return product;
}

const shared = {
  license: 'test',
  languages: ['*'],
  is_multilingual: true,
  speed: 5,
  accuracy: 5,
  frame_resolution: 0,
  size_gb: 0,
  compatible_os: ['mac-arm', 'mac-x86', 'windows', 'linux'],
  files: [{ role: 'graph', name: 'graph.onnx', url: null, size: null, sha256: null }],
} satisfies Partial<FaceDetectorRow>;

export const yunetRow: FaceDetectorRow = {
  ...shared,
  key: 'own-yunet',
  kind: 'face-detector',
  family: 'yunet',
  title: 'YuNet of a folder',
  detector: {
    color: 'bgr',
    mean: 0,
    scale: 1,
    multiple: 32,
    fixed_side: null,
    least_face: 10,
    most_face: 300,
    score: 0.8,
    overlap: 0.3,
  },
};

/** Its figures hold for the clips: there any `eps` from 0.05 to 0.85 gives the four people. */
export const standInRow: FaceEmbedderRow = {
  ...shared,
  key: 'stand-in-sface',
  kind: 'face-embedder',
  family: 'sface',
  title: 'Stand-in for SFace',
  embedder: {
    color: 'rgb',
    mean: 0,
    scale: 1,
    dimensions: 128,
    batch: 1,
    eps: 0.4,
    thresholds: { same: 0.6, margin: 0.1 },
  },
};

export async function writeFaceModel(
  modelsDir: string,
  row: FaceDetectorRow | FaceEmbedderRow,
  graph: Uint8Array,
): Promise<void> {
  const folder = join(modelsDir, row.key);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.json'), JSON.stringify(row));
  await writeFile(join(folder, 'graph.onnx'), graph);
}

/**
 * A models folder with the real YuNet and the stand-in for SFace, as a user brings his own. Needs
 * `yunetWeights`.
 */
export async function facesModels(modelsDir: string): Promise<void> {
  await writeFaceModel(modelsDir, standInRow, sfaceStandIn());
  await writeFaceModel(modelsDir, yunetRow, new Uint8Array());
  await copyFile(sharedPath(yunetWeights), join(modelsDir, yunetRow.key, 'graph.onnx'));
}
