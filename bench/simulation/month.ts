// A month of a cluster, event by event: footage that waits at first and footage that comes in, workers that
// take it file by file, failures drawn at random, and a front that takes over what was found. Pure. Times are
// seconds, footage is hours of film.
import { seeded } from '../../test/actors/index/footage.ts';

export interface ClusterSize {
  readonly workers: number;
  /** Nodes that take over every result from the shared folder. */
  readonly replicas: number;
  readonly days: number;
  /** Hours that wait at first, and that come in on each day, spread over it. */
  readonly waiting: number;
  readonly daily: number;
  /** Mean length of a file; lengths are drawn from an exponential distribution. */
  readonly fileHours: number;
  /** Hours that a worker analyses in an hour, when it gets them fast enough. */
  readonly speed: number;
  /** Bytes of an hour, of the footage and of what is found in it. */
  readonly footageBytes: number;
  readonly resultBytes: number;
  /** Bytes a second: of the storage of the footage, and of the shared folder. */
  readonly storage: number;
  readonly share: number;
  /** Seconds that a node works to take over an hour. */
  readonly takingOver: number;
  readonly failures: { readonly worker: Failure; readonly database: Failure; readonly share: Failure };
  /** Until a job of a lost worker is taken by another one. */
  readonly noticed: number;
}

/** Mean time between two, and until it is over. */
interface Failure {
  readonly every: number;
  readonly lasts: number;
}

export interface Month {
  readonly analysed: number;
  /** Until that which waited at first was analysed; 0 when it was not. */
  readonly batch: number;
  /** Hours that lost workers had done of files that others did again, and how many workers were lost. */
  readonly again: number;
  readonly lost: number;
  /** From the end of a job until a front has its results; from the arrival of a file after the batch. */
  readonly shown: Quantiles;
  readonly found: Quantiles;
  /** Share of their time that workers are at work until the batch is done. */
  readonly busy: number;
}

/** Not a number where there is nothing. */
export interface Quantiles {
  readonly median: number;
  /** 99 of 100 are at most that. */
  readonly late: number;
}

interface Job {
  readonly hours: number;
  readonly arrived: number;
}

/** `at`: by `Run.#done`. */
interface Running {
  readonly at: number;
  readonly worker: number;
  readonly job: Job;
}

interface Event {
  readonly at: number;
  what(): void;
}

/** The one with the lowest `at` comes first. */
class Heap<T extends { readonly at: number }> {
  readonly #all: T[] = [];

  get first(): T | undefined {
    return this.#all[0];
  }

  add(item: T): void {
    const all = this.#all;
    let at = all.push(item) - 1;
    for (; at > 0 && all[(at - 1) >> 1]!.at > item.at; at = (at - 1) >> 1) all[at] = all[(at - 1) >> 1]!;
    all[at] = item;
  }

  take(): T {
    const all = this.#all;
    const first = all[0]!;
    const last = all.pop()!;
    if (all.length === 0) return first;
    let at = 0;
    for (let below = 1; below < all.length; below = 2 * at + 1) {
      if (below + 1 < all.length && all[below + 1]!.at < all[below]!.at) below++;
      if (all[below]!.at >= last.at) break;
      all[at] = all[below]!;
      at = below;
    }
    all[at] = last;
    return first;
  }
}

const DAY = 86_400;

export function month(size: ClusterSize, seed: number): Month {
  return new Run(size, seeded(seed)).over();
}

class Run {
  readonly #size: ClusterSize;
  readonly #random: () => number;
  readonly #events = new Heap<Event>();
  #now = 0;
  /** Jobs that wait; those before `#first` are gone. */
  readonly #queue: Job[] = [];
  #first = 0;
  readonly #again: Job[] = [];
  readonly #idle: number[] = [];
  /** Running jobs by worker; those that a worker has lost stay in `#ends`. */
  readonly #running = new Map<number, Running>();
  readonly #ends = new Heap<Running>();
  /** Hours that a worker which is always at work has done by now. */
  #done = 0;
  readonly #away = { database: false, share: false };
  /** Jobs that were done while the database or the folder was away. */
  readonly #held: { readonly worker: number; readonly job: Job; readonly at: number }[] = [];
  /** Hours that the front lacks. */
  #missing = 0;
  #left = 0;
  #busy = 0;
  readonly #month = { analysed: 0, batch: 0, again: 0, lost: 0 };
  readonly #shown: number[] = [];
  readonly #found: number[] = [];

  constructor(size: ClusterSize, random: () => number) {
    this.#size = size;
    this.#random = random;
  }

