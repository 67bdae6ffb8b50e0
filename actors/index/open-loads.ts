// Loads that go on over several turns, each known by a number. One that its caller left is forgotten, never
// gone on with: a load that begins makes its own list of what is stored.
import { randomInt } from 'node:crypto';

/** More are not under way at a time: callers that gave up leave theirs behind. */
const mostOpen = 16;

export class OpenLoads<L> {
  readonly #open = new Map<number, L>();
  /** At random, so that a number of an earlier actor names no load of this one. */
  #last = randomInt(2 ** 40);

  /** The load of that number while `goesOn`; else a new one. */
  resume(number: number | null, goesOn: (load: L) => boolean, begin: () => L): [number, L] {
    const known = number === null ? undefined : this.#open.get(number);
    if (number !== null && known !== undefined) {
      this.#open.delete(number);
      if (goesOn(known)) return this.#keep(number, known);
    }
    return this.#keep(++this.#last, begin());
  }

  #keep(number: number, load: L): [number, L] {
    this.#open.set(number, load);
    for (const oldest of [...this.#open.keys()].slice(0, -mostOpen)) this.#open.delete(oldest);
    return [number, load];
  }

  get all(): Iterable<L> {
    return this.#open.values();
  }

  end(number: number): void {
    this.#open.delete(number);
  }

  clear(): void {
    this.#open.clear();
  }
}
