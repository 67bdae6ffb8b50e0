// Results that other work of a task waits for: a stage waits for those it needs of the same file, a closing step for all
// files of its job.
import type { WorkResult } from '../contract.ts';
import { workKey } from '../result.ts';

export class Settled {
  readonly #expected = new Map<string, PromiseWithResolvers<WorkResult>>();

  /** This piece of work is part of the task, and somebody waits for it. */
  expect(type: string, path: string): void {
    const key = workKey({ type, path });
    if (!this.#expected.has(key)) this.#expected.set(key, Promise.withResolvers<WorkResult>());
  }

  tell(result: WorkResult): void {
    this.#expected.get(workKey(result))?.resolve(result);
  }

  /** Resolves when all these types of work on the file have their results, or `stopped` does. */
  async all(types: readonly string[], path: string, stopped: Promise<unknown>): Promise<void> {
    await Promise.race([Promise.all(types.map((type) => this.result(type, path))), stopped]);
  }

  /** Resolves when the work has its result; at once, to undefined, when the task has no such work. */
  async result(type: string, path: string): Promise<WorkResult | undefined> {
    return this.#expected.get(workKey({ type, path }))?.promise;
  }
}