  over(): Month {
    const { waiting, daily, days, workers, failures } = this.#size;
    for (let remainingHours = waiting; remainingHours > 0; remainingHours -= this.#queue.at(-1)!.hours)
      this.#queue.push({ hours: Math.min(remainingHours, this.#drawn(this.#size.fileHours)), arrived: 0 });
    this.#left = this.#queue.length;
    for (let worker = 0; worker < workers; worker++) {
      this.#idle.push(worker);
      this.#repeat(failures.worker, () => this.#lose(worker));
    }
    for (const what of ['database', 'share'] as const) {
      this.#repeat(failures[what], () => {
        this.#away[what] = true;
        return () => {
          this.#away[what] = false;
          for (const { worker, job, at } of this.#held.splice(0)) this.#end(worker, job, at);
        };
      });
    }
    if (daily > 0) this.#arrive();
    while (this.#now < days * DAY) this.#step(days * DAY);
    const { batch } = this.#month;
    const busy = batch === 0 ? 0 : this.#busy / (batch * workers);
    return { ...this.#month, busy, shown: quantiles(this.#shown), found: quantiles(this.#found) };
  }

  /** From an exponential distribution. */
  #drawn(mean: number): number {
    return -mean * Math.log(1 - this.#random());
  }

  #after(seconds: number, what: () => void): void {
    this.#events.add({ at: this.#now + seconds, what });
  }

  #arrive(): void {
    const { daily, fileHours } = this.#size;
    this.#after(this.#drawn((DAY * fileHours) / daily), () => {
      this.#queue.push({ hours: this.#drawn(fileHours), arrived: this.#now });
      this.#arrive();
    });
  }

  /** `begin` answers what ends it. */
  #repeat(failure: Failure, begin: () => () => void): void {
    this.#after(this.#drawn(failure.every), () => {
      const end = begin();
      this.#after(failure.lasts, () => {
        end();
        this.#repeat(failure, begin);
      });
    });
  }

  #lose(worker: number): () => void {
    this.#month.lost++;
    const running = this.#running.get(worker);
    const index = this.#held.findIndex((entry) => entry.worker === worker);
    const [unheld] = index === -1 ? [] : this.#held.splice(index, 1);
    const job = running?.job ?? unheld?.job;
    this.#running.delete(worker);
    const idle = this.#idle.indexOf(worker);
    if (idle !== -1) this.#idle.splice(idle, 1);
    if (job !== undefined) {
      const remainingHours = running === undefined ? 0 : running.at - this.#done;
      this.#month.again += job.hours - remainingHours;
      this.#after(this.#size.noticed, () => this.#again.push(job));
    }
    return () => this.#idle.push(worker);
  }

  /** Hours that each worker at work does in a second. */
  get #pace(): number {
    const { speed, storage, footageBytes } = this.#size;
    return Math.min(speed / 3600, storage / Math.max(1, this.#running.size) / footageBytes);
  }

  /** To the next event, or the next job that is done. */
  #step(end: number): void {
    this.#give();
    while (this.#ends.first !== undefined && this.#running.get(this.#ends.first.worker) !== this.#ends.first)
      this.#ends.take();
    const pace = this.#pace;
    const next = this.#ends.first;
    const done = next === undefined ? Number.POSITIVE_INFINITY : this.#now + (next.at - this.#done) / pace;
    const at = Math.min(end, done, this.#events.first?.at ?? end);
    const passed = at - this.#now;
    this.#done += pace * passed;
    if (this.#left > 0) this.#busy += this.#running.size * passed;
    if (!this.#away.share) this.#missing = Math.max(0, this.#missing - passed * this.#taken);
    this.#now = at;
    if (at === done) {
      const { worker, job } = this.#ends.take();
      this.#running.delete(worker);
      if (this.#away.database || this.#away.share) this.#held.push({ worker, job, at });
      else this.#end(worker, job, at);
    } else if (at < end) this.#events.take().what();
  }

  /** Hours that the front takes over in a second. */
  get #taken(): number {
    const { takingOver, replicas, resultBytes, share } = this.#size;
    return 1 / Math.max(takingOver, (replicas * resultBytes) / share);
  }

  /** Jobs to workers that have none. */
  #give(): void {
    while (this.#idle.length > 0 && !this.#away.database) {
      const job = this.#again.pop() ?? this.#queue[this.#first];
      if (job === undefined) return;
      if (job === this.#queue[this.#first]) this.#first++;
      const running = { at: this.#done + job.hours, worker: this.#idle.pop()!, job };
      this.#running.set(running.worker, running);
      this.#ends.add(running);
    }
  }

  /** `at`: when it was done. */
  #end(worker: number, job: Job, at: number): void {
    this.#idle.push(worker);
    this.#month.analysed += job.hours;
    this.#missing += job.hours;
    const until = this.#now + this.#missing / this.#taken;
    this.#shown.push(until - at);
    if (job.arrived > this.#month.batch && this.#left === 0) this.#found.push(until - job.arrived);
    if (job.arrived === 0 && --this.#left === 0) this.#month.batch = this.#now;
  }
}

function quantiles(values: number[]): Quantiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  return { median: at(0.5), late: at(0.99) };
}
