// Whisper's decoder with its key-value cache: self-attention over the tokens so far, and cross-attention to
// the encoded sound, which is computed in the first run only. One merged graph does both; `use_cache_branch`
// says which.

import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import { modelErrors } from '../../models/contract.ts';
import { floatsOf, type Graph, openGraph, type SessionOpener, type TensorIn } from '../../models/session.ts';
import { compressionRatio } from '../text/hallucinations.ts';
import {
  type LikelyLanguage,
  likeliest,
  probabilityOf,
  type Sampling,
  sampleToken,
  seeded,
  TIMES,
} from './sampling.ts';
import type { Vocabulary } from './vocabulary.ts';

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

export interface WhisperDecoder {
  begin(sound: EncodedSound): Decoding;
}

/**
 * `vocabulary`: of the tokenizer beside it. Throws MODEL_LOAD_FAILED, naming the file and what it lacks; so
 * does the first step of a decoder whose tokens are not those of the tokenizer.
 */
export async function openDecoder(
  open: SessionOpener,
  file: string,
  vocabulary: Vocabulary,
): Promise<WhisperDecoder> {
  const graph = await openGraph(
    open,
    file,
    [
      { name: 'input_ids', type: 'int64', shape: [null, null] },
      { name: 'encoder_hidden_states', type: 'float32', shape: [null, null, null] },
      { name: 'use_cache_branch', type: 'bool', shape: [1] },
    ],
    ['logits'],
    { hasByteProducts: true },
  );
  return decoderOf(graph, cachesOf(graph), vocabulary);
}

