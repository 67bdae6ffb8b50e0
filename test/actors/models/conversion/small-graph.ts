// A small TensorFlow.js graph model that has every operator that is converted, as the files of a package, and
// what it computes by plain arithmetic.

export interface SmallGraph {
  readonly json: { readonly [key: string]: unknown; readonly modelTopology: { readonly node: Node[] } };
  readonly weights: Uint8Array;
}
interface Node {
  readonly name: string;
  readonly op: string;
  readonly input?: readonly string[];
  readonly attr?: object;
}
type Stored = 'float32' | 'float16' | 'uint8' | 'int32';

const base64 = (text: string) => ({ s: Buffer.from(text).toString('base64') });
const integers = (...values: number[]) => ({ list: { i: values.map(String) } });
const shape = (...sizes: number[]) => ({ dim: sizes.map((size) => ({ size: String(size) })) });
const window = { data_format: base64('NHWC'), strides: integers(1, 1, 1, 1) };

/** Of the convolution: 2×2, from 2 channels to 3; exact in half precision. */
export const filter = Float32Array.from({ length: 24 }, (_, i) => ((i * 7) % 11) / 4 - 1);
export const bias = Float32Array.of(0.5, -0.25, 1);
/** Kept in 8 bits, as 0.5·n - 1. */
export const more = Float32Array.of(-1, 0, 1.5);

export function smallGraph(): SmallGraph {
  const values: Uint8Array[] = [];
  const weights: object[] = [];
  const node: Node[] = [
    {
      name: 'image',
      op: 'Placeholder',
      attr: { shape: { shape: shape(1, 2, 4, 4) }, dtype: { type: 'DT_FLOAT' } },
    },
  ];
  const constant = (
    name: string,
    dims: number[],
    data: readonly number[] | Float32Array,
    stored: Stored = 'int32',
  ) => {
    const quantization =
      stored === 'float16'
        ? { dtype: stored }
        : stored === 'uint8'
          ? { dtype: stored, scale: 0.5, min: -1 }
          : null;
    weights.push({
      name,
      shape: dims,
      dtype: stored === 'int32' ? stored : 'float32',
      ...(quantization && { quantization }),
    });
    values.push(bytesOf(data, stored));
    node.push({ name, op: 'Const' });
  };
  const op = (name: string, op: string, input: string[], attr: object = {}) =>
    node.push({ name, op, input, attr });

  constant('to-nhwc', [4], [0, 2, 3, 1]);
  op('picture', 'Transpose', ['image', 'to-nhwc']);
  constant('edges', [4, 2], [0, 0, 1, 0, 0, 1, 0, 0]);
  op('padded', 'Pad', ['picture', 'edges']);
  constant('filter', [2, 2, 2, 3], filter, 'float16');
  op('convolved', 'Conv2D', ['padded', 'filter'], {
    ...window,
    padding: base64('VALID'),
    dilations: integers(1, 1, 1, 1),
  });
  constant('bias', [3], bias, 'float32');
  op('biased', 'Add', ['convolved', 'bias']);
  op('active', 'LeakyRelu', ['biased'], { alpha: { f: 0.1 } });
  constant('lowest', [], [-100], 'float32');
  op('walled', 'PadV2', ['active', 'edges', 'lowest']);
  op('pooled', 'MaxPool', ['walled'], {
    ...window,
    ksize: integers(1, 2, 2, 1),
    strides: integers(1, 2, 2, 1),
    padding: base64('SAME'),
  });
  constant('size', [2], [4, 4]);
  op('resized', 'ResizeBilinear', ['pooled', 'size'], { half_pixel_centers: { b: true } });
  constant('more', [3], more, 'uint8');
  op('raised', 'AddV2', ['resized', 'more', '^bias']);
  constant('last', [], [3]);
  op('joined', 'ConcatV2', ['raised', 'active', 'last']);
  constant('parts', [2], [2, 4]);
  op('split', 'SplitV', ['joined', 'parts', 'last']);
  op('likely', 'Sigmoid', ['split']);
  // The shape [1, 16, 4], out of constants as converters leave them.
  constant('places', [1, 1], [1]);
  constant('rank', [1], [3]);
  constant('there', [1], [14]);
  constant('else', [], [0]);
  op('sparse', 'SparseToDense', ['places', 'rank', 'there', 'else']);
  constant('rest', [3], [1, 2, 4]);
  op('flat', 'AddV2', ['rest', 'sparse']);
  op('rows', 'Reshape', ['split:1', 'flat']);
  op('Scores', 'Identity', ['likely']);
  op('Rows', 'Identity', ['rows']);
  const outputs = {
    'Scores:0': { name: 'Scores:0', tensorShape: shape(1, 4, 4, 2) },
    'Rows:0': { name: 'Rows:0', tensorShape: shape(1, 16, 4) },
  };
  const weightsManifest = [{ paths: ['small.bin'], weights }];
  return {
    json: { format: 'graph-model', modelTopology: { node }, signature: { outputs }, weightsManifest },
    weights: Buffer.concat(values),
  };
}

