// The decoder of a language model: vectors of tokens and pictures in, the likeliest next token out, one run
// after the other with a key-value cache. Names of inputs are read from the graph; one that nobody here knows
// is refused, because a graph that is fed less than it wants answers nonsense.
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import { modelErrors } from '../../models/contract.ts';
import type { RunsOn } from '../../models/device.ts';
import {
  argmax,
  type ExpectedInput,
  floatsOf,
  type Graph,
  openGraph,
  type SessionOpener,
} from '../../models/graph.ts';
import type { TensorIn } from '../../models/session.ts';

/** A prompt as the decoder takes it. */
export interface Sequence {
  /** length×width. */
  readonly embeddings: Float32Array;
  /** axes×length, ascending in each axis for text. */
  readonly positions: BigInt64Array;
  readonly length: number;
  /** Position of the first token after it, on every axis. */
  readonly next: number;
}

/**
 * Tokens of a prompt in one run. It bounds what a run computes at once (without `num_logits_to_keep`, logits
 * of a vocabulary for each token), and how long a cancel waits.
 */
const tokensOfRun = 256;

export interface Decoder {
  readonly runsOn: RunsOn;
  /** Length of the vector of a token. */
  readonly width: number;
  /**
   * The likeliest tokens after the prompt, until one of `ends`, which is not answered, at most `limit`.
   * `embed`: the vector of a token.
   */
  generate(
    prompt: Sequence,
    embed: (token: number) => Promise<Float32Array>,
    ends: ReadonlySet<number>,
    limit: number,
    checkpoint: Checkpoint,
  ): Promise<{ readonly tokens: number[]; readonly ended: boolean }>;
  release(): Promise<void>;
}

/**
 * `axes` of positions: 3 for pictures that have rows and columns, 1 for a plain order. Throws
 * MODEL_LOAD_FAILED.
 */
export async function openDecoder(open: SessionOpener, file: string, axes: 1 | 3): Promise<Decoder> {
  const session = await open(file);
  const declared = session.inputs.map(({ name }) => name);
  const graph = await openGraph(async () => session, file, expectedInputs(axes, declared), ['logits']);
  try {
    return decoderOf(graph, cachePorts(graph), axes);
  } catch (error) {
    await graph.session.release();
    throw error;
  }
}

/** Positions that just count may be left to the graph. */
const expectedInputs = (axes: 1 | 3, declared: readonly string[]): ExpectedInput[] => [
  { name: 'inputs_embeds', type: 'float32', shape: [1, null, null] },
  { name: 'attention_mask', type: 'int64', shape: [1, null] },
  ...(axes === 3
    ? [{ name: 'position_ids', type: 'int64', shape: [3, 1, null] } as const]
    : declared.includes('position_ids')
      ? [{ name: 'position_ids', type: 'int64', shape: [1, null] } as const]
      : []),
];

function decoderOf(graph: Graph, ports: readonly CachePort[], axes: 1 | 3): Decoder {
  const width = graph.shapeOf('inputs_embeds')[2];
  if (typeof width !== 'number') throw failed(graph, 'input inputs_embeds has no fixed width');
  const cache = new KeyValueCache(ports);
  const outputs = ['logits', ...ports.map(({ present }) => present)];
  const run = async (embeddings: Float32Array, positions: BigInt64Array): Promise<number> => {
    const tokens = embeddings.length / width;
    const total = cache.length + tokens;
    const feeds: Record<string, TensorIn> = {
      ...cache.past(),
      inputs_embeds: { data: embeddings, dims: [1, tokens, width] },
      attention_mask: { data: new BigInt64Array(total).fill(1n), dims: [1, total] },
      position_ids: { data: positions, dims: axes === 3 ? [3, 1, tokens] : [1, tokens] },
      num_logits_to_keep: { data: BigInt64Array.of(1n), dims: [] },
    };
    const results = await graph.session.run(feeds, outputs, cache.present(tokens));
    cache.grown(tokens);
    const { data, dims } = floatsOf(graph, results, 'logits', 3);
    return argmax(data, data.length - dims[2]!, data.length);
  };
  return {
    runsOn: graph.session,
    width,
    generate: async (prompt, embed, ends, limit, checkpoint) => {
      cache.begin(prompt.length + limit);
      let token = -1;
      for (let from = 0; from < prompt.length; from += tokensOfRun) {
        await checkpoint();
        const to = Math.min(prompt.length, from + tokensOfRun);
        token = await run(prompt.embeddings.subarray(from * width, to * width), part(prompt, axes, from, to));
      }
      const tokens: number[] = [];
      while (!ends.has(token)) {
        if (tokens.length === limit) return { tokens, ended: false };
        tokens.push(token);
        await checkpoint();
        const position = BigInt(prompt.next + tokens.length - 1);
        token = await run(await embed(token), new BigInt64Array(axes).fill(position));
      }
      return { tokens, ended: true };
    },
    release: async () => {
      cache.free();
      await graph.session.release();
    },
  };
}

