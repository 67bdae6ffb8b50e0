import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DeviceChoice, devicesToTry, isDeviceChoice } from '../../../actors/models/device.ts';

const linux = ['cpu', 'webgpu', 'cuda', 'tensorrt'];
const cases: [DeviceChoice, string[], boolean, string[], string[]][] = [
  ['cpu', linux, true, ['cpu'], []],
  ['auto', linux, true, ['cuda', 'webgpu', 'cpu'], []],
  ['auto', linux, false, ['cpu'], ['cuda', 'webgpu']],
  ['auto', ['cpu', 'webgpu', 'dml'], true, ['dml', 'webgpu', 'cpu'], []],
  ['auto', ['cpu', 'webgpu', 'coreml'], true, ['coreml', 'webgpu', 'cpu'], []],
  ['tensorrt', linux, true, ['tensorrt', 'cpu'], []],
  ['dml', linux, true, ['cpu'], ['dml']],
  ['cuda', linux, false, ['cpu'], ['cuda']],
];
for (const [choice, available, gpu, order, refused] of cases) {
  test(`${choice} among ${available} ${gpu ? 'with' : 'without'} a GPU tries ${order}`, () => {
    const plan = devicesToTry(choice, available, gpu);
    assert.deepEqual(plan.order, order);
    assert.deepEqual(
      plan.refused.map(({ device }) => device),
      refused,
    );
  });
}

test('only names of devices are choices', () => {
  assert(isDeviceChoice('auto') && isDeviceChoice('coreml'));
  assert(!isDeviceChoice('gpu'));
});
