// Tasks that several ask for: whoever wants what is being done, or is about to be, gets the task that does it.
import type { AnalysisRequest } from '../contract.ts';
import type { Place } from './place.ts';

interface Begun {
  readonly task_id: string;
}

export class SharedTasks {
  /** Those that are about to be recorded, by what they do. */
  readonly #beginning = new Map<string, Promise<Begun>>();

  /** `begin`: starts the task in the place, when none does the same. */
  begin(asked: AnalysisRequest, { current }: Place, begin: () => Promise<Begun>): Promise<Begun> {
    const what = JSON.stringify(asked);
    const known = this.#beginning.get(what);
    if (known) return known;
    if (current?.state === 'running' && current.does(what)) {
      return Promise.resolve({ task_id: current.task_id });
    }
    const task = begin().finally(() => this.#beginning.delete(what));
    this.#beginning.set(what, task);
    return task;
  }
}
