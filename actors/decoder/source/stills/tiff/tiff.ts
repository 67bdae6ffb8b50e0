// TIFF: which of the readers is right for a file, said by its tags. libvips reads the usual kinds. Many others it fills with
// black, refuses or shows in a wrong range, and FFmpeg does too: those are read here, or refused by what they are.
import sharp, { type Sharp } from 'sharp';
import { rotated } from '../../coded-size.ts';
import { ByteSource, OutsideFile } from '../byte-source.ts';
import { jpegBytes, wholeBytes } from '../memory.ts';
import { exifTurn, expectFits, sharpOf, turnedPixels } from '../pixels.ts';
import { damaged, expectSize, type Still, unsupported } from '../still.ts';
import { openVips } from '../vips.ts';
import { colourPixels, colourSamples, photometric } from './colours.ts';
import { readTiff, type TiffImage } from './directory.ts';
import { ownCompressions } from './pieces.ts';
import { knowsSamples } from './rows.ts';
import { isNominal, pieceBytes, readSamples } from './samples.ts';

const format = 'TIFF';

const compressionNames: Readonly<Record<number, string>> = {
  6: 'old-style JPEG compression',
  34712: 'JPEG 2000 compression',
  34887: 'LERC compression',
  34892: 'lossy JPEG compression of raw pictures',
  50000: 'ZSTD compression',
  50002: 'JPEG XL compression',
};
/** Huffman and fax codes, LZW, JPEG, deflate, NeXT, PackBits, ThunderScan, SGI LogLuv, WebP. */
const vipsCompressions = [1, 2, 3, 4, 5, 7, 8, 32766, 32771, 32773, 32809, 32946, 34676, 34677, 50001];
const oldJpeg = 6;
const logLuv = 32845;

/** Errors: FILE_UNREADABLE, DECODE_FAILED, UNSUPPORTED_CODEC, TOO_LARGE. */
export async function openTiff(path: string): Promise<Still> {
  const image = await ByteSource.of(path, readTiff).catch((error: unknown) => {
    if (error instanceof OutsideFile) throw damaged(path, format, 'header cannot be read', error);
    throw error;
  });
  expectSize(path, format, image);
  const { compression } = image;
  if (compression === oldJpeg)
    return ownStill(path, image, oldJpegBytes(image), () => decodeOldJpeg(path, image));
  if (needsOwnReader(image)) return ownStill(path, image, ownBytes(image), () => decodeSamples(path, image));
  if (!vipsCompressions.includes(compression)) throw unsupported(path, format, nameOf(compression));
  expectVipsKind(path, image);
  const tile = image.tiled ? { width: image.pieceWidth, height: image.pieceHeight } : null;
  return openVips(path, { container: 'tiff', format, failOn: 'error', tile });
}

const nameOf = (compression: number) => compressionNames[compression] ?? `compression ${compression}`;

/** Kinds that libvips refuses or shows wrongly, as far as they are known here. */
function needsOwnReader(image: TiffImage): boolean {
  const { bits, samples, compression, planar, extra, photometric: kind } = image;
  if (!ownCompressions.includes(compression) || bits === null || colourSamples(image) === null) return false;
  const unusual =
    !vipsCompressions.includes(compression) ||
    ![1, 2, 4, 8, 16].includes(bits) ||
    (bits < 8 && samples > 1) ||
    image.format !== 'uint' ||
    planar ||
    kind === photometric.cielab ||
    kind === photometric.icclab ||
    kind === -1 ||
    extra.includes(0) ||
    // Without a word about them, one further sample is opacity, as in files of old writers.
    samples > colourSamples(image)! + Math.max(1, extra.length);
  return unusual && knowsSamples({ ...image, bits });
}

/** Throws UNSUPPORTED_CODEC for what libvips cannot read, so that the reason says what it is. */
function expectVipsKind(path: string, image: TiffImage) {
  const { bits, planar, tiled, photometric: kind } = image;
  if (kind === logLuv || kind === photometric.ycbcr) return;
  if (colourSamples(image) === null) throw unsupported(path, format, `photometric interpretation ${kind}`);
  if (bits === null) return;
  if (image.format !== 'uint' || ![1, 2, 4, 8, 16].includes(bits))
    throw unsupported(path, format, `${image.format} samples of ${bits} bits and this compression`);
  if (planar && tiled) throw unsupported(path, format, 'tiles of single colours and this compression');
}

