// The one door to stills: is this file one, what does its header say, and decode it. Which reader does it is
// decided here.
import type { Sharp } from 'sharp';
import type { Turn } from '../../../runtime/actor.ts';
import { EngineError } from '../../../runtime/errors.ts';
import { mediaErrors } from '../contract.ts';
import { pictureOf, reserveFor, type Size } from './coded-size.ts';
import { ByteSource, isJpegFilm } from './file.ts';
import { openHeif } from './stills/heif/heif.ts';
import { isSequence } from './stills/heif/items.ts';
import { damaged, type Still, type StillReader } from './stills/still.ts';
import { openTiff } from './stills/tiff.ts';
import { openVips, type VipsFormat } from './stills/vips.ts';

// Recognises still images by the first bytes of the file, whatever its name.

/** Bytes needed from the start of the file. */
const signatureLength = 64;

const starts = (bytes: Uint8Array, at: number, text: string) =>
  Array.from(text).every((letter, i) => bytes[at + i] === letter.charCodeAt(0));

/** Brands of ISO base media files that hold pictures (ISO/IEC 23008-12, AVIF). */
const stillBrands =
  'avif avis heic heix heim heis hevc hevx hevm hevs mif1 msf1 mif2 miaf MiHB MiHE avci avcs vvic vvis j2ki j2is jpeg jpgs';

/**
 * True for the main brand of a file of pictures, and for a file that names one of the common ones further on.
 */
function hasStillBrand(bytes: Uint8Array): boolean {
  const code = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (stillBrands.split(' ').includes(code(8))) return true;
  const length = (bytes[2]! << 8) | bytes[3]!;
  for (let at = 16; at + 4 <= Math.min(length, bytes.length); at += 4)
    if (['mif1', 'heic', 'avif'].includes(code(at))) return true;
  return false;
}

type StillFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'tiff' | 'heif';

/** The image format; null for everything else. */
export function stillFormat(bytes: Uint8Array): StillFormat | null {
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg';
  if (starts(bytes, 0, '\x89PNG\r\n')) return 'png';
  if (starts(bytes, 0, 'GIF87a') || starts(bytes, 0, 'GIF89a')) return 'gif';
  if (starts(bytes, 0, 'RIFF') && starts(bytes, 8, 'WEBP')) return 'webp';
  if (starts(bytes, 0, 'II*\0') || starts(bytes, 0, 'MM\0*')) return 'tiff';
  if (starts(bytes, 0, 'II+\0') || starts(bytes, 0, 'MM\0+')) return 'tiff';
  if (starts(bytes, 4, 'ftyp') && hasStillBrand(bytes)) return 'heif';
  return null;
}

/** Formats that libvips reads. Damaged data of a JPEG is only a warning to it. */
const vipsFormats: Readonly<Record<Exclude<StillFormat, 'tiff' | 'heif'>, VipsFormat>> = {
  jpeg: { container: 'jpeg', format: 'JPEG', failOn: 'warning' },
  png: { container: 'png', format: 'PNG', failOn: 'error' },
  gif: { container: 'gif', format: 'GIF', failOn: 'error' },
  webp: { container: 'webp', format: 'WebP', failOn: 'error' },
};

/** Bytes a pixel of the reduced picture, which is made at once and copied. */
const reducedPixel = 6;

/**
 * True when the file has the signature of a still image and is not a sequence of JPEG pictures. Errors:
 * FILE_UNREADABLE.
 */
export async function isStill(path: string): Promise<boolean> {
  return (await formatOf(path)) !== null;
}

/**
 * The still with the facts of its header; null for everything else. Errors: FILE_UNREADABLE, TOO_LARGE,
 * UNSUPPORTED_CODEC, DECODE_FAILED.
 */
export async function openStill(path: string): Promise<Still | null> {
  const format = await formatOf(path);
  if (format === null) return null;
  if (format === 'tiff') return openTiff(path);
  if (format === 'heif') return openHeif(path);
  return openVips(path, vipsFormats[format]);
}

/** How large a decoded still has to be at least, and the turn that it is decoded in. */
export interface DecodeOptions {
  readonly reduced: Size;
  readonly turn: Pick<Turn, 'reserve'>;
}

type Work<T> = (picture: () => Sharp, isDamaged: boolean) => Promise<T>;

/**
 * Decodes a still, once the memory that it needs may be used. `work` is handed the picture: upright, opaque
 * (transparent pixels on white), 8-bit sRGB; each call starts anew with all of it. Where the picture is
 * damaged, `work` begins again with what there is of it. Errors: UNSUPPORTED_CODEC, DECODE_FAILED, TOO_LARGE,
 * CANCELLED.
 */
export async function decodeStill<T>(still: Still, options: DecodeOptions, work: Work<T>): Promise<T> {
  try {
    return await decodeBy(still, still, options, (picture) => work(picture, false));
  } catch (error) {
    if (!mediaErrors.DECODE_FAILED.is(error)) throw error;
    for (const reader of still.lenient) {
      try {
        return await decodeBy(still, reader, options, async (picture) => {
          if (await isFlat(picture())) throw error;
          return work(picture, true);
        });
      } catch (another) {
        const { DECODE_FAILED, TOO_LARGE } = mediaErrors;
        if (!DECODE_FAILED.is(another) && !TOO_LARGE.is(another)) throw another;
      }
    }
    throw error;
  }
}

/** Pixels on each side by which a flat picture is told. */
const flatSide = 64;

/** All of one colour, which decoders fill in where there are no data at all. */
async function isFlat(picture: Sharp): Promise<boolean> {
  const rgb = await picture.resize(flatSide, flatSide, { fit: 'fill', kernel: 'nearest' }).raw().toBuffer();
  return rgb.every((value, at) => value === rgb[at % 3]);
}

async function decodeBy<T>(
  still: Still,
  reader: StillReader,
  { reduced, turn }: DecodeOptions,
  work: (picture: () => Sharp) => Promise<T>,
): Promise<T> {
  const release = await reserveFor(
    pictureOf(still),
    reader.memory(reduced) + reducedPixel * reduced.width * reduced.height,
    turn,
  );
  try {
    const picture = await reader.decode();
    return await work(() => {
      const opaque = picture().toColourspace('srgb').removeAlpha();
      return still.samples.alpha ? opaque.flatten({ background: '#ffffff' }) : opaque;
    });
  } catch (error) {
    if (error instanceof EngineError || error instanceof TypeError || error instanceof RangeError)
      throw error;
    throw damaged(still.path, still.format, 'picture cannot be decoded: it is damaged or incomplete', error);
  } finally {
    release();
  }
}

async function formatOf(path: string): Promise<StillFormat | null> {
  const bytes = await ByteSource.of(path, (source) => source.readUpTo(0, signatureLength));
  const format = stillFormat(bytes);
  if (format === 'jpeg') return (await isJpegFilm(path)) ? null : format;
  if (format === 'heif') return (await isSequence(path, bytes)) ? null : format;
  return format;
}
