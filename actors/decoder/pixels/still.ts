// Stills: opened by sharp, which shrinks while it loads and so holds only a band of a large picture. Orientation is applied,
// colours become sRGB with 8 bits, and what is transparent shows white, as on a page.
import { open } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { mediaErrors, type PictureShape, type PreviewShape } from '../contract.ts';
import { isJpegFilm } from '../source/jpeg-film.ts';
import { signatureLength, stillFormat } from '../source/signature.ts';
import { placeShape, placeWhole, type Size } from './geometry.ts';

// One thread a picture: files are worked on side by side instead.
sharp.concurrency(1);
sharp.cache(false);

/** Largest picture that is opened, in px; 16k by 16k is 268 million. */
const largest = 1_000_000_000;
/** Sides of the reduced picture to those of the model's, so that scaling twice shows no more than scaling once. */
const spare = 2;
/** Kernels of sharp; each averages over what it shrinks, as `area` wants. */
const kernels = { area: 'linear', bilinear: 'linear', bicubic: 'cubic' } as const;

/** True when the file's first bytes are those of a still that sharp may read, and it is no film of JPEG pictures. */
export async function isStill(path: string): Promise<boolean> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw mediaErrors.FILE_UNREADABLE(`${path}: cannot be opened (${error.code})`, { path }, error);
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

export interface StillFacts {
  readonly metadata: Metadata;
  /** Size as shown, in px. */
  readonly width: number;
  readonly height: number;
}

/** Reads the header. Errors: NOT_MEDIA, TOO_LARGE. */
export async function readStill(path: string): Promise<StillFacts> {
  const metadata = await failing(path, () => opened(path).metadata());
  const { width, height } = metadata.autoOrient;
  if (width * height > largest) {
    throw mediaErrors.TOO_LARGE(`${path}: ${width}x${height} is too large`, { path, width, height });
  }
  return { metadata, width, height };
}

/** A still brought near to the sizes that are asked for. */
export interface ReducedStill {
  readonly path: string;
  /** width×height×3 RGB bytes. */
  readonly rgb: Buffer;
  /** px. */
  readonly width: number;
  readonly height: number;
  /** Size of the preview, in px; null when none is asked for. */
  readonly preview: Size | null;
}

/** The one decoding of a still, for both the model's picture and the preview. Errors: as `readStill`, DECODE_FAILED. */
export async function reduceStill(
  path: string,
  shape: PictureShape,
  preview: PreviewShape | null,
): Promise<ReducedStill> {
  const facts = await readStill(path);
  const shown = asShown(facts);
  const small = preview && placeWhole(shown, preview.max_side).kept;
  const wanted = placeShape(shown, shape).scaled;
  const side = (full: number, model: number, other = 0) => Math.min(full, Math.max(spare * model, other));
  const width = side(facts.width, wanted.width, small?.width);
  const height = side(facts.height, wanted.height, small?.height);
  const { resample } = shape;
  const reduced = plain(path).resize(width, height, {
    fit: 'fill',
    kernel: kernels[resample],
    fastShrinkOnLoad: resample !== 'bicubic',
  });
  const { data, info } = await failing(path, () => reduced.raw().toBuffer({ resolveWithObject: true }));
  if (info.channels !== 3) {
    throw mediaErrors.DECODE_FAILED(`${path}: has ${info.channels} channels, not 3`, { path });
  }
  return { path, rgb: data, width, height, preview: small };
}

/** The picture as width×height×3 RGB bytes, *copied* into `slot`. Errors: DECODE_FAILED. */
export async function fillStill(still: ReducedStill, shape: PictureShape, slot: Uint8Array): Promise<void> {
  const { width, height, fit, resample } = shape;
  const resized = raw(still).resize(width, height, {
    fit: fit === 'stretch' ? 'fill' : 'cover',
    kernel: kernels[resample],
  });
  const data = await failing(still.path, () => resized.raw().toBuffer());
  slot.set(data.subarray(0, width * height * 3));
}

/** The preview as JPEG in a buffer of its own that can be *moved*; null when none was asked for. Errors: DECODE_FAILED. */
export async function previewStill(
  still: ReducedStill,
  quality: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!still.preview) return null;
  const { width, height } = still.preview;
  const resized = raw(still).resize(width, height, { fit: 'fill', kernel: 'linear' });
  const jpeg = await failing(still.path, () => resized.jpeg({ quality }).toBuffer());
  const own = new Uint8Array(new ArrayBuffer(jpeg.length));
  own.set(jpeg);
  return own;
}

/** The whole still as JPEG, in a buffer of its own. Errors: as `readStill`, DECODE_FAILED. */
export async function stillJpeg(path: string, { max_side, quality }: PreviewShape): Promise<Uint8Array> {
  const { width, height } = placeWhole(asShown(await readStill(path)), max_side).kept;
  const resized = plain(path).resize(width, height, { fit: 'fill', kernel: 'linear' });
  return failing(path, () => resized.jpeg({ quality }).toBuffer());
}

/** Its size is that of the picture the right way up, in square px. */
function asShown({ width, height }: StillFacts) {
  return { width, height, pixelAspect: { num: 1, den: 1 }, rotation: 0 };
}

function raw({ rgb, width, height }: ReducedStill): Sharp {
  return sharp(rgb, { raw: { width, height, channels: 3 }, limitInputPixels: largest });
}

function opened(path: string): Sharp {
  return sharp(path, {
    failOn: 'truncated',
    limitInputPixels: largest,
    sequentialRead: true,
    unlimited: false,
  });
}

/** Upright, opaque, sRGB with 8 bits. */
function plain(path: string): Sharp {
  return opened(path).autoOrient().flatten({ background: '#ffffff' }).toColourspace('srgb').removeAlpha();
}

async function failing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const maker = /pixel limit|too large|exceeds/i.test(text)
      ? mediaErrors.TOO_LARGE
      : // HEIC holds HEVC pictures, which the library is built without.
        /not been built in|unsupported|no decod/i.test(text)
        ? mediaErrors.UNSUPPORTED_CODEC
        : mediaErrors.DECODE_FAILED;
    throw maker(`${path}: ${text.split('\n')[0]}`, { path }, error);
  }
}
