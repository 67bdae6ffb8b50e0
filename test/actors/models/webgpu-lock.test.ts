import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import { accessTo, shareWebgpuLock } from '../../../actors/models/webgpu-lock.ts';

/** Has WebGPU in another thread and says so; holds it until the thread is ended. */
const holder = `import { parentPort } from 'node:worker_threads';
import { accessTo } from ${JSON.stringify(new URL('../../../actors/models/webgpu-lock.ts', import.meta.url).href)};
await accessTo('webgpu')(async () => {
  parentPort.postMessage('holds');
  await new Promise(() => parentPort.on('message', () => {}));
});`;

test('one thread uses WebGPU at a time, until it ends; other devices wait for nobody', async () => {
  shareWebgpuLock();
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(holder)}`));
  await once(thread, 'message');
  const stopping = new AbortController();
  let waited = true;
  const stopped = accessTo('webgpu', stopping.signal)(async () => {});
  const mine = accessTo('webgpu')(async () => waited);
  assert.equal(await accessTo('cuda')(async () => 'at once'), 'at once');
  stopping.abort();
  await assert.rejects(stopped, { code: 'CANCELLED' });
  waited = false;
  await thread.terminate();
  assert.equal(await mine, false);
});
