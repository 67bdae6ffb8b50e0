// Pictures of a face as JPEG: as the embedder saw it, and for people.
import sharp from 'sharp';
import { alignedSide } from '../alignment/similarity.ts';
import type { Picture } from '../picture.ts';
import { displaySide, type Region } from './display.ts';

/** `face`: 112×112×3 RGB, *borrowed until the promise settles*. */
export async function alignedJpeg(face: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const raw = { width: alignedSide, height: alignedSide, channels: 3 } as const;
  return owned(
    await sharp(face, { raw })
      .jpeg({ quality: 92, chromaSubsampling: '4:4:4', optimiseCoding: false })
      .toBuffer(),
  );
}

/** The region, its longest side brought to 160 px. The picture is read before this returns. */
export async function displayJpeg(picture: Picture, region: Region): Promise<Uint8Array<ArrayBuffer>> {
  const raw = { width: region.width, height: region.height, channels: 3 } as const;
  const encoded = sharp(cut(picture, region), { raw })
    .resize({ width: displaySide, height: displaySide, fit: 'inside' })
    .jpeg({ quality: 85, optimiseCoding: false });
  return owned(await encoded.toBuffer());
}

function cut({ data, width }: Picture, region: Region): Uint8Array<ArrayBuffer> {
  const line = region.width * 3;
  const pixels = new Uint8Array(line * region.height);
  for (let y = 0; y < region.height; y++) {
    const from = ((region.top + y) * width + region.left) * 3;
    pixels.set(data.subarray(from, from + line), y * line);
  }
  return pixels;
}

/** In memory of its own, so that it can be moved to another thread. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
