// What kind of WebP a file is, and when one is reduced while it is read.
import type { Size } from '../coded-size.ts';
import { ByteSource } from './byte-source.ts';

export type WebpKind = 'lossy' | 'lossless';

/**
 * Chunks before the picture: profile, metadata of others. A picture further on is taken for a lossless one.
 */
const mostChunks = 64;

/** Bytes before the chunks of a frame: place, size, duration. */
const frameHeader = 16;

/** By the first chunk of the RIFF file that holds a picture. Errors: FILE_UNREADABLE. */
export function webpKind(path: string): Promise<WebpKind> {
  return ByteSource.of(path, async (source) => {
    for (let at = 12, count = 0; at + 8 <= source.size && count < mostChunks; count++) {
      const chunk = await source.read(at, 8);
      const name = chunk.toString('latin1', 0, 4);
      if (name === 'VP8 ') return 'lossy';
      if (name === 'VP8L') return 'lossless';
      const length = chunk.readUInt32LE(4);
      // A frame of an animation is a chunk with chunks inside.
      at += name === 'ANMF' ? 8 + frameHeader : 8 + length + (length % 2);
    }
    return 'lossless';
  });
}

/**
 * The decoder reduces by averaging, so where the pipeline reduces much again, no kernel could tell the
 * difference. A picture of 36 million px then takes 8 MB of memory instead of 290.
 */
export function readsReduced(full: Size, reduced: Size): boolean {
  return full.width >= 4 * reduced.width && full.height >= 4 * reduced.height;
}
