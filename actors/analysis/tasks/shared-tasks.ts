// Tasks that several ask for: whoever wants what runs or waits, or is about to, gets the task that does it.
import type { Accepted, AnalysisRequest } from '../contract.ts';
import type { RequestKey } from './job-orders.ts';
import type { Place } from './place.ts';

export class SharedTasks {
  /** Those that are about to be recorded, by what they do. */
  readonly #beginning = new Map<string, Promise<Accepted>>();

  /** `begin`: starts the task in the place, when none does the same. */
  begin(
    keyOf: RequestKey,
    request: AnalysisRequest,
    { tasks }: Place,
    begin: () => Promise<Accepted>,
  ): Promise<Accepted> {
    const key = keyOf(request);
    if (key === null) return begin();
    const known = this.#beginning.get(key);
    if (known) return known;
    // One that is told to stop does nothing for anybody.
    const same = tasks.find(({ state, request }) => state !== 'stopping' && keyOf(request) === key);
    if (same) return Promise.resolve(same.accepted);
    const task = begin().finally(() => this.#beginning.delete(key));
    this.#beginning.set(key, task);
    return task;
  }
}
