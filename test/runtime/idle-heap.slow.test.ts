import assert from 'node:assert/strict';
import { once } from 'node:events';
import test, { after } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { ThreadData } from '../../runtime/thread.ts';
import { createControl } from '../../runtime/wire.ts';
import { until } from '../until.ts';

const entry = new URL('../../runtime/entry.ts', import.meta.url);
/** The definition of an actor that leaves garbage behind when it is made. */
const littering = `export const definition = {
  contract: { name: 'littering', messages: {}, concurrency: 1, calls: 1 },
  create: () => {
    for (let kept = [], i = 0; i < 200_000; i++) kept.push([i, {}]);
    return { handlers: {} };
  },
};`;

// V8's own way to do it, which comes later and not always.
setFlagsFromString('--no-memory-reducer');
after(() => setFlagsFromString('--memory-reducer'));

test('a thread that has nothing to do gives the memory of its heap back', async () => {
  const module = `data:text/javascript,${encodeURIComponent(littering)}`;
  const control = createControl(1);
  const { port1, port2 } = new MessageChannel();
  const workerData: ThreadData = {
    name: 'littering',
    control,
    memory: undefined,
    settings: {},
    logLevel: 'info',
    module,
    port: port2,
    isBackground: false,
  };
  const worker = new Worker(entry, { workerData, transferList: [port2] });
  const heap = async () => (await worker.getHeapStatistics()).total_heap_size;
  const [message] = await once(port1, 'message');
  assert.deepEqual(message, { type: 'ready' });
  const before = await heap();
  await until(async () => (await heap()) < before / 2);
  port1.postMessage({ type: 'stop' });
  assert.deepEqual(await once(worker, 'exit'), [0]);
});
