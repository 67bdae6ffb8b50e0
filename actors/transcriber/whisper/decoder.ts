// Whisper's decoder with its key-value cache: self-attention over the tokens so far, and cross-attention to
// the encoded sound, which is computed in the first run only. One merged graph does both; `use_cache_branch`
// says which.
import { modelErrors } from '../../models/contract.ts';
import { floatsOf, type Graph, openGraph, type SessionOpener } from '../../models/graph.ts';
import type { TensorIn } from '../../models/session.ts';

/** Output of the encoder: batch×positions×width. */
export interface EncodedSound {
  readonly data: Float32Array;
  readonly dims: readonly [batch: number, positions: number, width: number];
}

/** Decoding of a batch: one sequence for each row, all of the same length. */
export interface Decoding {
  /**
   * Feeds the same number of tokens to every row: any number first, then one, since exports trace the branch
   * with a cache for one token. Answers batch×tokens×vocabulary, *owned by the caller until the next call*.
   */
  step(tokens: readonly (readonly number[])[]): Promise<Logits>;
}

export interface Logits {
  /** How many tokens were fed to each row. */
  readonly tokens: number;
  /** The row of one batch entry at one of the tokens that were fed. *A view.* */
  row(batch: number, token: number): Float32Array;
}

interface CachePort {
  readonly past: string;
  readonly present: string;
  readonly heads: number;
  readonly width: number;
  /** Cross-attention: the first run computes it, later runs answer nothing for it. */
  readonly isCross: boolean;
}

export interface Decoder {
  begin(sound: EncodedSound): Decoding;
}

/** Throws MODEL_LOAD_FAILED, naming the file and what it lacks. */
export async function openDecoder(open: SessionOpener, file: string): Promise<Decoder> {
  const graph = await openGraph(
    open,
    file,
    [
      { name: 'input_ids', type: 'int64', shape: [null, null] },
      { name: 'encoder_hidden_states', type: 'float32', shape: [null, null, null] },
      { name: 'use_cache_branch', type: 'bool', shape: [1] },
    ],
    ['logits'],
  );
  return decoderOf(graph, cachesOf(graph));
}

function decoderOf(graph: Graph, caches: readonly CachePort[]): Decoder {
  const selfAttention = ['logits', ...caches.filter(({ isCross }) => !isCross).map(({ present }) => present)];
  const all = ['logits', ...caches.map(({ present }) => present)];
  return {
    begin: ({ data, dims }) => {
      const [batch] = dims;
      const cache = new Map<string, TensorIn>(
        caches.map(({ past, heads, width }) => [
          past,
          { data: new Float32Array(0), dims: [batch, heads, 0, width] },
        ]),
      );
      let first = true;
      return {
        step: async (tokens) => {
          const length = tokens[0]?.length ?? 0;
          const results = await graph.session.run(
            {
              ...Object.fromEntries(cache),
              input_ids: { data: BigInt64Array.from(tokens.flat(), BigInt), dims: [batch, length] },
              encoder_hidden_states: { data, dims },
              use_cache_branch: { data: Uint8Array.of(first ? 0 : 1), dims: [1], type: 'bool' },
            },
            first ? all : selfAttention,
          );
          for (const { past, present, isCross } of caches) {
            if (first || !isCross) cache.set(past, floatsOf(graph, results, present, 4));
          }
          first = false;
          return rowsOf(floatsOf(graph, results, 'logits', 3), length);
        },
      };
    },
  };
}

function rowsOf({ data, dims }: { data: Float32Array; dims: readonly number[] }, length: number): Logits {
  const size = dims.at(-1) ?? 0;
  return {
    tokens: length,
    row: (batch, token) => {
      const at = (batch * length + token) * size;
      return data.subarray(at, at + size);
    },
  };
}

const pastName = /^past_key_values\.(\d+)\.(decoder|encoder)\.(key|value)$/;

function cachesOf({ session: { inputs, outputs }, file }: Graph): CachePort[] {
  const fail = (what: string) => modelErrors.MODEL_LOAD_FAILED(`${file}: ${what}`, { file });
  const caches = inputs.flatMap(({ name, type, shape }) => {
    const parts = pastName.exec(name);
    if (!parts) return [];
    const [, layer, side, part] = parts;
    const present = `present.${layer}.${side}.${part}`;
    if (!outputs.some((output) => output.name === present)) throw fail(`has no output ${present}`);
    const [, heads, , width] = shape;
    if (type !== 'float32' || typeof heads !== 'number' || typeof width !== 'number') {
      throw fail(`${name} is ${type} ${shape.join('×')}, expected float32 with fixed heads and width`);
    }
    return [{ past: name, present, heads, width, isCross: side === 'encoder' }];
  });
  if (caches.length === 0) throw fail('has no past_key_values, so it has no key-value cache');
  return caches;
}