/** Positions of some tokens, axis after axis. */
function part({ positions, length }: Sequence, axes: number, from: number, to: number): BigInt64Array {
  const some = new BigInt64Array(axes * (to - from));
  for (let axis = 0; axis < axes; axis++) {
    some.set(positions.subarray(axis * length + from, axis * length + to), axis * (to - from));
  }
  return some;
}

const fed = new Set(['inputs_embeds', 'attention_mask', 'position_ids', 'num_logits_to_keep']);
const pastName = /^past_key_values\.(\d+)\.(key|value)$/;

function cachePorts(graph: Graph): CachePort[] {
  const { inputs, outputs } = graph.session;
  const ports = inputs.flatMap(({ name, type, shape }) => {
    const parts = pastName.exec(name);
    if (!parts) {
      if (fed.has(name)) return [];
      throw failed(graph, `wants the input ${name}, which this program does not feed`);
    }
    const present = `present.${parts[1]}.${parts[2]}`;
    if (!outputs.some((output) => output.name === present)) throw failed(graph, `has no output ${present}`);
    const [, heads, , width] = shape;
    if (type !== 'float32' || typeof heads !== 'number' || typeof width !== 'number') {
      throw failed(
        graph,
        `${name} is ${type} ${shape.join('×')}, expected float32 with fixed heads and width`,
      );
    }
    return [{ past: name, present, heads, width }];
  });
  if (ports.length === 0) throw failed(graph, 'has no past_key_values, so it has no key-value cache');
  return ports;
}

const failed = ({ file }: Graph, what: string) => modelErrors.MODEL_LOAD_FAILED(`${file}: ${what}`, { file });

// Keys and values of a decoder for the tokens so far. Two buffers for each tensor take turns: a run reads one
// and writes the other, so that no run allocates, copies in this program, or leaves hundreds of megabytes for
// the garbage collector.

/** One tensor of the cache: 1×heads×tokens×width float32. */
export interface CachePort {
  readonly past: string;
  readonly present: string;
  readonly heads: number;
  readonly width: number;
}

export class KeyValueCache {
  readonly #ports: readonly CachePort[];
  #buffers: Float32Array[][] = [];
  #capacity = 0;
  #length = 0;
  /** Which of the two buffers holds what is known. */
  #side = 0;

  constructor(ports: readonly CachePort[]) {
    this.#ports = ports;
  }

  /** Tokens that are cached. */
  get length(): number {
    return this.#length;
  }

  /**
   * Forgets all tokens, and has room for `capacity` then. Throws MODEL_RUN_FAILED where there is no memory
   * for them.
   */
  begin(capacity: number): void {
    this.#length = 0;
    if (capacity <= this.#capacity) return;
    // Freed first: both at once may not fit into memory.
    this.#buffers = [];
    this.#capacity = capacity;
    try {
      this.#buffers = [0, 1].map(() =>
        this.#ports.map(({ heads, width }) => new Float32Array(heads * capacity * width)),
      );
    } catch (error) {
      this.free();
      throw modelErrors.MODEL_RUN_FAILED(
        `no memory for the keys and values of ${capacity} tokens`,
        {},
        error,
      );
    }
  }

  /** What a run reads. *Borrowed until the run ends.* */
  past(): Record<string, TensorIn> {
    return this.#tensors(this.#side, this.#length, ({ past }) => past);
  }

  /** What a run of `tokens` more writes. *Borrowed until the run ends.* */
  present(tokens: number): Record<string, TensorIn> {
    return this.#tensors(1 - this.#side, this.#length + tokens, ({ present }) => present);
  }

  /** The run of `tokens` more has ended well. */
  grown(tokens: number): void {
    this.#length += tokens;
    this.#side = 1 - this.#side;
  }

  free(): void {
    this.#buffers = [];
    this.#capacity = 0;
    this.#length = 0;
  }

  #tensors(side: number, length: number, name: (port: CachePort) => string): Record<string, TensorIn> {
    if (length > this.#capacity) {
      throw new RangeError(`${length} tokens in a cache of ${this.#capacity}`);
    }
    return Object.fromEntries(
      this.#ports.map((port, at) => {
        const { heads, width } = port;
        const data = this.#buffers[side]![at]!.subarray(0, heads * length * width);
        return [name(port), { data, dims: [1, heads, length, width] }];
      }),
    );
  }
}
