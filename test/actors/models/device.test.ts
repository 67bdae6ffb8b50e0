import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  type DeviceChoice,
  devicesToTry,
  type Graphics,
  mayUseGraphics,
  onCard,
  partsOf,
  providerOf,
  refusalText,
} from '../../../actors/models/device.ts';
import { cudaFault } from '../../../actors/models/machine.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const linux = ['cpu', 'webgpu', 'cuda', 'tensorrt'];
const none = { any: false, nvidia: false };
const other = { any: true, nvidia: false };
const nvidia = { any: true, nvidia: true };
const cases: [DeviceChoice, string[], Graphics, string[], string[]][] = [
  ['cpu', linux, nvidia, ['cpu'], []],
  // WebGPU ends the process when two threads use it: never by itself.
  ['auto', linux, nvidia, ['cuda', 'cpu'], []],
  ['auto', linux, none, ['cpu'], ['CUDA: no NVIDIA device found']],
  ['auto', linux, other, ['cpu'], ['CUDA: no NVIDIA device found']],
  ['auto', ['cpu', 'webgpu', 'dml'], nvidia, ['dml', 'cpu'], []],
  ['auto', ['cpu', 'webgpu', 'coreml'], nvidia, ['coreml', 'cpu'], []],
  ['auto:1', linux, nvidia, ['cuda', 'cpu'], []],
  ['dml:2', ['cpu', 'webgpu', 'dml'], nvidia, ['dml', 'cpu'], []],
  ['webgpu', linux, other, ['webgpu', 'cpu'], []],
  ['webgpu', linux, none, ['cpu'], ['WebGPU: no graphics device found']],
  ['tensorrt', linux, nvidia, ['tensorrt', 'cpu'], []],
  [
    'dml',
    linux,
    nvidia,
    ['cpu'],
    ['DirectML: not available on this platform; available: cpu, webgpu, cuda, tensorrt'],
  ],
  ['cuda', linux, other, ['cpu'], ['CUDA: no NVIDIA device found']],
];
for (const [choice, available, graphics, order, refused] of cases) {
  test(`${choice} among ${available} with ${JSON.stringify(graphics)} tries ${order}`, () => {
    const plan = devicesToTry(choice, available, graphics);
    assert.deepEqual(plan.order, order);
    assert.equal(refusalText(plan.refused), refused[0] ?? null);
    if (choice === 'auto') assert.equal(mayUseGraphics(choice, graphics), order[0] !== 'cpu');
  });
}

test('a card that is asked for by its number is told to the runtime, where it has cards', () => {
  assert.deepEqual(partsOf('auto'), { device: 'auto', card: 0 });
  assert.deepEqual(partsOf('dml:2'), { device: 'dml', card: 2 });
  assert.equal(devicesToTry('auto:1', linux, nvidia).card, 1);
  assert.equal(providerOf('cuda', 0), 'cuda');
  assert.deepEqual(providerOf('cuda', 1), { name: 'cuda', deviceId: 1 });
  assert.deepEqual(providerOf('dml', 1), { name: 'dml', deviceId: 1 });
  assert.deepEqual(providerOf('tensorrt', 3), { name: 'tensorrt', deviceId: 3 });
  for (const device of ['cpu', 'webgpu'] as const) assert.equal(providerOf(device, 1), device);
  assert.deepEqual([onCard('cuda', 1), onCard('cuda', 0), onCard('cpu', 1)], ['cuda:1', 'cuda', 'cpu']);
});

test('Core ML gets graphs in its current format', () => {
  for (const card of [0, 1])
    assert.deepEqual(providerOf('coreml', card), { name: 'coreml', coreMlFlags: 16 });
});

const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const [binding] = globSync(`onnxruntime-node/bin/*/linux/${process.arch}/*.node`, { cwd: packages });
const hasLoader = binding !== undefined && spawnSync('ldd', ['--version']).status === 0;

test('what CUDA lacks is named: its provider, or libraries that the loader does not find', {
  skip: !hasLoader && 'there is no ldd here',
}, (t) => {
  const folder = temporaryFolder(t);
  const path = (name: string) => join(folder, `libonnxruntime_providers_${name}.so`);
  const fault = (device: 'cuda' | 'tensorrt' = 'cuda') => cudaFault(device, [path('shared'), path('cuda')]);
  assert.equal(fault(), 'its provider for onnxruntime is not installed');
  // It needs a library that the runtime itself has loaded from beside it.
  const bytes = readFileSync(join(packages, binding!));
  writeFileSync(path('shared'), bytes);
  writeFileSync(path('cuda'), bytes);
  assert.equal(fault(), null);
  const rename = (from: string, to: string) => {
    const at = bytes.indexOf(`${from}\0`);
    assert.ok(at > 0 && from.length === to.length);
    bytes.write(to, at);
  };
  rename('libonnxruntime.so.1', 'libcudart.so.999999');
  writeFileSync(path('cuda'), bytes);
  assert.equal(fault(), 'libcudart.so.999999 is not found');
  rename('libm.so.6', 'libq.so.9');
  writeFileSync(path('cuda'), bytes);
  assert.match(fault() ?? '', /^(libcudart\.so\.999999, libq\.so\.9|libq.*, libcudart.*) are not found$/);
  assert.equal(fault('tensorrt'), 'its provider for onnxruntime is not installed');
});
