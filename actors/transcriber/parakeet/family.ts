// The family of the parakeet models (token-and-duration transducers): features and encoder for a batch of
// windows, then for each window a joint network that predicts, frame by frame, a token and how many frames it
// lasts.

import { readFile } from 'node:fs/promises';
import { reasonOf } from '../../../runtime/errors.ts';
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import { modelErrors, type SpeechRow } from '../../models/contract.ts';
import {
  argmax,
  type ExpectedInput,
  floatsOf,
  type Graph,
  openGraph,
  type TensorOut,
} from '../../models/session.ts';
import {
  emptyTranscript,
  type SpeechFamily,
  type SpeechWindow,
  type TextPiece,
  type TranscriberFamily,
  tokenLimit,
  type WindowTranscript,
} from '../family.ts';

/** One step of the encoder. */
const FRAME_SECONDS = 0.08;
/** Tokens at one frame before the decoder advances in any case. */
const MAX_SYMBOLS_PER_FRAME = 10;
const WARM_UP_SAMPLES = 16_000;

interface Parts {
  readonly row: SpeechRow;
  readonly vocabulary: Vocabulary;
  readonly features: Graph;
  readonly encoder: Graph;
  readonly joint: Graph;
}

/** A token, the frame at which it begins, and its duration; 0 where the next one begins at the same frame. */
interface TimedToken {
  readonly token: number;
  readonly frame: number;
  readonly frames: number;
}

type GraphPlan = [role: string, inputs: readonly ExpectedInput[], outputs: readonly string[]];

const featuresPlan: GraphPlan = [
  'features',
  [
    { name: 'waveforms', type: 'float32', shape: [null, null] },
    { name: 'waveforms_lens', type: 'int64', shape: [null] },
  ],
  ['features', 'features_lens'],
];
const encoderPlan: GraphPlan = [
  'encoder',
  [
    { name: 'audio_signal', type: 'float32', shape: [null, null, null] },
    { name: 'length', type: 'int64', shape: [null] },
  ],
  ['outputs', 'encoded_lengths'],
];
const jointPlan: GraphPlan = [
  'decoder_joint',
  [
    { name: 'encoder_outputs', type: 'float32', shape: [1, null, 1] },
    { name: 'targets', type: 'int32', shape: [1, 1] },
    { name: 'target_length', type: 'int32', shape: [1] },
    { name: 'input_states_1', type: 'float32', shape: [null, 1, null] },
    { name: 'input_states_2', type: 'float32', shape: [null, 1, null] },
  ],
  ['outputs', 'output_states_1', 'output_states_2'],
];

export const parakeet: TranscriberFamily = {
  open: async (row, file, session, checkpoint) => {
    const opened: Graph[] = [];
    const close = async () => {
      for (const { session } of opened.splice(0)) await session.release();
    };
    const graph = async (...[role, inputs, outputs]: GraphPlan) => {
      await checkpoint();
      const graph = await openGraph(session, file(role), inputs, outputs);
      opened.push(graph);
      return graph;
    };
    try {
      const vocabulary = await readVocabulary(file('vocabulary'));
      const features = await graph(...featuresPlan);
      const encoder = await graph(...encoderPlan);
      const joint = await graph(...jointPlan);
      const parts = { row, vocabulary, features, encoder, joint };
      // A warm-up: the first run is slow, and a graph that cannot run fails here instead of in a session.
      const samples = new Float32Array(WARM_UP_SAMPLES);
      await transcribe(parts, [{ samples, speech: [[0, samples.length]] }], null, checkpoint);
      return {
        runsOn: encoder.session,
        transcribe: (windows, language, go) => transcribe(parts, windows, language, go),
        // It writes any of its languages without naming it.
        detectLanguage: async (windows) => windows.map(() => null),
        close,
      } satisfies SpeechFamily;
    } catch (error) {
      await close();
      throw error;
    }
  },
};

