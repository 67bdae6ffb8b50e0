// How much memory the decoding of a still takes, told by its header. The numbers were measured as the growth
// of resident memory, for pictures of 3 to 225 million px.
import type { Size } from '../coded-size.ts';

/** What every decoding takes beside the picture. */
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
