// Whisper's decoder with its memory: keys and values of the words so far, and those of the sound, which are computed in
// the first run only. One graph does both; `use_cache_branch` says which.
import { modelErrors } from '../../../models/contract.ts';
import type { ModelSession, Port, TensorIn, TensorOut } from '../../../models/session.ts';

/** What the encoder heard: batch×positions×width. */
export interface Sound {
  readonly data: Float32Array;
  readonly dims: readonly [batch: number, positions: number, width: number];
}

/** One text per row of the batch, all of the same length. */
export interface Writing {
  /** Feeds the same number of tokens to every row; answers batch×tokens×vocabulary. *Owned by the caller until the next.* */
  step(tokens: readonly (readonly number[])[]): Promise<Logits>;
}

export interface Logits {
  /** The row of one batch entry at one of the tokens that were fed. *A view.* */
  row(batch: number, token: number): Float32Array;
}

interface CacheName {
  readonly past: string;
  readonly present: string;
  readonly heads: number;
  readonly width: number;
  /** Of the sound: the first run computes it, later ones answer nothing for it. */
  readonly ofSound: boolean;
}

export interface Decoder {
  begin(sound: Sound): Writing;
}

/** Throws MODEL_LOAD_FAILED, naming the file and what it lacks. */
export function decoderOf(session: ModelSession, file: string): Decoder {
  const caches = cachesOf(session, file);
  const growing = ['logits', ...caches.filter(({ ofSound }) => !ofSound).map(({ present }) => present)];
  const all = ['logits', ...caches.map(({ present }) => present)];
  return {
    begin: ({ data, dims }) => {
      const [batch] = dims;
      const memory = new Map<string, TensorIn>(
        caches.map(({ past, heads, width }) => [
          past,
          { data: new Float32Array(0), dims: [batch, heads, 0, width] },
        ]),
      );
      let first = true;
      return {
        step: async (tokens) => {
          const length = tokens[0]?.length ?? 0;
          const results = await session.run(
            {
              ...Object.fromEntries(memory),
              input_ids: { data: BigInt64Array.from(tokens.flat(), BigInt), dims: [batch, length] },
              encoder_hidden_states: { data, dims },
              use_cache_branch: { data: Uint8Array.of(first ? 0 : 1), dims: [1], type: 'bool' },
            },
            first ? all : growing,
          );
          for (const { past, present, ofSound } of caches) {
            if (first || !ofSound) memory.set(past, floats(results[present]!, present, file));
          }
          first = false;
          return rowsOf(floats(results['logits']!, 'logits', file), length);
        },
      };
    },
  };
}

function rowsOf({ data, dims }: { data: Float32Array; dims: readonly number[] }, length: number): Logits {
  const size = dims.at(-1) ?? 0;
  return {
    row: (batch, token) => {
      const at = (batch * length + token) * size;
      return data.subarray(at, at + size);
    },
  };
}

function floats({ data, dims }: TensorOut, name: string, file: string) {
  if (data instanceof Float32Array) return { data, dims };
  throw modelErrors.MODEL_RUN_FAILED(`${file}: ${name} is not float32`, { file });
}

const pastName = /^past_key_values\.(\d+)\.(decoder|encoder)\.(key|value)$/;

function cachesOf({ inputs, outputs }: ModelSession, file: string): CacheName[] {
  const fail = (what: string) => modelErrors.MODEL_LOAD_FAILED(`${file}: ${what}`, { file });
  const need = (ports: readonly Port[], name: string, type: string) => {
    const port = ports.find((one) => one.name === name);
    if (!port) throw fail(`has no ${name}, only ${ports.map((one) => one.name).join(', ')}`);
    if (port.type !== type) throw fail(`${name} is ${port.type}, expected ${type}`);
  };
  need(inputs, 'input_ids', 'int64');
  need(inputs, 'encoder_hidden_states', 'float32');
  need(inputs, 'use_cache_branch', 'bool');
  need(outputs, 'logits', 'float32');
  const caches = inputs.flatMap(({ name, shape }) => {
    const parts = pastName.exec(name);
    if (!parts) return [];
    const [, layer, side, part] = parts;
    const present = `present.${layer}.${side}.${part}`;
    need(inputs, name, 'float32');
    need(outputs, present, 'float32');
    const [, heads, , width] = shape;
    if (typeof heads !== 'number' || typeof width !== 'number') {
      throw fail(`${name} has the shape ${shape.join('×')}, expected fixed heads and width`);
    }
    return [{ past: name, present, heads, width, ofSound: side === 'encoder' }];
  });
  if (caches.length === 0) throw fail('has no past_key_values, so it writes without memory');
  return caches;
}
