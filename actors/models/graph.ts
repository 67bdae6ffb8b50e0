// One graph of a model, whose inputs and outputs are checked against those the family uses when it is opened.
import { modelErrors } from './contract.ts';
import type { ModelSession, TensorIn, TensorOut } from './session.ts';

/**
 * Opens a graph on the device and with the threads the actor was set to. `source`: a path, or the bytes of a
 * graph without external data. Throws MODEL_LOAD_FAILED. The family owns the session and releases it in
 * `close`.
 */
export type SessionOpener = (source: string | Uint8Array) => Promise<ModelSession>;

export interface ExpectedInput {
  readonly name: string;
  readonly type: 'float32' | 'int64' | 'int32' | 'bool';
  /** Dimensions as they are fed; null for one of any size. */
  readonly shape: readonly (number | null)[];
}

export interface Graph {
  readonly file: string;
  readonly session: ModelSession;
  /** Dimensions of an input as the graph declares them. */
  shapeOf(input: string): readonly (number | string)[];
  /** Throws MODEL_RUN_FAILED, also when an output is missing. */
  run(feeds: Readonly<Record<string, TensorIn>>): Promise<Record<string, TensorOut>>;
}

/** Throws MODEL_LOAD_FAILED, naming the file and what is wrong; the session is released then. */
export async function openGraph(
  open: SessionOpener,
  file: string,
  inputs: readonly ExpectedInput[],
  outputs: readonly string[],
): Promise<Graph> {
  const session = await open(file);
  const mismatch = inputs.map((expected) => mismatchOf(session, expected)).find((fault) => fault !== null);
  const names = session.outputs.map(({ name }) => name);
  const missing = outputs.find((name) => !names.includes(name));
  const fault =
    mismatch ?? (missing === undefined ? null : `has no output ${missing}, only ${names.join(', ')}`);
  if (fault !== null) {
    await session.release();
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${fault}`, { file });
  }
  return {
    file,
    session,
    shapeOf: (input) => session.inputs.find(({ name }) => name === input)?.shape ?? [],
    run: (feeds) => session.run(feeds, outputs),
  };
}

function mismatchOf({ inputs }: ModelSession, { name, type, shape }: ExpectedInput): string | null {
  const port = inputs.find((input) => input.name === name);
  if (!port) return `has no input ${name}, only ${inputs.map((input) => input.name).join(', ')}`;
  if (port.type !== type) return `input ${name} is ${port.type}, expected ${type}`;
  const fits =
    port.shape.length === shape.length &&
    port.shape.every((side, at) => typeof side === 'string' || shape[at] === null || side === shape[at]);
  if (fits) return null;
  const expected = shape.map((side) => side ?? '?').join('×');
  return `input ${name} has the shape ${port.shape.join('×')}, expected ${expected}`;
}

/** The output as floats with that many dimensions. Throws MODEL_RUN_FAILED. */
export function floatsOf(
  { file }: Graph,
  results: Readonly<Record<string, TensorOut>>,
  name: string,
  rank: number,
): { readonly data: Float32Array; readonly dims: readonly number[] } {
  const tensor = results[name];
  if (tensor?.data instanceof Float32Array && tensor.dims.length === rank) {
    return { data: tensor.data, dims: tensor.dims };
  }
  throw modelErrors.MODEL_RUN_FAILED(
    `${file}: output ${name} is ${tensor?.dims.join('×') ?? 'missing'}, expected floats of ${rank} dimensions`,
    { file },
  );
}

/**
 * Index of the maximum of `values[from … to)`, counted from `from`; the first of several. NaN is never the
 * maximum.
 */
export function argmax(values: Float32Array, from: number, to: number): number {
  let best = from;
  for (let at = from + 1; at < to; at += 1) {
    if (values[at]! > values[best]! || Number.isNaN(values[best]!)) best = at;
  }
  return best - from;
}
