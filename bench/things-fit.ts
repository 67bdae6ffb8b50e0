// Measures the ranges of the values of NanoDet, within which it computes in eight bits, and prints
// actors/things/ranges.ts:
//
//   node bench/things-fit.ts nanodet-416.onnx PICTURE...
//
// The committed ranges are of four pictures of scikit-image 0.25 (skimage/data): astronaut.png and rocket.jpg
// (NASA and SpaceX, public domain), chelsea.png and coffee.png (CC0).
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { forProcessor, measuredOps } from '../actors/models/rewriting/for-processor.ts';
import { readOnnx } from '../actors/models/rewriting/open-graph.ts';
import { openSession } from '../actors/models/session.ts';
import { onnxBytes } from '../actors/models/starter/graph/onnx.ts';
import { fillInput, side } from '../actors/things/nanodet.ts';
import { createLog } from '../runtime/log.ts';

const [graph, ...pictures] = process.argv.slice(2);
if (graph === undefined || pictures.length === 0) throw new Error('needs nanodet-416.onnx and pictures');
const model = readOnnx(forProcessor(readFileSync(graph)));
const names = model.nodes
  .filter(({ op }) => measuredOps.some((measuredOp) => measuredOp === op))
  .map(({ outputs }) => outputs[0]!);
const ports = names.map((name) => {
  return { name, type: 'float', dims: [0, 1, 2, 3].map((axis) => `${name}_${axis}`) } as const;
});
const probe = onnxBytes({ ...model, outputs: ports });
const session = await openSession(probe, { device: 'cpu', threads: 1, log: createLog('fit', () => {}) });
const sums = new Map(names.map((name) => [name, [0, 0] as [number, number]]));
const planes = new Float32Array(3 * side * side);
for (const path of pictures) {
  const { data, info } = await sharp(path)
    .rotate()
    .removeAlpha()
    .toColourspace('srgb')
    .resize(side, side, { fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  fillInput({ data, width: info.width, height: info.height }, planes);
  const answers = await session.run({
    [session.inputs[0]!.name]: { data: planes, dims: [1, 3, side, side] },
  });
  for (const [name, sum] of sums) {
    const values = answers[name]!.data as Float32Array;
    sum[0] = values.reduce((least, value) => Math.min(least, value), sum[0]);
    sum[1] = values.reduce((most, value) => Math.max(most, value), sum[1]);
  }
}
const rows = [...sums].map(
  ([name, [least, most]]) => `  ['${name}', [${least.toFixed(2)}, ${most.toFixed(2)}]],`,
);
process.stdout.write(`// Written by bench/things-fit.ts, which says of which pictures.
import type { Ranges } from '../models/rewriting/eight-bits.ts';

/** Ranges of the values of \`nanodet-416\`. */
export const ranges: Ranges = new Map([
${rows.join('\n')}
]);
`);
process.exit(0);
