// Tasks that several ask for: whoever wants what runs or waits, or is about to, gets the task that does it.
import type { Accepted, AnalysisRequest } from '../contract.ts';
import type { RequestKey } from './job-orders.ts';
import type { Place } from './place.ts';

export class SharedTasks {
  /** Those that are about to be recorded, by what they do. */
  readonly #beginning = new Map<string, Promise<Accepted>>();

  /** `begin`: starts the task in the place, when none does the same. */
  begin(
    wishOf: RequestKey,
    asked: AnalysisRequest,
    { tasks }: Place,
    begin: () => Promise<Accepted>,
  ): Promise<Accepted> {
    const wish = wishOf(asked);
    if (wish === null) return begin();
    const known = this.#beginning.get(wish);
    if (known) return known;
    // One that is told to stop does nothing for anybody.
    const same = tasks.find(({ state, request }) => state !== 'stopping' && wishOf(request) === wish);
    if (same) return Promise.resolve(same.accepted);
    const task = begin().finally(() => this.#beginning.delete(wish));
    this.#beginning.set(wish, task);
    return task;
  }
}
