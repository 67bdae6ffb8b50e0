// Checks of the inputs and outputs of face graphs, so that a graph of another kind is refused when it is
// loaded.
import { modelErrors } from '../models/contract.ts';
import type { GraphPort, ModelSession, TensorOut } from '../models/session.ts';

/**
 * Name of the one input, f32 [n, 3, height, width]. `side`: both sides of the picture for a graph that takes
 * one size, null for one that takes any. Throws MODEL_LOAD_FAILED.
 */
export function pictureInput({ inputs }: ModelSession, side: number | null, file: string): string {
  const [input] = inputs;
  const { shape, type, name } = input ?? { shape: [], type: '', name: '' };
  const fits = (length: number | string) => typeof length !== 'number' || length < 0 || length === side;
  const isPicture = inputs.length === 1 && type === 'float32' && shape.length === 4 && shape[1] === 3;
  if (isPicture && shape.slice(2).every(fits)) return name;
  const sides = side === null ? 'height, width] of any size' : `${side}, ${side}]`;
  throw modelErrors.MODEL_LOAD_FAILED(
    `${file}: expected one input float32 [n, 3, ${sides}, found ${described(inputs)}`,
    { file },
  );
}

/** Throws MODEL_LOAD_FAILED where the graph lacks one of the outputs. */
export function declared(outputs: readonly GraphPort[], names: readonly string[], file: string): void {
  const there = new Set(outputs.map(({ name }) => name));
  if (names.every((name) => there.has(name))) return;
  throw modelErrors.MODEL_LOAD_FAILED(
    `${file}: expected the outputs ${names.join(', ')}, found ${described(outputs)}`,
    { file },
  );
}

/** Floats of an output of exactly that many values. Throws MODEL_RUN_FAILED. */
export function values(
  outputs: Readonly<Record<string, TensorOut>>,
  name: string,
  count: number,
  file: string,
): Float32Array {
  const tensor = outputs[name];
  if (tensor?.data instanceof Float32Array && tensor.data.length === count) return tensor.data;
  throw modelErrors.MODEL_RUN_FAILED(
    `${file}: expected ${count} floats as ${name}, found ${tensor ? `${tensor.dims.join('×')} values` : 'nothing'}`,
    { file },
  );
}

export function described(ports: readonly GraphPort[]): string {
  return ports.map(({ name, type, shape }) => `${name} ${type} [${shape.join(', ')}]`).join('; ') || 'none';
}
