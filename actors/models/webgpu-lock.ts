// The lock under which all threads of the process use WebGPU: two that do at once end the process
// (microsoft/onnxruntime#27592, #31627, #32561).
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { engineErrors } from '../../runtime/errors.ts';
import { ThreadLock } from '../../runtime/sync/thread-lock.ts';
import type { Device } from './device.ts';

const key = 'framehound.webgpu-lock';

/** To be called by the main thread before it starts those that use WebGPU: they inherit it. */
export function shareWebgpuLock(): void {
  if (getEnvironmentData(key) !== undefined) return;
  const memory = ThreadLock.memory();
  setEnvironmentData(key, memory);
  const lock = new ThreadLock(memory);
  process.on('worker', (worker) => {
    const { threadId } = worker;
    worker.once('exit', () => lock.abandon(threadId));
  });
}

/** Does work with a device. Rejects as the work does. */
export type DeviceAccess = <T>(work: () => Promise<T>) => Promise<T>;

/** For WebGPU alone, and with CANCELLED when `stopping` aborts before it is its turn; for others at once. */
export function accessTo(device: Device, stopping?: AbortSignal): DeviceAccess {
  if (device !== 'webgpu') return (work) => work();
  const lock = webgpuLock();
  return (work) => lock.run(work, stopping);
}

function webgpuLock(): ThreadLock {
  if (isMainThread) shareWebgpuLock();
  const memory = getEnvironmentData(key);
  if (memory instanceof SharedArrayBuffer) return new ThreadLock(memory);
  throw engineErrors.INTERNAL('the lock of WebGPU was not shared before this thread was started');
}
