// The family of the x3-asr models: an audio encoder, and a decoder in two graphs, one for the prompt with the
// sound (prefill) and one for each token after it, with a key-value cache. They give no times: a text spans
// the speech of its window.

import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { reasonOf } from '../../../runtime/errors.ts';
import { languageCode, languageName, offeredLanguage } from '../../../runtime/languages.ts';
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import { LogMel } from '../../acoustics/mel.ts';
import { modelErrors, type SpeechRow } from '../../models/contract.ts';
import { argmax, floatsOf, type Graph, openGraph, type TensorOut } from '../../models/session.ts';
import {
  emptyTranscript,
  type SpeechFamily,
  type SpeechWindow,
  type TranscriberFamily,
  tokenLimit,
  type WindowTranscript,
} from '../family.ts';
import { Float16Table } from '../float16-table.ts';

interface Parts {
  readonly row: SpeechRow;
  readonly mel: LogMel;
  readonly prompter: Prompter;
  readonly encoder: Graph;
  readonly init: Graph;
  readonly step: Graph;
  readonly embeddings: Float16Table;
}

/** Keys and values of all layers: layers×1×heads×length×size. */
interface Cache {
  readonly keys: TensorOut;
  readonly values: TensorOut;
}

const cacheOutputs = ['logits', 'present_keys', 'present_values'];
const cacheShape = [null, 1, null, null, null];
/**
 * Shorter sound is followed by silence up to this length, half a second, as in the reference implementation.
 */
const SHORTEST_SAMPLES = 8000;
/** More than an answer has before its text, `language English<asr_text>`. */
const HEADER_TOKENS = 32;

export const x3asr: TranscriberFamily = {
  open: async (row, file, session, checkpoint) => {
    const opened: { close(): Promise<void> }[] = [];
    const close = async () => {
      for (const { close } of opened.splice(0)) await close();
    };
    const graph = async (...[role, inputs, outputs]: GraphPlan) => {
      await checkpoint();
      const graph = await openGraph(session, file(role), inputs, outputs);
      opened.push({ close: () => graph.session.release() });
      return graph;
    };
    try {
      const bands = row.speech.mel_bins;
      if (bands !== 80 && bands !== 128) {
        throw modelErrors.MODEL_INVALID(`The model "${row.key}" has ${bands} mel bins, expected 80 or 128`, {
          key: row.key,
        });
      }
      const prompter = await Prompter.open(file('tokenizer'), row);
      const encoder = await graph(...encoderPlan(bands));
      const init = await graph(...initPlan);
      const step = await graph(...stepPlan);
      const embeddings = await Float16Table.open(file('embeddings'), widthOf(step));
      opened.push({ close: () => embeddings.close() });
      const parts = { row, mel: new LogMel(bands), prompter, encoder, init, step, embeddings };
      // A warm-up: the first run is slow, and a graph that cannot run fails here instead of in a session.
      const silence = new Float32Array(SHORTEST_SAMPLES);
      await generate(parts, { samples: silence, speech: [[0, silence.length]] }, null, checkpoint, 2);
      return family(parts, close);
    } catch (error) {
      await close();
      throw error;
    }
  },
};

type GraphPlan = [role: string, inputs: Parameters<typeof openGraph>[2], outputs: readonly string[]];

const encoderPlan = (bands: number): GraphPlan => [
  'encoder',
  [{ name: 'mel', type: 'float32', shape: [1, bands, null] }],
  ['audio_features'],
];
const initPlan: GraphPlan = [
  'decoder_init',
  [
    { name: 'input_ids', type: 'int64', shape: [1, null] },
    { name: 'position_ids', type: 'int64', shape: [1, null] },
    { name: 'audio_features', type: 'float32', shape: [1, null, null] },
    { name: 'audio_offset', type: 'int64', shape: [1] },
  ],
  cacheOutputs,
];
const stepPlan: GraphPlan = [
  'decoder_step',
  [
    { name: 'input_embeds', type: 'float32', shape: [1, 1, null] },
    { name: 'position_ids', type: 'int64', shape: [1, 1] },
    { name: 'past_keys', type: 'float32', shape: cacheShape },
    { name: 'past_values', type: 'float32', shape: cacheShape },
  ],
  cacheOutputs,
];

/** Length of the vector of a token. */
function widthOf(step: Graph): number {
  const width = step.shapeOf('input_embeds')[2];
  if (typeof width === 'number') return width;
  throw modelErrors.MODEL_LOAD_FAILED(`${step.file}: input input_embeds has no fixed width`, {
    file: step.file,
  });
}

