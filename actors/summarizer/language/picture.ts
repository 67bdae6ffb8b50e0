// Pictures as language models look at them: JPEG brought to a size, RGB bytes in rows.
import sharp from 'sharp';

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

export interface Picture extends PictureSize {
  /** width×height×3. */
  readonly rgb: Uint8Array;
}

// Runs take the processors; a picture takes milliseconds, and none comes twice.
sharp.concurrency(1);
sharp.cache(false);

/** As they are stored. Rejects for what is no picture. */
export async function sizeOf(jpeg: Uint8Array): Promise<PictureSize> {
  const { width, height } = await sharp(jpeg).metadata();
  return { width, height };
}

/** Bicubic, without keeping proportions. Rejects for what cannot be decoded. */
export async function scaled(jpeg: Uint8Array, { width, height }: PictureSize): Promise<Picture> {
  const rgb = await sharp(jpeg, { failOn: 'truncated' })
    .toColourspace('srgb')
    .removeAlpha()
    .resize(width, height, { fit: 'fill', kernel: 'cubic' })
    .raw()
    .toBuffer();
  return { width, height, rgb };
}
