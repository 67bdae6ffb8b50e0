// The native packages that each system needs, and what the lock file says of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodePackages } from '../runtime/process/system.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

interface Locked {
  readonly version: string;
  readonly integrity?: string;
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

export interface NativePackage {
  readonly name: string;
  readonly version: string;
  /** Null where the registry that the lock file was written with did not have it. */
  readonly integrity: string | null;
}

/** `system`: such as `linux-x64`. Without onnxruntime-node, which holds the binaries of all systems. */
export function nativePackages(system: string): NativePackage[] {
  const names = [
    `@img/sharp-${system}`,
    // The one for Windows holds its libraries itself.
    ...(system.startsWith('win32') ? [] : [`@img/sharp-libvips-${system}`]),
    `@lmdb/lmdb-${system}`,
    `@seydx/node-av-${system}${system.startsWith('win32') ? '-mingw' : ''}`,
    `@uwsjs/${system}-22`,
    nodePackages[system]!,
    // A checkout is checked and bundled by these.
    `@biomejs/cli-${system}`,
    `@esbuild/${system}`,
    `@typescript/typescript-${system}`,
  ];
  return names.map((name) => {
    const { version, integrity = null } = packages[`node_modules/${name}`]!;
    return { name, version, integrity };
  });
}
