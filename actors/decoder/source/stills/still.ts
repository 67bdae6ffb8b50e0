// Stills: what their readers answer, how much memory decoding takes, and pictures that FFmpeg decoded in
// memory.
import sharp, { type Sharp } from 'sharp';
import type { EngineError } from '../../../../runtime/errors.ts';
import { mediaErrors, type Probe } from '../../contract.ts';
import { copyTurned, type Turned } from '../../pixels/geometry.ts';
import { rotated, type Size } from '../coded-size.ts';

// A still opened by a reader: facts from its header, and a method that decodes it. Opening decodes nothing.

/** Largest image that is opened, in px; 16384 × 16384 is 268 million. */
export const maxStillPixels = 1_000_000_000;

/** One way to decode a still. */
export interface StillReader {
  /** Bytes that decoding takes at most, for a picture that is reduced to this size. */
  memory(reduced: Size): number;
  /**
   * Reads what has to be read before scaling. The answer makes one pipeline of sharp for each call: the
   * upright picture in colours of any kind, with or without transparency. Used by `decodeStill` alone.
   */
  decode(): Promise<() => Sharp>;
}

/** Size: as shown, upright. Refuses a picture of which something is missing. */
export interface Still extends Size, StillReader {
  readonly path: string;
  /** Name of the format for people: `JPEG`. */
  readonly format: string;
  /** Name of the format in a probe: `jpeg`. */
  readonly container: string;
  readonly samples: NonNullable<Probe['still']>;
  /** The EXIF block; empty where there is none. */
  readonly exif: Uint8Array;
  /** The XMP packet; empty where there is none, or the reader does not look for it. */
  readonly xmp: Uint8Array;
  /** The IPTC block; undefined where there is none, or the reader does not look for it. */
  readonly iptc?: Uint8Array | undefined;
  /** EXIF orientation by which the stored pixels are turned; 1 where they are upright. */
  readonly orientation: number;
  /** Show what there is of a damaged picture; tried in this order. */
  readonly lenient: readonly StillReader[];
}

/** Throws TOO_LARGE for a size that no reader opens, and DECODE_FAILED for none at all. */
export function expectSize(path: string, format: string, { width, height }: Size): void {
  if (!(width > 0 && height > 0)) throw damaged(path, format, `says that it has ${width}x${height} pixels`);
  if (width * height > maxStillPixels) {
    throw mediaErrors.TOO_LARGE(`${path}: ${width}x${height} is too large`, { path, width, height });
  }
}

/** The header or the data of the file is not as its format says. `what`: "its … {what}", for a person. */
export function damaged(path: string, format: string, what: string, cause?: unknown): EngineError {
  return mediaErrors.DECODE_FAILED(`${path}: its ${format} ${what}`, { path, format }, cause);
}

/**
 * The file is as it should be, but nothing here reads this kind of picture. `what`: for example "LZMA
 * compression".
 */
export function unsupported(path: string, format: string, what: string): EngineError {
  return mediaErrors.UNSUPPORTED_CODEC(`${path}: ${format} with ${what} is not supported`, { path, format });
}

// How much memory the decoding of a still takes, told by its header. The numbers were measured as the growth
// of resident memory, for pictures of 3 to 225 million px.

/** Memory of every decoding beside the picture. */
const fixed = 4 * 2 ** 20;
/** Rows that a pipeline holds while it reduces a picture that is read row by row. */
const pipelineRows = 1800;

/** A pipeline that reads rows of so many bytes a pixel. */
export function streamBytes({ width }: Size, bytesPerPixel: number): number {
  return fixed + pipelineRows * width * bytesPerPixel;
}

/** A picture that is in memory as a whole, so many bytes a pixel, and a pipeline that reads it. */
export function wholeBytes(size: Size, bytesPerPixel: number, channels: number): number {
  return bytesPerPixel * size.width * size.height + streamBytes(size, channels);
}

export interface JpegKind extends Size {
  readonly channels: number;
  /** `4:2:0`; null when unknown. */
  readonly chroma: string | null;
  /** Coded in several scans. */
  readonly scans: boolean;
}

/** JPEG is reduced while it is read. Of several scans all coefficients are kept, two bytes a sample. */
export function jpegBytes({ width, height, channels, chroma, scans }: JpegKind): number {
  const samples = channels === 3 ? samplesPerPixel(chroma) : channels;
  return fixed + 700 * width * channels + (scans ? 2 * samples * width * height : 0);
}

function samplesPerPixel(chroma: string | null): number {
  if (chroma === '4:2:0' || chroma === '4:1:1') return 1.5;
  return chroma === '4:2:2' || chroma === '4:4:0' ? 2 : 3;
}

