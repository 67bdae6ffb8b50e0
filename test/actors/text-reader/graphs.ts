// Small graphs with the names, shapes and types of those of PP-OCR: what is bright is text, and its colours
// are its letters.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GraphBuilder, onnxBytes } from '../../../actors/models/starter/graph/onnx.ts';
import type { Picture } from '../../../runtime/picture.ts';

export const dictionary = 'R\nG\nB\n';

/** x f32 [n,3,h,w] -> sigmoid_0.tmp_0 [n,1,h,w]: near 1 where a channel is bright. */
export function tinyDetector(output = 'sigmoid_0.tmp_0'): Uint8Array {
  const graph = new GraphBuilder('tiny-detector');
  const x = graph.input('x', 'float', ['n', 3, 'h', 'w']);
  const brightest = graph.op('ReduceMax', [x], { axes: [1], keepdims: 1 });
  const map = graph.op('Sigmoid', [graph.op('Mul', [brightest, graph.scalar(8)])]);
  graph.output(map, output, 'float', ['n', 1, 'h', 'w']);
  return onnxBytes(graph.model());
}

/**
 * x f32 [n,3,48,w] -> softmax_11.tmp_0 [n,w/8,characters]: red, green and blue are the first three letters.
 */
export function tinyRecognizer(characters = 5): Uint8Array {
  const graph = new GraphBuilder('tiny-recognizer');
  const x = graph.input('x', 'float', ['n', 3, 48, 'w']);
  const pooled = graph.op('AveragePool', [x], { kernel_shape: [48, 8], strides: [48, 8] });
  const rows = graph.op('Transpose', [graph.op('Squeeze', [pooled, graph.ints([2])])], { perm: [0, 2, 1] });
  const weights = new Float32Array(3 * characters);
  // Planes are blue, green and red. A letter is what has one of them alone.
  for (const [plane, letter] of [
    [0, 3],
    [1, 2],
    [2, 1],
  ] as const) {
    for (let other = 1; other <= 3; other++)
      weights[plane * characters + other] = other === letter ? 400 : -400;
  }
  const bias = Float32Array.from({ length: characters }, (_, at) => (at === 0 ? 600 : at > 3 ? -2000 : 0));
  const logits = graph.op('Add', [
    graph.op('MatMul', [rows, graph.tensor('float', [3, characters], weights)]),
    graph.floats([characters], bias),
  ]);
  graph.output(graph.op('Softmax', [logits], { axis: -1 }), 'softmax_11.tmp_0', 'float', [
    'n',
    't',
    characters,
  ]);
  return onnxBytes(graph.model());
}

/** A model of the user's own, in its folder of `modelsDir`. */
export async function writeTextModel(
  modelsDir: string,
  { recognizer = tinyRecognizer(), key = 'tiny-text' } = {},
): Promise<void> {
  const folder = join(modelsDir, key);
  await mkdir(folder, { recursive: true });
  const file = (role: string, name: string) => ({ role, name, url: null, size: null, sha256: null });
  const row = {
    key,
    kind: 'text-recognition',
    family: 'pp-ocr',
    title: 'Tiny',
    license: 'none',
    languages: [],
    is_multilingual: false,
    speed: 5,
    accuracy: 1,
    frame_resolution: 0,
    size_gb: 0,
    compatible_os: ['linux', 'mac-arm', 'mac-x86', 'windows'],
    files: [file('detection', 'det.onnx'), file('recognition', 'rec.onnx'), file('keys', 'keys.txt')],
  };
  await writeFile(join(folder, 'model.json'), JSON.stringify(row));
  await writeFile(join(folder, 'det.onnx'), tinyDetector());
  await writeFile(join(folder, 'rec.onnx'), recognizer);
  await writeFile(join(folder, 'keys.txt'), dictionary);
}

export type Colour = readonly [red: number, green: number, blue: number];

export function drawn(width: number, height: number, of: (x: number, y: number) => Colour): Picture {
  const data = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at++) data.set(of(at % width, Math.floor(at / width)), at * 3);
  return { data, width, height };
}

const colours: Readonly<Record<string, Colour>> = { R: [255, 0, 0], G: [0, 255, 0], B: [0, 0, 255] };

/** Black, with lines of letters as the small graphs read them; each letter is a square of 16 px. */
export function written(
  width: number,
  height: number,
  ...lines: { readonly text: string; readonly x: number; readonly y: number }[]
): Picture {
  const picture = drawn(width, height, () => [0, 0, 0]);
  for (const { text, x, y } of lines) {
    for (const [i, letter] of [...text].entries()) {
      for (let row = y; row < y + 16; row++) {
        for (let column = x + i * 16; column < x + (i + 1) * 16; column++) {
          picture.data.set(colours[letter]!, (row * width + column) * 3);
        }
      }
    }
  }
  return picture;
}
