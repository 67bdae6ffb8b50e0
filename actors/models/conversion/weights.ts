// The weights of a TensorFlow.js model, as 32 bits: the form in which a model is stored may have fewer.
import type { Weight } from './model-json.ts';

export interface Constant {
  readonly dims: readonly number[];
  readonly data: Float32Array | Int32Array;
}

/** By name. `bytes`: the files of the manifest one after another. Throws an `Error` that names the weight. */
export function readWeights(weights: readonly Weight[], bytes: Uint8Array): Map<string, Constant> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const constants = new Map<string, Constant>();
  let at = 0;
  for (const weight of weights) {
    const count = weight.shape.reduce((product, dim) => product * dim, 1);
    const { size, read } = formOf(weight);
    const end = at + count * size;
    if (end > bytes.length) throw new Error(`${weight.name}: the weights end after ${bytes.length} bytes`);
    const data = weight.dtype === 'int32' ? new Int32Array(count) : new Float32Array(count);
    for (let i = 0; i < count; i++) data[i] = read(view, at + i * size);
    constants.set(weight.name, { dims: weight.shape, data });
    at = end;
  }
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes of weights belong to nothing`);
  return constants;
}

interface Form {
  /** Bytes of a value. */
  readonly size: number;
  readonly read: (view: DataView, at: number) => number;
}

function formOf({ name, dtype, quantization }: Weight): Form {
  const stored = quantization?.dtype ?? dtype;
  if (dtype === 'int32' && !quantization) return { size: 4, read: (view, at) => view.getInt32(at, true) };
  if (dtype === 'float32') {
    if (stored === 'float32') return { size: 4, read: (view, at) => view.getFloat32(at, true) };
    if (stored === 'float16') return { size: 2, read: (view, at) => halves()[view.getUint16(at, true)]! };
    const { scale, min } = quantization!;
    if (stored === 'uint8' && scale !== undefined && min !== undefined)
      return { size: 1, read: (view, at) => view.getUint8(at) * scale + min };
  }
  throw new Error(`${name}: weights of type ${dtype}, stored as ${stored}, are not known`);
}

/** The value of every half-precision number, by its bits. */
function halves(): Float32Array {
  table ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => half(bits));
  return table;
}
let table: Float32Array | undefined;

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
