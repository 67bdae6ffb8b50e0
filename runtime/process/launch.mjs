#!/usr/bin/env node
// The first step of every command, in plain JavaScript so that any Node from 18 on can run it: install what is
// missing, then hand over to the pinned Node that the dependencies brought along.
//
//   launch.mjs --setup            install only
//   launch.mjs --node ARGS...     run the pinned Node with ARGS
//   launch.mjs ARGS...            run the command line (cli/framehound.ts) with ARGS
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const windows = process.platform === 'win32';
const pinnedNode = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
const stamp = join(root, 'node_modules', '.framehound-setup');

/** What an installation depends on; a changed lock file or platform means installing again. */
function wanted() {
  const lock = join(root, existsSync(join(root, 'package-lock.json')) ? 'package-lock.json' : 'package.json');
  const hash = createHash('sha256').update(readFileSync(lock)).digest('hex');
  return `${hash} ${process.platform} ${process.arch}`;
}

function installed() {
  return existsSync(pinnedNode) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted();
}

function npmInstall() {
  const args = [
    'exec',
    '--yes',
    '--package=node@22',
    '--',
    'npm',
    'install',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
  ];
  const result = spawnSync('npm', args, {
    cwd: root,
    // Installation talks on stderr, so that the standard output of a command stays its own.
    stdio: ['ignore', process.stderr, process.stderr],
    shell: windows,
    // node-av carries its FFmpeg libraries inside the package; its download of a command line is not used.
    // onnxruntime-node's GPU libraries are fetched in a step of their own, which may fail.
    env: { ...process.env, SKIP_FFMPEG: 'true', ONNXRUNTIME_NODE_INSTALL: 'skip' },
  });
  return result.status === 0;
}

/** Fetches the libraries that run models on an NVIDIA device, where there is one. Without them the processor runs them. */
function fetchGpuLibraries() {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync('/proc/driver/nvidia/version'))
    return;
  process.stderr.write('framehound: fetching the libraries for the graphics device\n');
  const folder = join(root, 'node_modules', 'onnxruntime-node');
  const { status } = spawnSync(pinnedNode, [join(folder, 'script', 'install.js')], {
    cwd: folder,
    stdio: 'ignore',
  });
  if (status !== 0) {
    process.stderr.write('framehound: they cannot be fetched now; models run on the processor\n');
  }
}

function setup() {
  if (installed()) return;
  process.stderr.write('framehound: installing what is missing (once)\n');
  if (!npmInstall()) {
    process.stderr.write('framehound: npm install failed, see the messages above; nothing was started\n');
    process.exit(1);
  }
  if (!existsSync(pinnedNode)) {
    process.stderr.write(
      `framehound: the package "node" has no binary for ${process.platform}-${process.arch}\n`,
    );
    process.exit(1);
  }
  fetchGpuLibraries();
  writeFileSync(stamp, wanted());
}

function run(args) {
  // onnxruntime sends usage data unless this is set before the process starts; a worker can no longer set it.
  // Many test processes load the same modules; compiled once, a run of all tests takes a tenth less.
  const cache = join(root, 'node_modules', '.cache', 'compiled');
  const env = { NODE_COMPILE_CACHE: cache, ...process.env, ORT_DISABLE_TELEMETRY: '1' };
  const stripTypes = pathToFileURL(join(root, 'runtime', 'process', 'strip-types.mjs')).href;
  const flags = ['--disable-warning=ExperimentalWarning', '--import', stripTypes];
  const child = spawn(pinnedNode, [...flags, ...args], { stdio: 'inherit', cwd: process.cwd(), env });
  // ctrl-C reaches the whole group of a terminal, the child included; everything else has to be handed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 1 : (code ?? 1);
  });
}

const [mode, ...rest] = process.argv.slice(2);
setup();
if (mode === '--node') run(rest);
else if (mode !== '--setup') run([join(root, 'cli/framehound.ts'), ...process.argv.slice(2)]);