async function transcribe(
  parts: Parts,
  windows: readonly SpeechWindow[],
  language: string | null,
  checkpoint: Checkpoint,
): Promise<WindowTranscript[]> {
  const encoded = await encode(parts, windows, checkpoint);
  const answers: WindowTranscript[] = [];
  for (const [at, { samples }] of windows.entries()) {
    const tokens = await decode(parts, encoded(at), tokenLimit(parts.row.speech, samples.length), checkpoint);
    const pieces = readPieces(tokens, parts.vocabulary, samples.length / 16_000);
    answers.push(pieces.length === 0 ? emptyTranscript : { pieces, language });
  }
  return answers;
}

/** Frames of one window: `frame(i)` is a vector of `width`. */
interface Encoded {
  readonly frames: number;
  readonly width: number;
  frame(at: number): Float32Array;
}

async function encode(
  { features, encoder }: Parts,
  windows: readonly SpeechWindow[],
  checkpoint: Checkpoint,
): Promise<(window: number) => Encoded> {
  const count = windows.length;
  const longest = Math.max(...windows.map(({ samples }) => samples.length));
  const waveforms = new Float32Array(count * longest);
  for (const [at, { samples }] of windows.entries()) waveforms.set(samples, at * longest);
  const lengths = BigInt64Array.from(windows, ({ samples }) => BigInt(samples.length));
  await checkpoint();
  const results = await features.run({
    waveforms: { data: waveforms, dims: [count, longest] },
    waveforms_lens: { data: lengths, dims: [count] },
  });
  await checkpoint();
  const encoded = await encoder.run({
    audio_signal: floatsOf(features, results, 'features', 3),
    length: { data: lengthsOf(features, results, 'features_lens', count), dims: [count] },
  });
  const { data, dims } = floatsOf(encoder, encoded, 'outputs', 3);
  const frameCounts = lengthsOf(encoder, encoded, 'encoded_lengths', count);
  const [, width = 0, most = 0] = dims;
  return (window) => ({
    frames: Math.min(most, Number(frameCounts[window])),
    width,
    // The output is width×frames.
    frame: (at) =>
      Float32Array.from({ length: width }, (_, row) => data[(window * width + row) * most + at]!),
  });
}

function lengthsOf(
  { file }: Graph,
  results: Readonly<Record<string, TensorOut>>,
  name: string,
  count: number,
): BigInt64Array {
  const tensor = results[name];
  if (tensor?.data instanceof BigInt64Array && tensor.data.length === count) return tensor.data;
  throw modelErrors.MODEL_RUN_FAILED(
    `${file}: output ${name} is ${tensor?.dims.join('×') ?? 'missing'}, expected ${count} whole numbers`,
    { file },
  );
}

/**
 * Greedy: the likeliest token and the likeliest duration at every step; the states change only with a token.
 */
async function decode(
  { joint, vocabulary }: Parts,
  encoded: Encoded,
  limit: number,
  checkpoint: Checkpoint,
): Promise<TimedToken[]> {
  const tokens: TimedToken[] = [];
  let states = [emptyState(joint, 'input_states_1'), emptyState(joint, 'input_states_2')] as const;
  let symbols = 0;
  for (let frame = 0; frame < encoded.frames && tokens.length < limit; ) {
    await checkpoint();
    const results = await joint.run({
      encoder_outputs: { data: encoded.frame(frame), dims: [1, encoded.width, 1] },
      targets: { data: Int32Array.of(tokens.at(-1)?.token ?? vocabulary.blank), dims: [1, 1] },
      target_length: { data: Int32Array.of(1), dims: [1] },
      input_states_1: states[0],
      input_states_2: states[1],
    });
    const { token, duration } = readJoint(joint, results, vocabulary.size);
    if (token !== vocabulary.blank) {
      tokens.push({ token, frame, frames: duration });
      states = [
        floatsOf(joint, results, 'output_states_1', 3),
        floatsOf(joint, results, 'output_states_2', 3),
      ];
      symbols += 1;
    }
    const stays = duration === 0 && token !== vocabulary.blank && symbols < MAX_SYMBOLS_PER_FRAME;
    if (stays) continue;
    frame += Math.max(1, duration);
    symbols = 0;
  }
  return tokens;
}

