// The people that searches can ask for: those of one folder, and the load that is under way.
import type { Log } from '../../../runtime/log.ts';
import { OpenLoads } from '../numbered-work.ts';
import { storeErrors } from '../store/contract.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { PeopleFilter, PeopleLoadReport } from './contract.ts';
import { type LoadedClusterings, LoadedPeople, type PeopleFrames, type PeopleInText } from './loaded.ts';
import { JobIndexing } from './loaded-job.ts';

// Brings the people of a folder into memory, a step at a time, so that searches come in between: a clustering
// is read in one step and put in order in the next ones.

export type ClusteringsOf = (store: Store) => LoadedClusterings;

/** Clusterings of one step that are in memory already. */
const stepJobs = 256;

export class PeopleLoading {
  readonly target: LoadedPeople;
  readonly #names: readonly string[];
  #next = 0;
  #indexing: JobIndexing | null = null;

  constructor(clusterings: LoadedClusterings, target: LoadedPeople) {
    this.target = target;
    this.#names = [...clusterings.clusterings()].sort();
  }

  /** Goes on for some 10 ms. True when everything is in memory. */
  step(clusterings: LoadedClusterings): boolean {
    if (this.#indexing !== null) this.#index(this.#indexing);
    else this.#read(clusterings);
    if (this.#next < this.#names.length) return false;
    this.target.keepOnly(this.#names);
    return true;
  }

  #read(clusterings: LoadedClusterings): void {
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

export class PeopleIndex {
  readonly #log: Log;
  readonly #clusteringsOf: ClusteringsOf;
  #loaded: LoadedPeople | null = null;
  /** State that loads add to: the current one, or that of another folder until its first load ends. */
  #target: LoadedPeople | null = null;
  readonly #loads = new OpenLoads<PeopleLoading>();

  constructor(log: Log, clusteringsOf: ClusteringsOf) {
    this.#log = log;
    this.#clusteringsOf = clusteringsOf;
  }

  /**
   * One step of a load: a new one for null, or the one of that number. What is loaded of another folder gives
   * way with the last.
   */
  load(store: Store, number: number | null): PeopleLoadReport {
    store.requireReadable();
    const clusterings = this.#clusteringsOf(store);
    const target = this.#targetOf(store);
    const goesOn = (loading: PeopleLoading) => loading.target === target;
    const begin = () => new PeopleLoading(clusterings, target);
    const step = (loading: PeopleLoading) => loading.step(clusterings);
    const { number: load, done } = this.#loads.step(number, goesOn, begin, step);
    const { counts, unreadable } = target;
    if (done) {
      this.#loaded = target;
      if (unreadable.length > 0)
        this.#log.warn('Face clusterings cannot be read', { folder: store.folder, names: unreadable });
    }
    return { done, load, ...counts, unreadable };
  }

  #targetOf(store: Store): LoadedPeople {
    if (this.#loaded !== null && isOf(this.#loaded, store)) this.#target = this.#loaded;
    if (this.#target === null || !isOf(this.#target, store)) this.#target = new LoadedPeople(store);
    return this.#target;
  }

  /**
   * Where the people of a search are seen, as it is stored now, whoever stored it. NOT_LOADED when another
   * folder is loaded, nothing, or what lay there before the folder was replaced; STORE_UNAVAILABLE while it
   * is gone; errors of personOf.
   */
  seen(store: Store, filter: PeopleFilter): PeopleFrames {
    return this.#of(store).seen(this.#clusteringsOf(store), filter);
  }

  /** The people whom a text names. Errors: as above. */
  namedIn(store: Store, text: string, wholeOnly: readonly string[] = []): PeopleInText {
    return this.#of(store).namedIn(this.#clusteringsOf(store), text, wholeOnly);
  }

  #of(store: Store): LoadedPeople {
    const { folder } = store;
    if (this.#loaded?.folder === folder) {
      store.requireStill(this.#loaded.source);
      if (isOf(this.#loaded, store)) return this.#loaded;
    }
    throw storeErrors.NOT_LOADED(`The people of ${folder} are not loaded`, { folder });
  }

  /**
   * To be called after anything of a clustering was stored: the next search that asks for it reads it again.
   */
  changed(store: Store, name: string): void {
    for (const loadedPeople of new Set([this.#loaded, this.#target])) {
      if (loadedPeople !== null && isOf(loadedPeople, store)) loadedPeople.changed(name);
    }
  }

  /** The folder has to be loaded again. */
  forget(store: Store): void {
    if (this.#loaded?.folder === store.folder) this.#loaded = null;
    if (this.#target?.folder === store.folder) this.#target = null;
  }

  drop(): void {
    this.#loaded = null;
    this.#target = null;
    this.#loads.clear();
  }
}

/** False when the folder was replaced since. */
function isOf({ folder, source }: LoadedPeople, store: Store): boolean {
  return folder === store.folder && source === store.identity;
}
