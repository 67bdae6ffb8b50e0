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
  type TensorIn,
} from '../../models/session.ts';

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

export interface LanguageDecoder {
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
export async function openDecoder(open: SessionOpener, file: string, axes: 1 | 3): Promise<LanguageDecoder> {
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

function decoderOf(graph: Graph, ports: readonly CachePort[], axes: 1 | 3): LanguageDecoder {
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

  /** Inputs of a run. *Borrowed until the run ends.* */
  past(): Record<string, TensorIn> {
    return this.#tensors(this.#side, this.#length, ({ past }) => past);
  }

  /** Outputs of a run of `tokens` more. *Borrowed until the run ends.* */
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

// Where tokens stand for a decoder. Qwen's has three axes: text moves along all of them at once, a picture
// stands still in time and spreads over rows and columns, and what follows goes on behind its longer side.

export interface PromptPictureSize {
  readonly width: number;
  readonly height: number;
}

export interface PromptPicture extends PromptPictureSize {
  /** width×height×3. */
  readonly rgb: Uint8Array;
}

/** Tokens of text, or a picture with its grid of patches. */
export type Stretch = { readonly tokens: number } | { readonly grid: PatchGrid };

export interface Positions {
  /** axes×length. */
  readonly ids: BigInt64Array;
  /** Position of the token that follows, on every axis. */
  readonly next: number;
}

/** 3×length: time, row and column of every token. */
export function gridPositions(stretches: readonly Stretch[]): Positions {
  const axes: [number[], number[], number[]] = [[], [], []];
  let next = 0;
  for (const stretch of stretches) {
    if ('tokens' in stretch) {
      for (let i = 0; i < stretch.tokens; i++) for (const axis of axes) axis.push(next + i);
      next += stretch.tokens;
      continue;
    }
    const rows = stretch.grid.rows / mergeSide;
    const columns = stretch.grid.columns / mergeSide;
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        axes[0].push(next);
        axes[1].push(next + row);
        axes[2].push(next + column);
      }
    next += Math.max(rows, columns);
  }
  return { ids: BigInt64Array.from(axes.flat(), BigInt), next };
}

/** 0, 1, 2, … */
export function plainPositions(length: number): Positions {
  return { ids: BigInt64Array.from({ length }, (_, at) => BigInt(at)), next: length };
}

// Pictures as Qwen3-VL takes them: sides that are multiples of 32, cut into patches of 16 px that lie twice
// behind each other, in the order in which four of them become one token.

/** Side of a patch, px. */
const patchSide = 16;
/** Patches of a token along one side. */
const mergeSide = 2;
/** A still is shown for two frames. */
const frames = 2;
/** Values of a patch. */
export const patchValues = 3 * frames * patchSide * patchSide;
const multiple = patchSide * mergeSide;

interface PatchGrid {
  readonly rows: number;
  readonly columns: number;
}

/** The size that a picture is brought to: sides rounded to multiples of 32, at most `mostPixels` together. */
export function fittedSize({ width, height }: PromptPictureSize, mostPixels: number): PromptPictureSize {
  const rounded = (side: number) => Math.max(multiple, Math.round(side / multiple) * multiple);
  const size = { width: rounded(width), height: rounded(height) };
  if (size.width * size.height <= mostPixels) return size;
  const shrink = Math.sqrt((width * height) / mostPixels);
  const floored = (side: number) => Math.max(multiple, Math.floor(side / shrink / multiple) * multiple);
  const smaller = { width: floored(width), height: floored(height) };
  // A strip that is one multiple high may still be too long.
  const longest = Math.max(multiple, Math.floor(mostPixels / multiple / multiple) * multiple);
  if (smaller.height === multiple) return { width: Math.min(smaller.width, longest), height: multiple };
  if (smaller.width === multiple) return { width: multiple, height: Math.min(smaller.height, longest) };
  return smaller;
}

export function gridOf({ width, height }: PromptPictureSize): PatchGrid {
  return { rows: height / patchSide, columns: width / patchSide };
}

/** Tokens of a picture in the prompt. */
export function tokensOf({ rows, columns }: PatchGrid): number {
  return (rows / mergeSide) * (columns / mergeSide);
}

/**
 * patches×1536 of values from -1 to 1. Patches go block by block of 2×2, rows of blocks first; the values of
 * a patch are its channels, in each both frames, in each the rows.
 */
export function patchesOf(picture: PromptPicture): Float32Array {
  const { rows, columns } = gridOf(picture);
  const values = new Float32Array(rows * columns * patchValues);
  let at = 0;
  for (let blockRow = 0; blockRow < rows; blockRow += mergeSide)
    for (let blockColumn = 0; blockColumn < columns; blockColumn += mergeSide)
      for (let row = 0; row < mergeSide; row++)
        for (let column = 0; column < mergeSide; column++) {
          writePatch(picture, blockRow + row, blockColumn + column, values.subarray(at, at + patchValues));
          at += patchValues;
        }
  return values;
}

function writePatch({ rgb, width }: PromptPicture, row: number, column: number, into: Float32Array): void {
  const plane = patchSide * patchSide;
  for (let channel = 0; channel < 3; channel++) {
    const start = channel * frames * plane;
    for (let y = 0; y < patchSide; y++)
      for (let x = 0; x < patchSide; x++) {
        const pixel = (row * patchSide + y) * width + column * patchSide + x;
        into[start + y * patchSide + x] = rgb[pixel * 3 + channel]! / 127.5 - 1;
      }
    into.copyWithin(start + plane, start, start + plane);
  }
}
