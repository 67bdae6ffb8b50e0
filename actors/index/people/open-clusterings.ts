// The clusterings that are under way, by the number their caller knows them by. Those that were left go in
// time.
import { randomInt } from 'node:crypto';
import { engineErrors } from '../../../runtime/errors.ts';
import type { OpenClustering } from '../store/people/open-clustering.ts';
import { peopleErrors } from './contract.ts';

/** More are not under way at a time: callers that gave up leave theirs behind. */
const mostOpen = 4;

export interface NumberedClustering {
  readonly cache_dir: string;
  readonly clustering: OpenClustering;
}

export class OpenClusterings {
  readonly #open = new Map<number, NumberedClustering>();
  /** At random, so that a number of an earlier actor names none of this one. */
  #last = randomInt(2 ** 40);

  add(cache_dir: string, clustering: OpenClustering): number {
    this.#open.set(++this.#last, { cache_dir, clustering });
    for (const oldest of [...this.#open.keys()].slice(0, -mostOpen)) this.end(oldest);
    return this.#last;
  }

  /** Throws CLUSTERING_CHANGED: it is begun again. */
  get(number: number): NumberedClustering {
    const open = this.#open.get(number);
    if (open !== undefined) return open;
    throw peopleErrors.CLUSTERING_CHANGED(`clustering: ${number} is not open; cluster it again`);
  }

  /** The same for one whose entries are known. Throws INVALID_MESSAGE as well. */
  opened(number: number): NumberedClustering {
    const open = this.get(number);
    if (open.clustering.isOpen) return open;
    throw engineErrors.INVALID_MESSAGE(`clustering: ${number} is not begun to the end`);
  }

  end(number: number): void {
    this.#open.get(number)?.clustering.close();
    this.#open.delete(number);
  }

  clear(): void {
    for (const number of [...this.#open.keys()]) this.end(number);
  }
}
