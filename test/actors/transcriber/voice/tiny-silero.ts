// A voice detection model with the ports of Silero for which anything loud is speech.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtInRows } from '../../../../actors/models/rows/list.ts';
import { GraphBuilder, onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';

function loudnessGraph(): Uint8Array {
  const graph = new GraphBuilder('loudness');
  const input = graph.input('input', 'float', ['batch', 576]);
  const state = graph.input('state', 'float', [2, 'batch', 128]);
  graph.input('sr', 'int64', []);
  const power = graph.op('ReduceMean', [graph.op('Abs', [input])], { axes: [1], keepdims: 1 });
  const probability = graph.op('Clip', [
    graph.op('Mul', [power, graph.scalar(200)]),
    graph.scalar(0),
    graph.scalar(1),
  ]);
  graph.output(probability, 'output', 'float', ['batch', 1]);
  graph.output(state, 'stateN', 'float', [2, 'batch', 128]);
  return onnxBytes(graph.model());
}

export async function writeVoice(modelsDir: string): Promise<void> {
  const row = builtInRows.find(({ key }) => key === 'silero-vad')!;
  const folder = join(modelsDir, 'tiny-voice');
  const files = [{ role: 'voice', name: 'voice.onnx', url: null, size: null, sha256: null }];
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.json'), JSON.stringify({ ...row, key: 'tiny-voice', files }));
  await writeFile(join(folder, 'voice.onnx'), loudnessGraph());
}
