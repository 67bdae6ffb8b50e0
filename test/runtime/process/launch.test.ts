// The launcher in a checkout of its own, without npm and without a device: both are stand-ins.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cudaProvider } from '../../../runtime/process/nvidia.mjs';
import { copyInstaller, downloadsOf, failsOffline, npmEnv, writesAll } from './fake-installer.ts';

const linux = { skip: process.platform !== 'linux' || process.arch !== 'x64' };
const processFolder = fileURLToPath(new URL('../../../runtime/process', import.meta.url));

/** Says that the driver of NVIDIA is loaded. */
const driver = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { existsSync } = fs;
fs.existsSync = (path) => path === '/proc/driver/nvidia/version' || existsSync(path);
syncBuiltinESMExports();`;

function checkout(t: TestContext, download: string) {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-launch-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const modules = join(folder, 'node_modules');
  for (const name of ['bin', 'cli', 'runtime/process', 'node_modules/node/bin']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  cpSync(processFolder, join(folder, 'runtime', 'process'), { recursive: true });
  writeFileSync(join(folder, 'cli', 'framehound.ts'), 'console.log(process.argv.slice(2).join());');
  writeFileSync(join(folder, 'package.json'), '{"devDependencies":{"node":"22.0.0"}}');
  writeFileSync(join(folder, 'driver.mjs'), driver);
  writeFileSync(join(folder, 'bin', 'npm'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  symlinkSync(process.execPath, join(modules, 'node', 'bin', 'node'));
  // Loaded as it is: there is no esbuild to make one file of it.
  symlinkSync(join(processFolder, '../../node_modules/typebox'), join(modules, 'typebox'));
  copyInstaller(modules, download);
  const launch = (...args: string[]) => {
    const env = { ...npmEnv(folder), PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` };
    const launcher = join(folder, 'runtime', 'process', 'launch.mjs');
    const command = ['--import', join(folder, 'driver.mjs'), launcher, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
    return { status, stdout, said: stderr };
  };
  return { modules, launch };
}

test('a checkout on a machine with an NVIDIA device gets the CUDA provider', linux, (t) => {
  const { modules, launch } = checkout(t, writesAll);
  const { status, said } = launch('--setup');
  assert.equal(status, 0, said);
  for (const file of cudaProvider(modules)) assert.ok(existsSync(file), said);
  // A device that came later, or libraries that went.
  rmSync(cudaProvider(modules)[0]!);
  assert.equal(launch('version').stdout, 'version\n');
  assert.ok(existsSync(cudaProvider(modules)[0]!));
});

test('a provider that cannot be fetched fails no command, and is told in one line once', linux, (t) => {
  const { modules, launch } = checkout(t, failsOffline);
  const line =
    /^framehound: the CUDA provider of onnxruntime is not installed: getaddrinfo ENOTFOUND nowhere; .+: npm run setup -- --gpu$/m;
  const first = launch('version');
  assert.deepEqual([first.status, first.stdout], [0, 'version\n']);
  assert.match(first.said, line);
  const second = launch('version');
  assert.deepEqual([second.status, second.stdout, second.said], [0, 'version\n', '']);
  const byHand = launch('--setup', '--gpu');
  assert.equal(byHand.status, 1);
  assert.match(byHand.said, line);
  assert.equal(downloadsOf(modules).length, 2);
});
