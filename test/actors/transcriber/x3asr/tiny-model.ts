// A model folder of the x3asr family, as a user could make it: small graphs, a tokenizer of single bytes.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRow, SpeechSide } from '../../../../actors/models/contract.ts';
import { builtInRows } from '../../../../actors/models/rows/list.ts';
import { embeddings, encoderGraph, initGraph, smallCache, stepGraph } from './graphs.ts';

const marks = [
  '<|endoftext|>',
  '<|im_start|>',
  '<|im_end|>',
  '<|audio_start|>',
  '<|audio_end|>',
  '<|audio_pad|>',
  '<asr_text>',
] as const;
const FIRST_MARK = 256;
export const idOf = (mark: (typeof marks)[number]) => FIRST_MARK + marks.indexOf(mark);

/** The bytes of a text as the tokenizer numbers them, marks as one token. */
export function idsOf(text: string): number[] {
  return text
    .split(/(<\|[a-z_]+\|>|<asr_text>)/)
    .flatMap((part) =>
      marks.includes(part as never) ? [idOf(part as (typeof marks)[number])] : [...Buffer.from(part)],
    );
}

/** Letters that stand for bytes in byte-level vocabularies. */
function byteLetters(): string[] {
  const plain = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(plain(byte) ? byte : next++));
}

export function byteTokenizer(): object {
  return {
    added_tokens: marks.map((content) => ({
      id: idOf(content),
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      // As in the real file: the mark of the text is none of the special ones.
      special: content !== '<asr_text>',
    })),
    normalizer: { type: 'NFC' },
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    post_processor: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: 'BPE',
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(byteLetters().map((letter, byte) => [letter, byte])),
      merges: [],
    },
  };
}

export const graphIds = { pad: idOf('<|audio_pad|>'), audioStart: idOf('<|audio_start|>'), fault: 33 };

/** Louder sounds get later answers: between the loudest spots of noise of the amplitudes 0.001, 0.03 and 0.5. */
export const thresholds = [0.1, 0.8];

export interface TinyFiles {
  readonly encoder: Uint8Array;
  readonly decoder_init: Uint8Array;
  readonly decoder_step: Uint8Array;
  readonly embeddings: Uint8Array | Uint16Array;
  readonly tokenizer: object;
}

/** `answers`: what is written for sounds of each loudness, marks included; one without an end goes on for ever. */
export function x3asrFiles(answers: readonly string[], cache = smallCache): TinyFiles {
  const plans = answers.map(idsOf);
  return {
    encoder: encoderGraph(thresholds),
    decoder_init: initGraph(plans, graphIds, cache),
    decoder_step: stepGraph(plans, graphIds, cache),
    embeddings: embeddings(),
    tokenizer: byteTokenizer(),
  };
}

const names = {
  encoder: 'encoder.int4.onnx',
  decoder_init: 'decoder_init.int4.onnx',
  decoder_step: 'decoder_step.int4.onnx',
  embeddings: 'embed_tokens.bin',
  tokenizer: 'tokenizer.json',
} as const;

export function x3asrRow(key: string, changes: Partial<SpeechSide> = {}): ModelRow {
  const row = builtInRows.find((one) => one.key === 'x3-asr-0.6b')!;
  const files = Object.entries(names).map(([role, name]) => ({
    role,
    name,
    url: null,
    size: null,
    sha256: null,
  }));
  const token_ids = Object.fromEntries(
    marks.slice(1).map((mark) => [mark.replaceAll(/[<|>]/g, ''), idOf(mark)]),
  );
  const speech = { ...row.speech!, token_ids, end_ids: [idOf('<|endoftext|>')], ...changes };
  return { ...row, key, files, speech };
}

export async function writeX3asr(modelsDir: string, row: ModelRow, files: TinyFiles): Promise<void> {
  const folder = join(modelsDir, row.key);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.json'), JSON.stringify(row));
  for (const [role, name] of Object.entries(names)) {
    const content = files[role as keyof typeof names];
    const bytes = content instanceof Uint16Array ? new Uint8Array(content.buffer) : content;
    await writeFile(join(folder, name), bytes instanceof Uint8Array ? bytes : JSON.stringify(bytes));
  }
}

/** Noise that is the same every time; `amplitude` chooses the answer. */
export function noise(samples: number, amplitude: number, seed = 1): Float32Array {
  let state = seed * 2654435761;
  return Float32Array.from({ length: samples }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return amplitude * (state / 2 ** 31 - 1);
  });
}