function family(parts: Parts, close: () => Promise<void>): SpeechFamily {
  return {
    runsOn: parts.step.session,
    // The step takes no attention mask, so prompts of different lengths cannot share a batch: windows run one
    // by one.
    transcribe: async (windows, language, checkpoint) => {
      const transcripts: WindowTranscript[] = [];
      for (const window of windows) {
        const limit = tokenLimit(parts.row.speech, window.samples.length);
        const ids = await generate(parts, window, language, checkpoint, limit);
        transcripts.push(transcriptOf(parts.prompter, ids, window, language));
      }
      return transcripts;
    },
    detectLanguage: async (windows, checkpoint) => {
      const languages: (string | null)[] = [];
      for (const window of windows) {
        const ids = await generate(parts, window, null, checkpoint, HEADER_TOKENS);
        const { language } = parts.prompter.answer(ids, null);
        languages.push(language && offeredLanguage(parts.row.languages, language));
      }
      return languages;
    },
    close,
  };
}

/**
 * The text as one piece over all speech of the window; its words are timed when it is broken into segments.
 */
function transcriptOf(
  prompter: Prompter,
  ids: readonly number[],
  { speech }: SpeechWindow,
  language: string | null,
): WindowTranscript {
  const answer = prompter.answer(ids, language);
  const start = speech[0]?.[0];
  const end = speech.at(-1)?.[1];
  if (answer.text === '' || start === undefined || end === undefined) return emptyTranscript;
  return {
    pieces: [{ text: ` ${answer.text}`, start: start / 16_000, end: end / 16_000 }],
    language: answer.language,
  };
}

/** The tokens the model writes for a window, without the end; at most `limit`. */
async function generate(
  parts: Parts,
  { samples }: SpeechWindow,
  language: string | null,
  checkpoint: Checkpoint,
  limit: number,
): Promise<number[]> {
  const { data, bands, frames } = parts.mel.spectrogram(atLeastShortest(samples));
  await checkpoint();
  const encoded = await parts.encoder.run({ mel: { data, dims: [1, bands, frames] } });
  const features = floatsOf(parts.encoder, encoded, 'audio_features', 3);
  const { ids, audioOffset } = parts.prompter.prompt(features.dims[1] ?? 0, language);
  await checkpoint();
  let results = await parts.init.run({
    input_ids: { data: ids, dims: [1, ids.length] },
    position_ids: { data: BigInt64Array.from(ids, (_, at) => BigInt(at)), dims: [1, ids.length] },
    audio_features: features,
    audio_offset: { data: BigInt64Array.of(BigInt(audioOffset)), dims: [1] },
  });
  let cache = cacheOf(parts.init, results, ids.length);
  let token = lastToken(parts.init, results);
  const written: number[] = [];
  const embedding = new Float32Array(parts.embeddings.width);
  while (!parts.prompter.endTokens.has(token)) {
    written.push(token);
    if (written.length >= limit) break;
    await checkpoint();
    await parts.embeddings.read(token, embedding);
    const position = ids.length + written.length - 1;
    results = await parts.step.run({
      input_embeds: { data: embedding, dims: [1, 1, embedding.length] },
      position_ids: { data: BigInt64Array.of(BigInt(position)), dims: [1, 1] },
      past_keys: cache.keys,
      past_values: cache.values,
    });
    cache = cacheOf(parts.step, results, position + 1);
    token = lastToken(parts.step, results);
  }
  return written;
}

function atLeastShortest(samples: Float32Array): Float32Array {
  if (samples.length >= SHORTEST_SAMPLES) return samples;
  const padded = new Float32Array(SHORTEST_SAMPLES);
  padded.set(samples);
  return padded;
}

/**
 * Throws MODEL_RUN_FAILED when the cache does not have the length that was fed: the next step would read
 * wrong keys.
 */
function cacheOf(graph: Graph, results: Readonly<Record<string, TensorOut>>, length: number): Cache {
  const keys = floatsOf(graph, results, 'present_keys', 5);
  const values = floatsOf(graph, results, 'present_values', 5);
  const fault = [keys, values].find(({ dims }) => dims[1] !== 1 || dims[3] !== length);
  if (!fault) return { keys, values };
  throw modelErrors.MODEL_RUN_FAILED(
    `${graph.file}: the cache is ${fault.dims.join('×')}, expected one window of ${length} tokens`,
    { file: graph.file },
  );
}

