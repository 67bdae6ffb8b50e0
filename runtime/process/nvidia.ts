// Recognises an NVIDIA device, and fetches the libraries by which ONNX Runtime uses one.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * True if a Linux machine has a driver of NVIDIA: its device or its entry in /proc exists, or under WSL2,
 * which has neither, the bridge to Windows and the driver's library from Windows. `root`: folder of these
 * paths, for tests.
 */
export function hasNvidia(root = '/'): boolean {
  const isThere = (path: string) => existsSync(join(root, path));
  return (
    isThere('dev/nvidiactl') ||
    isThere('proc/driver/nvidia/version') ||
    (isThere('dev/dxg') && isThere('usr/lib/wsl/lib/libcuda.so.1'))
  );
}

function onnxRuntime(): string {
  return dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
}

/** Paths of the libraries of the CUDA provider, present or not; none for a system without one. */
export function cudaProvider(runtime = onnxRuntime()): string[] {
  if (process.platform !== 'linux' || process.arch !== 'x64') return [];
  const folder = join(runtime, 'bin', 'napi-v6', 'linux', 'x64');
  return ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so'].map((name) =>
    join(folder, name),
  );
}

/** True if this machine has an NVIDIA device and ONNX Runtime lacks its CUDA provider. */
export function lacksCuda(): boolean {
  return hasNvidia() && !cudaProvider().every(isWhole);
}

/** Runs the installer of ONNX Runtime. Returns why the provider is missing, or undefined. */
export function fetchCuda(runtime = onnxRuntime(), env = process.env): string | undefined {
  const files = cudaProvider(runtime);
  if (files.length === 0) return `there is none for ${process.platform}-${process.arch}`;
  if (files.every(isWhole)) return undefined;
  const { error, status, signal, stderr } = spawnSync(
    process.execPath,
    [join(runtime, 'script', 'install.js')],
    {
      cwd: runtime,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      env: installerEnv(env),
    },
  );
  if (files.every(isWhole)) return undefined;
  const [, said] = /^\w*Error: (.+)$/m.exec(stderr ?? '') ?? [];
  return said ?? error?.message ?? `its installer ended with ${signal ?? status} and without the files`;
}

/**
 * True if the file of a library is complete, which an interrupted copy is not. ELF ends with its section
 * headers.
 */
function isWhole(path: string): boolean {
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

/**
 * The installer takes variables of npm for an installation inside its own sources, and fetches nothing then.
 * It has names of its own for a proxy.
 */
function installerEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ONNXRUNTIME_NODE_INSTALL_CUDA: _, ...withoutChoice } = env;
  const withoutNpm = Object.fromEntries(
    Object.entries(withoutChoice).filter(([name]) => !/^npm_/i.test(name)),
  );
  const proxy = env['HTTPS_PROXY'] || env['https_proxy'] || env['npm_config_https_proxy'];
  const direct = env['NO_PROXY'] || env['no_proxy'];
  return {
    ...(proxy && { GLOBAL_AGENT_HTTP_PROXY: proxy }),
    ...(direct && { GLOBAL_AGENT_NO_PROXY: direct }),
    ...withoutNpm,
    ONNXRUNTIME_NODE_INSTALL: 'true',
  };
}
