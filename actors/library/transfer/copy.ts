// Copies of files that are whole or not there, with their checksums.
import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../runtime/clock.ts';
import { codeOf, reasonOf } from '../../../runtime/errors.ts';
import { flushFolder } from '../../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { claim } from '../../../runtime/files/lock.ts';
import { discard, rename } from '../../../runtime/files/names.ts';
import { transferErrors } from './contract.ts';

export interface Copied {
  readonly bytes: number;
  readonly sha256: string;
}

export const partEnd = '.part';
const BLOCK = 1 << 20;

/** In a folder while a library is copied to it; its lock has a longer name. */
export const claimFile = 'transfer.json';

/**
 * Runs `work` while nobody else copies a library to the folder, which is made. FOLDER_TAKEN,
 * TRANSFER_FAILED.
 */
export async function alone<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const ownClaim = await claim(join(folder, claimFile), {
    clock: systemClock,
    conflict: ({ pid, host }) =>
      transferErrors.FOLDER_TAKEN(
        `Process ${pid} on ${host} is already copying a library to ${folder}: wait until it is done, or end it`,
        { path: folder, pid, host },
      ),
    refused: (what, path, cause) => transferErrors.TRANSFER_FAILED(what, { path }, cause),
  });
  try {
    return await work();
  } finally {
    ownClaim.release();
  }
}

/** Null where there is no such file. */
export async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    (stats) => (stats.isFile() ? stats.size : null),
    (error: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
      throw failed(path, 'read', error);
    },
  );
}

/** `read` is told how many bytes came. */
export async function checksumOf(
  path: string,
  signal: AbortSignal,
  read: (bytes: number) => void,
): Promise<Copied> {
  return readThrough(path, signal, async (block) => read(block.byteLength));
}

/**
 * Copies a file to where it has its name at once when it is whole, *flushed*. `accepts` looks at what was
 * copied first, and may throw. What is there under the name is replaced.
 */
export async function copyFile(
  from: string,
  to: string,
  signal: AbortSignal,
  options: { readonly read: (bytes: number) => void; readonly accepts?: (copied: Copied) => void },
): Promise<Copied> {
  const part = `${to}${partEnd}`;
  try {
    makeFolder(dirname(to));
    const file = await open(part, 'w');
    let copied: Copied;
    try {
      copied = await readThrough(from, signal, async (block) => {
        for (let at = 0; at < block.byteLength; ) at += (await file.write(block, at)).bytesWritten;
        options.read(block.byteLength);
      });
      await file.sync();
    } finally {
      await file.close();
    }
    options.accepts?.(copied);
    await rename(part, to);
    flushFolder(dirname(to));
    return copied;
  } catch (error) {
    await discard(part);
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw failed(to, 'written', error);
  }
}

async function readThrough(
  path: string,
  signal: AbortSignal,
  take: (block: Uint8Array) => Promise<void>,
): Promise<Copied> {
  const hash = createHash('sha256');
  const file = await open(path, 'r').catch((error: unknown) => {
    throw failed(path, 'read', error);
  });
  try {
    const block = new Uint8Array(BLOCK);
    for (let bytes = 0; ; ) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(block, 0, BLOCK, bytes).catch((error: unknown) => {
        throw failed(path, 'read', error);
      });
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
      bytes += bytesRead;
      const some = block.subarray(0, bytesRead);
      hash.update(some);
      await take(some);
    }
  } finally {
    await file.close();
  }
}

export function failed(path: string, doing: 'read' | 'written', error: unknown): Error {
  const why = ['ENOSPC', 'EDQUOT'].includes(codeOf(error)) ? 'the disk is full' : reasonOf(error);
  return transferErrors.TRANSFER_FAILED(`${path} cannot be ${doing}: ${why}`, { path }, error);
}
