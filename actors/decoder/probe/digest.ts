// The digest of a content: what tells two files apart whose hash is the same, as it is of stems of one
// session that are silent at their start, middle and end.
//
//   up to 256 MiB    every byte
//   above            4096 blocks of 64 KiB, evenly spread, the first at the start and the last at the end
//
// So it reads at most 256 MiB of any file. It is a chain of SHA-256, each link over the one before and 16 MiB
// of blocks.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Turn } from '../../../runtime/actor.ts';
import type { Reply, Request } from '../../../runtime/contract.ts';
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { type decoderContract, mediaErrors, modifiedMs } from '../contract.ts';
import { cannotOpen, expectUnchanged, readFileStamp } from '../source/file-stamp.ts';

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
export async function digest(
  { path, part, before }: Request<C, 'digest'>,
  turn: Pick<Turn, 'throwIfCancelled' | 'alive'>,
): Promise<Reply<C, 'digest'>> {
  const stamp = await readFileStamp(path);
  const size = Number(stamp.size);
  const blocks = digestBlocks(size);
  const checkpoint = createCheckpoint(turn, { every: stride });
  const hash = createHash('sha256').update(before);
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw cannotOpen(path, error);
  });
  try {
    const buffer = new Uint8Array(blockBytes);
    const end = Math.min(blocks, (part + 1) * blocksPerPart);
    for (let i = part * blocksPerPart; i < end; i++) {
      const { start, length } = digestBlock(size, i);
      const { bytesRead } = await file.read(buffer, 0, length, start);
      if (bytesRead < length)
        throw mediaErrors.FILE_CHANGED(`${path}: became shorter while it was being read`, { path });
      hash.update(buffer.subarray(0, length));
      await checkpoint();
    }
  } finally {
    await file.close();
  }
  await expectUnchanged(path, stamp);
  return {
    digest: hash.digest('hex'),
    parts: Math.ceil(blocks / blocksPerPart),
    size_bytes: size,
    mtime_ms: modifiedMs({ mtimeNs: stamp.modified }),
    inode: stamp.inode.toString(),
  };
}
