// The native packages of every supported system, on the registry: to be run before a pin moves. What the lock
// file says of them is tested without the registry (test/runtime/process/system.test.ts).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { npmProgram, withoutOuterNpm } from '../../runtime/process/npm.ts';
import { nodePackages, unsupported } from '../../runtime/process/system.mjs';
import { nativePackages, root } from '../native-packages.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const isLinux = process.platform === 'linux';
const program = npmProgram();
function npm(args: readonly string[], cwd: string) {
  const options = { cwd, encoding: 'utf8', env: withoutOuterNpm(process.env) } as const;
  const { status, stdout, stderr } = spawnSync(program.command, [...program.args, ...args], options);
  return { status, out: stdout, err: stderr };
}

const isReached = npm(['ping'], root).status === 0 || npm(['view', 'npm', 'name'], root).status === 0;
const skip = isReached ? false : 'the package registry is not reached';

for (const system of Object.keys(nodePackages)) {
  for (const { name, version, integrity } of nativePackages(system)) {
    test(`${system}: ${name}@${version} is on the registry as the lock file has it`, { skip }, (t) => {
      const { status, out, err } = npm(['view', `${name}@${version}`, 'dist.integrity', '--json'], root);
      if (integrity === null && /E404/.test(err)) return t.skip(`${name} is not on this registry`);
      assert.equal(status, 0, err);
      if (integrity !== null) assert.equal(JSON.parse(out), integrity);
    });
  }

  test(`${system}: npm can install the lock file`, { skip }, (t) => {
    const [os, cpu] = system.split('-') as [string, string];
    const folder = temporaryFolder(t);
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(root, name), join(folder, name));
    const libc = os === 'linux' ? ['--libc=glibc'] : [];
    const where = [`--os=${os}`, `--cpu=${cpu}`, ...libc];
    const quiet = ['--dry-run', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { status, err } = npm(['ci', ...where, ...quiet], folder);
    assert.equal(status, 0, err);
  });
}

/** The newest `GLIBC_2.n` that a program or library needs; its name is in the file as text. */
function glibcOf(path: string): number {
  const names = readFileSync(path, 'latin1').matchAll(/GLIBC_2\.(\d+)\b/g);
  return Math.max(0, ...Array.from(names, ([, minor]) => Number(minor)));
}

test('no binary of this installation needs a newer glibc than is required', { skip: !isLinux }, () => {
  const cwd = join(root, 'node_modules');
  const binaries = ['**/*.node', '**/*.so', '**/*.so.*', 'node-linux-*/bin/node'];
  const installed = globSync(binaries, { cwd }).map((name) => join(cwd, name));
  const needed = installed.filter((path) => !/musl|android|arm/.test(path)).map(glibcOf);
  assert.ok(needed.length > 5, `${needed.length} binaries`);
  const most = Math.max(...needed);
  assert.equal(unsupported({ platform: 'linux', arch: 'x64', glibc: `2.${most}` }), undefined, `2.${most}`);
  // The requirement is not higher than it has to be.
  assert.match(unsupported({ platform: 'linux', arch: 'x64', glibc: `2.${most - 1}` })!, /glibc/);
});
