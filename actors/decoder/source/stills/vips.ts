// Stills that libvips reads, through sharp. It keeps its error text for the whole process and adds to it from
// every thread, so what it says may be about another file: reasons are made here, and its text is only the
// cause.
import { stat } from 'node:fs/promises';
import sharp, { type Metadata, type SharpOptions } from 'sharp';
import { mediaErrors } from '../../contract.ts';
import type { Size } from '../coded-size.ts';
import { ByteSource, cannotOpen } from '../file.ts';
import { CodedPictures } from './coded-pictures.ts';
import {
  avifBytes,
  damaged,
  exifTurn,
  expectSize,
  gifBytes,
  jpegBytes,
  maxStillPixels,
  mostPixels,
  pngBytes,
  type Still,
  type StillReader,
  sharpOf,
  tiffBytes,
  turnedPixels,
  webpBytes,
  wholeBytes,
} from './still.ts';

// Kind of a WebP file, which decides whether it is reduced while it is read.

export type WebpKind = 'lossy' | 'lossless';

/**
 * Chunks before the picture: profile, metadata of others. A picture further on is taken for a lossless one.
 */
const mostChunks = 64;

/** Bytes before the chunks of a frame: place, size, duration. */
const frameHeader = 16;

/** Kind by the first chunk of the RIFF file that holds a picture. Errors: FILE_UNREADABLE. */
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

// One thread per image: several files are processed in parallel instead.
sharp.concurrency(1);
sharp.cache(false);

/** Longest side of a HEIF picture that libvips opens, in px. */
const longestHeifSide = 16_384;

export interface VipsFormat {
  readonly container: string;
  readonly format: string;
  /** From which damage on libvips refuses a picture instead of filling in what is missing. */
  readonly failOn: NonNullable<SharpOptions['failOn']>;
  /** Tiles of a TIFF; null for strips. */
  readonly tile?: Size | null;
  /** Samples after the colours of a pixel are no opacity. */
  readonly opaque?: boolean;
}

/** Errors: DECODE_FAILED, TOO_LARGE. */
export async function openVips(path: string, vipsFormat: VipsFormat): Promise<Still> {
  const { container, format, failOn, opaque = false } = vipsFormat;
  const padded = container === 'webp' ? await paddedWebp(path) : null;
  const input = padded ?? path;
  // The size is checked here, so that the reason is known without reading what libvips says.
  const metadata = await sharp(input, { failOn: 'none', limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      throw damaged(path, format, 'header cannot be read', error);
    });
  const { width, height } = metadata.autoOrient;
  expectSize(path, format, { width, height });
  if (container === 'heif' && Math.max(width, height) > longestHeifSide) {
    throw mediaErrors.TOO_LARGE(`${path}: ${width}x${height} is too large`, { path, width, height });
  }
  const memory = memoryOf(vipsFormat, metadata, container === 'webp' ? await webpKind(path) : null);
  const reader = (level: VipsFormat['failOn']): StillReader => ({
    memory,
    decode: async () => () =>
      sharp(input, {
        failOn: level,
        limitInputPixels: maxStillPixels,
        sequentialRead: true,
        unlimited: false,
      }).autoOrient(),
  });
  return {
    path,
    format,
    container,
    width,
    height,
    samples: { ...samplesOf(metadata), ...(opaque && { alpha: false }) },
    exif: metadata.exif ?? new Uint8Array(),
    xmp: metadata.xmp ?? new Uint8Array(),
    iptc: metadata.iptc,
    orientation: metadata.orientation ?? 1,
    ...(padded
      ? { memory, decode: () => Promise.reject(damaged(path, format, 'picture is cut off')) }
      : reader(failOn)),
    lenient: [reader('none'), ...(await byFfmpeg(path, vipsFormat, metadata, padded))],
  };
}

// Damaged pictures.

