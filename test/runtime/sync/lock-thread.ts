// A thread that holds a lock again and again. Adds 1 to a cell in two steps, between which others may come if
// they can.
import { parentPort, workerData } from 'node:worker_threads';
import { ThreadLock } from '../../../runtime/sync/thread-lock.ts';

const { memory, counted, rounds } = workerData as LockThreadData;
export interface LockThreadData {
  readonly memory: SharedArrayBuffer;
  /** [0] is counted up, [1] is how many are inside. */
  readonly counted: Int32Array<SharedArrayBuffer>;
  /** 0 holds the lock until the thread is ended. */
  readonly rounds: number;
}
const lock = new ThreadLock(memory);
if (rounds === 0) {
  await lock.run(async () => {
    parentPort!.postMessage('holds');
    await new Promise(() => parentPort!.on('message', () => {}));
  });
}
for (let round = 0; round < rounds; round++) {
  await lock.run(async () => {
    if (Atomics.add(counted, 1, 1) !== 0) throw new Error('two at once');
    const before = counted[0]!;
    if (round % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    counted[0] = before + 1;
    Atomics.sub(counted, 1, 1);
  });
}