/** Where opacity is among the samples of a pixel; unspecified further samples are none. */
function alphaOf(
  image: TiffImage,
): { readonly sample: number; readonly kind: 'multiplied' | 'plain' } | null {
  const first = image.samples - image.extra.length;
  const at = image.extra.findIndex((kind) => kind === 1 || kind === 2);
  const colours = colourSamples(image) ?? 1;
  if (image.extra.length === 0 && image.samples === colours + 1) return { sample: colours, kind: 'plain' };
  if (at < 0 || first < colours) return null;
  return { sample: first + at, kind: image.extra[at] === 1 ? 'multiplied' : 'plain' };
}

function ownStill(path: string, image: TiffImage, bytes: number, decode: () => Promise<() => Sharp>): Still {
  expectFits(path, image);
  const grey = image.samples === 1 || image.photometric <= 1;
  return {
    path,
    format,
    container: 'tiff',
    ...rotated({ width: image.width, height: image.height }, exifTurn(image.orientation).rotation),
    samples: {
      bit_depth: image.bits ?? 8,
      color_model: grey && image.photometric !== photometric.palette ? 'b-w' : 'srgb',
      alpha: alphaOf(image) !== null,
      chroma_subsampling: null,
    },
    exif: new Uint8Array(),
    memory: () => bytes,
    decode,
  };
}

/**
 * A piece as it is stored and without its compression, the numbers, the same with 8 bits, the colours, and those turned
 * upright.
 */
function ownBytes(image: TiffImage): number {
  const alpha = alphaOf(image) ? 1 : 0;
  const numbers = (colourSamples(image) ?? 3) + alpha;
  const turned = image.orientation >= 2 && image.orientation <= 8 ? 2 : 1;
  const perNumber = isNominal(image) ? 1 : 5;
  return 2 * pieceBytes(image) + wholeBytes(image, perNumber * numbers + turned * (3 + alpha), 3 + alpha);
}

/** The JPEG file inside may be of any kind; its colours are there as a whole, and turned upright once more. */
function oldJpegBytes(image: TiffImage): number {
  return jpegBytes({ ...image, channels: 3, chroma: null, scans: true }) + 6 * image.width * image.height;
}

async function decodeSamples(path: string, image: TiffImage): Promise<() => Sharp> {
  const alpha = alphaOf(image);
  const colours = Array.from({ length: colourSamples(image)! }, (_, i) => i);
  const wanted = alpha ? [...colours, alpha.sample] : colours;
  const raw = image.photometric === photometric.palette;
  const samples = await ByteSource.of(path, (source) =>
    readSamples(source, { ...image, bits: image.bits! }, wanted, raw),
  );
  if (!samples) throw damaged(path, format, 'picture cannot be decoded: it is damaged or incomplete');
  const upright = turnedPixels(
    colourPixels(image, samples, alpha?.kind ?? null),
    exifTurn(image.orientation),
  );
  return () => sharpOf(upright);
}

/** Writers of old-style JPEG store a whole JPEG file, or only its tables and data: the latter were never well defined. */
async function decodeOldJpeg(
  path: string,
  { jpeg, width, height, orientation }: TiffImage,
): Promise<() => Sharp> {
  const bytes = jpeg && (await ByteSource.of(path, (source) => source.readUpTo(jpeg.offset, source.size)));
  const size =
    bytes &&
    (await sharp(bytes)
      .metadata()
      .catch(() => null));
  if (!bytes || size?.width !== width || size.height !== height)
    throw unsupported(path, format, nameOf(oldJpeg));
  const { data } = await sharp(bytes, { failOn: 'truncated' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const channels = data.length === width * height ? 1 : 3;
  const upright = turnedPixels({ width, height, channels, data }, exifTurn(orientation));
  return () => sharpOf(upright);
}
