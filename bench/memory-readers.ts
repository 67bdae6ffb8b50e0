// How fast is memory when all of it is read once, by as many threads as scan it? With the byte search of the
// C library: 0x80 is no value of a row, only now and then of a scale.
import { Worker } from 'node:worker_threads';

/** Given to a thread with every part; the bytes of a part that are its own follow from its number. */
const code = `
const { workerData: { control, parts, share, of } } = require('node:worker_threads');
const words = new Int32Array(control);
for (let seen = 0; ; ) {
  Atomics.wait(words, 0, seen);
  seen = Atomics.load(words, 0);
  if (seen < 0) break;
  for (const { buffer, byteOffset, byteLength } of parts) {
    const each = Math.ceil(byteLength / of);
    const length = Math.min(each, byteLength - share * each);
    const bytes = Buffer.from(buffer, byteOffset + share * each, length);
    for (let at = bytes.indexOf(0x80); at >= 0; at = bytes.indexOf(0x80, at + 1));
  }
  Atomics.add(words, 1, 1);
  Atomics.notify(words, 1);
}`;

export class MemoryReaders {
  readonly #words = new Int32Array(new SharedArrayBuffer(8));
  readonly #threads: number;

  /** `parts`: shared memory. */
  constructor(parts: readonly Uint8Array[], threads: number) {
    this.#threads = threads;
    const { buffer: control } = this.#words;
    for (let share = 0; share < threads; share++)
      new Worker(code, { eval: true, workerData: { control, parts, share, of: threads } }).unref();
  }

  /** Reads everything once. */
  read(): void {
    Atomics.store(this.#words, 1, 0);
    Atomics.add(this.#words, 0, 1);
    Atomics.notify(this.#words, 0);
    for (let done = 0; done < this.#threads; done = Atomics.load(this.#words, 1))
      Atomics.wait(this.#words, 1, done);
  }

  close(): void {
    Atomics.store(this.#words, 0, -1);
    Atomics.notify(this.#words, 0);
  }
}
