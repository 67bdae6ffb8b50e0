// Decoding of still images: sharp scales while it loads, so only a part of a large image is in memory at a time. The
// EXIF orientation is applied, colours become 8-bit sRGB, and transparent pixels are composited on white.
import sharp, { type Sharp } from 'sharp';
import { mediaErrors, type PictureShape, type PreviewShape } from '../contract.ts';
import type { Size } from '../source/coded-size.ts';
import { maxStillPixels, openStill, readStill, type StillFacts, withStillErrors } from '../source/still.ts';
import { placeShape, placeWhole } from './geometry.ts';

/** The reduced image is this many times the model's size, so that scaling twice looks like scaling once. */
const oversampling = 2;
/** Kernels of sharp; each averages over the pixels it merges, as `area` asks. */
const kernels = { area: 'linear', bilinear: 'linear', bicubic: 'cubic' } as const;

/** A still scaled down to little more than the sizes that are asked for. */
export interface ReducedStill extends Size {
  readonly path: string;
  /** width×height×3 RGB bytes. */
  readonly rgb: Buffer;
  /** Size of the preview, in px; null when none is asked for. */
  readonly preview: Size | null;
}

/** Decodes the file once for both the picture and the preview. Errors: those of `readStill`. */
export async function reduceStill(
  path: string,
  shape: PictureShape,
  preview: PreviewShape | null,
): Promise<ReducedStill> {
  const facts = await readStill(path);
  const shown = asShown(facts);
  const small = preview && placeWhole(shown, preview.max_side).kept;
  const wanted = placeShape(shown, shape).scaled;
  const side = (full: number, model: number, other = 0) =>
    Math.min(full, Math.max(oversampling * model, other));
  const width = side(facts.width, wanted.width, small?.width);
  const height = side(facts.height, wanted.height, small?.height);
  const { resample } = shape;
  const reduced = upright(path).resize(width, height, {
    fit: 'fill',
    kernel: kernels[resample],
    fastShrinkOnLoad: resample !== 'bicubic',
  });
  const { data, info } = await withStillErrors(path, () =>
    reduced.raw().toBuffer({ resolveWithObject: true }),
  );
  if (info.channels !== 3) {
    throw mediaErrors.DECODE_FAILED(`${path}: has ${info.channels} channels, not 3`, { path });
  }
  return { path, rgb: data, width, height, preview: small };
}

/** The picture as width×height×3 RGB bytes, *copied* into `slot`. Errors: DECODE_FAILED. */
export async function fillStill(still: ReducedStill, shape: PictureShape, slot: Uint8Array): Promise<void> {
  const { width, height, fit, resample } = shape;
  const resized = fromRgb(still).resize(width, height, {
    fit: fit === 'stretch' ? 'fill' : 'cover',
    kernel: kernels[resample],
  });
  const data = await withStillErrors(still.path, () => resized.raw().toBuffer());
  slot.set(data.subarray(0, width * height * 3));
}

/** The preview as JPEG in a buffer of its own that can be *moved*; null when none was asked for. Errors: DECODE_FAILED. */
export async function previewStill(
  still: ReducedStill,
  quality: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!still.preview) return null;
  const { width, height } = still.preview;
  const resized = fromRgb(still).resize(width, height, { fit: 'fill', kernel: 'linear' });
  const jpeg = await withStillErrors(still.path, () => resized.jpeg({ quality }).toBuffer());
  const own = new Uint8Array(new ArrayBuffer(jpeg.length));
  own.set(jpeg);
  return own;
}

/** The whole still as JPEG, in a buffer of its own. Errors: those of `readStill`. */
export async function stillJpeg(path: string, { max_side, quality }: PreviewShape): Promise<Uint8Array> {
  const { width, height } = placeWhole(asShown(await readStill(path)), max_side).kept;
  const resized = upright(path).resize(width, height, { fit: 'fill', kernel: 'linear' });
  return withStillErrors(path, () => resized.jpeg({ quality }).toBuffer());
}

/** The size is already upright and in square pixels. */
function asShown({ width, height }: StillFacts) {
  return { width, height, pixelAspect: { num: 1, den: 1 }, rotation: 0, mirrored: false };
}

function fromRgb({ rgb, width, height }: ReducedStill): Sharp {
  return sharp(rgb, { raw: { width, height, channels: 3 }, limitInputPixels: maxStillPixels });
}

/** Upright, opaque, 8-bit sRGB. */
function upright(path: string): Sharp {
  return openStill(path).autoOrient().flatten({ background: '#ffffff' }).toColourspace('srgb').removeAlpha();
}
