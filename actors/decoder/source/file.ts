// A media file before FFmpeg reads it: whether it changed meanwhile, its bytes, and what they tell of
// encryption and of raw Motion JPEG.
import { type FileHandle, open, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { EngineError } from '../../../runtime/errors.ts';
import { mediaErrors } from '../contract.ts';

// Notices that a file changed while it was read: compares what the file system says of it before and after.

export interface FileStamp {
  readonly size: bigint;
  /** Nanoseconds. */
  readonly modified: bigint;
  readonly changed: bigint;
  readonly inode: bigint;
  /** Bytes that the disk holds of it; 0 where the file system does not say. */
  readonly storedBytes: number;
}

/** Errors: FILE_NOT_FOUND, FILE_UNREADABLE, FILE_EMPTY. */
export async function readFileStamp(path: string): Promise<FileStamp> {
  const stats = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    const missing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
    if (!missing) throw cannotOpen(path, error);
    const { FILE_NOT_FOUND } = mediaErrors;
    throw FILE_NOT_FOUND(`${path}: ${FILE_NOT_FOUND.meaning} (${error.code})`, { path }, error);
  });
  if (!stats.isFile()) throw mediaErrors.FILE_UNREADABLE(`${path}: is not a file`, { path });
  if (stats.size === 0n) throw mediaErrors.FILE_EMPTY(`${path}: is empty`, { path });
  // POSIX counts blocks of 512 bytes; Windows counts none.
  const storedBytes = Number(stats.blocks ?? 0n) * 512;
  return { size: stats.size, modified: stats.mtimeNs, changed: stats.ctimeNs, inode: stats.ino, storedBytes };
}

export function isSameFile(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.modified === b.modified && a.inode === b.inode;
}

/** FILE_UNREADABLE; TOO_MANY_FILES where nothing is wrong with the file. */
export function cannotOpen(path: string, error: NodeJS.ErrnoException): EngineError {
  const full = error.code === 'EMFILE' || error.code === 'ENFILE';
  const maker = full ? mediaErrors.TOO_MANY_FILES : mediaErrors.FILE_UNREADABLE;
  return maker(`${path}: cannot be opened (${error.code})`, { path }, error);
}

/** Throws FILE_CHANGED when the file no longer has this stamp. */
export async function expectUnchanged(path: string, before: FileStamp): Promise<void> {
  const after = await readFileStamp(path).catch((error: unknown) => {
    if (mediaErrors.TOO_MANY_FILES.is(error)) throw error;
    throw mediaErrors.FILE_CHANGED(`${path}: no longer exists`, { path }, error);
  });
  if (!isSameFile(after, before))
    throw mediaErrors.FILE_CHANGED(`${path}: changed while it was being read`, { path });
}

// Reads pieces of a file and numbers in them; what lies outside of the file is refused instead of read.

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

  /**
   * These bytes of a file that may end early, with zeros for what is missing of them: a decoder then shows
   * what comes before. Throws OutsideFile where more is missing than the file holds.
   */
  async readPadded(offset: number, length: number): Promise<Buffer> {
    const stored = this.size - offset;
    if (length <= stored) return this.read(offset, length);
    if (!(stored > 0 && offset + length <= 2 * this.size)) throw new OutsideFile();
    return Buffer.concat([await this.read(offset, stored)], length);
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

  /** Reads these bytes, or as many as the file has. */
  async readUpTo(offset: number, length: number): Promise<Buffer> {
    return this.read(offset, Math.max(0, Math.min(length, this.size - offset)));
  }
}

// Recognises a file in the MP4 family whose pictures or sound are encrypted: FFmpeg calls such a file
// damaged, or decodes none of its pictures.

/** The protection schemes of ISO/IEC 23001-7, Apple's and Microsoft's. */
const schemes = ['cenc', 'cens', 'cbc1', 'cbcs', 'itun', 'piff'];
/** How much is looked at, at each end of the file; a header at the end follows the media. */
const LOOKED_AT = 4 * 2 ** 20;
/** From the name of a scheme type box to the scheme: version and flags lie between (ISO/IEC 14496-12). */
const SCHEME_AT = 8;

/** `error`, or in its place UNSUPPORTED_CODEC where the reason is that the file is encrypted. */
export async function orEncrypted(path: string, error: EngineError): Promise<EngineError> {
  const scheme = await encryptionScheme(path).catch(() => null);
  if (scheme === null) return error;
  return mediaErrors.UNSUPPORTED_CODEC(`${path}: is encrypted (${scheme})`, { path }, error);
}

