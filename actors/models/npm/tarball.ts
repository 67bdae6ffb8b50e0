// Reads files out of the tarball of a package: gzip around ustar, with the pax headers that npm writes for
// long paths. The archive has its pinned hash, so its contents are trusted.
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

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
  /** Of the next entry, where a pax header has it. */
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
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Skips them when they are not `wanted`, and answers none. */
  async read(size: number, wanted = true): Promise<Buffer> {
    const bytes = Buffer.alloc(wanted ? size : 0);
    for (let at = 0; at < size; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done) throw new Error('it is cut short');
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, size - at);
      this.#rest = this.#rest.subarray(part.length);
      if (wanted) part.copy(bytes, at);
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
