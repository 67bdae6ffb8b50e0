// The content hash: identifies a file independent of its name and folder, and is quick to compute for any
// size.
//
//   below 3 MiB      CRC32 of the whole file
//   from 3 MiB on    CRC32 of the first 1 MiB, of the 1 MiB around the middle, and of the last 1 MiB
//
// Each CRC32 has 8 lower-case hex digits; they are concatenated, followed by `-` and the size in hex. The
// middle part starts at floor((size - 1 MiB) / 2).
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type FileIdentity, mediaErrors, modifiedMs } from '../contract.ts';
import { cannotOpen, expectUnchanged, readFileStamp } from '../source/file-stamp.ts';

const mebibyte = 1024 * 1024;

/** Byte ranges that are hashed, in order. */
export function hashedRanges(size: number): readonly { readonly start: number; readonly length: number }[] {
  if (size < 3 * mebibyte) return [{ start: 0, length: size }];
  const starts = [0, Math.floor((size - mebibyte) / 2), size - mebibyte];
  return starts.map((start) => ({ start, length: mebibyte }));
}

/** Errors: FILE_NOT_FOUND, FILE_UNREADABLE, FILE_EMPTY, FILE_CHANGED. */
export async function identify(path: string): Promise<FileIdentity> {
  const stamp = await readFileStamp(path);
  const size = Number(stamp.size);
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw cannotOpen(path, error);
  });
  try {
    let text = '';
    for (const { start, length } of hashedRanges(size)) {
      const buffer = new Uint8Array(length);
      const { bytesRead } = await file.read(buffer, 0, length, start);
      if (bytesRead < length)
        throw mediaErrors.FILE_CHANGED(`${path}: became shorter while it was being read`, { path });
      text += crc32(buffer).toString(16).padStart(8, '0');
    }
    await expectUnchanged(path, stamp);
    return {
      hash_str: `${text}-${size.toString(16)}`,
      size_bytes: size,
      mtime_ms: modifiedMs({ mtimeNs: stamp.modified }),
      inode: stamp.inode.toString(),
    };
  } finally {
    await file.close();
  }
}
