// Small graphs with the names, shapes and types of the real ones, and sounds whose voices they can tell
// apart.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRow, SpeakerSide } from '../../../actors/models/contract.ts';
import { voiceRows } from '../../../actors/models/rows/voice.ts';
import { GraphBuilder, onnxBytes } from '../../../actors/models/starter/graph/onnx.ts';

export const rate = 16_000;

export interface TinyGraph {
  readonly input: string;
  readonly output: string;
  /** How far every band swings around its mean, where the family takes the mean out; else how loud it is. */
  readonly of: 'level' | 'swing';
  readonly dimensions?: number;
}

/** feats [B,T,80] -> [B,d]: the first d bands, around their mean. */
export function voiceGraph({ input, output, of, dimensions = 80 }: TinyGraph): Uint8Array {
  const graph = new GraphBuilder('voice');
  const feats = graph.input(input, 'float', ['B', 'T', 80]);
  const values = of === 'level' ? feats : graph.op('Mul', [feats, feats]);
  const bands = graph.op('ReduceMean', [values], { axes: [1], keepdims: 0 });
  const level = graph.op('ReduceMean', [bands], { axes: [1], keepdims: 1 });
  const around = graph.op('Sub', [bands, level]);
  const pick = new Float32Array(80 * dimensions);
  for (let at = 0; at < dimensions; at++) pick[(at % 80) * dimensions + at] = 1;
  const vector = graph.op('MatMul', [around, graph.tensor('float', [80, dimensions], pick)]);
  graph.output(vector, output, 'float', ['B', dimensions]);
  return onnxBytes(graph.model());
}

/**
 * input_values [B,1,160000] -> logits [B,589,7], steps and field of view as the real one: the first voice is
 * whoever hums at the first frequency, the second at the second.
 */
export function segmentationGraph(first: number, second: number): Uint8Array {
  const graph = new GraphBuilder('segmentation');
  const samples = graph.input('input_values', 'float', ['B', 1, 160_000]);
  const taps = 991;
  const filters = new Float32Array(4 * taps);
  [first, first, second, second].forEach((hertz, at) => {
    const shift = at % 2 === 0 ? 0 : Math.PI / 2;
    for (let i = 0; i < taps; i++) {
      filters[at * taps + i] = Math.sin((2 * Math.PI * hertz * i) / rate + shift) / taps;
    }
  });
  const waves = graph.op('Conv', [samples, graph.tensor('float', [4, 1, taps], filters)], {
    kernel_shape: [taps],
    strides: [270],
  });
  const power = graph.op('Mul', [waves, waves]);
  const pairs = graph.floats([2, 4], [4000, 4000, 0, 0, 0, 0, 4000, 4000]);
  const levels = graph.op('Clip', [graph.op('MatMul', [pairs, power]), graph.scalar(0), graph.scalar(1)]);
  // Nobody .5, one: it and not the other, both together; a third voice never.
  const classes = [0, 0, 1, -1, -1, 1, 0, 0, 1, 1, 0, 0, 0, 0];
  const sums = graph.op('MatMul', [graph.floats([7, 2], classes), levels]);
  const logits = graph.op('Add', [sums, graph.floats([7, 1], [0.5, 0, 0, -9, -0.9, -9, -9])]);
  const turned = graph.op('Transpose', [logits], { perm: [0, 2, 1] });
  graph.output(turned, 'logits', 'float', ['B', 589, 7]);
  return onnxBytes(graph.model());
}

export function segmentationRow(key: string): ModelRow {
  const row = voiceRows.find(({ kind }) => kind === 'turns')!;
  return { ...row, key, files: [file('graph', 'graph.onnx')] };
}

const file = (role: string, name: string) => ({ role, name, url: null, size: null, sha256: null });

/** A user's row like one of the program's, with changes. */
export function speakerRow(key: string, like: string, changes: Partial<SpeakerSide> = {}): ModelRow {
  const row = voiceRows.find((one) => one.key === like)!;
  const clustering = { linkage: 'average', similarity: 0.6 } as const;
  return {
    ...row,
    key,
    files: [file('graph', 'graph.onnx')],
    speaker: { ...row.speaker!, dimensions: 80, batch: 4, clustering, ...changes },
  };
}

/**
 * The file of a PLDA without a mean that scales embeddings and in which speakers vary alike in every
 * direction.
 */
export function sphericalPlda(dimensions: number, scale: number, between: number): Uint8Array {
  const values = new Float32Array(dimensions * (dimensions + 2));
  for (let at = 0; at < dimensions; at++) values[dimensions + at * (dimensions + 1)] = scale;
  values.fill(between, dimensions * (dimensions + 1));
  return new Uint8Array(values.buffer);
}

export async function writeModel(modelsDir: string, row: ModelRow, graph: Uint8Array): Promise<void> {
  const folder = join(modelsDir, row.key);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.json'), JSON.stringify(row));
  await writeFile(join(folder, 'graph.onnx'), graph);
}

/** A hum with overtones around `hertz`: bands of its own for each voice. */
export function hum(hertz: number, seconds: number): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * rate) }, (_, at) => {
    const time = at / rate;
    const beat = 1 + 0.5 * Math.sin(2 * Math.PI * 4 * time);
    return (
      0.1 * beat * (Math.sin(2 * Math.PI * hertz * time) + 0.3 * Math.sin(2 * Math.PI * 1.07 * hertz * time))
    );
  });
}

/** `voice` speaks from `start` to `end`, seconds. */
export interface Said {
  readonly start: number;
  readonly end: number;
  readonly voice: number;
}

export function talk(said: readonly Said[], seconds: number): Float32Array {
  const samples = new Float32Array(Math.round(seconds * rate)).fill(1e-4);
  for (const { start, end, voice } of said) {
    const first = Math.round(start * rate);
    hum(voice, end - start).forEach((sample, at) => {
      samples[first + at]! += sample;
    });
  }
  return samples;
}
