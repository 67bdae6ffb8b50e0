// Whisper with random weights: an encoder and a merged decoder with the names, shapes, types and cache of the
// public exports, in any size. What it writes means nothing; that it is the same with and without a cache,
// and how long it takes, does.
import { GraphBuilder, type OnnxModel } from '../actors/models/starter/graph/onnx.ts';
import { linear, norm, type Random, randomWeights } from './vit.ts';

export interface WhisperSize {
  readonly bands: 80 | 128;
  /** A multiple of 64, the width of a head. */
  readonly width: number;
  readonly layers: number;
  /** Tokens there are. */
  readonly vocabulary: number;
  /** How far likely tokens stand out. */
  readonly sure: number;
}

const HEAD = 64;
/** Positions of the sound, and of the longest text. */
const SOUND = 1500;
const LONGEST = 448;
const INT64 = 7;

/**
 * `input_features` f32 [batch, bands, 3000] → `last_hidden_state` f32 [batch, 1500, width]: the two
 * convolutions alone.
 */
export function whisperEncoder({ bands, width }: WhisperSize): OnnxModel {
  const graph = new GraphBuilder('encoder');
  const random = randomWeights(graph, 11);
  const input = graph.input('input_features', 'float', ['batch_size', bands, 3000]);
  const kernel = (weights: string, values: string, stride: number) =>
    graph.op('Tanh', [
      graph.op('Conv', [values, weights], { kernel_shape: [3], strides: [stride], pads: [1, 1] }),
    ]);
  const once = kernel(random([width, bands, 3]), input, 1);
  const twice = kernel(random([width, width, 3]), once, 2);
  const rows = graph.op('Transpose', [twice], { perm: [0, 2, 1] });
  graph.output(norm(graph, width, rows), 'last_hidden_state', 'float', ['batch_size', SOUND, width]);
  return graph.model();
}

/**
 * The merged decoder. With `use_cache_branch` it takes one token a row, because the exports trace that branch
 * with one, and the caches of the sound come back empty, as those of the exports do.
 */
export function whisperDecoder(size: WhisperSize): OnnxModel {
  const { width, layers, vocabulary, sure } = size;
  const graph = new GraphBuilder('decoder');
  const random = randomWeights(graph, 12);
  const fed = graph.input('input_ids', 'int64', ['batch_size', 'decoder_sequence_length']);
  const sound = graph.input('encoder_hidden_states', 'float', ['batch_size', SOUND, width]);
  const caches = Array.from({ length: layers }, (_, layer) => cacheInputs(graph, width, layer));
  const cached = graph.input('use_cache_branch', 'bool', [1]);
  const ids = oneIfCached(graph, fed, cached);
  const table = random([vocabulary, width]);
  const { places, bias } = placesOf(graph, ids, caches[0]!.decoder.key);
  // Position embeddings outweigh token embeddings, so that a text does not loop.
  let x = graph.op('Add', [
    graph.op('Gather', [table, ids]),
    graph.op('Gather', [random([LONGEST, width]), places]),
  ]);
  const encoded = unlessCached(graph, sound, cached);
  for (const [layer, cache] of caches.entries()) {
    const self = attention(graph, random, width, norm(graph, width, x), null, cache.decoder, bias);
    x = graph.op('Add', [x, self.value]);
    const cross = attention(graph, random, width, norm(graph, width, x), encoded, cache.encoder, null);
    x = graph.op('Add', [x, cross.value]);
    const wide = linear(graph, random, norm(graph, width, x), width, width * 4);
    x = graph.op('Add', [x, linear(graph, random, graph.op('Relu', [wide]), width * 4, width)]);
    present(graph, width, layer, 'decoder', self);
    present(graph, width, layer, 'encoder', cross);
  }
  const likely = graph.op('MatMul', [
    norm(graph, width, x),
    graph.op('Transpose', [table], { perm: [1, 0] }),
  ]);
  const logits = graph.op('Mul', [likely, graph.scalar(sure)]);
  graph.output(logits, 'logits', 'float', ['batch_size', 'decoder_sequence_length', vocabulary]);
  return graph.model();
}

interface Cache {
  readonly key: string;
  readonly value: string;
}

