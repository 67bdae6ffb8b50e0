// TIFF: which of the readers is right for a file, said by its tags. libvips reads the usual kinds. Many
// others it fills with black, refuses or shows in a wrong range, and FFmpeg does too: those are read here, or
// refused by what they are.
import sharp, { type Sharp } from 'sharp';
import { rotated } from '../../coded-size.ts';
import { ByteSource, OutsideFile } from '../../file.ts';
import {
  damaged,
  exifTurn,
  expectFits,
  expectSize,
  jpegBytes,
  type Pixels,
  type Still,
  sharpOf,
  turnedPixels,
  unsupported,
  wholeBytes,
} from '../still.ts';
import { openVips } from '../vips.ts';
import { readTiff, type TiffImage } from './directory.ts';
import { copiesOf, isNominal, knowsSamples, ownCompressions, pieceBytes, readSamples } from './samples.ts';

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
    return ownStill(path, image, oldJpegBytes(image), (isLenient) => decodeOldJpeg(path, image, isLenient));
  if (needsOwnReader(image)) {
    return ownStill(path, image, ownBytes(image), (isLenient) => decodeSamples(path, image, isLenient));
  }
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

function ownStill(
  path: string,
  image: TiffImage,
  bytes: number,
  decode: (isLenient: boolean) => Promise<() => Sharp>,
): Still {
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
    xmp: new Uint8Array(),
    orientation: isTurned(image) ? image.orientation : 1,
    memory: () => bytes,
    decode: () => decode(false),
    lenient: [{ memory: () => bytes, decode: () => decode(true) }],
  };
}

function isTurned({ orientation }: TiffImage): boolean {
  return orientation >= 2 && orientation <= 8;
}

/**
 * A piece as it is stored and without its compression, the numbers, the same with 8 bits, the colours, and
 * those turned upright.
 */
function ownBytes(image: TiffImage): number {
  const alpha = alphaOf(image) ? 1 : 0;
  const numbers = (colourSamples(image) ?? 3) + alpha;
  const turned = isTurned(image) ? 2 : 1;
  const perNumber = isNominal(image) ? 1 : 5;
  const pieces = copiesOf(image.compression) * pieceBytes(image);
  return pieces + wholeBytes(image, perNumber * numbers + turned * (3 + alpha), 3 + alpha);
}

/**
 * The JPEG file inside may be of any kind; its colours are there as a whole, and turned upright once more.
 */
function oldJpegBytes(image: TiffImage): number {
  return jpegBytes({ ...image, channels: 3, chroma: null, scans: true }) + 6 * image.width * image.height;
}

async function decodeSamples(path: string, image: TiffImage, isLenient: boolean): Promise<() => Sharp> {
  const alpha = alphaOf(image);
  const colours = Array.from({ length: colourSamples(image)! }, (_, i) => i);
  const wanted = alpha ? [...colours, alpha.sample] : colours;
  const raw = image.photometric === photometric.palette;
  const samples = await ByteSource.of(path, (source) =>
    readSamples(source, { ...image, bits: image.bits! }, wanted, { raw, isLenient }),
  );
  if (!samples) throw damaged(path, format, 'picture cannot be decoded: it is damaged or incomplete');
  const upright = turnedPixels(
    colourPixels(image, samples, alpha?.kind ?? null),
    exifTurn(image.orientation),
  );
  return () => sharpOf(upright);
}

/**
 * Writers of old-style JPEG store a whole JPEG file, or only its tables and data: the latter were never well
 * defined.
 */