function bytesOf(data: readonly number[] | Float32Array, stored: Stored): Uint8Array {
  if (stored === 'uint8') return Uint8Array.from(data, (value) => (value + 1) / 0.5);
  if (stored === 'float16') return new Uint8Array(Uint16Array.from(data, halfOf).buffer);
  return new Uint8Array((stored === 'int32' ? Int32Array.from(data) : Float32Array.from(data)).buffer);
}

/** The bits of a value that half precision has. */
function halfOf(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | ((Math.abs(value) / 2 ** exponent - 1) * 1024);
}

/** Of the picture in planes, 2×4×4: scores 4×4×2, and rows 16×4. */
export function computed(image: Float32Array): { scores: number[]; rows: number[] } {
  const picture = (y: number, x: number, c: number) => (y < 0 || x > 3 ? 0 : image[(c * 4 + y) * 4 + x]!);
  const active = (y: number, x: number, o: number) => {
    let sum = bias[o]!;
    for (let dy = 0; dy < 2; dy++)
      for (let dx = 0; dx < 2; dx++)
        for (let c = 0; c < 2; c++)
          sum += picture(y + dy - 1, x + dx, c) * filter[((dy * 2 + dx) * 2 + c) * 3 + o]!;
    return sum < 0 ? 0.1 * sum : sum;
  };
  // 5×5 with a wall above and at the right; windows of 2 at every second cell, the last ones cut off.
  const walled = (y: number, x: number, o: number) => (y < 0 || x > 3 || y > 3 ? -100 : active(y, x, o));
  const pooled = (y: number, x: number, o: number) =>
    Math.max(...[0, 1].flatMap((dy) => [0, 1].map((dx) => walled(2 * y + dy - 1, 2 * x + dx, o))));
  const resized = (y: number, x: number, o: number) => {
    const [top, down] = between(y);
    const [left, right] = between(x);
    const row = (at: number) =>
      pooled(at, left, o) * (1 - right) + pooled(at, Math.min(2, left + 1), o) * right;
    return row(top) * (1 - down) + row(Math.min(2, top + 1)) * down;
  };
  const cells = Array.from({ length: 16 }, (_, i) => [Math.floor(i / 4), i % 4] as const);
  const joined = cells.map(([y, x]) =>
    [0, 1, 2].map((o) => resized(y, x, o) + more[o]!).concat([0, 1, 2].map((o) => active(y, x, o))),
  );
  return {
    scores: joined.flatMap((cell) => cell.slice(0, 2).map((value) => 1 / (1 + Math.exp(-value)))),
    rows: joined.flatMap((cell) => cell.slice(2)),
  };
}

/** From 3 cells to 4 by their centres: the cell before, and the share of the one after. */
function between(at: number): [number, number] {
  const place = Math.max(0, ((at + 0.5) * 3) / 4 - 0.5);
  return [Math.floor(place), place - Math.floor(place)];
}