/** Decoders of FFmpeg, which often shows a part of a file that libvips refuses as a whole. */
const ffmpegDecoders: Readonly<Record<string, string>> = { jpeg: 'mjpeg', gif: 'gif', webp: 'webp' };
/**
 * Shares of the file that are decoded, in this order. Rubbish near its end can hold markers, such as a
 * damaged table, at which FFmpeg gives up also what came before.
 */
const decodedShares = [1, 7 / 8, 1 / 2];
/** Bytes a pixel of FFmpeg: coefficients of a JPEG in several scans, the picture, and twice in RGB. */
const ffmpegPixel = 16;

async function byFfmpeg(
  path: string,
  { container, format }: VipsFormat,
  metadata: Metadata,
  padded: Buffer | null,
): Promise<StillReader[]> {
  const decoder = ffmpegDecoders[container];
  const { width, height, space, orientation = 1 } = metadata;
  if (!decoder || space === 'cmyk' || width * height > mostPixels) return [];
  const { size } = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw cannotOpen(path, error);
  });
  const decode = async () => {
    const bytes = padded ?? (await ByteSource.of(path, (source) => source.readUpTo(0, source.size)));
    const coded = new CodedPictures(true);
    try {
      for (const share of decodedShares) {
        const part = bytes.subarray(0, Math.ceil(bytes.length * share));
        const pixels = coded.decode({ decoder }, { width, height }, part, null);
        if (pixels?.width !== width || pixels.height !== height) continue;
        const upright = turnedPixels(pixels, exifTurn(orientation));
        return () => sharpOf(upright);
      }
      throw damaged(path, format, 'picture cannot be decoded: it is damaged or incomplete');
    } finally {
      coded.close();
    }
  };
  return [{ memory: () => wholeBytes({ width, height }, ffmpegPixel, 3) + size, decode }];
}

/** Larger WebP files are not padded, because they are held in memory. */
const mostPadded = 64 * 2 ** 20;

/**
 * A WebP file that ends before its header says, with zeros for what is missing: without them libvips does not
 * even find the header. Null for a whole one, and for one of which more is missing than is there.
 */
function paddedWebp(path: string): Promise<Buffer | null> {
  return ByteSource.of(path, async (source) => {
    const head = await source.readUpTo(0, 8);
    const length = head.length < 8 ? 0 : 8 + head.readUInt32LE(4);
    const isCut = length > source.size && length <= Math.min(mostPadded, 2 * source.size);
    return isCut ? source.readPadded(0, length) : null;
  });
}

function memoryOf(
  { container, tile = null }: VipsFormat,
  metadata: Metadata,
  webp: WebpKind | null,
): Still['memory'] {
  const { width, height, channels, chromaSubsampling, isProgressive, hasAlpha } = metadata;
  const size = { width, height };
  const { bit_depth } = samplesOf(metadata);
  const bytesPerPixel = (channels * Math.max(8, bit_depth)) / 8;
  if (webp)
    return (reduced) => webpBytes(size, webp === 'lossless', readsReduced(metadata.autoOrient, reduced));
  const bytes =
    container === 'jpeg'
      ? jpegBytes({ ...size, channels, chroma: chromaSubsampling ?? null, scans: isProgressive ?? false })
      : container === 'png'
        ? pngBytes(size, bytesPerPixel, isProgressive ?? false)
        : container === 'gif'
          ? gifBytes(size)
          : container === 'tiff'
            ? tiffBytes(size, bytesPerPixel, tile)
            : avifBytes(size, bit_depth, hasAlpha);
  return () => bytes;
}

function samplesOf({ depth, space, hasAlpha, chromaSubsampling, bitsPerSample }: Metadata): Still['samples'] {
  const wide = depth === 'uchar' || depth === 'char' ? 8 : depth === 'ushort' || depth === 'short' ? 16 : 32;
  return {
    bit_depth: bitsPerSample ?? wide,
    color_model: space,
    alpha: hasAlpha,
    chroma_subsampling: chromaSubsampling ?? null,
  };
}
