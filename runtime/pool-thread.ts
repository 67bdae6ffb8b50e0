// Helpers for the function of a pool in its thread.
import { Piscina } from 'piscina';

/**
 * In the thread: the result of a task, of which these buffers are *moved* to the caller and the rest
 * *copied*.
 */
export function moved<Result>(result: Result, buffers: readonly ArrayBuffer[]): Result {
  const marked = { [Piscina.valueSymbol]: result, [Piscina.transferableSymbol]: buffers };
  return Piscina.move(marked as never) as Result;
}
