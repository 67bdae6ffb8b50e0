// How much memory this process may use.
import { totalmem } from 'node:os';

/** Bytes of the machine, or of the container where that has a limit of its own. */
export function usableMemory(): number {
  // 0 or a number beyond all memory where nothing limits the process.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
