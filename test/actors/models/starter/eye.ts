// The starter family as tests use it: pictures and texts to vectors, through the same door as the program.
import { starterFamily } from '../../../../actors/embedder/starter.ts';
import type { VisualRow } from '../../../../actors/models/contract.ts';
import { builtInRows } from '../../../../actors/models/rows/list.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { createLog } from '../../../../runtime/log.ts';

export const row = builtInRows.find(({ key }) => key === 'starter-visual') as VisualRow;
const log = createLog('test', () => {});

export const open = (source: string | Uint8Array) => openSession(source, { device: 'cpu', threads: 1, log });

export interface Eye {
  /** One vector a picture. */
  look(pictures: readonly Uint8Array[]): Promise<Float32Array[]>;
  ask(text: string): Promise<Float32Array>;
  close(): Promise<void>;
}

export async function openEye(): Promise<Eye> {
  const family = await starterFamily.open(row, () => '', open);
  const { batch, dimensions } = row.visual;
  return {
    look: async (pictures) => {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < pictures.length; at += batch) {
        const made = await family.pictures(pictures.slice(at, at + batch));
        for (let i = 0; i < made.length; i += dimensions) vectors.push(made.slice(i, i + dimensions));
      }
      return vectors;
    },
    ask: async (text) => (await family.texts([text])).vectors,
    close: () => family.close(),
  };
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** The chance that one of the first scores more than one of the second. */
export function area(high: readonly number[], low: readonly number[]): number {
  const won = high.flatMap((a) => low.map((b): number => (a > b ? 1 : a === b ? 0.5 : 0)));
  return won.reduce((sum, win) => sum + win, 0) / won.length;
}