/** The likeliest token at the last position. */
function lastToken(graph: Graph, results: Readonly<Record<string, TensorOut>>): number {
  const { data, dims } = floatsOf(graph, results, 'logits', 3);
  const vocabulary = dims[2] ?? 0;
  return argmax(data, data.length - vocabulary, data.length);
}

// The prompt of the x3asr decoder, chat turns around the sound, and the reading of its answer,
// `language X<asr_text>…` or the text alone.

/** Special tokens, by the name under which the row may give their number. */
const specialTokens = {
  im_start: '<|im_start|>',
  im_end: '<|im_end|>',
  audio_start: '<|audio_start|>',
  audio_end: '<|audio_end|>',
  audio_pad: '<|audio_pad|>',
  asr_text: '<asr_text>',
} as const;

const BEFORE = '<|im_start|>system\n<|im_end|>\n<|im_start|>user\n<|audio_start|>';
const AFTER = '<|audio_end|><|im_end|>\n<|im_start|>assistant\n';

/** Keeps the spaces as the model wrote them. */
const decoding = { skip_special_tokens: true, clean_up_tokenization_spaces: false };

interface Prompt {
  readonly ids: BigInt64Array;
  /** Position of the first placeholder for the sound. */
  readonly audioOffset: number;
}

interface Answer {
  /** Without blanks around it; empty when nothing is said. */
  readonly text: string;
  /** BCP 47, null when the model named none that is known. */
  readonly language: string | null;
}

class Prompter {
  readonly #encode: (text: string) => readonly number[];
  readonly #decode: (ids: readonly number[]) => string;
  readonly #pad: bigint;
  readonly #asrText: number;
  /** Each of them ends an answer. */
  readonly endTokens: ReadonlySet<number>;

  private constructor(tokenizer: Tokenizer, row: SpeechRow, file: string) {
    this.#encode = (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
    this.#decode = (ids) => (ids.length === 0 ? '' : tokenizer.decode([...ids], decoding));
    const ids = Object.entries(specialTokens).map(
      ([name, text]) => [name, this.#single(name, text, row, file)] as const,
    );
    const { audio_pad, asr_text, im_end } = Object.fromEntries(ids) as Record<
      keyof typeof specialTokens,
      number
    >;
    this.#pad = BigInt(audio_pad);
    this.#asrText = asr_text;
    this.endTokens = new Set([...row.speech.end_ids, im_end]);
  }

  /** Throws MODEL_LOAD_FAILED when the file cannot be read, or its tokens are not those of the family. */
  static async open(file: string, row: SpeechRow): Promise<Prompter> {
    try {
      return new Prompter(new Tokenizer(JSON.parse(await readFile(file, 'utf8')) as object, {}), row, file);
    } catch (error) {
      if (modelErrors.MODEL_LOAD_FAILED.is(error)) throw error;
      const reason = reasonOf(error);
      throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${reason}`, { file }, error);
    }
  }

  /** `count`: audio features. `language`: null lets the model detect it. */
  prompt(count: number, language: string | null): Prompt {
    const before = this.#encode(BEFORE);
    const text = language === null ? '' : `language ${languageName(language)}${specialTokens.asr_text}`;
    const after = this.#encode(AFTER + text);
    const ids = new BigInt64Array(before.length + count + after.length).fill(this.#pad);
    for (const [at, id] of before.entries()) ids[at] = BigInt(id);
    for (const [at, id] of after.entries()) ids[before.length + count + at] = BigInt(id);
    return { ids, audioOffset: before.length };
  }

  /** `ids`: what the model wrote, without the end. `language`: as it was told. */
  answer(ids: readonly number[], language: string | null): Answer {
    const textStart = ids.lastIndexOf(this.#asrText);
    const text = this.#decode(ids.slice(textStart + 1)).trim();
    if (language !== null) return { text, language };
    const named = /^\s*language\s+(.+?)\s*$/su.exec(this.#decode(ids.slice(0, Math.max(0, textStart))))?.[1];
    // The model names the main language first.
    const code = named === undefined ? null : languageCode(named.split(',', 1)[0] ?? '');
    return { text, language: code === 'auto' ? null : code };
  }

  #single(name: string, text: string, row: SpeechRow, file: string): number {
    const ids = this.#encode(text);
    const expectedId = row.speech.token_ids[name];
    const [id] = ids;
    if (ids.length === 1 && id !== undefined && (expectedId === undefined || expectedId === id)) return id;
    const expected = expectedId === undefined ? 'one token' : `the token ${expectedId}`;
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${text} is ${ids.join(', ')}, expected ${expected}`, {
      file,
    });
  }
}
