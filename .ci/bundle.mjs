// Writes framehound-<version>-<system>.tgz: the program with all that it needs on this system, the pinned
// Node included. Unpacked on a machine without network, Node or npm, it runs by `framehound` in its folder.
// Run by: npm run bundle [-- --to FOLDER]
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { npmProgram, withoutOuterNpm } from '../runtime/process/npm.ts';
import { nodePackages } from '../runtime/process/system.mjs';

const root = dirname(import.meta.dirname);
const { to } = parseArgs({ options: { to: { type: 'string', default: root } } }).values;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const windows = process.platform === 'win32';
const system = `${process.platform}-${process.arch}`;
const name = `framehound-${version}-${system}`;

function run(command, args, cwd) {
  const options = {
    cwd,
    stdio: ['ignore', process.stderr, process.stderr],
    env: withoutOuterNpm(process.env),
  };
  const { status, error } = spawnSync(command, args, options);
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
}

/** The package with what it needs, as the lock file has it. */
function installInto(work) {
  const { command, args } = npmProgram();
  run(command, [...args, 'pack', '--ignore-scripts=false', '--pack-destination', work], root);
  run('tar', ['-xzf', `framehound-${version}.tgz`], work);
  const installed = join(work, 'package');
  cpSync(join(root, 'package-lock.json'), join(installed, 'package-lock.json'));
  const quiet = ['--ignore-scripts', '--loglevel=error', '--no-audit', '--no-fund'];
  run(command, [...args, 'ci', '--omit=dev', ...quiet], installed);
  return installed;
}

/** The one package that brings the binaries of all systems, 290 MB. */
function leaveOutOtherSystems(installed) {
  const binaries = join(installed, 'node_modules', 'onnxruntime-node', 'bin');
  const folders = globSync('*/*/*', { cwd: binaries }).map((path) => path.replaceAll('\\', '/'));
  for (const folder of folders) {
    if (!folder.endsWith(`/${process.platform}/${process.arch}`)) {
      rmSync(join(binaries, folder), { recursive: true });
    }
  }
}

function writeStarter(folder) {
  const node = `lib/node_modules/${nodePackages[system]}/bin/node${windows ? '.exe' : ''}`;
  const launcher = 'lib/runtime/process/launch.mjs';
  if (windows) {
    const text = `@"%~dp0${node}" "%~dp0${launcher}" %*\n`.replaceAll('/', '\\').replaceAll('\n', '\r\n');
    writeFileSync(join(folder, 'framehound.cmd'), text);
    return;
  }
  // Also through a link in a folder of the PATH.
  const text = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/${node}" "$here/${launcher}" "$@"
`;
  writeFileSync(join(folder, 'framehound'), text, { mode: 0o755 });
}

const work = mkdtempSync(join(tmpdir(), 'framehound-bundle-'));
try {
  const installed = installInto(work);
  leaveOutOtherSystems(installed);
  mkdirSync(join(work, name));
  renameSync(installed, join(work, name, 'lib'));
  writeStarter(join(work, name));
  const archive = join(resolve(to), `${name}.tgz`);
  run('tar', ['-czf', archive, name], work);
  process.stdout.write(`${archive}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
