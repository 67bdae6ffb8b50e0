import assert from 'node:assert/strict';
import { test } from 'node:test';
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
