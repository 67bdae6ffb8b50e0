// Small graphs with the names, shapes and types of the real ones, and sounds whose voices they can tell apart.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRow, SpeakerSide } from '../../../actors/models/contract.ts';
import { voiceRows } from '../../../actors/models/rows-voice.ts';
import { GraphBuilder } from '../../../actors/models/starter/builder.ts';
import { onnxBytes } from '../../../actors/models/starter/onnx.ts';

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

const file = (role: string, name: string) => ({ role, name, url: null, size: null, sha256: null });

/** A user's row like one of the program's, with changes. */
export function speakerRow(key: string, like: string, changes: Partial<SpeakerSide> = {}): ModelRow {
  const row = voiceRows.find((one) => one.key === like)!;
  const clustering = { linkage: 'average', likeness: 0.6 } as const;
  return {
    ...row,
    key,
    files: [file('graph', 'graph.onnx')],
    speaker: { ...row.speaker!, dimensions: 80, batch: 4, clustering, ...changes },
  };
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
    samples.set(hum(voice, end - start), Math.round(start * rate));
  }
  return samples;
}
