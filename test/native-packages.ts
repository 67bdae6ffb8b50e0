// The native packages that each system needs, and what the lock files say of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodePackages } from '../runtime/process/system.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

interface Locked {
  readonly version: string;
  readonly integrity: string;
}

function locked(...folder: string[]): Readonly<Record<string, Locked | undefined>> {
  const lock = JSON.parse(readFileSync(join(root, ...folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  return Object.fromEntries(
    Object.entries(lock.packages).map(([path, one]) => [path.replace('node_modules/', ''), one]),
  );
}

export interface NativePackage {
  readonly name: string;
  readonly version: string;
  /** Null where the lock file does not have it. */
  readonly integrity: string | null;
}

/** `system`: such as `linux-x64`. Without onnxruntime-node, which holds the binaries of all systems. */
export function nativePackages(system: string): NativePackage[] {
  const packages = { ...locked(), ...locked('runtime', 'node') };
  const names = {
    [`@img/sharp-${system}`]: 'sharp',
    // The one for Windows holds its libraries itself.
    ...(system.startsWith('win32') ? {} : { [`@img/sharp-libvips-${system}`]: '' }),
    [`@lmdb/lmdb-${system}`]: 'lmdb',
    [`@seydx/node-av-${system}${system.startsWith('win32') ? '-mingw' : ''}`]: 'node-av',
    [`@uwsjs/${system}-22`]: '@uwsjs/core',
    [nodePackages[system]!]: '',
    // A checkout is checked and bundled by these.
    [`@biomejs/cli-${system}`]: '@biomejs/biome',
    [`@esbuild/${system}`]: 'esbuild',
    [`@typescript/typescript-${system}`]: 'typescript',
  };
  return Object.entries(names).map(([name, of]) => {
    const own = packages[name];
    // A package that the lock file does not have has the version of the one that loads it.
    return { name, version: (own ?? packages[of])!.version, integrity: own?.integrity ?? null };
  });
}
