// Is this file a still image, and what does its header say? Stills are read by sharp, not by FFmpeg.
import { open } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { mediaErrors } from '../contract.ts';
import type { Size } from './coded-size.ts';
import { cannotOpen } from './file-stamp.ts';
import { isJpegFilm } from './jpeg-film.ts';
import { signatureLength, stillFormat } from './signature.ts';

// One thread per image: several files are processed in parallel instead.
sharp.concurrency(1);
sharp.cache(false);

/** Largest image that is opened, in px; 16384 × 16384 is 268 million. */
export const maxStillPixels = 1_000_000_000;

/** True when the file has the signature of an image format sharp reads and is not a sequence of JPEG pictures. */
export async function isStill(path: string): Promise<boolean> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw cannotOpen(path, error);
  });
  try {
    const bytes = new Uint8Array(signatureLength);
    const { bytesRead } = await file.read(bytes, 0, signatureLength, 0);
    const format = stillFormat(bytes.subarray(0, bytesRead));
    return format === 'jpeg' ? !(await isJpegFilm(path)) : format !== null;
  } finally {
    await file.close();
  }
}

/** Size: as shown, EXIF orientation applied. */
export interface StillFacts extends Size {
  readonly metadata: Metadata;
}

/** Reads the header. Errors: TOO_LARGE, UNSUPPORTED_CODEC, DECODE_FAILED. */
export async function readStill(path: string): Promise<StillFacts> {
  const metadata = await withStillErrors(path, () => openStill(path).metadata());
  const { width, height } = metadata.autoOrient;
  if (width * height > maxStillPixels) {
    throw mediaErrors.TOO_LARGE(`${path}: ${width}x${height} is too large`, { path, width, height });
  }
  return { metadata, width, height };
}

export function openStill(path: string): Sharp {
  return sharp(path, {
    failOn: 'truncated',
    limitInputPixels: maxStillPixels,
    sequentialRead: true,
    unlimited: false,
  });
}

/** Throws what sharp throws as a mediaError that names the file. */
export async function withStillErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const maker = /pixel limit|too large|exceeds/i.test(text)
      ? mediaErrors.TOO_LARGE
      : // HEIC stores HEVC pictures, and sharp is built without an HEVC decoder.
        /not been built in|unsupported|no decod/i.test(text)
        ? mediaErrors.UNSUPPORTED_CODEC
        : mediaErrors.DECODE_FAILED;
    throw maker(`${path}: ${text.split('\n')[0]}`, { path }, error);
  }
}
