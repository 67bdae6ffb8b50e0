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
// trusted with: one that chooses its binary by the Node that npm runs on, two that download more while they
// are installed, and those for which that Node may be too old. dist/package.json lists them; they are
// installed into dist/, the same way as in a checkout. The pinned Node comes first, from the lock file in
// runtime/node/: all others are installed by npm under this Node.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { npmProgram, withoutOuterNpm } from './npm.mjs';
import { provideCuda } from './nvidia.mjs';
import { nodePackages, unsupported } from './system.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const isCheckout = existsSync(join(root, 'cli', 'framehound.ts'));
/** Where the program lies and what it needs is installed. */
const home = isCheckout ? root : join(root, 'dist');
const windows = process.platform === 'win32';
const system = `${process.platform}-${process.arch}`;
const nodeHome = join(home, 'runtime', 'node');
const pinnedNode = join(
  ...[nodeHome, 'node_modules', nodePackages[system] ?? 'none'],
  ...['bin', windows ? 'node.exe' : 'node'],
);
const stamp = join(home, 'node_modules', '.framehound-setup');

/** What an installation depends on; a changed lock file or platform means installing again. */
function wanted() {
  const hash = createHash('sha256')
    .update(readFileSync(lockIn(home)))
    .update(readFileSync(lockIn(nodeHome)));
  return `${hash.digest('hex')} ${process.platform} ${process.arch}`;
}

function lockIn(folder) {
  const lock = join(folder, 'package-lock.json');
  return existsSync(lock) ? lock : join(folder, 'package.json');
}

function isInstalled() {
  return existsSync(pinnedNode) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted();
}

/** Also where NODE_ENV is "production": the engine's own packages are among them. */
const withDev = isCheckout ? ['--include=dev'] : [];

/** Gigabytes that the installed packages take, for people to know before; measured on Linux x64. */
const installedSize = isCheckout ? '1.0' : '0.65';

/** Runs npm by `node` in a folder. Answers whether it ended well. */
function npm(node, cwd, args) {
  const program = npmProgram(process.env, process.platform, node);
  // Scripts of packages run under the same Node.
  const [path = 'PATH'] = Object.keys(process.env).filter((name) => /^path$/i.test(name));
  const { status } = spawnSync(program.command, [...program.args, ...args], {
    cwd,
    // Installation talks on stderr, so that the standard output of a command stays its own.
    stdio: ['ignore', process.stderr, process.stderr],
    shell: windows && program.args.length === 0,
    env: {
      ...withoutOuterNpm(process.env),
      [path]: [dirname(node), process.env[path]].join(delimiter),
      // node-av carries its FFmpeg libraries inside the package; its download of a command line is not used.
      SKIP_FFMPEG: 'true',
      // GPU libraries are fetched in a step of their own, which may fail (nvidia.mjs).
      ONNXRUNTIME_NODE_INSTALL: 'skip',
    },
  });
  return status === 0;
}

function npmInstall(node, cwd, args) {
  // The lock file stays as it is committed, whichever npm runs.
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--no-update-notifier'];
  const always = ['--no-save', '--include=optional', ...quiet];
  return npm(node, cwd, ['install', ...always, ...args]);
}

/** The package has no script to run, and needs no Node of its own. Answers whether it is there. */
function installNode() {
  if (!npmInstall(process.execPath, nodeHome, ['--ignore-scripts'])) return false;
  if (existsSync(pinnedNode)) return true;
  // npm does not say why a package is missing that is only for some systems; asked about it, it does.
  const { packages } = JSON.parse(readFileSync(lockIn(nodeHome), 'utf8'));
  const name = nodePackages[system];
  const version = packages?.[`node_modules/${name}`]?.version;
  npm(process.execPath, nodeHome, ['view', `${name}@${version}`, 'version', '--loglevel=error']);
  process.stderr.write(`framehound: ${name}@${version} was not installed\n`);
  return false;
}

/**
 * The lock file names the binary of the HTTP server only for systems whose package was on the registry that it
 * was written with. Answers what cannot run without it.
 */
function installServer() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const version = { ...dependencies, ...devDependencies }['@uwsjs/core'];
  const name = `@uwsjs/${system}-22`;
  if (version === undefined || existsSync(join(home, 'node_modules', name))) return undefined;
  if (npmInstall(pinnedNode, home, [...withDev, `${name}@${version}`])) return undefined;
  return `${name}@${version} cannot be installed: without it "serve", "open" and the page do not work`;
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

/** Answers whether it is there. */
function provideServer() {
  const missing = installServer();
  if (missing !== undefined) process.stderr.write(`framehound: ${missing}\n`);
  return missing === undefined;
}

/** Answers why nothing can be run; undefined when everything is there. */
function setup() {
  if (isInstalled()) return undefined;
  const reason = unsupported();
  if (reason !== undefined) return reason;
  if (!isWritable(home)) {
    return `parts are missing and ${home} cannot be written; run once as its owner: framehound --setup`;
  }
  tell(`framehound: installing what is missing (once; ${installedSize} GB on disk)\n`);
  const isDone = installNode() && npmInstall(pinnedNode, home, withDev);
  if (!isDone) return `npm install failed, see the messages above; nothing was started.${whatNpmNeeds}`;
  if (isCheckout && !windows) linkNode();
  provideServer();
  writeFileSync(stamp, wanted());
  return undefined;
}

/** Developers name the pinned Node by this path on every system. npm removes it with each installation. */
function linkNode() {
  const link = join(home, 'node_modules', 'node', 'bin', 'node');
  rmSync(link, { force: true });
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(relative(dirname(link), pinnedNode), link);
}

const whatNpmNeeds = `
  behind a proxy:           npm config set https-proxy http://HOST:PORT
  with another registry:    npm config set registry URL
  without network access:   install a bundle, see docs/install.md`;

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
  // Windows has no signals: a program sees there that its channel closes, and stops in order (launched.ts).
  const end = (signal) => (windows && isProgram ? child.connected && child.disconnect() : child.kill(signal));
  watchNpm(() => end('SIGTERM'));
  // ctrl-C reaches the whole group of a terminal, the child included; everything else has to be handed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) end(signal);
    });
  }
  child.on('error', (error) => {
    const reason = unsupported() ?? `${pinnedNode} cannot be started: ${error.message}`;
    process.stderr.write(`framehound: ${reason}\n`);
    process.exitCode = 1;
  });
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
  const before = isInstalled();
  const problem = setup();
  if (problem !== undefined) {
    process.stderr.write(`framehound: ${problem}\n`);
    process.exitCode = 1;
    return;
  }
  // A package that was missing may be on the registry by now.
  if (mode === '--setup' && before && !provideServer()) process.exitCode = 1;
  const byHand = mode === '--setup' && rest.includes('--gpu');
  if (!setupGpu(byHand) && byHand) process.exitCode = 1;
  if (mode === '--node') run(rest, { isProgram: false });
  else if (mode !== '--setup') {
    const program = join(home, 'cli', isCheckout ? 'framehound.ts' : 'framehound.js');
    run([program, ...(mode === undefined ? [] : [mode]), ...rest], { isProgram: true });
  }
}

main(process.argv.slice(2));
