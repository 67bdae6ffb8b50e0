// The threads that help the thread of the index with a long pass. They live as long as the rows they look at:
// the first long pass starts them, and they end when the rows are given up. They wait in native code, take
// cells from a counter in shared memory, and write what they find into a ring each, which the index empties
// while it takes cells itself.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../../runtime/process/program.ts';
import type { CellLayout, HitSink, Pass } from './cells.ts';

/** More hardly help: so many read memory as fast as it is. */
export const mostThreads = 4;
/** Cells of a pass that is worth waking threads for: some milliseconds. */
const leastCells = 64;

/**
 * Words of the shared memory: the next cell, a count that changes whenever a thread did something, and then
 * those of each thread.
 */
export const nextWord = 0;
export const progressWord = 1;
const ofThreads = 2;
const wordsEach = 3;
/** State of a thread; the number of hits of its ring that were taken, and that it wrote, in this pass. */
export const wordsOf = (thread: number) => {
  const state = ofThreads + (thread - 1) * wordsEach;
  return { state, taken: state + 1, written: state + 2 };
};

export const states = { starting: 0, waiting: 1, working: 2, ending: 3, failed: 4 } as const;

/** Hits in a ring: as many as two cells can have. */
export const ringHits = 1 << 15;
/** A question, a row and a score. */
export const hitWords = 3;

export interface ScanThreadData {
  readonly layout: CellLayout;
  /** From 1 on. */
  readonly thread: number;
  readonly control: SharedArrayBuffer;
  readonly ring: SharedArrayBuffer;
}

/** To a thread, which reads them when it is woken. */
export type ToScanThread = { readonly memory: WebAssembly.Memory } | { readonly pass: Pass };

interface Helper {
  readonly thread: number;
  readonly worker: Worker;
  readonly hits: Int32Array;
  readonly scores: Float32Array;
}

export class ScanThreads {
  readonly #layout: CellLayout;
  #count: number;
  readonly #memories: WebAssembly.Memory[] = [];
  readonly #words: Int32Array;
  #helpers: Helper[] = [];
  #working: Helper[] = [];

  /** `count`: threads beside the one of the caller. */
  constructor(layout: CellLayout, count: number) {
    this.#layout = layout;
    this.#count = count;
    this.#words = new Int32Array(new SharedArrayBuffer(4 * (ofThreads + count * wordsEach)));
  }

  addSegment(memory: WebAssembly.Memory): void {
    this.#memories.push(memory);
    for (const helper of this.#helpers) this.#tell(helper, { memory });
  }

  /** With the one of the caller. */
  get most(): number {
    return this.#count + 1;
  }

  /** Threads that have not ended. */
  get running(): number {
    return this.#helpers.length;
  }

  /** Number of threads that wait for a pass. */
  get ready(): number {
    return this.#helpers.filter(({ thread }) => this.#stateOf(thread) === states.waiting).length;
  }

  /** The next cell of the pass that nobody took. */
  next(): number {
    return Atomics.add(this.#words, nextWord, 1);
  }

  /** Shares the cells of a pass from `first` on; threads that are not ready yet take part in the next one. */
  begin(pass: Pass, first: number, cells: number): void {
    Atomics.store(this.#words, nextWord, first);
    if (cells - first < leastCells) return;
    while (this.#helpers.length < this.#count) this.#start();
    for (const helper of this.#helpers) {
      const { taken, written } = wordsOf(helper.thread);
      if (this.#stateOf(helper.thread) !== states.waiting) continue;
      this.#tell(helper, { pass });
      Atomics.store(this.#words, taken, 0);
      Atomics.store(this.#words, written, 0);
      this.#set(helper, states.working);
      this.#working.push(helper);
    }
  }

  /** Takes what the threads found by now. */
  take(hit: HitSink): void {
    for (const { thread, hits, scores } of this.#working) {
      const words = wordsOf(thread);
      const end = Atomics.load(this.#words, words.written);
      for (let at = Atomics.load(this.#words, words.taken); at < end; at++) {
        const word = (at % ringHits) * hitWords;
        hit(hits[word]!, hits[word + 1]!, scores[word + 2]!);
      }
      Atomics.store(this.#words, words.taken, end);
      Atomics.notify(this.#words, words.taken);
    }
  }

  /** Nobody takes another cell; waits until each thread is done with its own, and takes what they found. */
  finish(hit: HitSink): void {
    Atomics.store(this.#words, nextWord, 2 ** 30);
    let isFailed = false;
    while (this.#working.length > 0) {
      const progress = Atomics.load(this.#words, progressWord);
      const done = this.#working.filter(({ thread }) => this.#stateOf(thread) !== states.working);
      this.take(hit);
      this.#working = this.#working.filter((helper) => !done.includes(helper));
      isFailed ||= done.some(({ thread }) => this.#stateOf(thread) === states.failed);
      if (done.length === 0) Atomics.wait(this.#words, progressWord, progress);
    }
    if (isFailed) throw new Error('a thread that scans ended');
  }

  /** Ends the threads; there will be no others. Resolves when they refer to no memory any longer. */
  async close(): Promise<void> {
    this.#count = 0;
    const ended = this.#helpers.map(({ worker }) => once(worker, 'exit'));
    for (const helper of this.#helpers) {
      helper.worker.ref();
      this.#set(helper, states.ending);
    }
    this.#memories.length = 0;
    await Promise.all(ended);
  }

  #start(): void {
    let thread = 1;
    while (this.#helpers.some((helper) => helper.thread === thread)) thread++;
    Atomics.store(this.#words, wordsOf(thread).state, states.starting);
    const ring = new SharedArrayBuffer(ringHits * hitWords * 4);
    const control = this.#words.buffer as SharedArrayBuffer;
    const workerData: ScanThreadData = { layout: this.#layout, thread, control, ring };
    const module = moduleUrl('./scan-thread', import.meta.url);
    const worker = new Worker(module, { name: `scan-${thread}`, workerData });
    const helper = { thread, worker, hits: new Int32Array(ring), scores: new Float32Array(ring) };
    this.#helpers.push(helper);
    for (const memory of this.#memories) this.#tell(helper, { memory });
    // It holds nothing that has to be saved: whoever ends does not wait for it.
    worker.unref();
    worker.on('exit', () => {
      this.#helpers = this.#helpers.filter((candidate) => candidate !== helper);
    });
  }

  #tell({ worker }: Helper, message: ToScanThread): void {
    worker.postMessage(message);
  }

  #stateOf(thread: number): number {
    return Atomics.load(this.#words, wordsOf(thread).state);
  }

  #set({ thread }: Helper, state: number): void {
    const word = wordsOf(thread).state;
    Atomics.store(this.#words, word, state);
    Atomics.notify(this.#words, word);
  }
}
