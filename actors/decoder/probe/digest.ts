// The digest of a content: what tells two files apart whose hash is the same, as it is of stems of one
// session that are silent at their start, middle and end.
//
//   up to 256 MiB    every byte
//   above            4096 blocks of 64 KiB, evenly spread, the first at the start and the last at the end
//
// So it reads at most 256 MiB of any file. It is a chain of SHA-256, each link over the one before and 16 MiB
// of blocks.
import { createHash } from 'node:crypto';
import type { Turn } from '../../../runtime/actor.ts';
import type { Reply, Request } from '../../../runtime/contract.ts';
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import type { decoderContract } from '../contract.ts';
import { readUnchanged } from './hash.ts';

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
