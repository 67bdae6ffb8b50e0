// Results that other work of a task waits for: a stage waits for those it needs of the same file and for all
// closing steps of what it needs, a closing step for all files of its job.

import { createQueue } from '../../../runtime/sync/queue.ts';
import type { WorkResult } from '../contract.ts';
import { workKey } from '../result.ts';

export class WorkResults {
  /** Jobs that are waited for, by type. */
  readonly #closings = new Map<string, Set<string>>();
  readonly #expected = new Map<string, PromiseWithResolvers<WorkResult>>();
  /** How many pieces of each type have no result yet. */
  readonly #remaining: Map<string, number>;
  /** Types that somebody waits for as a whole. */
  readonly #types = new Map<string, PromiseWithResolvers<void>>();

  /** `pieces`: of the task, by type, closing steps among them. */
  constructor(pieces: Readonly<Record<string, number>>) {
    this.#remaining = new Map(Object.entries(pieces));
  }

  /** This piece of work is part of the task, and somebody waits for it. */
  expect(type: string, path: string): void {
    const key = workKey({ type, path });
    if (!this.#expected.has(key)) this.#expected.set(key, Promise.withResolvers<WorkResult>());
  }

  /** So is this closing step. */
  expectClosing(type: string, name: string): void {
    const names = this.#closings.get(type) ?? new Set();
    this.#closings.set(type, names.add(name));
    this.expect(type, name);
  }

  tell(result: WorkResult): void {
    this.#expected.get(workKey(result))?.resolve(result);
    const left = (this.#remaining.get(result.type) ?? 0) - 1;
    this.#remaining.set(result.type, left);
    if (left === 0) this.#types.get(result.type)?.resolve();
  }

  /** Resolves when every piece of this type has its result. */
  async ended(type: string): Promise<void> {
    if ((this.#remaining.get(type) ?? 0) === 0) return;
    const waiting = this.#types.get(type) ?? Promise.withResolvers<void>();
    this.#types.set(type, waiting);
    await waiting.promise;
  }

  /** Resolves when all these types of work on the file have their results, or `stopped` does. */
  async all(types: readonly string[], path: string, stopped: Promise<unknown>): Promise<void> {
    await Promise.race([Promise.all(types.map((type) => this.result(type, path))), stopped]);
  }

  /** Resolves when all closing steps of these types have their results. */
  async closings(types: readonly string[]): Promise<void> {
    const jobs = types.flatMap((type) =>
      [...(this.#closings.get(type) ?? [])].map((name) => ({ type, name })),
    );
    await Promise.all(jobs.map(({ type, name }) => this.result(type, name)));
  }

  /** Resolves when the work has its result; at once, to undefined, when the task has no such work. */
  async result(type: string, path: string): Promise<WorkResult | undefined> {
    return this.#expected.get(workKey({ type, path }))?.promise;
  }
}

// The order in which the files of a group come up: each when the work it needs has its results, and closing
// steps with it.

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
