import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DeviceChoice,
  devicesToTry,
  type Graphics,
  mayUseGraphics,
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
