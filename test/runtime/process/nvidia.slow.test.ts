import assert from 'node:assert/strict';
import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { cudaProvider, fetchCuda, hasNvidia } from '../../../runtime/process/nvidia.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { copyInstaller, downloadsOf, failsOffline, npmEnv, writesAll } from './fake-installer.ts';

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

/** As a command of a checkout that runs under npm. */
function underNpm(t: TestContext, download: string, more: Record<string, string> = {}) {
  const folder = temporaryFolder(t);
  const modules = join(folder, 'node_modules');
  copyInstaller(modules, download);
  const runtime = join(modules, 'onnxruntime-node');
  const env = { ...npmEnv(folder), ONNXRUNTIME_NODE_INSTALL: 'skip', ...more };
  return { runtime, fetch: () => fetchCuda(runtime, env), downloads: () => downloadsOf(modules) };
}

test('the real installer fetches under npm, once, and gets the proxy of the environment', linux, (t) => {
  const proxy = { https_proxy: 'http://proxy:3128', NO_PROXY: 'here' };
  const { runtime, fetch, downloads } = underNpm(t, writesAll, proxy);
  assert.equal(fetch(), undefined);
  for (const file of cudaProvider(runtime)) assert.ok(existsSync(file), file);
  assert.equal(fetch(), undefined);
  const [env, ...more] = downloads();
  assert.equal(more.length, 0);
  assert.deepEqual(
    Object.keys(env!).filter((name) => name.startsWith('npm_')),
    [],
  );
  assert.equal(env!['GLOBAL_AGENT_HTTP_PROXY'], 'http://proxy:3128');
  assert.equal(env!['GLOBAL_AGENT_NO_PROXY'], 'here');
});

test('a fetch that fails says why', linux, (t) => {
  assert.equal(underNpm(t, failsOffline).fetch(), 'getaddrinfo ENOTFOUND nowhere');
  assert.equal(underNpm(t, '').fetch(), 'its installer ended with 0 and without the files');
});

test('a library that was cut short is fetched again', linux, (t) => {
  const { runtime, fetch, downloads } = underNpm(t, writesAll);
  fetch();
  truncateSync(cudaProvider(runtime)[1]!, 40);
  assert.equal(fetch(), undefined);
  assert.equal(downloads().length, 2);
});

test('the provider belongs where the binding of the installed ONNX Runtime lies', linux, () => {
  const [shared] = cudaProvider();
  assert.ok(existsSync(join(dirname(shared!), 'onnxruntime_binding.node')));
});
