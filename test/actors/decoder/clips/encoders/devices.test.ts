import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { findDevices } from '../../../../../actors/decoder/clips/encoders/machine.ts';

function machine(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'framehound-devices-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test('a machine without devices has none', (t) => {
  assert.deepEqual(findDevices('linux', machine(t, {})), []);
  assert.deepEqual(findDevices('linux', machine(t, { 'dev/dri/card0': '', 'dev/dri/by-path': '' })), []);
});

test('devices are told with their makers and drivers', (t) => {
  const root = machine(t, {
    'dev/nvidiactl': '',
    'proc/driver/nvidia/version': 'NVRM version: 550.1\nGCC version: 13\n',
    'dev/dri/renderD129': '',
    'dev/dri/renderD128': '',
    'sys/class/drm/renderD128/device/vendor': '0x8086\n',
    'sys/class/drm/renderD128/device/device': '0x9a49\n',
    'proc/sys/kernel/osrelease': '6.1\n',
  });
  assert.deepEqual(findDevices('linux', root), [
    { kind: 'nvidia', path: null, facts: 'NVRM version: 550.1', vendor: null },
    { kind: 'render', path: '/dev/dri/renderD128', facts: '0x8086 0x9a49 6.1', vendor: 0x8086 },
    { kind: 'render', path: '/dev/dri/renderD129', facts: '6.1', vendor: null },
  ]);
});

test('under WSL2 NVIDIA is found by what Windows lends, and elsewhere only trying tells', (t) => {
  const bridged = findDevices('linux', machine(t, { 'dev/dxg': '', 'usr/lib/wsl/lib/libcuda.so.1': '' }));
  assert.deepEqual(findDevices('linux', machine(t, { 'dev/dxg': '' })), []);
  assert.deepEqual(
    bridged.map(({ kind }) => kind),
    ['nvidia'],
  );
  for (const platform of ['win32', 'darwin']) assert.equal(findDevices(platform)[0]!.kind, 'system');
});
