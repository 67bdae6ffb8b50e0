#!/usr/bin/env node
// The first step of every command, in plain JavaScript so that any Node from 18 on can run it: install what
// is missing, then hand over to the pinned Node that the dependencies brought along.
//
//   launch.mjs --setup            install only
//   launch.mjs --setup --gpu      the same, and fetch what models need to run on an NVIDIA device
//   launch.mjs --installed        npm has installed the package: install what npm leaves out, where that is worth it
//   launch.mjs --node ARGS...     run the pinned Node with ARGS
//   launch.mjs ARGS...            run the command line (cli/framehound) with ARGS
//
// It stands in two places. In a checkout it installs all dependencies and runs the sources. In an installed
// package npm has installed the dependencies already, but for those that an ordinary install cannot be
// trusted with: two that choose their binary by the Node that npm runs on, two that download more while they
// are installed, and two for which that Node may be too old. dist/package.json lists them; they are installed
// into dist/, the same way as in a checkout.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withoutOuterNpm } from './npm.mjs';
import { provideCuda } from './nvidia.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const isCheckout = existsSync(join(root, 'cli', 'framehound.ts'));
/** Where the program lies and what it needs is installed. */
const home = isCheckout ? root : join(root, 'dist');
const windows = process.platform === 'win32';
const pinnedNode = join(home, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
const stamp = join(home, 'node_modules', '.framehound-setup');

/** What an installation depends on; a changed lock file or platform means installing again. */
function wanted() {
  const lock = join(home, existsSync(join(home, 'package-lock.json')) ? 'package-lock.json' : 'package.json');
  const hash = createHash('sha256').update(readFileSync(lock)).digest('hex');
  return `${hash} ${process.platform} ${process.arch}`;
}

function isInstalled() {
  return existsSync(pinnedNode) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted();
}

/** Gigabytes that the installed packages take, for people to know before; measured on Linux x64. */
const installedSize = isCheckout ? '1.0' : '0.65';

function npmInstall() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const pinned = { ...dependencies, ...devDependencies };
  const args = [
    'exec',
    '--yes',
    // Some packages choose by the running Node what they install.
    `--package=node@${pinned.node}`,
    '--',
    'npm',
    'install',
    // The lock file stays as it is committed, whichever npm runs.
    '--no-save',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
    // Also where NODE_ENV is "production": the engine's own packages are among them.
    ...(isCheckout ? ['--include=dev'] : []),
  ];
  const result = spawnSync('npm', args, {
    cwd: home,
    // Installation talks on stderr, so that the standard output of a command stays its own.
    stdio: ['ignore', process.stderr, process.stderr],
    shell: windows,
    // node-av carries its FFmpeg libraries inside the package; its download of a command line is not used.
    // onnxruntime-node's GPU libraries are fetched in a step of their own, which may fail (nvidia.mjs).
    env: { ...withoutOuterNpm(process.env), SKIP_FFMPEG: 'true', ONNXRUNTIME_NODE_INSTALL: 'skip' },
  });
  return result.status === 0;
}

/** npm shows nothing of what a script says that it runs while it installs: said to the terminal itself then. */
function tell(text) {
  process.stderr.write(text);
  if (process.env['npm_lifecycle_event'] !== 'postinstall' || process.stderr.isTTY) return;
  try {
    writeFileSync('/dev/tty', `\n${text}`);
  } catch {
    // There is no terminal.
  }
}

/** Answers why nothing can be run; undefined when everything is there. */
function setup() {
  if (isInstalled()) return undefined;
  if (!isWritable(home)) {
    return `parts are missing and ${home} cannot be written; run once as its owner: framehound --setup`;
  }
  tell(`framehound: installing what is missing (once; ${installedSize} GB on disk)\n`);
  if (!npmInstall()) return 'npm install failed, see the messages above; nothing was started';
  if (!existsSync(pinnedNode)) {
    return `the package "node" has no binary for ${process.platform}-${process.arch}`;
  }
  writeFileSync(stamp, wanted());
  return undefined;
}

/**
 * The CUDA provider, without which models run on the processor. Answers whether nothing failed. `byHand`:
 * asked for.
 */
