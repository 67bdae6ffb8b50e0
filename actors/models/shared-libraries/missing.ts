// Finds out which shared libraries the loader of Linux would not find, as ld.so looks for them and without
// loading any: what is loaded runs code of its own, and ld.so itself names the first alone.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readDependencies } from './elf.ts';

export interface Places {
  /** Folders of LD_LIBRARY_PATH, as the process was started with it. */
  readonly libraryPath: readonly string[];
  /** The cache that ldconfig writes. */
  readonly cache: string;
  /** Folders that ld.so looks into at last. */
  readonly system: readonly string[];
}

export const placesHere = (): Places => ({
  libraryPath: (process.env['LD_LIBRARY_PATH'] ?? '').split(/[:;]/).filter(Boolean),
  cache: '/etc/ld.so.cache',
  system: ['/lib64', '/usr/lib64', '/lib', '/usr/lib'],
});

interface Loading {
  readonly path: string;
  /** Folders of RPATH that hold for what it needs: its own and those of the libraries that need it. */
  readonly rpath: readonly string[];
}

/**
 * Names of what the library at `path` needs, by itself or by what it needs, that is nowhere; in the order in
 * which ld.so comes to them. Empty also where `path` is no library. Throws what the system says of a file
 * that cannot be read.
 */
export function missingLibraries(path: string, places: Places = placesHere()): string[] {
  const cached = readCache(places.cache);
  const found = new Set<string>();
  const missing = new Set<string>();
  const queue: Loading[] = [{ path, rpath: [] }];
  for (const loading of queue) {
    const wanted = readDependencies(loading.path);
    if (!wanted) continue;
    const origin = dirname(loading.path);
    const at = (folders: readonly string[]) =>
      folders.map((one) => one.replace(/\$(ORIGIN|\{ORIGIN\})/g, origin));
    const rpath = wanted.runpath.length > 0 ? [] : [...at(wanted.rpath), ...loading.rpath];
    const before = [...rpath, ...places.libraryPath, ...at(wanted.runpath)];
    for (const name of wanted.needed.filter((one) => !found.has(one) && !missing.has(one))) {
      const inFolder = (folder: string) => join(folder, name);
      const candidates = name.includes('/')
        ? [name]
        : [...before.map(inFolder), ...(cached.get(name) ?? []), ...places.system.map(inFolder)];
      const library = candidates.find(isLibrary);
      (library === undefined ? missing : found).add(name);
      if (library !== undefined) queue.push({ path: library, rpath });
    }
  }
  return [...missing];
}

/** A file for another kind of machine, or one that may not be read, is passed over, as ld.so does. */
function isLibrary(path: string): boolean {
  try {
    return readDependencies(path) !== null;
  } catch {
    return false;
  }
}

const magic = 'glibc-ld.so.cache1.1';
const [headerBytes, entryBytes] = [48, 24];

/** Paths by name. Empty where there is no cache, or one of another form. */
function readCache(path: string): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  const file = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  // An older form may stand before it.
  const start = file.indexOf(magic);
  if (start < 0) return paths;
  const cache = file.subarray(start);
  const text = (at: number) => cache.toString('utf8', at, cache.indexOf(0, at));
  const entries = Math.min(
    cache.readUInt32LE(magic.length),
    Math.floor((cache.length - headerBytes) / entryBytes),
  );
  for (let at = headerBytes; at < headerBytes + entries * entryBytes; at += entryBytes) {
    const [name, library] = [text(cache.readUInt32LE(at + 4)), text(cache.readUInt32LE(at + 8))];
    paths.set(name, [...(paths.get(name) ?? []), library]);
  }
  return paths;
}