async function decodeOldJpeg(
  path: string,
  { jpeg, width, height, orientation }: TiffImage,
  isLenient: boolean,
): Promise<() => Sharp> {
  const bytes = jpeg && (await ByteSource.of(path, (source) => source.readUpTo(jpeg.offset, source.size)));
  const size =
    bytes &&
    (await sharp(bytes)
      .metadata()
      .catch(() => null));
  if (!bytes || size?.width !== width || size.height !== height)
    throw unsupported(path, format, nameOf(oldJpeg));
  const { data } = await sharp(bytes, { failOn: isLenient ? 'none' : 'warning' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const channels = data.length === width * height ? 1 : 3;
  const upright = turnedPixels({ width, height, channels, data }, exifTurn(orientation));
  return () => sharpOf(upright);
}

// Samples of a TIFF as grey, RGB, or RGB with opacity.

const photometric = {
  whiteIsZero: 0,
  blackIsZero: 1,
  rgb: 2,
  palette: 3,
  cmyk: 5,
  ycbcr: 6,
  cielab: 8,
  icclab: 9,
} as const;

/** Samples that make the colour; null for photometric interpretations that are not known here. */
function colourSamples({ photometric: kind, subsampling, samples }: TiffImage): number | null {
  // Some writers leave it out; the number of samples says enough.
  if (kind === -1) return samples >= 3 ? 3 : 1;
  if (kind === photometric.ycbcr) return subsampling[0] === 1 && subsampling[1] === 1 ? 3 : null;
  return ({ 0: 1, 1: 1, 2: 3, 3: 1, 5: 4, 8: 3, 9: 3 } as Record<number, number>)[kind] ?? null;
}

/** `alpha`: null without opacity; `multiplied` into the colours or not. The samples are used up. */
function colourPixels(image: TiffImage, samples: Uint8Array, alpha: 'multiplied' | 'plain' | null): Pixels {
  const { width, height } = image;
  const colours = colourSamples(image)!;
  const step = colours + (alpha ? 1 : 0);
  const channels = alpha ? 4 : 3;
  const data = new Uint8Array(width * height * channels);
  const convert = converter(image);
  const rgb: [number, number, number] = [0, 0, 0];
  for (let from = 0, to = 0; from < samples.length; from += step, to += channels) {
    convert(samples, from, rgb);
    const opacity = alpha ? samples[from + colours]! : 255;
    for (let i = 0; i < 3; i++) {
      const level = alpha === 'multiplied' && opacity > 0 ? (rgb[i]! * 255) / opacity : rgb[i]!;
      data[to + i] = Math.max(0, Math.min(255, Math.round(level)));
    }
    if (alpha) data[to + 3] = opacity;
  }
  return { width, height, channels, data };
}

type Convert = (samples: Uint8Array, at: number, rgb: [number, number, number]) => void;

function converter({ photometric: kind, palette, bits, samples: count }: TiffImage): Convert {
  const set = (rgb: [number, number, number], r: number, g: number, b: number) => {
    [rgb[0], rgb[1], rgb[2]] = [r, g, b];
  };
  if (kind === photometric.palette) {
    const size = 2 ** (bits ?? 8);
    // Old writers store 8 bits in the low half of each colour.
    const shift = palette.some((level) => level > 255) ? 8 : 0;
    return (samples, at, rgb) => {
      const index = samples[at]!;
      const level = (channel: number) => (palette[channel * size + index] ?? 0) >> shift;
      set(rgb, level(0), level(1), level(2));
    };
  }
  if (kind === photometric.cmyk) {
    return (samples, at, rgb) => {
      const ink = (i: number) => ((255 - samples[at + i]!) * (255 - samples[at + 3]!)) / 255;
      set(rgb, ink(0), ink(1), ink(2));
    };
  }
  if (kind === photometric.ycbcr) {
    return (samples, at, rgb) => {
      const [y, b, r] = [samples[at]!, samples[at + 1]! - 128, samples[at + 2]! - 128];
      set(rgb, y + 1.402 * r, y - 0.344136 * b - 0.714136 * r, y + 1.772 * b);
    };
  }
  if (kind === photometric.cielab || kind === photometric.icclab) {
    const signed = (level: number) => (kind === photometric.icclab ? level - 128 : (level << 24) >> 24);
    return (samples, at, rgb) =>
      labToRgb((samples[at]! * 100) / 255, signed(samples[at + 1]!), signed(samples[at + 2]!), rgb);
  }
  if (kind === photometric.rgb || (kind === -1 && count >= 3))
    return (samples, at, rgb) => set(rgb, samples[at]!, samples[at + 1]!, samples[at + 2]!);
  const invert = kind === photometric.whiteIsZero ? 255 : 0;
  return (samples, at, rgb) => {
    const level = samples[at]! ^ invert;
    set(rgb, level, level, level);
  };
}

/** CIE L*a*b* of a D50 white to sRGB (IEC 61966-2-1), adapted to its D65 white by Bradford. */
function labToRgb(l: number, a: number, b: number, rgb: [number, number, number]) {
  const fy = (l + 16) / 116;
  const back = (f: number) => (f > 6 / 29 ? f ** 3 : 3 * (6 / 29) ** 2 * (f - 4 / 29));
  const x = 0.96422 * back(fy + a / 500);
  const y = back(fy);
  const z = 0.82521 * back(fy - b / 200);
  rgb[0] = level(3.1338561 * x - 1.6168667 * y - 0.4906146 * z);
  rgb[1] = level(-0.9787684 * x + 1.9161415 * y + 0.033454 * z);
  rgb[2] = level(0.0719453 * x - 0.2289914 * y + 1.4052427 * z);
}

function level(linear: number): number {
  const light = Math.max(0, Math.min(1, linear));
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
}