/**
 * Layers×1×size zeros, in the dimensions the graph declares. Throws MODEL_RUN_FAILED when it leaves them
 * open.
 */
function emptyState(joint: Graph, input: string): { data: Float32Array; dims: readonly number[] } {
  const [layers, , size] = joint.shapeOf(input);
  if (typeof layers !== 'number' || typeof size !== 'number') {
    throw modelErrors.MODEL_RUN_FAILED(`${joint.file}: input ${input} has no fixed size`, {
      file: joint.file,
    });
  }
  return { data: new Float32Array(layers * size), dims: [layers, 1, size] };
}

/** `outputs`: a score for each token, then one for each duration, 0 frames first. */
function readJoint(
  joint: Graph,
  results: Readonly<Record<string, TensorOut>>,
  size: number,
): { token: number; duration: number } {
  const output = results['outputs'];
  if (!(output?.data instanceof Float32Array) || output.data.length <= size) {
    throw modelErrors.MODEL_RUN_FAILED(
      `${joint.file}: output outputs is ${output?.dims.join('×') ?? 'missing'}, expected more than ${size} floats`,
      { file: joint.file },
    );
  }
  return { token: argmax(output.data, 0, size), duration: argmax(output.data, size, output.data.length) };
}

/** A token lasts as long as its duration says, but not into the next one; `seconds`: length of the window. */
function readPieces(tokens: readonly TimedToken[], vocabulary: Vocabulary, seconds: number): TextPiece[] {
  const pieces: TextPiece[] = [];
  for (const [at, { token, frame, frames }] of tokens.entries()) {
    const text = vocabulary.textOf(token);
    if (text === '') continue;
    const next = tokens[at + 1]?.frame ?? Number.POSITIVE_INFINITY;
    const end = Math.min(frame + Math.max(1, frames), Math.max(frame, next));
    const clamped = (frames: number) => Math.min(seconds, frames * FRAME_SECONDS);
    pieces.push({ text, start: clamped(frame), end: clamped(end) });
  }
  return pieces;
}

// The vocabulary of a parakeet model (SentencePiece): a line for each token, `▁the 123`, where `▁` begins a
// word.

const BLANK = '<blk>';
/** Special tokens such as `<unk>` and `<|en|>`. */
const special = /^<.+>$/u;

interface Vocabulary {
  readonly size: number;
  /** The blank of the transducer: no token at this frame. */
  readonly blank: number;
  /** How a token is written, with a space where it begins a word; empty for special tokens. */
  textOf(token: number): string;
}

/** Throws MODEL_LOAD_FAILED, naming the file and the line. */
async function readVocabulary(file: string): Promise<Vocabulary> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const reason = reasonOf(error);
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${reason}`, { file }, error);
  }
  try {
    return parseVocabulary(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw modelErrors.MODEL_LOAD_FAILED(`${file}: ${error.message}`, { file }, error);
  }
}

/** Throws RangeError for a line of another form, a number twice, a gap, and when there is no blank. */
export function parseVocabulary(text: string): Vocabulary {
  const texts: string[] = [];
  let blank: number | null = null;
  let count = 0;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line === '') continue;
    const match = /^(\S+) (\d+)$/u.exec(line);
    const token = Number(match?.[2]);
    if (!match?.[1] || texts[token] !== undefined)
      throw new RangeError(`line ${at + 1} is no new token: ${line}`);
    if (match[1] === BLANK) blank = token;
    texts[token] = special.test(match[1]) ? '' : match[1].replaceAll('▁', ' ');
    count += 1;
  }
  if (blank === null) throw new RangeError(`there is no ${BLANK}`);
  if (count !== texts.length)
    throw new RangeError(`there are ${count} tokens, numbered up to ${texts.length - 1}`);
  return { size: count, blank, textOf: (token) => texts[token] ?? '' };
}
