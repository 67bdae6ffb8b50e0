// The order in which clips of one name get it: names are numbered as they stand in the request, whichever is
// cut first.
import { clipName } from './clip-name.ts';
import type { ClipSpec } from './contract.ts';

export class NameOrder {
  /**
   * Ends with all work so far on clips of a name; names that differ by their case are one on some systems.
   */
  readonly #latest = new Map<string, Promise<unknown>>();

  /**
   * `work` is handed what the clip has to wait for before it gets its name; nothing where no other one wants
   * it.
   */
  next<T>(spec: ClipSpec, work: (before: Promise<unknown> | undefined) => Promise<T>): Promise<T> {
    const name = clipName(spec).toLowerCase();
    const before = this.#latest.get(name);
    const done = work(before);
    // A clip that fails waits for nothing: the next one still waits for those before it.
    this.#latest.set(name, Promise.allSettled([before, done]));
    return done;
  }
}
