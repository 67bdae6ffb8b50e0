// Small graphs with the names, types and shapes of the exports of language models, that write planned answers
// and find out whether they are fed rightly: the cache carries what was fed, and anything wrong turns the
// answer into exclamation marks.
import { onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';
import { Arithmetic } from '../../models/arithmetic.ts';

export interface Sizes {
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly size: number;
}
export const smallSizes: Sizes = { width: 8, layers: 2, heads: 2, size: 4 };
/** Of Qwen3-VL-2B. */
export const qwenSizes: Sizes = { width: 2048, layers: 28, heads: 8, size: 128 };

/** `image_features`: for every four patches a vector filled with the mean of all values. */
export function qwenVision(width: number, grid = 'grid_thw'): Uint8Array {
  const g = new Arithmetic('vision_encoder');
  const pixels = g.input('pixel_values', 'float', ['num_patches', 1536]);
  const thw = g.input(grid, 'int64', [1, 3]);
  const patches = g.op('ReduceProd', [thw], { keepdims: 0 });
  const tokens = g.op('Div', [patches, g.int(4)]);
  const mean = g.op('ReduceMean', [pixels], { keepdims: 0 });
  const shape = g.joined([g.list(tokens), g.ints([width])]);
  g.output(g.op('Expand', [mean, shape]), 'image_features', 'float', ['num_tokens', width]);
  return onnxBytes(g.model());
}

/** `image_features`: 64 vectors filled with the mean of all values that the mask lets through. */
export function smolVision(width: number, side: number): Uint8Array {
  const g = new Arithmetic('vision_encoder');
  const pixels = g.input('pixel_values', 'float', ['batch_size', 'num_images', 3, side, side]);
  const mask = g.float(g.input('pixel_attention_mask', 'bool', ['batch_size', 'num_images', side, side]));
  const shown = g.times(pixels, g.op('Unsqueeze', [mask, g.ints([2])]));
  const mean = g.op('ReduceMean', [shown], { keepdims: 0 });
  const shape = g.joined([g.list(g.side(pixels, 1)), g.ints([64, width])]);
  g.output(g.op('Expand', [mean, shape]), 'image_features', 'float', ['num_images', 64, width]);
  return onnxBytes(g.model());
}

/** The vector of a token: all its numbers are the token. */
export function embedTokens(width: number, vocabulary: number): Uint8Array {
  const g = new Arithmetic('embed_tokens');
  const ids = g.input('input_ids', 'int64', ['batch_size', 'sequence_length']);
  const tokens = Float32Array.from({ length: vocabulary }, (_, token) => token);
  const table = g.op('Expand', [g.tensor('float', [vocabulary, 1], tokens), g.ints([vocabulary, width])]);
  g.output(g.pick(table, ids), 'inputs_embeds', 'float', ['batch_size', 'sequence_length', width]);
  return onnxBytes(g.model());
}

export interface Script {
  /**
   * Tokens of each answer: the first to a chat of two turns, the second to one of four. The last token goes
   * on for ever.
   */
  readonly answers: readonly (readonly number[])[];
  /**
   * The mark whose last one stands before the answer, how many of them a chat of two turns has, and the
   * tokens between.
   */
  readonly mark: number;
  readonly marks: number;
  readonly lead: number;
  readonly vocabulary: number;
  /** Written when something was fed wrongly. */
  readonly fault: number;
}

export interface DecoderOptions extends Partial<Sizes> {
  readonly axes?: 1 | 3;
  /** Whether the graph can be told how many logits are wanted. */
  readonly keepsLogits?: boolean;
  readonly cacheType?: 'float' | 'float16';
  /** An input that nobody feeds. */
  readonly further?: string;
}

export function decoderGraph(script: Script, options: DecoderOptions = {}): Uint8Array {
  const { width, layers, heads, size } = { ...smallSizes, ...options };
  const { axes = 3, keepsLogits = true, further } = options;
  const g = new Arithmetic('decoder_model_merged');
  const embeds = g.input('inputs_embeds', 'float', ['batch_size', 'sequence_length', width]);
  const mask = g.input('attention_mask', 'int64', ['batch_size', 'total_sequence_length']);
  const three = g.input('position_ids', 'int64', [
    ...(axes === 3 ? [3] : []),
    'batch_size',
    'sequence_length',
  ]);
  const kept = keepsLogits ? g.input('num_logits_to_keep', 'int64', []) : null;
  if (further) g.input(further, 'float', ['batch_size']);
  const dims = (length: string) => ['batch_size', heads, length, size];
  const type = options.cacheType ?? 'float';
  const pasts = Array.from({ length: layers }, (_, layer) =>
    ['key', 'value'].map((part) =>
      g.input(`past_key_values.${layer}.${part}`, type, dims('past_sequence_length')),
    ),
  );
  const fed = g.side(embeds, 1);
  const position =
    axes === 3 ? g.op('ReduceMax', [g.float(three)], { axes: [0], keepdims: 0 }) : g.float(three);
  const row = (values: string) => {
    const shape = g.joined([g.ints([1, heads]), g.list(fed), g.ints([size])]);
    return g.op('Expand', [g.op('Reshape', [values, g.ints([1, 1, -1, 1])]), shape]);
  };
  const [keys, places] = [g.pick(embeds, g.int(0), 2), position].map(row);
  const cast = (value: string) => (type === 'float' ? value : g.op('Cast', [value], { to: 10 }));
  const presents = pasts.map(([key, value]) => [
    g.joined([key!, cast(keys!)], 2),
    g.joined([value!, cast(places!)], 2),
  ]);
  const line = (tensor: string) => g.pick(g.pick(g.pick(g.float(tensor), g.int(0)), g.int(0)), g.int(0), 1);
  const history = line(presents[0]![0]!);
  const total = g.side(history, 0);
  const isMark = g.float(g.equal(history, g.float(g.int(script.mark))));
  const last = g.whole(g.maximum(g.times(isMark, g.float(g.range(total)))));
  const count = g.whole(g.total(isMark));
  const sub = (a: string, b: string) => g.op('Sub', [a, b]);
  const at = g.op('Max', [sub(sub(sub(total, g.int(1)), last), g.int(script.lead)), g.int(0)]);
  const turn = g.op('Div', [g.op('Max', [sub(count, g.int(script.marks)), g.int(0)]), g.int(2)]);
  const token = g.choose(fedRightly(), planned(g, script, turn, at), g.int(script.fault));
  const one = g.op('Reshape', [g.oneHot(token, script.vocabulary), g.ints([1, 1, script.vocabulary])]);
  const wrong = g.op('Reshape', [
    g.oneHot(g.int(script.fault), script.vocabulary),
    g.ints([1, 1, script.vocabulary]),
  ]);
  // Only the last place says what comes next; the others say something else.
  const others = g.op('Expand', [
    wrong,
    g.joined([g.ints([1]), g.list(sub(kept ?? fed, g.int(1))), g.ints([script.vocabulary])]),
  ]);
  g.output(g.joined([others, one], 1), 'logits', 'float', ['batch_size', 'num_logits', script.vocabulary]);
  presents.forEach(([key, value], layer) => {
    g.output(key!, `present.${layer}.key`, type, dims('total_sequence_length'));
    g.output(value!, `present.${layer}.value`, type, dims('total_sequence_length'));
  });
  return onnxBytes(g.model());

  /** The mask covers all, and a single token comes right behind the furthest place before it. */
  function fedRightly(): string {
    const masked = g.equal(g.op('ReduceSum', [mask], { keepdims: 0 }), total);
    const before = g.joined([g.floats([1], [-1]), line(pasts[0]![1]!)]);
    const next = g.add(g.maximum(before), g.scalar(1));
    const follows = g.equal(g.maximum(position), next);
    const isOne = g.equal(fed, g.int(1));
    return g.both(masked, g.op('Or', [g.op('Not', [isOne]), follows]));
  }
}

function planned(g: Arithmetic, { answers }: Script, turn: string, at: string): string {
  const length = Math.max(...answers.map((answer) => answer.length));
  const rows = answers.flatMap((answer) => Array.from({ length }, (_, i) => answer[i] ?? answer.at(-1)!));
  const plan = g.tensor('int64', [answers.length, length], BigInt64Array.from(rows, BigInt));
  const bounded = (value: string, most: number) => g.op('Min', [value, g.int(most)]);
  return g.pick(g.pick(plan, bounded(turn, answers.length - 1)), bounded(at, length - 1));
}
