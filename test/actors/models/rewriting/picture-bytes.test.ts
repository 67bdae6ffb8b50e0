// Graphs that take bytes of pictures, against those that take floats.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preparation } from '../../../../actors/embedder/prepare.ts';
import { pictureBytes, takingBytes } from '../../../../actors/models/rewriting/picture-bytes.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';
import { vitModel } from '../../../../bench/vit.ts';
import { createLog } from '../../../../runtime/log.ts';
import { cosine, visionGraph } from '../../embedder/graphs.ts';

const log = createLog('test', () => {});
const options = { device: 'cpu', threads: 1, log } as const;
const mean = [0.48145466, 0.4578275, 0.40821073] as const;
const std = [0.26862954, 0.26130258, 0.27577711] as const;
const pictures = { name: 'pixel_values', mean, std };

test('a vision transformer answers nearly the same for bytes as for floats', async () => {
  const side = 32;
  const onnx = onnxBytes(vitModel({ side, patch: 8, width: 64, layers: 2, heads: 4, dimensions: 48 }));
  const shape = { width: side, height: side, fit: 'stretch', resample: 'bilinear' } as const;
  const prepare = preparation({ shape, mean: [...mean], std: [...std] });
  const bytes = Uint8Array.from({ length: 3 * prepare.bytes }, (_, at) => (at * 7 + (at >> 5)) & 255);
  const floats = new Float32Array(3 * prepare.floats);
  for (let at = 0; at < 3; at++) prepare.fill(bytes.subarray(at * prepare.bytes), floats, at);
  const [usual, other] = [
    await openSession(onnx, options),
    await openSession(takingBytes(onnx, pictures), options),
  ];
  const before = await usual.run({ pixel_values: { data: floats, dims: [3, 3, side, side] } });
  const after = await other.run({ [pictureBytes]: { data: bytes, dims: [3, side, side, 3] } });
  const [a, b] = [before['image_embeds']!.data, after['image_embeds']!.data] as [Float32Array, Float32Array];
  for (let at = 0; at < 3; at++) {
    const [one, two] = [a, b].map((all) => all.subarray(at * 48, (at + 1) * 48)) as [
      Float32Array,
      Float32Array,
    ];
    const likeness = cosine(one, two) / Math.sqrt(cosine(one, one) * cosine(two, two));
    assert.ok(likeness > 0.99999, `${likeness}`);
  }
  await usual.release();
  await other.release();
});

test('a graph without such an input is refused by name', () => {
  const onnx = visionGraph({ output: 'pooler_output', input: 'images' });
  assert.throws(() => takingBytes(onnx, pictures), /pixel_values/);
  const bytes = visionGraph({ output: 'pooler_output', type: 'uint8' });
  assert.throws(() => takingBytes(bytes, pictures), /pixel_values/);
});
