// Model folders of both families of language models, as a user could make them: small graphs that say what a
// test wants, and a tokenizer of single bytes.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRow, SummaryRow, SummarySide } from '../../../../actors/models/contract.ts';
import { builtInRows } from '../../../../actors/models/rows/list.ts';
import { byteIds, byteTokenizer, firstMark } from '../../models/byte-tokenizer.ts';
import {
  type DecoderOptions,
  decoderGraph,
  embedTokens,
  qwenVision,
  smallSizes,
  smolVision,
} from './graphs.ts';

const families = {
  qwen3vl: {
    key: 'x3-vl-2b-instruct',
    marks: [
      '<|endoftext|>',
      '<|im_start|>',
      '<|im_end|>',
      '<|vision_start|>',
      '<|vision_end|>',
      '<|image_pad|>',
    ],
    end: '<|im_end|>',
    mark: '<|im_start|>',
    count: 3,
    lead: 'assistant\n'.length,
    side: 64,
  },
  smolvlm: {
    key: 'smolvlm2-256m',
    marks: ['<|im_start|>', '<end_of_utterance>', '<fake_token_around_image>', '<global-img>', '<image>'],
    end: '<end_of_utterance>',
    mark: '<end_of_utterance>',
    count: 2,
    lead: '\nAssistant:'.length,
    side: 32,
  },
} as const;
export type FamilyName = keyof typeof families;

export const idOf = (name: FamilyName, mark: string) => {
  const marks: readonly string[] = families[name].marks;
  return firstMark + marks.indexOf(mark);
};

/** `context` counts bytes here. */
export function tinyRow(name: FamilyName, changes: Partial<SummarySide> = {}): SummaryRow {
  const { key, side } = families[name];
  const row = builtInRows.find((one) => one.key === key) as SummaryRow;
  const files = row.files
    .filter(({ role }) => !role.endsWith('_data'))
    .map((file) => ({ ...file, url: null, size: null }));
  const summary = { ...row.summary, context: 16_384, answer: 1024, ...changes };
  return { ...row, key: 'tiny', files, frame_resolution: side, summary };
}

export interface TinyFiles {
  readonly vision: Uint8Array;
  readonly embeddings: Uint8Array;
  readonly decoder: Uint8Array;
  readonly tokenizer: Uint8Array | string;
}

/**
 * What the model answers first, and what it answers to a repair; the mark of the end follows unless it is
 * `endless`.
 */
export function tinyFiles(
  name: FamilyName,
  answers: readonly string[],
  { endless = false, ...options }: DecoderOptions & { readonly endless?: boolean } = {},
): TinyFiles {
  const { marks, end, mark, count, lead, side } = families[name];
  const vocabulary = firstMark + marks.length;
  const width = options.width ?? smallSizes.width;
  const plans = answers.map((answer) => byteIds(endless ? answer : `${answer}${end}`, marks));
  const script = { answers: plans, mark: idOf(name, mark), marks: count, lead, vocabulary, fault: 33 };
  return {
    vision: name === 'qwen3vl' ? qwenVision(width) : smolVision(width, side),
    embeddings: embedTokens(width, vocabulary),
    decoder: decoderGraph(script, { axes: name === 'qwen3vl' ? 3 : 1, ...options }),
    tokenizer: JSON.stringify(byteTokenizer(marks)),
  };
}

export async function writeTiny(modelsDir: string, row: ModelRow, files: TinyFiles): Promise<void> {
  const folder = join(modelsDir, row.key);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.json'), JSON.stringify(row));
  for (const { role, name } of row.files) await writeFile(join(folder, name), files[role as keyof TinyFiles]);
}
