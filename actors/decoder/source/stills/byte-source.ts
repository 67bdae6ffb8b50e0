// Reads pieces of a file and numbers in them; what lies outside of the file is refused instead of read.
import { type FileHandle, open } from 'node:fs/promises';
import { cannotOpen } from '../file-stamp.ts';

/** Thrown for bytes that are not there; the reader of the format says it in the format's words. */
export class OutsideFile extends Error {}

export class ByteSource {
  readonly path: string;
  readonly size: number;
  readonly #file: FileHandle;

  private constructor(path: string, size: number, file: FileHandle) {
    this.path = path;
    this.size = size;
    this.#file = file;
  }

  /** Hands an open file to `work` and closes it afterwards. Errors: FILE_UNREADABLE, TOO_MANY_FILES. */
  static async of<T>(path: string, work: (source: ByteSource) => Promise<T>): Promise<T> {
    const file = await open(path).catch((error: NodeJS.ErrnoException) => {
      throw cannotOpen(path, error);
    });
    try {
      return await work(new ByteSource(path, (await file.stat()).size, file));
    } finally {
      await file.close();
    }
  }

  /** Exactly these bytes, in a buffer of their own. Throws OutsideFile. */
  async read(offset: number, length: number): Promise<Buffer> {
    if (!(offset >= 0 && length >= 0 && offset + length <= this.size)) throw new OutsideFile();
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length; ) {
      const { bytesRead } = await this.#file.read(bytes, done, length - done, offset + done);
      if (bytesRead === 0) throw new OutsideFile();
      done += bytesRead;
    }
    return bytes;
  }

  /** As many of these bytes as the file has. */
  async readUpTo(offset: number, length: number): Promise<Buffer> {
    return this.read(offset, Math.max(0, Math.min(length, this.size - offset)));
  }
}