/** Interlaced PNG is put together as a whole. */
export function pngBytes(size: Size, bytesPerPixel: number, interlaced: boolean): number {
  return interlaced ? wholeBytes(size, bytesPerPixel, bytesPerPixel / 2) : streamBytes(size, bytesPerPixel);
}

/** The canvas, the picture before it, and the one that is handed over. */
export function gifBytes({ width, height }: Size): number {
  return fixed + 6 * width * height;
}

/** `reduced`: reduced while it is read, which only a lossless picture needs much memory for. */
export function webpBytes({ width, height }: Size, lossless: boolean, reduced: boolean): number {
  if (!reduced) return fixed + 8 * width * height;
  return fixed + 600 * width + (lossless ? 4 * width * height : 0);
}

/** The coded picture, the same in RGB, and copies of both. */
export function avifBytes(size: Size, bits: number, alpha: boolean): number {
  return wholeBytes(size, (15 + (alpha ? 4 : 0)) * (bits > 8 ? 1.4 : 1), 3);
}

/** `tile`: null for strips, which are read row by row; a row of tiles is held twice. */
export function tiffBytes(size: Size, bytesPerPixel: number, tile: Size | null): number {
  const across = tile ? Math.ceil(size.width / tile.width) * tile.width : 0;
  return streamBytes(size, bytesPerPixel) + 2 * across * (tile?.height ?? 0) * bytesPerPixel;
}

// A picture in memory that FFmpeg decoded, handed to sharp as if it were a file.

/** 8 bits a sample, rows without gaps. */
export interface Pixels extends Size {
  /** 3: RGB. 4: RGB and opacity, not multiplied into the colours. */
  readonly channels: 3 | 4;
  readonly data: Uint8Array;
}

/** Largest picture that is decoded as a whole, in px: 16384 × 16384. */
export const mostPixels = 2 ** 28;

/** Throws TOO_LARGE for a picture that cannot be held in memory as a whole. */
export function expectFits(path: string, { width, height }: Size): void {
  if (width * height <= mostPixels) return;
  throw mediaErrors.TOO_LARGE(`${path}: ${width}x${height} is too large`, { path, width, height });
}

/**
 * A pipeline that begins with the pixels, *borrowed until it has run*. `profile`: the ICC profile of their
 * colours.
 */
export function sharpOf(pixels: Pixels, profile: Uint8Array | null = null): Sharp {
  const { data, width, height, channels } = pixels;
  // sharp takes no profile beside pixels, only in a file.
  if (profile) return sharp(tiffOf(pixels, profile), { limitInputPixels: mostPixels });
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: mostPixels });
}

function tiffOf({ data, width, height, channels }: Pixels, profile: Uint8Array): Buffer {
  // Tag, type, count, and value or place.
  const entries = [
    [256, 4, 1, width],
    [257, 4, 1, height],
    [258, 3, 1, 8],
    [259, 3, 1, 1],
    [262, 3, 1, 2],
    [273, 4, 1, 8],
    [277, 3, 1, channels],
    [278, 4, 1, height],
    [279, 4, 1, data.length],
    ...(channels === 4 ? [[338, 3, 1, 2]] : []),
    [34675, 7, profile.length, 8 + data.length],
  ];
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(8 + data.length + profile.length, 4);
  const directory = Buffer.alloc(2 + entries.length * 12 + 4);
  directory.writeUInt16LE(entries.length);
  for (const [i, [tag, type, count, value]] of entries.entries()) {
    const at = 2 + i * 12;
    directory.writeUInt16LE(tag!, at);
    directory.writeUInt16LE(type!, at + 2);
    directory.writeUInt32LE(count!, at + 4);
    directory.writeUInt32LE(value!, at + 8);
  }
  return Buffer.concat([head, data, profile, directory]);
}

/** A turned copy; the same picture where there is nothing to turn. */
export function turnedPixels(pixels: Pixels, turned: Turned): Pixels {
  if (turned.rotation === 0 && !turned.mirrored) return pixels;
  const { channels, data } = pixels;
  const { width, height } = rotated(pixels, turned.rotation);
  const to = new Uint8Array(width * height * channels);
  copyTurned({ ...pixels, stride: pixels.width * channels, depth: channels, data }, turned, 0, 0, {
    width,
    height,
    stride: width * channels,
    depth: channels,
    data: to,
  });
  return { width, height, channels, data: to };
}

/** Turn that players apply for an EXIF orientation of 1 to 8; none for other values. */
export function exifTurn(orientation: number): Turned {
  const rotation = [0, 0, 180, 180, 270, 90, 90, 270][orientation - 1] ?? 0;
  return { rotation, mirrored: [2, 4, 5, 7].includes(orientation) };
}
