// Results that other work of a task waits for: a stage waits for those it needs of the same file and for all closing steps
// of what it needs, a closing step for all files of its job.
import type { WorkResult } from '../contract.ts';
import { workKey } from '../result.ts';

export class Settled {
  /** Jobs that are waited for, by type. */
  readonly #closings = new Map<string, Set<string>>();
  readonly #expected = new Map<string, PromiseWithResolvers<WorkResult>>();
  /** What has no result yet, by type. */
  readonly #left = new Map<string, Set<string>>();

  /** This piece of work is part of the task, and somebody waits for it. */
  expect(type: string, path: string): void {
    const key = workKey({ type, path });
    if (this.#expected.has(key)) return;
    this.#expected.set(key, Promise.withResolvers<WorkResult>());
    const left = this.#left.get(type) ?? new Set();
    this.#left.set(type, left.add(path));
  }

  /** So is this closing step. */
  expectClosing(type: string, name: string): void {
    const names = this.#closings.get(type) ?? new Set();
    this.#closings.set(type, names.add(name));
    this.expect(type, name);
  }

  tell(result: WorkResult): void {
    this.#expected.get(workKey(result))?.resolve(result);
    this.#left.get(result.type)?.delete(result.path);
  }

  /** Whether work of these types that somebody waits for has no result yet. */
  areLeft(types: readonly string[]): boolean {
    return types.some((type) => (this.#left.get(type)?.size ?? 0) > 0);
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
