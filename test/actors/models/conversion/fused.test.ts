// Convolutions that work on each channel by itself, and those that have what follows them inside, as
// BlazeFace and the face mesh have them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertGraphModel } from '../../../../actors/models/conversion/in-thread.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { createLog } from '../../../../runtime/log.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const shape = (...sizes: number[]) => ({ dim: sizes.map((size) => ({ size: String(size) })) });
const window = {
  data_format: { s: base64('NHWC') },
  padding: { s: base64('VALID') },
  strides: { list: { i: ['1', '1', '1', '1'] } },
};
const fused = (...operators: string[]) => ({ fused_ops: { list: { s: operators.map(base64) } } });

/** Of one cell: 2 channels, each made two by itself. */
const each = [2, -1, 0.5, 3];
/** From 4 channels to 2. */
const filter = [1, 0, 0, 1, -1, 2, 0.5, -0.5];
const [bias, slope, second] = [
  [0.25, -3],
  [0.1, 0.5],
  [0.2, 0.3],
];

const constants = { each, filter, bias, slope, second };
const dims: Record<keyof typeof constants, number[]> = {
  each: [1, 1, 2, 2],
  filter: [1, 1, 4, 2],
  bias: [2],
  slope: [1, 1, 2],
  second: [1, 1, 2],
};

interface Options {
  readonly operators?: readonly string[];
  readonly signature?: 'at the top' | 'among the rest' | 'nowhere';
}

function model({ operators = ['BiasAdd', 'Prelu'], signature = 'among the rest' }: Options = {}) {
  const image = { name: 'image', op: 'Placeholder', attr: { shape: { shape: shape(-1, 2, 2, 2) } } };
  const names = Object.keys(constants) as (keyof typeof constants)[];
  const node = [
    image,
    ...names.map((name) => ({ name, op: 'Const' })),
    { name: 'parted', op: 'DepthwiseConv2dNative', input: ['image', 'each'], attr: window },
    { name: 'positive', op: 'Relu', input: ['parted'] },
    {
      name: 'fused',
      op: '_FusedConv2D',
      input: ['positive', 'filter', 'bias', 'slope'],
      attr: { ...window, ...fused(...operators) },
    },
    { name: 'sloped', op: 'Prelu', input: ['fused', 'second'] },
    { name: 'Out', op: 'Identity', input: ['sloped'] },
  ];
  const own = { outputs: { 'Out:0': { name: 'Out:0', tensorShape: shape(-1, 2, 2, 2) } } };
  const json = {
    format: 'graph-model',
    modelTopology: { node },
    ...(signature === 'at the top' && { signature: own }),
    ...(signature === 'among the rest' && { userDefinedMetadata: { signature: own } }),
    weightsManifest: [
      {
        paths: ['small.bin'],
        weights: names.map((name) => ({ name, shape: dims[name], dtype: 'float32' })),
      },
    ],
  };
  const weights = Float32Array.from(names.flatMap((name) => constants[name]));
  return [Buffer.from(JSON.stringify(json)), new Uint8Array(weights.buffer)] as const;
}

/** Answer of the operators for one cell. */
function computed([red = 0, green = 0]: number[], activation: 'Prelu' | 'Relu' | null): number[] {
  const parted = [red * each[0]!, red * each[1]!, green * each[2]!, green * each[3]!];
  const positive = parted.map((value) => Math.max(0, value));
  return [0, 1].map((o) => {
    const sum = positive.reduce((all, value, i) => all + value * filter[i * 2 + o]!, bias![o]!);
    const below = activation === null ? sum : activation === 'Relu' ? 0 : sum * slope![o]!;
    const fused = sum < 0 ? below : sum;
    return fused < 0 ? fused * second![o]! : fused;
  });
}

test('each kind of convolution computes what its operators say, also of any number of pictures', async () => {
  const image = [1, -2, -0.5, 3, 0.75, 0.25, -4, -1];
  for (const [operators, activation] of [
    [['BiasAdd', 'Prelu'], 'Prelu'],
    [['BiasAdd', 'Relu'], 'Relu'],
    [['BiasAdd'], null],
  ] as const) {
    for (const signature of ['at the top', 'among the rest'] as const) {
      const bytes = convertGraphModel(...model({ operators, signature }));
      const session = await openSession(bytes, {
        device: 'cpu',
        threads: 1,
        log: createLog('test', () => {}),
      });
      assert.deepEqual(session.inputs, [{ name: 'image', type: 'float32', shape: [1, 2, 2, 2] }]);
      const feeds = { image: { data: Float32Array.from(image), dims: [1, 2, 2, 2] } };
      const { Out } = await session.run(feeds);
      await session.release();
      const expected = [0, 1, 2, 3].flatMap((cell) =>
        computed(image.slice(2 * cell, 2 * cell + 2), activation),
      );
      for (const [i, value] of expected.entries())
        assert.ok(
          Math.abs(Number(Out!.data[i]) - value) < 1e-5,
          `${operators} ${i}: ${Out!.data[i]}, ${value}`,
        );
    }
  }
});

test('what else could follow a convolution is refused by name', () => {
  const refused = (options: Options) => () => convertGraphModel(...model(options));
  assert.throws(refused({ operators: ['BiasAdd', 'Elu'] }), /fused: _FusedConv2D with the activation Elu/);
  assert.throws(refused({ operators: ['Relu'] }), /fused: _FusedConv2D with the operators Relu/);
  assert.throws(refused({ operators: ['BiasAdd', 'Relu', 'Relu'] }), /with the operators BiasAdd,Relu,Relu/);
  assert.throws(refused({ signature: 'nowhere' }), /it is no graph model: it has no signature/);
});
