// An encoder and a decoder that follow a script, with the ports of the real graphs. The decoder keeps its
// state in the key-value cache alone; with a cache it takes one token a row, as it was traced, and answers no
// cross-attention.
import assert from 'node:assert/strict';
import type { GraphPort, ModelSession, TensorIn, TensorOut } from '../../../../actors/models/session.ts';

export interface Decoded {
  /** Whole seconds of sound in the window. */
  readonly sound: number;
  /** All tokens so far, the prompt among them. */
  readonly tokens: readonly number[];
}

/** The tokens that are likely next, with their logits; all others have −30. */
export type Script = (decoded: Decoded) => Readonly<Record<number, number>>;

export interface Run {
  readonly batch: number;
  readonly tokens: number;
  readonly cached: boolean;
}

const port = (name: string, type: string, shape: (string | number)[]): GraphPort => ({ name, type, shape });
const session = (inputs: GraphPort[], outputs: GraphPort[], run: ModelSession['run']): ModelSession => ({
  inputs,
  outputs,
  device: 'cpu',
  refused: [],
  run,
  release: async () => {},
});

export function fakeEncoder(changes: Partial<ModelSession> = {}): ModelSession {
  return {
    ...session(
      [port('input_features', 'float32', ['batch_size', 80, 3000])],
      [port('last_hidden_state', 'float32', ['batch_size', 1500, 2])],
      async ({ input_features }) => {
        const { data, dims } = input_features!;
        const [batch = 0, bands = 0, frames = 0] = dims;
        const hidden = new Float32Array(batch * 1500 * 2);
        for (let at = 0; at < batch; at += 1) {
          const first = Float32Array.from(data as Float32Array).subarray(
            at * bands * frames,
            at * bands * frames + frames,
          );
          const silence = first[frames - 1]!;
          const last = first.findLastIndex((value) => value > silence + 0.01);
          hidden[at * 3000] = Math.round(last / 100);
        }
        return { last_hidden_state: { data: hidden, dims: [batch, 1500, 2] } };
      },
    ),
    ...changes,
  };
}

/** `runs`: every run is added. `size`: of the vocabulary. */
export function fakeDecoder(
  script: Script,
  size: number,
  runs: Run[] = [],
  changes: Partial<ModelSession> = {},
): ModelSession {
  const cache = (side: string, length: string) =>
    port(`past_key_values.0.${side}.key`, 'float32', ['batch_size', 1, length, 1]);
  return {
    ...session(
      [
        port('input_ids', 'int64', ['batch_size', 'decoder_sequence_length']),
        port('encoder_hidden_states', 'float32', ['batch_size', 1500, 2]),
        cache('decoder', 'past_decoder_sequence_length'),
        cache('encoder', 'encoder_sequence_length_out'),
        port('use_cache_branch', 'bool', [1]),
      ],
      [
        port('logits', 'float32', ['batch_size', 'decoder_sequence_length', size]),
        port('present.0.decoder.key', 'float32', ['batch_size', 1, 'n', 1]),
        port('present.0.encoder.key', 'float32', ['batch_size', 1, 'n', 1]),
      ],
      async (feeds, fetch) => {
        const answer = decode(feeds, script, size);
        const cached = feeds['use_cache_branch']!.data[0] === 1;
        const [batch = 0, tokens = 0] = feeds['input_ids']!.dims;
        runs.push({ batch, tokens, cached });
        if (!fetch) return answer;
        return Object.fromEntries(fetch.map((name) => [name, answer[name]!]));
      },
    ),
    ...changes,
  };
}

function decode(
  feeds: Readonly<Record<string, TensorIn>>,
  script: Script,
  size: number,
): Record<string, TensorOut> {
  const { input_ids, encoder_hidden_states, use_cache_branch } = feeds;
  const words = feeds['past_key_values.0.decoder.key']!;
  const sounds = feeds['past_key_values.0.encoder.key']!;
  const [batch = 0, length = 0] = input_ids!.dims;
  const cached = use_cache_branch!.data[0] === 1;
  const [, , past = 0] = words.dims;
  assert.equal(use_cache_branch!.type, 'bool');
  assert.equal(past > 0, cached, 'the branch fits the cache');
  assert(!cached || length === 1, `${length} tokens are fed with a cache, which is traced with one`);
  assert(past + length <= 448, `${past + length} tokens, the decoder has 448 positions`);
  assert.deepEqual(
    sounds.dims,
    [batch, 1, cached ? 1 : 0, 1],
    'cross-attention is cached from the first run',
  );
  const logits = new Float32Array(batch * length * size).fill(-30);
  const tokenCache = new Float32Array(batch * (past + length));
  const sound = new Float32Array(batch);
  for (let row = 0; row < batch; row += 1) {
    sound[row] = Number(cached ? sounds.data[row] : encoder_hidden_states!.data[row * 3000]);
    const tokens = Array.from({ length: past }, (_, at) => Number(words.data[row * past + at]));
    for (let at = 0; at < length; at += 1) {
      tokens.push(Number(input_ids!.data[row * length + at]));
      const from = (row * length + at) * size;
      for (const [token, value] of Object.entries(script({ sound: sound[row]!, tokens }))) {
        logits[from + Number(token)] = value;
      }
    }
    tokenCache.set(tokens, row * (past + length));
  }
  return {
    logits: { data: logits, dims: [batch, length, size] },
    'present.0.decoder.key': { data: tokenCache, dims: [batch, 1, past + length, 1] },
    'present.0.encoder.key': cached
      ? { data: new Float32Array(0), dims: [batch, 1, 0, 1] }
      : { data: sound, dims: [batch, 1, 1, 1] },
  };
}