function cacheInputs(graph: GraphBuilder, width: number, layer: number) {
  const input = (side: string, part: string, length: string) =>
    graph.input(`past_key_values.${layer}.${side}.${part}`, 'float', [
      'batch_size',
      width / HEAD,
      length,
      HEAD,
    ]);
  const pair = (side: string, length: string): Cache => {
    return { key: input(side, 'key', length), value: input(side, 'value', length) };
  };
  return {
    decoder: pair('decoder', 'past_decoder_sequence_length'),
    encoder: pair('encoder', 'encoder_sequence_length_out'),
  };
}

/**
 * The tokens that are fed: any number of them, or one a row with a cache. Several with a cache make the run
 * fail.
 */
function oneIfCached(graph: GraphBuilder, fed: string, cached: string): string {
  const shape = graph.op('Where', [cached, graph.ints([0, 1]), graph.ints([0, -1])]);
  return graph.op('Reshape', [fed, shape]);
}

/** Positions of the tokens that are fed, and what hides later ones from earlier ones. */
function placesOf(graph: GraphBuilder, ids: string, past: string): { places: string; bias: string } {
  const whole = (value: number) => graph.tensor('int64', [], BigInt64Array.of(BigInt(value)));
  const side = (value: string, axis: number) => graph.op('Gather', [graph.op('Shape', [value]), whole(axis)]);
  const before = side(past, 2);
  const all = graph.op('Add', [before, side(ids, 1)]);
  const places = graph.op('Range', [before, all, whole(1)]);
  const mask = graph.op('LessOrEqual', [
    graph.op('Unsqueeze', [graph.op('Range', [whole(0), all, whole(1)]), graph.ints([0])]),
    graph.op('Unsqueeze', [places, graph.ints([1])]),
  ]);
  return { places, bias: graph.op('Where', [mask, graph.scalar(0), graph.scalar(-1e9)]) };
}

/** The sound; none of its positions once it is remembered. */
function unlessCached(graph: GraphBuilder, sound: string, cached: string): string {
  const fresh = graph.op('Sub', [graph.ints([1]), graph.op('Cast', [cached], { to: INT64 })]);
  const end = graph.op('Mul', [fresh, graph.ints([SOUND])]);
  return graph.op('Slice', [sound, graph.ints([0]), end, graph.ints([1])]);
}

interface Attended {
  /** Name of the output that goes back into the text. */
  readonly value: string;
  readonly keys: string;
  readonly values: string;
}

/**
 * `source`: the sound, of which the cache only gets what is new; null attends to the text itself, whose cache
 * grows.
 */
function attention(
  graph: GraphBuilder,
  random: Random,
  width: number,
  x: string,
  source: string | null,
  cache: Cache,
  bias: string | null,
): Attended {
  const heads = (values: string) =>
    graph.op('Transpose', [graph.op('Reshape', [values, graph.ints([0, 0, width / HEAD, HEAD])])], {
      perm: [0, 2, 1, 3],
    });
  const part = (values: string) => heads(linear(graph, random, values, width, width));
  const query = graph.op('Mul', [part(x), graph.scalar(1 / Math.sqrt(HEAD))]);
  const fresh = { key: part(source ?? x), value: part(source ?? x) };
  const keys = graph.op('Concat', [cache.key, fresh.key], { axis: 2 });
  const values = graph.op('Concat', [cache.value, fresh.value], { axis: 2 });
  const scores = graph.op('MatMul', [query, graph.op('Transpose', [keys], { perm: [0, 1, 3, 2] })]);
  const shares = graph.op('Softmax', [bias === null ? scores : graph.op('Add', [scores, bias])], {
    axis: -1,
  });
  const mixed = graph.op('Transpose', [graph.op('MatMul', [shares, values])], { perm: [0, 2, 1, 3] });
  const joined = graph.op('Reshape', [mixed, graph.ints([0, 0, width])]);
  const answer = source === null ? { keys, values } : { keys: fresh.key, values: fresh.value };
  return { value: linear(graph, random, joined, width, width), ...answer };
}

function present(
  graph: GraphBuilder,
  width: number,
  layer: number,
  side: 'decoder' | 'encoder',
  { keys, values }: Attended,
): void {
  const dims = ['batch_size', width / HEAD, `${side}_sequence_length_out`, HEAD];
  graph.output(keys, `present.${layer}.${side}.key`, 'float', dims);
  graph.output(values, `present.${layer}.${side}.value`, 'float', dims);
}
