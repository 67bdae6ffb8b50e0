// The order in which the files of a group come up: each when the work it needs has its results, and closing
// steps with it.
import { createQueue } from '../../../runtime/sync/queue.ts';
import type { WorkResults } from './work-results.ts';

/** `ending`: nothing is waited for any more. */
export async function* inOrder<T>(
  files: ReadonlyMap<string, T>,
  needs: readonly string[],
  results: WorkResults,
  ending: AbortSignal,
): AsyncGenerator<readonly [string, T]> {
  if (needs.length === 0) return yield* files;
  const queue = createQueue<readonly [string, T]>(Number.POSITIVE_INFINITY);
  // One listener for all of them: adding one takes as long as there are.
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  if (ending.aborted) end();
  ending.addEventListener('abort', () => end(), { once: true });
  const closed = Promise.race([results.closings(needs), ended]);
  const waiting = [...files].map(async (file) => {
    await results.all(needs, file[0], ended);
    await closed;
    await queue.put(file);
  });
  void Promise.all(waiting).then(queue.close);
  for (let file = await queue.take(); file; file = await queue.take()) yield file;
}