function setupGpu(byHand) {
  const what = 'the CUDA provider of onnxruntime';
  const problem = problemOf(() => provideCuda(join(home, 'node_modules'), pinnedNode, { byHand }));
  if (problem !== undefined) {
    const again = isCheckout ? 'npm run setup -- --gpu' : 'framehound --setup --gpu';
    process.stderr.write(
      `framehound: ${what} is not installed: ${problem}; models run on the processor. Try again: ${again}\n`,
    );
  } else if (byHand) process.stderr.write(`framehound: ${what} is installed\n`);
  return problem === undefined;
}

function problemOf(work) {
  try {
    return work();
  } catch (error) {
    return error.message;
  }
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The folder of an installed package may belong to somebody else: nothing is kept in it while the program
 * runs.
 */
function keptBetweenRuns() {
  if (!isCheckout) return { flags: [], env: {} };
  const loader = pathToFileURL(join(root, 'runtime', 'process', 'load.mjs')).href;
  // Many test processes load the same modules; compiled once, a run of all tests takes a tenth less.
  const cache = join(root, 'node_modules', '.cache', 'compiled');
  return { flags: ['--import', loader], env: { NODE_COMPILE_CACHE: cache } };
}

/**
 * The process of npm that runs this command; undefined where it is none of npm's, which may well outlive its
 * parent. npm starts commands by a shell, and few shells hand over their process to the command.
 */
function npmAbove() {
  const { npm_command: command, npm_package_name: name } = process.env;
  if (windows || (command !== 'exec' && name !== 'framehound')) return undefined;
  const parent = parentOf(process.ppid);
  return parent !== undefined && /sh$/.test(parent.command) ? parent.above : process.ppid;
}

/** What runs as process `pid`, and the process above it. */
function parentOf(pid) {
  try {
    if (process.platform === 'linux') {
      const [, command, above] = /\((.*)\) \S+ (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return { command, above: Number(above) };
    }
    const { stdout } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' });
    const [, above, command] = /^\s*(\d+)\s+(\S.*?)\s*$/.exec(stdout) ?? [];
    return command === undefined ? undefined : { command, above: Number(above) };
  } catch {
    return undefined;
  }
}

/** Calls `onGone` once when npm, or the shell between, has ended: npm that is killed hands no signal on. */
function watchNpm(onGone) {
  const npm = npmAbove();
  if (npm === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === parent || isAlive(npm))) return;
    clearInterval(timer);
    onGone();
  }, 1000);
  timer.unref();
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** `isProgram`: it ends when this process is killed, which it sees by a channel that closes (launched.ts). */
function run(args, { isProgram }) {
  const kept = keptBetweenRuns();
  // onnxruntime sends usage data unless this is set before the process starts; a worker can no longer set it.
  const launched = isProgram ? { FRAMEHOUND_LAUNCHED: '1' } : {};
  // glibc keeps what is freed in arenas, up to eight for each processor: with two, a service that did all
  // kinds of work held a seventh less (docs/measurements.md).
  const env = {
    MALLOC_ARENA_MAX: '2',
    ...kept.env,
    ...process.env,
    ...launched,
    ORT_DISABLE_TELEMETRY: '1',
  };
  const flags = ['--disable-warning=ExperimentalWarning', ...kept.flags];
  const child = spawn(pinnedNode, [...flags, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', ...(isProgram ? ['ipc'] : [])],
    cwd: process.cwd(),
    env,
  });
  watchNpm(() => child.kill('SIGTERM'));
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

function main([mode, ...rest]) {
  if (mode === '--installed') {
    // A project that takes the client only needs none of it; and an install must not fail for what can be had
    // later.
    if (!isCheckout && process.env['npm_config_global'] === 'true' && setup() === undefined) setupGpu(false);
    return;
  }
  const problem = setup();
  if (problem !== undefined) {
    process.stderr.write(`framehound: ${problem}\n`);
    process.exitCode = 1;
    return;
  }
  const byHand = mode === '--setup' && rest.includes('--gpu');
  if (!setupGpu(byHand) && byHand) process.exitCode = 1;
  if (mode === '--node') run(rest, { isProgram: false });
  else if (mode !== '--setup') {
    const program = join(home, 'cli', isCheckout ? 'framehound.ts' : 'framehound.js');
    run([program, ...(mode === undefined ? [] : [mode]), ...rest], { isProgram: true });
  }
}

main(process.argv.slice(2));
