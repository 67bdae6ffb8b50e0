// What the files on this machine tell of a CUDA that does not work: the runtime names no library that it
// lacks.
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { cudaProvider } from '../../runtime/process/nvidia.mjs';

const modules = () => dirname(dirname(findPackageJSON('onnxruntime-node', import.meta.url)!));

/** Null where nothing is found to be wrong. `files`: of the provider. */
export function cudaFault(
  device: 'cuda' | 'tensorrt',
  files: readonly string[] = cudaProvider(modules()),
): string | null {
  const paths = device === 'cuda' ? files : files.map((path) => path.replace(/_cuda\.so$/, '_tensorrt.so'));
  if (!paths.every((path) => existsSync(path))) return 'its provider for onnxruntime is not installed';
  // The runtime has loaded its own by then.
  const missing = new Set(
    paths.flatMap((path) => missingLibraries(path)).filter((name) => !/^libonnx/.test(name)),
  );
  if (missing.size === 0) return null;
  return `${[...missing].join(', ')} ${missing.size === 1 ? 'is' : 'are'} not found`;
}

// Finds out which shared libraries the loader of Linux would not find, as ld.so looks for them and without
// loading any: what is loaded runs code of its own, and ld.so itself names the first alone.

export interface Places {
  /** Folders of LD_LIBRARY_PATH, as the process was started with it. */
  readonly libraryPath: readonly string[];
  /** The cache that ldconfig writes. */
  readonly cache: string;
  /** Folders that ld.so looks into at last. */
  readonly system: readonly string[];
}

const placesHere = (): Places => ({
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

// Reads what a shared library of Linux wants of the loader: the libraries it needs, and where it wants them
// looked for.

interface Dependencies {
  /** Names, as ld.so is asked for them. */
  readonly needed: readonly string[];
  /**
   * Folders of DT_RPATH, for what this library and those that it needs want; `$ORIGIN` stands in them as
   * written.
   */
  readonly rpath: readonly string[];
  /** Folders of DT_RUNPATH, for what this library itself wants. */
  readonly runpath: readonly string[];
}

const [loadSegment, dynamicSegment] = [1, 2];
const tags = { needed: 1n, strings: 5n, stringBytes: 10n, rpath: 15n, runpath: 29n } as const;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly bytes: number;
}

/**
 * Null for what is no file of ELF for 64-bit little-endian machines, or is damaged. Throws what the system
 * says.
 */
export function readDependencies(path: string): Dependencies | null {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const read = (offset: number, bytes: number) => {
      const part = Buffer.alloc(Math.max(0, Math.min(bytes, size - offset)));
      return part.subarray(0, readSync(file, part, 0, part.length, offset));
    };
    return wantedOf(read);
  } catch (error) {
    // A number that points out of the file.
    if (error instanceof RangeError) return null;
    throw error;
  } finally {
    closeSync(file);
  }
}

function wantedOf(read: (offset: number, bytes: number) => Buffer): Dependencies | null {
  const head = read(0, 64);
  if (head.length < 64 || head.readUInt32BE(0) !== 0x7f454c46 || head[4] !== 2 || head[5] !== 1) return null;
  const segments = segmentsOf(read(number(head, 32), head.readUInt16LE(54) * head.readUInt16LE(56)), head);
  const dynamic = segments.find(({ type }) => type === dynamicSegment);
  if (!dynamic) return { needed: [], rpath: [], runpath: [] };
  const table = read(dynamic.offset, dynamic.bytes);
  const entries = Array.from({ length: Math.floor(table.length / 16) }, (_, at) => ({
    tag: table.readBigInt64LE(at * 16),
    value: number(table, at * 16 + 8),
  }));
  const all = (tag: bigint) => entries.filter((entry) => entry.tag === tag).map(({ value }) => value);
  const [address = 0] = all(tags.strings);
  const holds = (one: Segment) => one.address <= address && address < one.address + one.bytes;
  const segment = segments.find((one) => one.type === loadSegment && holds(one));
  if (!segment) return null;
  const strings = read(address - segment.address + segment.offset, all(tags.stringBytes)[0] ?? 0);
  const text = (at: number) => strings.toString('utf8', at, Math.max(at, strings.indexOf(0, at)));
  const folders = (tag: bigint) => all(tag).flatMap((at) => text(at).split(':').filter(Boolean));
  return { needed: all(tags.needed).map(text), rpath: folders(tags.rpath), runpath: folders(tags.runpath) };
}

function segmentsOf(table: Buffer, head: Buffer): Segment[] {
  const size = head.readUInt16LE(54);
  return Array.from({ length: head.readUInt16LE(56) }, (_, index) => {
    const at = index * size;
    const [offset, address, bytes] = [number(table, at + 8), number(table, at + 16), number(table, at + 32)];
    return { type: table.readUInt32LE(at), offset, address, bytes };
  });
}

const number = (from: Buffer, at: number) => Number(from.readBigUInt64LE(at));
