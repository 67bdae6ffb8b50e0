// starter-visual as its measurements use it: the graph with both outputs, and texts.

import { openSession } from '../../actors/models/session.ts';
import { buildStarterVisual } from '../../actors/models/starter/graph/graph.ts';
import { createLog } from '../../runtime/log.ts';
import { type Picture, SIDE } from './picture.ts';

const BATCH = 8;

export interface Seen {
  readonly vectors: Float32Array[];
  /** Measurements of the graph, as evidence.ts of the model names them. */
  readonly evidence: Float32Array[];
}

/** In the order of the pictures. */
export async function look(pictures: readonly Pick<Picture, 'pixels'>[]): Promise<Seen> {
  const log = createLog('bench', () => {});
  const session = await openSession(buildStarterVisual(), { device: 'cpu', threads: 1, log });
  const result: Seen = { vectors: [], evidence: [] };
  try {
    for (let at = 0; at < pictures.length; at += BATCH) {
      const batch = pictures.slice(at, at + BATCH);
      const data = new Uint8Array(batch.length * SIDE * SIDE * 3);
      batch.forEach(({ pixels }, i) => void data.set(pixels, i * SIDE * SIDE * 3));
      const pixels = { data, dims: [batch.length, SIDE, SIDE, 3] };
      const { vector, evidence } = await session.run({ pixels }, ['vector', 'evidence']);
      result.vectors.push(...rows(vector?.data, batch.length));
      result.evidence.push(...rows(evidence?.data, batch.length));
    }
  } finally {
    await session.release();
  }
  return result;
}

function rows(data: unknown, count: number): Float32Array[] {
  if (!(data instanceof Float32Array)) throw new TypeError('the graph answers no floats');
  const width = data.length / count;
  return Array.from({ length: count }, (_, i) => data.slice(i * width, (i + 1) * width));
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
