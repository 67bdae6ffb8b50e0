// Small graphs with the names, types and shapes of the x3asr export, that write planned answers and find out
// whether they are fed rightly: the cache carries what was fed, and anything wrong turns the answer into
// exclamation marks.
import { onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';
import { Arithmetic } from '../../models/arithmetic.ts';

export const WIDTH = 16;
/** Sides of the cache: layers, heads, size of a head. */
export type CacheSize = readonly [layers: number, heads: number, size: number];
export const realCache: CacheSize = [28, 8, 128];
export const smallCache: CacheSize = [2, 2, 4];
export const VOCABULARY = 280;
const MEL = 128;

export interface Ids {
  readonly pad: number;
  readonly audioStart: number;
  /** Token that is written when something was fed wrongly. */
  readonly fault: number;
}

const oneHot = (g: Arithmetic, token: string) => g.oneHot(token, VOCABULARY);

/**
 * `audio_features`: as many vectors as the real encoder gives for that many frames, each filled with the
 * number of `thresholds` that the loudest spot of the mel picture exceeds: which answer is written.
 */
export function encoderGraph(thresholds: readonly number[], mel = MEL, name = 'mel'): Uint8Array {
  const g = new Arithmetic('encoder');
  const input = g.input(name, 'float', [1, mel, 'time']);
  const frames = g.side(input, 2);
  const halved = (value: string) => g.op('Div', [g.add(value, g.int(1)), g.int(2)]);
  const rest = halved(halved(halved(g.op('Mod', [frames, g.int(100)]))));
  const count = g.add(g.times(g.op('Div', [frames, g.int(100)]), g.int(13)), rest);
  const above = g.float(g.op('Greater', [g.maximum(input), g.floats([thresholds.length], thresholds)]));
  const shape = g.joined([g.ints([1]), g.list(count), g.ints([WIDTH])]);
  g.output(g.op('Expand', [g.total(above), shape]), 'audio_features', 'float', [1, 'enc_time', WIDTH]);
  return onnxBytes(g.model());
}

/** Answers by number, each padded with its last token: what comes at every place. */
function planTable(g: Arithmetic, answers: readonly (readonly number[])[]): string {
  const length = 1 + Math.max(...answers.map((answer) => answer.length));
  const rows = answers.flatMap((answer) => Array.from({ length }, (_, at) => answer[at] ?? answer.at(-1)!));
  return g.tensor(
    'int64',
    [answers.length, length],
    BigInt64Array.from(rows, (id) => BigInt(id)),
  );
}

/** The token at place `at` of answer `which` (a float), or the last one of the answer. */
function planned(g: Arithmetic, plan: string, which: string, at: string): string {
  const last = g.add(g.side(plan, 1), g.int(-1));
  return g.pick(g.pick(plan, g.whole(which)), g.op('Min', [at, last]));
}

const cacheDims = ([layers, heads, size]: CacheSize, length: string) => [
  layers,
  'batch',
  heads,
  length,
  size,
];

function cacheOf(g: Arithmetic, [layers, heads, size]: CacheSize, row: string, length: string): string {
  const shape = g.joined([g.ints([layers, 1, heads]), g.list(length), g.ints([size])]);
  return g.op('Expand', [g.op('Reshape', [row, g.ints([1, 1, 1, -1, 1])]), shape]);
}

/**
 * The cache holds 0 as keys of the prompt, and the number of the answer as values of the places of the sound.
 * Checked: positions count from 0, the sound's places hold the pad token and no others do, and begin at the
 * offset, behind its mark.
 */
export function initGraph(
  answers: readonly (readonly number[])[],
  ids: Ids,
  cache: CacheSize = smallCache,
): Uint8Array {
  const g = new Arithmetic('decoder_init');
  const input = g.input('input_ids', 'int64', ['batch', 'seq_len']);
  const positions = g.input('position_ids', 'int64', ['batch', 'seq_len']);
  const features = g.input('audio_features', 'float', [1, 'enc_time', WIDTH]);
  const offset = g.op('Squeeze', [g.input('audio_offset', 'int64', [1])]);
  const length = g.side(input, 1);
  const prompt = g.op('Reshape', [input, g.ints([-1])]);
  const pads = g.float(g.equal(prompt, g.int(ids.pad)));
  const places = g.side(features, 1);
  const ordered = g.equal(g.total(g.op('Abs', [g.op('Sub', [positions, g.range(length)])])), g.int(0));
  const counted = g.equal(g.whole(g.total(pads)), places);
  const begun = g.equal(g.pick(prompt, g.add(offset, g.int(-1))), g.int(ids.audioStart));
  const first = g.equal(g.pick(prompt, offset), g.int(ids.pad));
  const right = g.both(g.both(ordered, counted), g.both(begun, first));
  const which = g.maximum(features);
  const token = g.choose(right, planned(g, planTable(g, answers), which, g.int(0)), g.int(ids.fault));
  // Only the last place says what comes next; the others say something else.
  const isLast = g.op('Reshape', [g.equal(g.range(length), g.add(length, g.int(-1))), g.ints([1, -1, 1])]);
  const logits = g.choose(isLast, oneHot(g, token), oneHot(g, g.int(ids.fault)));
  g.output(logits, 'logits', 'float', ['batch', 'seq_len', VOCABULARY]);
  const none = g.times(pads, g.scalar(0));
  g.output(cacheOf(g, cache, none, length), 'present_keys', 'float', cacheDims(cache, 'seq_len'));
  g.output(
    cacheOf(g, cache, g.times(pads, which), length),
    'present_values',
    'float',
    cacheDims(cache, 'seq_len'),
  );
  return onnxBytes(g.model());
}

/**
 * The keys of a token that was fed are 1, so their sum is how many were. Checked: the position is the length
 * of the cache, and the vector is that of the token planned before, whose first number is the token and whose
 * others are halves of it.
 */
export function stepGraph(
  answers: readonly (readonly number[])[],
  ids: Ids,
  cache: CacheSize = smallCache,
  grows = 1,
): Uint8Array {
  const g = new Arithmetic('decoder_step');
  const embedding = g.input('input_embeds', 'float', ['batch', 1, WIDTH]);
  const position = g.input('position_ids', 'int64', ['batch', 1]);
  const keys = g.input('past_keys', 'float', cacheDims(cache, 'past_seq_len'));
  const values = g.input('past_values', 'float', cacheDims(cache, 'past_seq_len'));
  const length = g.side(keys, 3);
  const lineOf = (of: string) => g.op('Slice', [of, g.ints([0, 0, 0]), g.ints([1, 1, 1]), g.ints([0, 2, 4])]);
  const fed = g.whole(g.total(lineOf(keys)));
  const plan = planTable(g, answers);
  const which = g.maximum(lineOf(values));
  const before = g.float(planned(g, plan, which, fed));
  const expected = g.times(before, g.floats([WIDTH], embeddingOf(1)));
  const off = g.total(g.op('Abs', [g.op('Sub', [g.op('Reshape', [embedding, g.ints([WIDTH])]), expected])]));
  const placed = g.equal(g.op('Squeeze', [position]), length);
  const right = g.both(placed, g.equal(off, g.scalar(0)));
  const token = g.choose(right, planned(g, plan, which, g.add(fed, g.int(1))), g.int(ids.fault));
  g.output(g.op('Reshape', [oneHot(g, token), g.ints([1, 1, VOCABULARY])]), 'logits', 'float', [
    'batch',
    1,
    VOCABULARY,
  ]);
  const more = (value: number) =>
    cacheOf(
      g,
      cache,
      g.floats(
        [grows],
        Array.from({ length: grows }, () => value),
      ),
      g.int(grows),
    );
  g.output(g.joined([keys, more(1)], 3), 'present_keys', 'float', cacheDims(cache, 'total_seq_len'));
  g.output(g.joined([values, more(0)], 3), 'present_values', 'float', cacheDims(cache, 'total_seq_len'));
  return onnxBytes(g.model());
}

function embeddingOf(token: number): number[] {
  return Array.from({ length: WIDTH }, (_, at) => (at === 0 ? token : token / 2));
}

/** embed_tokens.bin: VOCABULARY×WIDTH numbers of 16 bits. */
export function embeddings(): Uint16Array {
  const tokens = Array.from({ length: VOCABULARY }, (_, token) => token);
  return Uint16Array.from(tokens.flatMap((token) => embeddingOf(token).map(halfBits)));
}

/** Only for numbers of at most 11 bits, which 16 bits hold exactly. */
function halfBits(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(value));
  return ((exponent + 15) << 10) | Math.round((value / 2 ** exponent - 1) * 1024);
}
