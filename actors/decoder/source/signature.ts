// Recognises still images by the first bytes of the file, whatever its name. Pure.

import { isBmp } from './stills/bmp-header.ts';

/** Bytes needed from the start of the file. */
export const signatureLength = 64;

const starts = (bytes: Uint8Array, at: number, text: string) =>
  Array.from(text).every((letter, i) => bytes[at + i] === letter.charCodeAt(0));

/** Brands of ISO base media files that hold a still (ISO/IEC 23008-12, AVIF). */
const stillBrands = ['avif', 'avis', 'heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1', 'mif2'];

export type StillFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'tiff' | 'bmp' | 'heif';

/** The image format; null for everything else. */
export function stillFormat(bytes: Uint8Array): StillFormat | null {
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg';
  if (starts(bytes, 0, '\x89PNG\r\n')) return 'png';
  if (starts(bytes, 0, 'GIF87a') || starts(bytes, 0, 'GIF89a')) return 'gif';
  if (starts(bytes, 0, 'RIFF') && starts(bytes, 8, 'WEBP')) return 'webp';
  if (starts(bytes, 0, 'II*\0') || starts(bytes, 0, 'MM\0*')) return 'tiff';
  if (starts(bytes, 0, 'II+\0') || starts(bytes, 0, 'MM\0+')) return 'tiff';
  if (isBmp(bytes)) return 'bmp';
  if (starts(bytes, 4, 'ftyp') && stillBrands.some((brand) => starts(bytes, 8, brand))) return 'heif';
  return null;
}
