import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { convertFiles } from '../../../../actors/models/conversion/convert.ts';
import { convertGraphModel } from '../../../../actors/models/conversion/in-thread.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { createLog } from '../../../../runtime/log.ts';
import { computed, type SmallGraph, smallGraph } from './small-graph.ts';

const { json, weights } = smallGraph();
const bytesOf = (model: object) => Buffer.from(JSON.stringify(model));
const convert = (model: object, data = weights) => convertGraphModel(bytesOf(model), data);

test('a converted graph computes what its operators say', async () => {
  const options = { device: 'cpu', threads: 1, log: createLog('test', () => {}) } as const;
  const session = await openSession(convert(json), options);
  assert.deepEqual(session.inputs, [{ name: 'image', type: 'float32', shape: [1, 2, 4, 4] }]);
  const image = Float32Array.from({ length: 32 }, (_, i) => ((i * 13) % 17) / 8 - 1);
  const { Scores, Rows } = await session.run({ image: { data: image, dims: [1, 2, 4, 4] } });
  await session.release();
  const { scores, rows } = computed(image);
  assert.deepEqual(
    [Scores!.dims, Rows!.dims],
    [
      [1, 4, 4, 2],
      [1, 16, 4],
    ],
  );
  for (const [found, expected] of [
    [Scores!.data, scores],
    [Rows!.data, rows],
  ] as const) {
    assert.equal(found.length, expected.length);
    for (const [i, value] of expected.entries())
      assert.ok(Math.abs(Number(found[i]) - value) < 1e-5, `${i}: ${found[i]}, ${value}`);
  }
});

test('the same files give the same bytes in every run and on every machine', () => {
  const sha256 = hash('sha256', convert(json));
  assert.equal(sha256, 'd735d4fbcb93a14dae608854fa05fd5dd5338fd7bf08645599c2b6b381e0efb4');
  assert.equal(hash('sha256', convert(json)), sha256);
});

/** With other fields in the node of that name. */
const changed = (name: string, change: object): SmallGraph['json'] => ({
  ...json,
  modelTopology: {
    node: json.modelTopology.node.map((node) => (node.name === name ? { ...node, ...change } : node)),
  },
});
const attr = (name: string, more: object) =>
  changed(name, { attr: { ...json.modelTopology.node.find((node) => node.name === name)?.attr, ...more } });
const text = (value: string) => ({ s: Buffer.from(value).toString('base64') });

const refused: [string, () => unknown, RegExp][] = [
  [
    'an operator that is not known',
    () => convert(changed('active', { op: 'Elu' })),
    /^Error: active: the operator Elu is not known$/,
  ],
  [
    'another layout',
    () => convert(attr('pooled', { data_format: text('NCHW') })),
    /pooled: MaxPool with layout NCHW is not known/,
  ],
  [
    'another padding',
    () => convert(attr('convolved', { padding: text('EXPLICIT') })),
    /convolved: Conv2D with padding EXPLICIT/,
  ],
  [
    'a filter that is computed',
    () => convert(changed('convolved', { input: ['padded', 'active'] })),
    /is an input of itself|a filter that is computed/,
  ],
  [
    'a shape that is computed',
    () => convert(changed('rows', { input: ['split:1', 'likely'] })),
    /rows: input 1 of Reshape has to be a constant/,
  ],
  [
    'an input that is not there',
    () => convert(changed('active', { input: ['nothing'] })),
    /there is no node nothing/,
  ],
  [
    'an output that is not there',
    () => convert(changed('rows', { input: ['split:7', 'flat'] })),
    /split has no output 7/,
  ],
  [
    'an input that is left out',
    () => convert(changed('active', { input: [] })),
    /active: LeakyRelu has no input 0/,
  ],
  ['a circle', () => convert(changed('biased', { input: ['active', 'bias'] })), /is an input of itself/],
  [
    'a size that is not fixed',
    () => convert(attr('image', { shape: { shape: { dim: [{ size: '-1' }] } } })),
    /image: the shape -1 is not fixed/,
  ],
  [
    'an attribute of another form',
    () => convert(attr('active', { alpha: { f: 'x' } })),
    /active: the attribute alpha/,
  ],
  [
    'a file of weights that is cut',
    () => convert(json, weights.subarray(0, 100)),
    /the weights end after 100 bytes/,
  ],
  [
    'a file of weights of another model',
    () => convert(json, Buffer.concat([weights, weights])),
    /bytes of weights belong to nothing/,
  ],
  [
    'a file that is no graph model',
    () => convert({ ...json, format: 'layers-model' }),
    /it is no graph model: \/format/,
  ],
  ['a file that is no JSON', () => convertGraphModel(weights, weights), /not valid/],
];
for (const [what, work, message] of refused)
  test(`${what} is refused by name`, () => {
    assert.throws(work, message);
  });

test('a conversion runs in a thread of its own, can be cancelled, and names the file that it refuses', async () => {
  const { signal } = new AbortController();
  const run = (model: object, one = signal) =>
    convertFiles('@me/a@1.2.3: a.json', 'tfjs-graph', [bytesOf(model), weights], one);
  assert.deepEqual(Buffer.from(await run(json)), Buffer.from(convert(json)));
  await assert.rejects(run(changed('active', { op: 'Elu' })), {
    code: 'CONVERSION_FAILED',
    message: '@me/a@1.2.3: a.json cannot be converted: active: the operator Elu is not known',
  });
  await assert.rejects(run(json, AbortSignal.abort(new Error('enough'))), /enough|CANCELLED/);
});
