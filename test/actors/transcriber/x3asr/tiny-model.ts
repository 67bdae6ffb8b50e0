// A model folder of the x3asr family, as a user could make it: small graphs, a tokenizer of single bytes.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRow, SpeechSide } from '../../../../actors/models/contract.ts';
import { builtInRows } from '../../../../actors/models/rows/list.ts';
import { byteIds, byteTokenizer, firstMark } from '../../models/byte-tokenizer.ts';
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
export const idOf = (mark: (typeof marks)[number]) => firstMark + marks.indexOf(mark);

export const idsOf = (text: string): number[] => byteIds(text, marks);
/** The vocabulary is like that of the real file: the mark of the text is none of the special ones. */
export const tinyTokenizer = (): object => byteTokenizer(marks, ['<asr_text>']);

export const graphIds = { pad: idOf('<|audio_pad|>'), audioStart: idOf('<|audio_start|>'), fault: 33 };

/**
 * Louder sounds get later answers: between the loudest spots of noise of the amplitudes 0.001, 0.03 and 0.5.
 */
export const thresholds = [0.1, 0.8];

export interface TinyFiles {
  readonly encoder: Uint8Array;
  readonly decoder_init: Uint8Array;
  readonly decoder_step: Uint8Array;
  readonly embeddings: Uint8Array | Uint16Array;
  readonly tokenizer: object;
}

/**
 * `answers`: what is written for sounds of each loudness, marks included; one without an end goes on for
 * ever.
 */
export function x3asrFiles(answers: readonly string[], cache = smallCache): TinyFiles {
  const plans = answers.map(idsOf);
  return {
    encoder: encoderGraph(thresholds),
    decoder_init: initGraph(plans, graphIds, cache),
    decoder_step: stepGraph(plans, graphIds, cache),
    embeddings: embeddings(),
    tokenizer: tinyTokenizer(),
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
