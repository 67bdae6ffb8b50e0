// Makes a vision transformer of the size of CLIP ViT-B/32 with random weights, as a model folder that the
// program can load: for timing only, its vectors mean nothing. Written once into a folder of the caller,
// about 350 MB.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRow } from '../actors/models/contract.ts';
import { builtInRows } from '../actors/models/rows/list.ts';
import { GraphBuilder, type OnnxModel, onnxChunks } from '../actors/models/starter/graph/onnx.ts';
import { sized } from './size.ts';

export interface VitSize {
  readonly side: number;
  readonly patch: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly dimensions: number;
}

export const vitB32: VitSize = {
  side: 224,
  patch: 32,
  width: 768,
  layers: sized(12, 1),
  heads: 12,
  dimensions: 512,
};
/** The size of SigLIP 2 base with patches of 16. */
export const vitB16: VitSize = { ...vitB32, side: 256, patch: 16, dimensions: 768 };
export const vitKey = 'vit-b32-random';

/**
 * `pixel_values` f32 [batch, 3, side, side] → `image_embeds` f32 [batch, dimensions]. The same weights every
 * time.
 */
export function vitModel(size: VitSize, seed = 1): OnnxModel {
  const { side, patch, width, layers, dimensions } = size;
  const graph = new GraphBuilder('vit');
  const random = randomWeights(graph, seed);
  const tokens = (side / patch) ** 2 + 1;
  const pixels = graph.input('pixel_values', 'float', ['batch_size', 3, side, side]);
  const patches = graph.op('Conv', [pixels, random([width, 3, patch, patch])], {
    kernel_shape: [patch, patch],
    strides: [patch, patch],
  });
  const rows = graph.op('Transpose', [graph.op('Reshape', [patches, graph.ints([0, width, tokens - 1])])], {
    perm: [0, 2, 1],
  });
  // The class token is made from the mean of the patches, so that the batch stays free.
  const first = graph.op('Add', [
    graph.op('ReduceMean', [rows], { axes: [1], keepdims: 1 }),
    random([1, 1, width]),
  ]);
  const all = graph.op('Concat', [first, rows], { axis: 1 });
  let x = norm(graph, width, graph.op('Add', [all, random([1, tokens, width])]));
  for (let layer = 0; layer < layers; layer += 1) {
    x = graph.op('Add', [x, attention(graph, random, size, norm(graph, width, x))]);
    x = graph.op('Add', [x, perceptron(graph, random, width, norm(graph, width, x))]);
  }
  const pooled = graph.op('Gather', [x, graph.tensor('int64', [], BigInt64Array.of(0n))], { axis: 1 });
  const vector = graph.op('MatMul', [norm(graph, width, pooled), random([width, dimensions])]);
  graph.output(vector, 'image_embeds', 'float', ['batch_size', dimensions]);
  return graph.model();
}

export type Random = (dims: readonly number[]) => string;

function attention(graph: GraphBuilder, random: Random, { width, heads }: VitSize, x: string): string {
  const part = width / heads;
  const head = (perm: number[]) => {
    const values = linear(graph, random, x, width, width);
    return graph.op('Transpose', [graph.op('Reshape', [values, graph.ints([0, -1, heads, part])])], { perm });
  };
  const query = graph.op('Mul', [head([0, 2, 1, 3]), graph.scalar(1 / Math.sqrt(part))]);
  const scores = graph.op('Softmax', [graph.op('MatMul', [query, head([0, 2, 3, 1])])], { axis: -1 });
  const mixed = graph.op('Transpose', [graph.op('MatMul', [scores, head([0, 2, 1, 3])])], {
    perm: [0, 2, 1, 3],
  });
  return linear(graph, random, graph.op('Reshape', [mixed, graph.ints([0, -1, width])]), width, width);
}

function perceptron(graph: GraphBuilder, random: Random, width: number, x: string): string {
  const wide = linear(graph, random, x, width, width * 4);
  const gate = graph.op('Sigmoid', [graph.op('Mul', [wide, graph.scalar(1.702)])]);
  return linear(graph, random, graph.op('Mul', [wide, gate]), width * 4, width);
}

export function linear(graph: GraphBuilder, random: Random, x: string, from: number, to: number): string {
  return graph.op('Add', [graph.op('MatMul', [x, random([from, to])]), random([to])]);
}

export function norm(graph: GraphBuilder, width: number, x: string): string {
  const ones = graph.tensor('float', [width], new Float32Array(width).fill(1));
  const zeros = graph.tensor('float', [width], new Float32Array(width));
  return graph.op('LayerNormalization', [x, ones, zeros], { axis: -1 });
}

/** Evenly spread, as wide as keeps the values of a layer in bounds. */
export function randomWeights(graph: GraphBuilder, seed: number): Random {
  let state = seed;
  return (dims) => {
    const count = dims.reduce((product, dim) => product * dim, 1);
    const reach = Math.sqrt(3 / (dims.length > 1 ? count / dims[dims.length - 1]! : count)) / 2 ** 31;
    const data = new Float32Array(count);
    for (let at = 0; at < count; at += 1) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      data[at] = state * reach;
    }
    return graph.tensor('float', dims, data);
  };
}

/** A text side that only has to be there: the sum of the tokens' rows. */
function wordsModel(length: number, vocabulary: number, dimensions: number): OnnxModel {
  const graph = new GraphBuilder('words');
  const ids = graph.input('input_ids', 'int64', ['batch_size', length]);
  const words = graph.op('Gather', [randomWeights(graph, 2)([vocabulary, dimensions]), ids]);
  const vector = graph.op('ReduceSum', [words, graph.ints([1])], { keepdims: 0 });
  graph.output(vector, 'text_embeds', 'float', ['batch_size', dimensions]);
  return graph.model();
}

/** Letters only: enough for a query of a benchmark. */
function lettersTokenizer(): object {
  const vocab = Object.fromEntries([...'abcdefghijklmnopqrstuvwxyz ?'].map((letter, id) => [letter, id]));
  return {
    added_tokens: [],
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    model: { type: 'BPE', unk_token: '?', fuse_unk: false, vocab, merges: [] },
  };
}

/** Writes the model folder `<modelsDir>/vit-b32-random`. Answers the row. */
export async function writeVit(modelsDir: string, batch = 8, size: VitSize = vitB32): Promise<ModelRow> {
  const clip = builtInRows.find(({ key }) => key === 'clip-b32')!;
  const visual = clip.visual!;
  const text = { ...visual.text!, pad_id: 27, end_id: 27 };
  const shape = { ...visual.shape, width: size.side, height: size.side };
  const file = (role: string, name: string) => ({ role, name, url: null, size: null, sha256: null });
  const row: ModelRow = {
    ...clip,
    key: vitKey,
    title: 'Random ViT, for timing',
    files: [file('vision', 'vision.onnx'), file('text', 'text.onnx'), file('tokenizer', 'tokenizer.json')],
    visual: { ...visual, shape, text, batch, dimensions: size.dimensions },
  };
  const folder = join(modelsDir, vitKey);
  await mkdir(folder, { recursive: true });
  await writeModel(join(folder, 'vision.onnx'), vitModel(size));
  await writeModel(join(folder, 'text.onnx'), wordsModel(text.max_length, 28, size.dimensions));
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(lettersTokenizer()));
  await writeFile(join(folder, 'model.json'), JSON.stringify(row));
  return row;
}

async function writeModel(path: string, model: OnnxModel): Promise<void> {
  const file = createWriteStream(`${path}.part`);
  for (const chunk of onnxChunks(model)) {
    if (!file.write(chunk)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  await rename(`${path}.part`, path);
}
