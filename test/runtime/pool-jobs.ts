// What test/runtime/pool.slow.test.ts lets threads do.
import { threadId } from 'node:worker_threads';

export interface Job {
  readonly does: 'answer' | 'exit' | 'throw' | 'fill' | 'spin';
  /** Set to 1 when the job has begun. */
  readonly begun: Int32Array;
  readonly bytes?: Uint8Array;
}

export function job({ does, begun, bytes }: Job): { threadId: number; bytes: number } {
  Atomics.store(begun, 0, 1);
  if (does === 'exit') process.exit(3);
  if (does === 'throw') throw new TypeError('no such job');
  const kept: number[][] = [];
  while (does === 'fill') kept.push(Array.from({ length: 100_000 }, (_, i) => i / 3));
  while (does === 'spin') Atomics.wait(begun, 0, 1, 1000);
  return { threadId, bytes: bytes?.length ?? 0 };
}
