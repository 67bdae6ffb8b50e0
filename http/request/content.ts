// Contents for routes of bytes: a file, or a text of the program.
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { engineErrors } from '../../runtime/errors.ts';
import type { Content } from '../route.ts';

/** Bytes read of a file at a time: what one client that does not read on holds. */
const PIECE_BYTES = 256 * 1024;

export function contentOfText(text: string, type: string): Content {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
  return {
    type,
    size: bytes.length,
    etag,
    held: bytes,
    read: async (from, to) => bytes.subarray(from, to),
    close: async () => {},
  };
}

/**
 * A file, held open: another one that takes its name meanwhile is not mixed with it. Null when `isIt` says
 * that it is another one already, and for what is no file. Throws what `open` throws.
 */
export async function contentOfFile(
  path: string,
  type: string,
  isIt: (found: BigIntStats) => boolean = () => true,
): Promise<Content | null> {
  // A pipe would block a thread until somebody writes into it.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await handle.stat({ bigint: true });
    if (found.isFile() && isIt(found)) return heldContent(handle, found, path, type);
    await handle.close();
    return null;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function heldContent(
  handle: FileHandle,
  { dev, ino, size, mtimeNs }: BigIntStats,
  path: string,
  type: string,
): Content {
  return {
    type,
    size: Number(size),
    etag: `"${[dev, ino, size, mtimeNs].map((one) => one.toString(36)).join('-')}"`,
    read: async (from, to) => {
      const bytes = Buffer.allocUnsafe(Math.min(PIECE_BYTES, to - from));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
      if (bytesRead > 0) return bytes.subarray(0, bytesRead);
      throw engineErrors.INTERNAL(`${path} became shorter while it was being sent`, {});
    },
    close: () => handle.close(),
  };
}
