// Whoever listens to the events of tasks. One that fails is told in the log and disturbs nobody else.
import type { Log } from '../../../runtime/log.ts';
import type { TaskEvent, TaskListener } from '../contract.ts';

export class Listeners {
  readonly #log: Log;
  readonly #all = new Set<TaskListener>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Answers the function that ends the subscription. */
  add(listener: TaskListener): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  notify(task_id: string, event: TaskEvent): void {
    for (const listener of this.#all) {
      try {
        listener(task_id, event);
      } catch (error) {
        this.#log.error('a listener failed', { task_id, event: event.type, error });
      }
    }
  }
}
