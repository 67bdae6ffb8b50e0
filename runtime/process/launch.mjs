#!/usr/bin/env node
// The first step of every command, for any Node from 20 on: hands over to the Node 22 that npm installed with
// the package, or to this one where that is missing and this one fits. A checkout installs its packages first.
// With --node as the first argument that Node runs the rest, else the command line does.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endWithNpm } from './npm-parent.mjs';
import { fittingNode, unsupported } from './system.mjs';

const fail = (reason) => {
  process.stderr.write(`framehound: ${reason}\n`);
  process.exitCode = 1;
};
const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const isCheckout = existsSync(join(root, 'cli', 'framehound.ts'));
const windows = process.platform === 'win32';

/** Answers why nothing can be run. */
function install() {
  const [lock, done] = [join(root, 'package-lock.json'), join(root, 'node_modules', '.package-lock.json')];
  if (!isCheckout || (existsSync(done) && statSync(done).mtimeMs >= statSync(lock).mtimeMs)) return undefined;
  process.stderr.write('framehound: installing packages with "npm ci" (1 GB on disk)\n');
  const args = ['ci', '--include=dev', '--include=optional', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2], shell: windows });
  return status === 0 ? undefined : '"npm ci" failed; docs/install.md says what a proxy or a registry needs';
}

/**
 * The environment of a program, unless it is set. glibc keeps what is freed in up to eight arenas a processor:
 * with two, a service held a seventh less. It also raises the size from which it gives memory back by itself
 * with the largest block that was freed, up to 32 MB: after pictures of that size, or the weights of a model,
 * smaller ones stay for good. Opening a film blocks a thread of Node's pool, which has four, until FFmpeg comes
 * back. ONNX Runtime sends usage data unless its variable is set before the process starts.
 */
const environment = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', UV_THREADPOOL_SIZE: '12' };

/** A program ends when this process is killed, which it sees by a channel that closes (launched.ts). */
function run(node, flags, args, isProgram) {
  const env = { ...environment, ...process.env, ORT_DISABLE_TELEMETRY: '1' };
  if (isProgram) env.FRAMEHOUND_LAUNCHED = '1';
  const stdio = ['inherit', 'inherit', 'inherit', ...(isProgram ? ['ipc'] : [])];
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...flags, ...args], { stdio, env });
  // Windows has no signals: a program sees there that its channel closes, and stops in order.
  const end = (signal) => (windows && isProgram ? child.connected && child.disconnect() : child.kill(signal));
  endWithNpm(() => end('SIGTERM'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // ctrl-C reaches the whole group of a terminal, the child included.
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY) || end(signal));
  }
  child.on('error', ({ message }) => fail(unsupported() ?? `${node} cannot be started: ${message}`));
  child.on('exit', (code) => (process.exitCode = code ?? 1));
}

const [mode, ...rest] = process.argv.slice(2);
const problem = unsupported() ?? install();
const node = problem === undefined && fittingNode();
const loader = ['--import', pathToFileURL(join(here, 'load.mjs')).href];
const program = isCheckout ? join(root, 'cli', 'framehound.ts') : join(root, 'dist', 'cli', 'framehound.js');
if (problem !== undefined) fail(problem);
else if (!existsSync(program)) fail('this package was packed without its build: pack it with "npm run pack"');
else if (node === undefined)
  fail('the Node 22 of this system is not installed: npm leaves it out with --omit=optional');
else if (mode === '--node') run(node, loader, rest, false);
else run(node, loader, [program, ...process.argv.slice(2)], true);
