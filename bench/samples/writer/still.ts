// Writes a still: RGB bytes as JPEG, PNG, WebP, TIFF, GIF or AVIF, chosen by the extension. The file appears
// under its name only when it is complete.
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { errorTable, reasonOf } from '../../../runtime/errors.ts';

export const stillErrors = errorTable({
  STILL_NOT_WRITTEN: { meaning: 'The still cannot be written', status: 500, retryable: false },
});

export interface Still {
  readonly path: string;
  /** px. */
  readonly width: number;
  readonly height: number;
  /** width×height×3 RGB bytes, *borrowed until the promise is settled*. */
  readonly rgb: Uint8Array;
  /** 1-100, for the lossy formats. */
  readonly quality?: number;
  /** EXIF orientation, 1-8. */
  readonly orientation?: number;
  readonly camera?: { readonly make: string; readonly model: string };
}

const encoders: Record<string, (picture: Sharp, quality: number) => Sharp> = {
  '.jpg': (picture, quality) => picture.jpeg({ quality }),
  '.png': (picture) => picture.png(),
  '.webp': (picture, quality) => picture.webp({ quality }),
  '.tif': (picture) => picture.tiff({ compression: 'deflate' }),
  '.gif': (picture) => picture.gif(),
  '.avif': (picture, quality) => picture.avif({ quality, effort: 0 }),
};

export async function writeStill(still: Still): Promise<void> {
  const { path, width, height, rgb, quality = 85, orientation, camera } = still;
  const encode = encoders[extname(path)];
  if (!encode) throw stillErrors.STILL_NOT_WRITTEN(`${path}: no still format has this ending`, { path });
  let picture = encode(sharp(rgb, { raw: { width, height, channels: 3 } }), quality);
  if (camera) picture = picture.withExif({ IFD0: { Make: camera.make, Model: camera.model } });
  if (orientation) picture = picture.withMetadata({ orientation });
  const part = join(dirname(path), `.${process.pid}-${basename(path)}.part`);
  try {
    await picture.toFile(part);
    await rename(part, path);
  } catch (cause) {
    throw stillErrors.STILL_NOT_WRITTEN(`${path}: ${reasonOf(cause)}`, { path }, cause);
  } finally {
    await rm(part, { force: true });
  }
}
