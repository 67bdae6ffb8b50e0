// Stills that libvips reads, through sharp. It keeps its error text for the whole process and adds to it from
// every thread, so what it says may be about another file: reasons are made here, and its text is only the
// cause.
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp';
import { mediaErrors } from '../../contract.ts';
import type { Size } from '../coded-size.ts';
import { ByteSource } from '../file.ts';
import {
  avifBytes,
  damaged,
  expectSize,
  gifBytes,
  jpegBytes,
  maxStillPixels,
  pngBytes,
  type Still,
  tiffBytes,
  webpBytes,
} from './still.ts';

// What kind of WebP a file is, and when one is reduced while it is read.

export type WebpKind = 'lossy' | 'lossless';

/**
 * Chunks before the picture: profile, metadata of others. A picture further on is taken for a lossless one.
 */
const mostChunks = 64;

/** Bytes before the chunks of a frame: place, size, duration. */
const frameHeader = 16;

/** By the first chunk of the RIFF file that holds a picture. Errors: FILE_UNREADABLE. */
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
}

/** Errors: DECODE_FAILED, TOO_LARGE. */
export async function openVips(path: string, vipsFormat: VipsFormat): Promise<Still> {
  const { container, format, failOn } = vipsFormat;
  // The size is checked here, so that the reason is known without reading what libvips says.
  const metadata = await sharp(path, { failOn, limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      throw damaged(path, format, 'header cannot be read', error);
    });
  const { width, height } = metadata.autoOrient;
  expectSize(path, format, { width, height });
  if (container === 'heif' && Math.max(width, height) > longestHeifSide) {
    throw mediaErrors.TOO_LARGE(`${path}: ${width}x${height} is too large`, { path, width, height });
  }
  const open = (): Sharp =>
    sharp(path, { failOn, limitInputPixels: maxStillPixels, sequentialRead: true, unlimited: false });
  return {
    path,
    format,
    container,
    width,
    height,
    samples: samplesOf(metadata),
    exif: metadata.exif ?? new Uint8Array(),
    xmp: metadata.xmp ?? new Uint8Array(),
    iptc: metadata.iptc,
    orientation: metadata.orientation ?? 1,
    memory: memoryOf(vipsFormat, metadata, container === 'webp' ? await webpKind(path) : null),
    decode: async () => () => open().autoOrient(),
  };
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