function decoderOf(graph: Graph, caches: readonly CachePort[], { firstTime }: Vocabulary): WhisperDecoder {
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
          const logits = floatsOf(graph, results, 'logits', 3);
          const [tokenizerSize, size] = [firstTime + TIMES, logits.dims[2] ?? 0];
          // With one token more or less every time would be read as another token.
          if (size !== tokenizerSize) {
            const fault = `has ${size} tokens, but its tokenizer.json has ${tokenizerSize}; they belong to different models`;
            throw modelErrors.MODEL_LOAD_FAILED(`${graph.file}: ${fault}`, { file: graph.file });
          }
          return rowsOf(logits, length);
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

// Decodes encoded sound: greedy at first, and a text that repeats itself or has a low probability again at
// higher temperatures, as the reference implementation does.

/**
 * Tried in turn until a text is accepted. They end below the reference's 1, which writes nearly random text.
 */
const temperatures = [0, 0.2, 0.4, 0.6, 0.8];
/** A text beyond either threshold is decoded again, at the next temperature. */
const COMPRESSION_RATIO_THRESHOLD = 2.4;
const LOG_PROBABILITY_THRESHOLD = -1;
/** Above this probability of no speech a low probability of the text is no reason to decode again. */
const NO_SPEECH_THRESHOLD = 0.6;

/** One sound on its way through the decoder. */
export interface DecoderRow {
  /** Its row in the encoded batch. */
  readonly index: number;
  /** Tokens of the prompt, equally many for all rows of a batch. */
  readonly prompt: readonly number[];
  /** The most tokens of its text. */
  readonly limit: number;
}

/** A text as it was decoded. */
export interface Hypothesis {
  /** Without prompt and end token. */
  readonly tokens: readonly number[];
  /** True if the model ended the text, false if it reached the limit. */
  readonly ended: boolean;
  readonly meanLogProbability: number;
  readonly compressionRatio: number;
  /** Probability, 0 to 1, that nobody speaks. */
  readonly noSpeech: number;
  /** Spoken language, whatever language the prompt names; null for a model of one language. */
  readonly heard: LikelyLanguage | null;
}

interface DecodingParts {
  readonly decoder: WhisperDecoder;
  readonly vocabulary: Vocabulary;
  /** Tokens of the languages of the model. */
  readonly languages: ReadonlyMap<string, number>;
}

/**
 * The best hypothesis for each row: the first one that is accepted, else the likeliest, if possible without
 * repetition.
 */
export async function decode(
  decoding: DecodingParts,
  sound: EncodedSound,
  rows: readonly DecoderRow[],
  checkpoint: Checkpoint,
): Promise<Hypothesis[]> {
  const best: (Hypothesis | undefined)[] = rows.map(() => undefined);
  let open = rows.map((_, at) => at);
  for (const temperature of temperatures) {
    const openRows = open.map((at) => rows[at]!);
    const hypotheses = await decodeAt(decoding, sound, openRows, temperature, checkpoint);
    for (const [index, at] of open.entries()) {
      const hypothesis = hypotheses[index]!;
      const before = best[at];
      if (!before || better(hypothesis, before)) best[at] = hypothesis;
    }
    open = open.filter((_, index) => !accepted(hypotheses[index]!));
    if (open.length === 0) break;
  }
  return best.map((hypothesis) => hypothesis!);
}

/** One decoding of all rows at one temperature. */
async function decodeAt(
  { decoder, vocabulary, languages }: DecodingParts,
  sound: EncodedSound,
  rows: readonly DecoderRow[],
  temperature: number,
  checkpoint: Checkpoint,
): Promise<Hypothesis[]> {
  // Each row has a random generator of its own, so that no text depends on the other rows of the batch.
  const samplings = rows.map((): Sampling => ({ temperature, random: seeded(1) }));
  const written: number[][] = rows.map(() => []);
  const sums = rows.map(() => 0);
  const ended = rows.map(() => false);
  const done = (at: number) => ended[at]! || written[at]!.length >= rows[at]!.limit;
  const run = decoder.begin(parts(sound, rows));
  await checkpoint();
  let logits = await run.step(rows.map(({ prompt }) => prompt));
  // The first token of a prompt is the start token, after which the model says what it hears.
  const noSpeech = rows.map((_, at) => probabilityOf(logits.row(at, 0), vocabulary.noSpeech));
  const heardLanguages = rows.map((_, at) => likeliest(logits.row(at, 0), languages));
  for (;;) {
    for (const [at, { limit }] of rows.entries()) {
      if (done(at)) continue;
      const tokens = written[at]!;
      const row = logits.row(at, logits.tokens - 1);
      const next = sampleToken(row, tokens, vocabulary, samplings[at]!, tokens.length + 1 === limit);
      sums[at]! += next.logProbability;
      if (next.token === vocabulary.end) ended[at] = true;
      else tokens.push(next.token);
    }
    if (rows.every((_, at) => done(at))) break;
    await checkpoint();
    // Rows that are done are padded with end tokens, whose logits are not read.
    logits = await run.step(written.map((tokens, at) => [done(at) ? vocabulary.end : tokens.at(-1)!]));
  }
  return written.map((tokens, at) => ({
    tokens,
    ended: ended[at]!,
    meanLogProbability: sums[at]! / (tokens.length + 1),
    compressionRatio: compressionRatio(vocabulary.text(tokens.filter((token) => token < vocabulary.end))),
    noSpeech: noSpeech[at]!,
    heard: heardLanguages[at]!,
  }));
}

/** The encoded sound of those rows only. */
function parts(
  { data, dims: [batch, positions, width] }: EncodedSound,
  rows: readonly DecoderRow[],
): EncodedSound {
  if (rows.length === batch) return { data, dims: [batch, positions, width] };
  const size = positions * width;
  const part = new Float32Array(rows.length * size);
  for (const [at, { index }] of rows.entries()) {
    part.set(data.subarray(index * size, (index + 1) * size), at * size);
  }
  return { data: part, dims: [rows.length, positions, width] };
}

/** True if the model hears silence: the text is improbable, and speech is unlikely. */
export function isSilence({ noSpeech, meanLogProbability }: Hypothesis): boolean {
  return noSpeech > NO_SPEECH_THRESHOLD && meanLogProbability < LOG_PROBABILITY_THRESHOLD;
}

export function repeatsItself({ compressionRatio: ratio }: Hypothesis): boolean {
  return ratio > COMPRESSION_RATIO_THRESHOLD;
}

function accepted(hypothesis: Hypothesis): boolean {
  const isProbable = hypothesis.meanLogProbability >= LOG_PROBABILITY_THRESHOLD;
  return isSilence(hypothesis) || (isProbable && !repeatsItself(hypothesis));
}

function better(first: Hypothesis, second: Hypothesis): boolean {
  const repetitions = Number(repeatsItself(first)) - Number(repeatsItself(second));
  return repetitions < 0 || (repetitions === 0 && first.meanLogProbability > second.meanLogProbability);
}
