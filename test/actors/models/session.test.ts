import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { graphicsHere } from '../../../actors/models/machine.ts';
import { offeredDevices, openSession } from '../../../actors/models/session.ts';
import { GraphBuilder, onnxBytes } from '../../../actors/models/starter/graph/onnx.ts';
import { accessTo, shareWebgpuLock } from '../../../actors/models/webgpu-lock.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const lines: LogLine[] = [];
const log = createLog('test', (line) => lines.push(line));
const options = { device: 'cpu', threads: 1, log } as const;

/** y = x + x, n×2. */
function doubling(): Uint8Array {
  const graph = new GraphBuilder('doubling');
  const x = graph.input('x', 'float', ['n', 2]);
  graph.output(graph.op('Add', [x, x]), 'y', 'float', ['n', 2]);
  return onnxBytes(graph.model());
}

const folder = temporaryFolder();

test('a graph opens from bytes and from a path, tells its ports and runs', async () => {
  const path = join(folder, 'doubling.onnx');
  await writeFile(path, doubling());
  for (const source of [doubling(), path]) {
    const session = await openSession(source, options);
    assert.deepEqual(session.inputs, [{ name: 'x', type: 'float32', shape: ['n', 2] }]);
    assert.deepEqual(session.outputs, [{ name: 'y', type: 'float32', shape: ['n', 2] }]);
    assert.equal(session.device, 'cpu');
    const { y } = await session.run({ x: { data: Float32Array.of(1, 2, 3, 4), dims: [2, 2] } });
    assert.deepEqual(y, { data: Float32Array.of(2, 4, 6, 8), dims: [2, 2] });
    await session.release();
  }
});

test('a feed that the graph does not declare is left out, one that is missing fails by name', async () => {
  const session = await openSession(doubling(), options);
  const x = { data: Float32Array.of(1, 2), dims: [1, 2] };
  await session.run({ x, attention_mask: { data: BigInt64Array.of(1n), dims: [1] } });
  await assert.rejects(session.run({ other: x }), { code: 'MODEL_RUN_FAILED', message: /'x'|"x"/ });
  await session.release();
});

test('an output is written into an array that is handed in', async () => {
  const session = await openSession(doubling(), options);
  const data = new Float32Array(6).subarray(2);
  const x = { data: Float32Array.of(1, 2, 3, 4), dims: [2, 2] };
  const { y } = await session.run({ x }, ['y'], { y: { data, dims: [2, 2] } });
  assert.deepEqual(data, Float32Array.of(2, 4, 6, 8));
  assert.deepEqual(y?.data, data);
  await session.release();
});

test('a released session refuses to run and can be released again', async () => {
  const session = await openSession(doubling(), options);
  await session.release();
  await session.release();
  await assert.rejects(session.run({}), { code: 'MODEL_RUN_FAILED', message: /released/ });
});

test('a device that is not there is told and cpu is used', async () => {
  lines.length = 0;
  const offered = await offeredDevices();
  const absent = (['dml', 'coreml', 'cuda'] as const).find((device) => !offered.includes(device));
  assert(absent);
  const session = await openSession(doubling(), { ...options, device: absent });
  assert.equal(session.device, 'cpu');
  assert.deepEqual(
    session.refused.map(({ device }) => device),
    [absent],
  );
  assert.equal(lines[0]?.level, 'warn');
  assert.match(String(lines[0]?.fields.reason), /not available on this platform/);
  await session.release();
});

test('half precision is of a device alone: the processor does not stand in for it', async () => {
  const half = openSession(doubling(), { ...options, device: 'webgpu', half: true });
  if (graphicsHere().any) return (await half).release();
  await assert.rejects(half, { code: 'MODEL_LOAD_FAILED', message: /webgpu: no graphics device found/ });
});

test('whatever auto finds, the graph runs and every refused device has a reason', async () => {
  const session = await openSession(doubling(), { ...options, device: 'auto' });
  for (const { reason } of session.refused) assert.match(reason, /\S/);
  const { y } = await session.run({ x: { data: Float32Array.of(1, 2), dims: [1, 2] } });
  assert.deepEqual([...(y?.data ?? [])], [2, 4]);
  await session.release();
});

test('a missing, an empty and a damaged file fail with their path', async () => {
  const bytes = doubling();
  const empty = join(folder, 'empty.onnx');
  const cut = join(folder, 'cut.onnx');
  const noise = join(folder, 'noise.onnx');
  await writeFile(empty, '');
  await writeFile(cut, bytes.subarray(0, bytes.length - 20));
  await writeFile(
    noise,
    Uint8Array.from({ length: 500 }, (_, at) => (at * 73) & 255),
  );
  for (const path of [join(folder, 'none.onnx'), empty, cut, noise, folder]) {
    await assert.rejects(openSession(path, options), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'MODEL_LOAD_FAILED', path);
      return error.message.includes(path);
    });
  }
});

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
