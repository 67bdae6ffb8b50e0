// Brings the people of a folder into memory, a step at a time, so that searches come in between: a clustering
// is read in one step and put in order in the next ones.
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { Clusterings, LoadedPeople } from './loaded.ts';
import { JobIndexing } from './loaded-job.ts';

export type ClusteringsOf = (store: Store) => Clusterings;

/** Clusterings of one step that are in memory already. */
const stepJobs = 256;

export class PeopleLoading {
  /** What is added to. */
  readonly target: LoadedPeople;
  readonly #names: readonly string[];
  #next = 0;
  #indexing: JobIndexing | null = null;

  constructor(clusterings: Clusterings, target: LoadedPeople) {
    this.target = target;
    this.#names = [...clusterings.clusterings()].sort();
  }

  /** Goes on for some 10 ms. True when everything is in memory. */
  step(clusterings: Clusterings): boolean {
    if (this.#indexing !== null) this.#index(this.#indexing);
    else this.#read(clusterings);
    if (this.#next < this.#names.length) return false;
    this.target.keepOnly(this.#names);
    return true;
  }

  #read(clusterings: Clusterings): void {
    const last = Math.min(this.#names.length, this.#next + stepJobs);
    while (this.#next < last && this.target.isCurrent(clusterings, this.#names[this.#next]!)) this.#next++;
    if (this.#next >= last) return;
    const name = this.#names[this.#next]!;
    const read = readable(() => {
      const stored = clusterings.readClusters(name);
      return { indexing: stored && new JobIndexing(stored, this.target.numberOf) };
    });
    this.#indexing = read?.indexing ?? null;
    if (this.#indexing !== null) return;
    this.target.remove(name, read === null);
    this.#next++;
  }

  #index(indexing: JobIndexing): void {
    const name = this.#names[this.#next]!;
    const read = readable(() => ({ job: indexing.step() }));
    if (read?.job === null) return;
    if (read === null) this.target.remove(name, true);
    else this.target.put(read.job);
    this.#indexing = null;
    this.#next++;
  }
}
