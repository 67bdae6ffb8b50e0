// A picture in memory that one of our own readers decoded, handed to sharp as if it were a file.
import sharp, { type Sharp } from 'sharp';
import { mediaErrors } from '../../contract.ts';
import { copyTurned, type Turned } from '../../pixels/geometry.ts';
import { rotated, type Size } from '../coded-size.ts';

/** 8 bits a sample, rows without gaps. */
export interface Pixels extends Size {
  /** 1: grey. 3: RGB. 4: RGB and opacity, not multiplied into the colours. */
  readonly channels: 1 | 3 | 4;
  readonly data: Uint8Array;
}

/** Largest picture that is decoded as a whole, in px: 16384 × 16384. */
const mostPixels = 2 ** 28;

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
  const colours = channels === 1 ? 1 : 3;
  return tiffFile(
    [data, profile],
    [
      [256, 4, 1, width],
      [257, 4, 1, height],
      [258, 3, 1, 8],
      [259, 3, 1, 1],
      [262, 3, 1, colours === 1 ? 1 : 2],
      [273, 4, 1, 8],
      [277, 3, 1, channels],
      [278, 4, 1, height],
      [279, 4, 1, data.length],
      ...(channels === 4 ? [[338, 3, 1, 2] as const] : []),
      [34675, 7, profile.length, 8 + data.length],
    ],
  );
}

/** `parts` from byte 8 on, and the directory behind them. `entries`: tag, type, count, and value or place. */
export function tiffFile(
  parts: readonly Uint8Array[],
  entries: readonly (readonly [number, number, number, number])[],
): Buffer {
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(8 + parts.reduce((sum, { length }) => sum + length, 0), 4);
  const directory = Buffer.alloc(2 + entries.length * 12 + 4);
  directory.writeUInt16LE(entries.length);
  for (const [i, [tag, type, count, value]] of entries.entries()) {
    const at = 2 + i * 12;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(type, at + 2);
    directory.writeUInt32LE(count, at + 4);
    directory.writeUInt32LE(value, at + 8);
  }
  return Buffer.concat([head, ...parts, directory]);
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

/** What a player does for an EXIF orientation of 1 to 8; for others nothing. */
export function exifTurn(orientation: number): Turned {
  const rotation = [0, 0, 180, 180, 270, 90, 90, 270][orientation - 1] ?? 0;
  return { rotation, mirrored: [2, 4, 5, 7].includes(orientation) };
}