/** For a film none of whose pictures came out. */
export function undecodable(path: string): Promise<EngineError> {
  const error = mediaErrors.DECODE_FAILED(`${path}: none of its pictures can be decoded`, { path });
  return orEncrypted(path, error);
}

/** Null where no scheme is named. Only to be asked where a file cannot be read: the bytes may be anything. */
function encryptionScheme(path: string): Promise<string | null> {
  return ByteSource.of(path, async (source) => {
    const head = await source.readUpTo(0, LOOKED_AT);
    if (!['ftyp', 'styp'].includes(head.toString('latin1', 4, 8))) return null;
    const tail = Math.max(0, source.size - LOOKED_AT);
    return schemeIn(head) ?? schemeIn(await source.readUpTo(tail, LOOKED_AT));
  });
}

function schemeIn(bytes: Buffer): string | null {
  for (let at = bytes.indexOf('schm'); at !== -1; at = bytes.indexOf('schm', at + 4)) {
    const scheme = bytes.toString('latin1', at + SCHEME_AT, at + SCHEME_AT + 4);
    if (schemes.includes(scheme)) return scheme;
  }
  return null;
}

// Tells a raw Motion JPEG stream, which is a sequence of JPEG pictures, from a JPEG still: both start with
// the same bytes. A still can contain further pictures too (preview, gain map, stereo), but those differ in
// size or are few.

/** Bytes examined, at most. */
const examined = 4 * 2 ** 20;
/** Number of consecutive pictures of one size that make a film. */
const filmPictures = 3;
const extensions = ['.mjpeg', '.mjpg'];
const endOfImage = Buffer.of(0xff, 0xd9);

/** True for a Motion JPEG stream, by the extension or the content of the file. Errors: FILE_UNREADABLE. */
export function isJpegFilm(path: string): Promise<boolean> {
  return ByteSource.of(path, async (source) => {
    if (!beginsJpeg(await source.readUpTo(0, 3), 0)) return false;
    if (extensions.includes(extname(path).toLowerCase())) return true;
    return holdsJpegFilm(await source.readUpTo(0, examined));
  });
}

/** True when the start of a file contains several consecutive JPEG pictures of one size. */
export function holdsJpegFilm(bytes: Buffer): boolean {
  let at = 0;
  let first: number | null = null;
  for (let count = 0; count < filmPictures; count++) {
    if (!beginsJpeg(bytes, at)) return false;
    const picture = readPicture(bytes, at);
    if (picture === null) return false;
    first ??= picture.size;
    if (picture.size !== first) return false;
    at = picture.end;
  }
  return true;
}

function beginsJpeg(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xff && bytes[at + 1] === 0xd8 && bytes[at + 2] === 0xff;
}

/**
 * Height and width as one number, and the offset of the picture's end; null when it is not within the bytes.
 */
function readPicture(bytes: Buffer, start: number): { readonly size: number; readonly end: number } | null {
  let size: number | null = null;
  for (let at = start + 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    // Fill bytes may precede a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    const tables = marker === 0xc4 || marker === 0xc8 || marker === 0xcc;
    if (marker >= 0xc0 && marker <= 0xcf && !tables) size = bytes.readUInt32BE(at + 5);
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker !== 0xda) continue;
    // Entropy-coded data cannot contain the bytes of this marker.
    const end = bytes.indexOf(endOfImage, at);
    return end < 0 || size === null ? null : { size, end: end + endOfImage.length };
  }
  return null;
}

// Tells an MPEG transport stream by its packets, each of which starts with the same byte.

/** Bytes of a packet: plain, and behind the time of its arrival (as of cameras and Blu-ray). */
const packetBytes = [188, 192];
const syncByte = 0x47;
/** Packets in a row that prove a transport stream. */
const packetsInRow = 8;

/** Errors: FILE_UNREADABLE, TOO_MANY_FILES. */
export function isTransportStream(path: string): Promise<boolean> {
  return ByteSource.of(path, async (source) => {
    const head = await source.readUpTo(0, Math.max(...packetBytes) * packetsInRow);
    return packetBytes.some((length) =>
      Array.from({ length: packetsInRow }, (_, i) => head[i * length + length - 188]).every(
        (byte) => byte === syncByte,
      ),
    );
  });
}
