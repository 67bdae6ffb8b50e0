// starter-visual as tests use it: pictures and texts to vectors, through the embedder's family.
import { starterFamily } from '../../../../actors/embedder/actor.ts';
import type { VisualRow } from '../../../../actors/models/contract.ts';
import { builtInRows } from '../../../../actors/models/rows/list.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { createLog } from '../../../../runtime/log.ts';

export const row = builtInRows.find(({ key }) => key === 'starter-visual-3') as VisualRow;
const log = createLog('test', () => {});

export const open = (source: string | Uint8Array) => openSession(source, { device: 'cpu', threads: 1, log });

export interface Starter {
  /** One vector a picture. */
  pictures(pictures: readonly Uint8Array[]): Promise<Float32Array[]>;
  text(text: string): Promise<Float32Array>;
  close(): Promise<void>;
}

export async function openStarter(): Promise<Starter> {
  const family = await starterFamily.open(row, () => '', open);
  const { batch, dimensions } = row.visual;
  return {
    pictures: async (pictures) => {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < pictures.length; at += batch) {
        const made = await family.pictures(pictures.slice(at, at + batch));
        for (let i = 0; i < made.length; i += dimensions) vectors.push(made.slice(i, i + dimensions));
      }
      return vectors;
    },
    text: async (text) => (await family.texts([text])).vectors,
    close: () => family.close(),
  };
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Area under the ROC curve: the chance that one of `high` scores more than one of `low`. */
export function area(high: readonly number[], low: readonly number[]): number {
  const wins = high.flatMap((a) => low.map((b): number => (a > b ? 1 : a === b ? 0.5 : 0)));
  return wins.reduce((sum, win) => sum + win, 0) / wins.length;
}
