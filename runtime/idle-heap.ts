// Gives the memory that a thread no longer needs back to the system once the thread has nothing to do. V8
// keeps the pages that most of its collections have emptied, and collects nothing while a thread allocates
// nothing.
import { Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';

/** ms without a message. */
const IDLE_MS = 5_000;

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
