// Gives the memory that a thread no longer needs back to the system. V8 keeps the pages that most of its
// collections have emptied, collects nothing while a thread allocates nothing, and does not count shared
// memory of WebAssembly: 30 libraries of 186 MB, loaded one after the other, took 5.6 GB.
import { Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';

/** ms without a message. */
const IDLE_MS = 5_000;
/** Bytes of shared memory that may wait for a collection. */
const mostDropped = 64 << 20;

let dropped = 0;

/** Says that so many bytes of shared memory are given up: the heap is collected once they are many. */
export function noteDropped(bytes: number): void {
  dropped += bytes;
  if (dropped < mostDropped) return;
  dropped = 0;
  // The caller still refers to what it drops.
  setImmediate(collect);
}

/** Answers what is to be called with every message: once none has come for a while, the heap is collected. */
export function collectWhenIdle(): () => void {
  const timer = setTimeout(collect, IDLE_MS).unref();
  return () => void timer.refresh();
}

/** The whole heap, and gives empty pages back, which `gc()` keeps. */
function collect(): void {
  // Else code that has not run lately goes too, and the next call waits until it is compiled again.
  setFlagsFromString('--no-flush-bytecode');
  const session = new Session();
  session.connect();
  // It must not be closed while it answers.
  session.post('HeapProfiler.collectGarbage', () => setImmediate(() => session.disconnect()));
}
