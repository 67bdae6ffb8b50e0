// The files that are being summarised, by number.
import { randomInt } from 'node:crypto';
import type { Log } from '../../runtime/log.ts';
import { summarizerErrors } from './contract.ts';

/** Files that are open at the same time; a caller that closes its files never has so many. */
export const mostFilms = 8;

export class Films<F> {
  /** The one that was used last at the end. */
  readonly #films = new Map<number, F>();
  readonly #log: Log;
  /** Numbers start at random: a file of this actor from before a restart must not be taken for a new one. */
  #last = randomInt(2 ** 46);

  constructor(log: Log) {
    this.#log = log;
  }

  /** Where too many are open, the one that nobody used for longest is forgotten. */
  add(film: F): number {
    while (this.#films.size >= mostFilms) {
      const [oldest] = this.#films.keys();
      this.#films.delete(oldest!);
      this.#log.warn('a summary was not closed and is forgotten', { film: oldest!, open: mostFilms });
    }
    this.#last += 1;
    this.#films.set(this.#last, film);
    return this.#last;
  }

  /** Throws FILM_LOST. */
  get(number: number): F {
    const film = this.#films.get(number);
    if (!film) throw summarizerErrors.FILM_LOST(`File ${number} is not open`, { film: number });
    this.#films.delete(number);
    this.#films.set(number, film);
    return film;
  }

  close(number: number): void {
    this.#films.delete(number);
  }
}
