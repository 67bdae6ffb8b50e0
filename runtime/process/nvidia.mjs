// Recognises an NVIDIA device, and fetches the libraries by which onnxruntime uses one. Plain JavaScript for
// any Node from 18 on, as the launcher is, which runs before the pinned Node is there.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const hourMs = 3_600_000;
/** An automatic fetch is given up after this; a connection that stalls would hold up the command for ever. */
const fetchLimitMs = 15 * 60_000;

/**
 * Whether a Linux machine has a driver of NVIDIA: by its device or its entry in /proc, or under WSL2, which
 * has neither, by the bridge to Windows and the driver's library that Windows lends. `root`: folder that
 * these paths lie in, for tests.
 */
export function hasNvidia(root = '/') {
  const isThere = (path) => existsSync(join(root, path));
  return (
    isThere('dev/nvidiactl') ||
    isThere('proc/driver/nvidia/version') ||
    (isThere('dev/dxg') && isThere('usr/lib/wsl/lib/libcuda.so.1'))
  );
}

/**
 * The libraries of the CUDA provider of the onnxruntime in `modules` (a folder node_modules); empty where it
 * has none.
 */
export function cudaProvider(modules) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return [];
  const folder = join(modules, 'onnxruntime-node', 'bin', 'napi-v6', 'linux', 'x64');
  return ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so'].map((name) =>
    join(folder, name),
  );
}

/**
 * Fetches the CUDA provider where it is wanted and missing, with `node`. A fetch that failed is repeated
 * after an hour, then after two, and so on up to a week: each may hold up a command. `byHand`: it is wanted,
 * now. Answers why it is not there, and undefined where it is, is not wanted, or is not tried now.
 */
export function provideCuda(modules, node, { byHand = false, env = process.env, now = Date.now() } = {}) {
  if (!byHand && !isWanted(env)) return undefined;
  const files = cudaProvider(modules);
  if (files.length === 0) {
    return byHand ? `there is none for ${process.platform}-${process.arch}` : undefined;
  }
  if (files.every(isWhole)) return undefined;
  const { version } = JSON.parse(readFileSync(join(modules, 'onnxruntime-node', 'package.json'), 'utf8'));
  const stamp = join(modules, '.framehound-cuda');
  const before = readStamp(stamp, version);
  if (!byHand && isTooEarly(before, now)) return undefined;
  try {
    // Written before, so that a fetch that is interrupted counts as one that failed.
    writeFileSync(stamp, JSON.stringify({ version, failures: before.failures + 1, at: now }));
  } catch (error) {
    // The command says where models run and why; the owner of the folder is not the one to ask at each start.
    return byHand ? error.message : undefined;
  }
  process.stderr.write('framehound: fetching the CUDA provider of onnxruntime (once)\n');
  const reason = runInstaller(modules, node, env, byHand ? undefined : fetchLimitMs);
  if (!files.every(isWhole)) return reason;
  rmSync(stamp, { force: true });
  return undefined;
}

/** As onnxruntime reads this variable; without it, a device decides. */
function isWanted(env) {
  const choice = env.ONNXRUNTIME_NODE_INSTALL || env.npm_config_onnxruntime_node_install;
  return choice ? choice !== 'skip' : hasNvidia();
}

/**
 * Whether a library is there to its end, which a copy that was interrupted is not. ELF ends with its section
 * headers.
 */
function isWhole(path) {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(64);
    if (readSync(file, head, 0, 64, 0) < 64) return false;
    const end = Number(head.readBigUInt64LE(40)) + head.readUInt16LE(58) * head.readUInt16LE(60);
    return head.readUInt32BE(0) === 0x7f454c46 && fstatSync(file).size >= end;
  } finally {
    closeSync(file);
  }
}

/** Of another version of onnxruntime nothing is known. */
function readStamp(path, version) {
  try {
    const stamp = JSON.parse(readFileSync(path, 'utf8'));
    if (stamp.version === version) return stamp;
  } catch {
    // There is none, or it was cut short.
  }
  return { failures: 0, at: 0 };
}

function isTooEarly({ failures, at }, now) {
  const wait = Math.min(2 ** (failures - 1), 7 * 24) * hourMs;
  return failures > 0 && now >= at && now < at + wait;
}

/**
 * Runs onnxruntime's own installer. Answers what it failed of; it also ends well without fetching anything.
 */
function runInstaller(modules, node, env, timeout) {
  const folder = join(modules, 'onnxruntime-node');
  const { error, status, signal, stderr } = spawnSync(node, [join(folder, 'script', 'install.js')], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout,
    env: installerEnv(env),
  });
  const [, said] = /^\w*Error: (.+)$/m.exec(stderr ?? '') ?? [];
  return said ?? error?.message ?? `its installer ended with ${signal ?? status} and without the files`;
}

/**
 * The installer takes variables of npm for an installation inside its own sources, and fetches nothing then.
 * It has names of its own for a proxy.
 */
function installerEnv(env) {
  const { ONNXRUNTIME_NODE_INSTALL_CUDA: _, ...kept } = env;
  const own = Object.fromEntries(Object.entries(kept).filter(([name]) => !/^npm_/i.test(name)));
  const proxy = env.HTTPS_PROXY || env.https_proxy || env.npm_config_https_proxy;
  const direct = env.NO_PROXY || env.no_proxy;
  return {
    ...(proxy && { GLOBAL_AGENT_HTTP_PROXY: proxy }),
    ...(direct && { GLOBAL_AGENT_NO_PROXY: direct }),
    ...own,
    ONNXRUNTIME_NODE_INSTALL: 'true',
  };
}
