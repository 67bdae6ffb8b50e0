import assert from 'node:assert/strict';
import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { cudaProvider, hasNvidia, provideCuda } from '../../../runtime/process/nvidia.mjs';
import { temporaryFolder } from '../../temporary-folder.ts';
import {
  copyInstaller,
  downloadsOf,
  failsOffline,
  npmEnv,
  realModules,
  writesAll,
} from './fake-installer.ts';

const linux = { skip: process.platform !== 'linux' || process.arch !== 'x64' };

test('a device of NVIDIA is recognised by its driver, under WSL2 by what Windows lends', linux, (t) => {
  const machines: [boolean, string[]][] = [
    [false, []],
    [false, ['dev/dri/renderD128']],
    [true, ['dev/nvidiactl']],
    [true, ['proc/driver/nvidia/version']],
    // The bridge is there for devices of any maker.
    [false, ['dev/dxg', 'usr/lib/wsl/lib/libd3d12.so']],
    [true, ['dev/dxg', 'usr/lib/wsl/lib/libcuda.so.1']],
  ];
  for (const [expected, files] of machines) {
    const root = temporaryFolder(t);
    for (const file of files) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), '');
    }
    assert.equal(hasNvidia(root), expected, files.join());
  }
});

/** A checkout whose command runs under npm, where the CUDA provider is wanted. */
function wantedUnderNpm(t: TestContext, download: string, more: Record<string, string> = {}) {
  const folder = temporaryFolder(t);
  const modules = join(folder, 'node_modules');
  copyInstaller(modules, download);
  const env = { ...npmEnv(folder), ONNXRUNTIME_NODE_INSTALL: 'true', ...more };
  const provide = (options: { byHand?: boolean; now?: number } = {}) =>
    provideCuda(modules, process.execPath, { env, ...options });
  return { modules, provide, downloads: () => downloadsOf(modules) };
}

test('the real installer fetches under npm, once, and gets the proxy of the environment', linux, (t) => {
  const proxy = { https_proxy: 'http://proxy:3128', NO_PROXY: 'here' };
  const { modules, provide, downloads } = wantedUnderNpm(t, writesAll, proxy);
  assert.equal(provide(), undefined);
  for (const file of cudaProvider(modules)) assert.ok(existsSync(file), file);
  assert.equal(provide(), undefined);
  const [env, ...more] = downloads();
  assert.equal(more.length, 0);
  assert.deepEqual(
    Object.keys(env!).filter((name) => name.startsWith('npm_')),
    [],
  );
  assert.equal(env!['GLOBAL_AGENT_HTTP_PROXY'], 'http://proxy:3128');
  assert.equal(env!['GLOBAL_AGENT_NO_PROXY'], 'here');
});

test('a fetch that fails says why, and is tried again later, or by hand at once', linux, (t) => {
  const { provide, downloads } = wantedUnderNpm(t, failsOffline);
  const hour = 3_600_000;
  const start = 1e12;
  const reason = 'getaddrinfo ENOTFOUND nowhere';
  assert.equal(provide({ now: start }), reason);
  assert.equal(provide({ now: start + hour - 1 }), undefined);
  assert.equal(provide({ now: start + hour }), reason);
  // Twice as long after the second failure.
  assert.equal(provide({ now: start + 3 * hour - 1 }), undefined);
  assert.equal(provide({ now: start + 3 * hour }), reason);
  assert.equal(provide({ now: start + 3 * hour + 1, byHand: true }), reason);
  // A clock that was set back does not put it off for ever.
  assert.equal(provide({ now: start }), reason);
  assert.equal(downloads().length, 5);
});

test('an installer that ends well without the files has failed', linux, (t) => {
  const { provide } = wantedUnderNpm(t, '');
  assert.equal(provide(), 'its installer ended with 0 and without the files');
});

test('a library that was cut short is fetched again', linux, (t) => {
  const { modules, provide, downloads } = wantedUnderNpm(t, writesAll);
  provide();
  truncateSync(cudaProvider(modules)[1]!, 40);
  assert.equal(provide(), undefined);
  assert.equal(downloads().length, 2);
});

test('nothing is fetched where it is skipped, unless by hand', linux, (t) => {
  const skip = { ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const { provide, downloads } = wantedUnderNpm(t, writesAll, skip);
  assert.equal(provide(), undefined);
  assert.equal(downloads().length, 0);
  assert.equal(provide({ byHand: true }), undefined);
  assert.equal(downloads().length, 1);
});

test('the provider belongs where the binding of the installed onnxruntime lies', linux, () => {
  const [shared] = cudaProvider(realModules);
  assert.ok(existsSync(join(dirname(shared!), 'onnxruntime_binding.node')));
});
