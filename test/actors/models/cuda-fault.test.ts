import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { cudaFault } from '../../../actors/models/cuda-fault.ts';
import { makeElf } from './make-elf.ts';

test('what CUDA lacks is named: its provider, or libraries that the loader does not find', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-cuda-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, `libonnxruntime_providers_${name}.so`);
  const files = [path('shared'), path('cuda')];
  const fault = (device: 'cuda' | 'tensorrt' = 'cuda') => cudaFault(device, files);
  assert.equal(fault(), 'its provider for onnxruntime is not installed');
  writeFileSync(path('shared'), makeElf({}));
  // Loaded by the runtime itself, from beside it.
  const own = 'libonnxruntime_providers_shared.so';
  writeFileSync(path('cuda'), makeElf({ needed: [own, 'libcudart.so.99', 'libcudnn.so.99'] }));
  assert.equal(fault(), 'libcudart.so.99, libcudnn.so.99 are not found');
  writeFileSync(path('cuda'), makeElf({ needed: [own, 'libcudnn.so.99'] }));
  assert.equal(fault(), 'libcudnn.so.99 is not found');
  assert.equal(fault('tensorrt'), 'its provider for onnxruntime is not installed');
  writeFileSync(path('cuda'), makeElf({ needed: [own] }));
  assert.equal(fault(), null);
});
