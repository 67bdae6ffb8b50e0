import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { cudaFault } from '../../../actors/models/machine.ts';

const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const [binding] = globSync(`onnxruntime-node/bin/*/linux/${process.arch}/*.node`, { cwd: packages });
const hasLoader = binding !== undefined && spawnSync('ldd', ['--version']).status === 0;

test('what CUDA lacks is named: its provider, or libraries that the loader does not find', {
  skip: !hasLoader && 'there is no ldd here',
}, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-cuda-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
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
