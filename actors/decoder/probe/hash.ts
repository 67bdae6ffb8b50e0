// The content hash: identifies a file independent of its name and folder, and is quick to compute for any
// size.
//
//   below 3 MiB      CRC32 of the whole file
//   from 3 MiB on    CRC32 of the first 1 MiB, of the 1 MiB around the middle, and of the last 1 MiB
//
// Each CRC32 has 8 lower-case hex digits; they are concatenated, followed by `-` and the size in hex. The
// middle part starts at floor((size - 1 MiB) / 2).

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Turn } from '../../../runtime/actor.ts';
import type { Reply, Request } from '../../../runtime/contract.ts';
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { changedMs, type decoderContract, type FileIdentity, mediaErrors, modifiedMs } from '../contract.ts';
import { ByteSource, expectUnchanged, OutsideFile, readFileStamp } from '../source/file.ts';

const mebibyte = 1024 * 1024;

/** Byte ranges that are hashed, in order. */
export function hashedRanges(size: number): readonly { readonly start: number; readonly length: number }[] {
  if (size < 3 * mebibyte) return [{ start: 0, length: size }];
  const starts = [0, Math.floor((size - mebibyte) / 2), size - mebibyte];
  return starts.map((start) => ({ start, length: mebibyte }));
}

/** Errors: FILE_NOT_FOUND, FILE_UNREADABLE, TOO_MANY_FILES, FILE_EMPTY, FILE_CHANGED. */
export function identify(path: string): Promise<FileIdentity> {
  return readUnchanged(path, async (size, read) => {
    let text = '';
    for (const { start, length } of hashedRanges(size))
      text += crc32(await read(start, length))
        .toString(16)
        .padStart(8, '0');
    return { hash_str: `${text}-${size.toString(16)}` };
  });
}

/**
 * Result of `work` on the bytes of a file, and the state of the file that it applies to. Errors:
 * FILE_NOT_FOUND, FILE_UNREADABLE, TOO_MANY_FILES, FILE_EMPTY, FILE_CHANGED.
 */
export async function readUnchanged<T extends object>(
  path: string,
  work: (size: number, read: ByteSource['read']) => Promise<T>,
): Promise<T & Omit<FileIdentity, 'hash_str'>> {
  const stamp = await readFileStamp(path);
  const size_bytes = Number(stamp.size);
  const answer = await ByteSource.of(path, (source) =>
    work(size_bytes, (start, length) => source.read(start, length)),
  ).catch((error: unknown) => {
    if (!(error instanceof OutsideFile)) throw error;
    throw mediaErrors.FILE_CHANGED(`${path}: became shorter while it was being read`, { path });
  });
  await expectUnchanged(path, stamp);
  const mtime_ms = modifiedMs({ mtimeNs: stamp.modified });
  const ctime_ms = changedMs({ ctimeNs: stamp.changed });
  return { ...answer, size_bytes, mtime_ms, ctime_ms, inode: stamp.inode.toString() };
}

// The digest of a content: what tells two files apart whose hash is the same, as it is of stems of one
// session that are silent at their start, middle and end.
//
//   up to 256 MiB    every byte
//   above            4096 blocks of 64 KiB, evenly spread, the first at the start and the last at the end
//
// At most 256 MiB of any file are read. It is a chain of SHA-256, each link over the one before and 16 MiB
// of blocks.

const blockBytes = 64 * 1024;
const mostBlocks = 4096;
const blocksPerPart = 256;
/** Blocks between two signs of life. */
const stride = 16;

type C = typeof decoderContract;

/** Bytes of block `i` of a file: its start and its length. */
export function digestBlock(size: number, i: number): { readonly start: number; readonly length: number } {
  if (size <= mostBlocks * blockBytes) {
    const start = i * blockBytes;
    return { start, length: Math.min(blockBytes, size - start) };
  }
  return { start: Math.floor((size - blockBytes) * (i / (mostBlocks - 1))), length: blockBytes };
}

export function digestBlocks(size: number): number {
  return Math.min(mostBlocks, Math.ceil(size / blockBytes));
}

/** Errors: FILE_NOT_FOUND, FILE_UNREADABLE, TOO_MANY_FILES, FILE_EMPTY, FILE_CHANGED, CANCELLED. */
export function digest(
  { path, part, before }: Request<C, 'digest'>,
  turn: Pick<Turn, 'throwIfCancelled' | 'alive'>,
): Promise<Reply<C, 'digest'>> {
  return readUnchanged(path, async (size, read) => {
    const blocks = digestBlocks(size);
    const checkpoint = createCheckpoint(turn, { every: stride });
    const hash = createHash('sha256').update(before);
    const end = Math.min(blocks, (part + 1) * blocksPerPart);
    for (let i = part * blocksPerPart; i < end; i++) {
      const { start, length } = digestBlock(size, i);
      hash.update(await read(start, length));
      await checkpoint();
    }
    return { digest: hash.digest('hex'), parts: Math.ceil(blocks / blocksPerPart) };
  });
}
