// Model folders with small graphs of the families, as a user could make them.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRow, VisualSide } from '../../../actors/models/contract.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { DIMENSIONS, SIDE, textGraph, visionGraph } from './graphs.ts';
import { clipLike, gemmaLike } from './tokenizers.ts';

export interface TinyFiles {
  readonly vision: Uint8Array;
  readonly text: Uint8Array;
  readonly tokenizer: object;
}

const file = (role: string, name: string) => ({ role, name, url: null, size: null, sha256: null });

function tinyRow(key: string, like: string, changes: Partial<VisualSide>): ModelRow {
  const row = builtInRows.find((one) => one.key === like)!;
  const visual = row.visual!;
  const shape = { ...visual.shape, width: SIDE, height: SIDE };
  return {
    ...row,
    key,
    files: [file('vision', 'vision.onnx'), file('text', 'text.onnx'), file('tokenizer', 'tokenizer.json')],
    visual: { ...visual, shape, dimensions: DIMENSIONS, batch: 4, ...changes },
  };
}

export const siglipFiles: TinyFiles = {
  vision: visionGraph({ output: 'pooler_output' }),
  text: textGraph('pooler_output', 64),
  tokenizer: gemmaLike(),
};
export const clipFiles: TinyFiles = {
  vision: visionGraph({ output: 'image_embeds' }),
  text: textGraph('text_embeds', 77, true, 'sequence_length'),
  tokenizer: clipLike(),
};

export const siglipRow = (key: string, changes: Partial<VisualSide> = {}) =>
  tinyRow(key, 'siglip2-b16-256', changes);

export function clipRow(key: string, changes: Partial<VisualSide> = {}): ModelRow {
  const row = tinyRow(key, 'clip-b32', changes);
  const text = row.visual!.text!;
  return { ...row, visual: { ...row.visual!, text: { ...text, pad_id: 301, end_id: 301, ...changes.text } } };
}

export async function writeModel(modelsDir: string, row: ModelRow, files: TinyFiles): Promise<void> {
  const folder = join(modelsDir, row.key);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.json'), JSON.stringify(row));
  await writeFile(join(folder, 'vision.onnx'), files.vision);
  await writeFile(join(folder, 'text.onnx'), files.text);
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(files.tokenizer));
}
