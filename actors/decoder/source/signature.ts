// Recognises still images by the first bytes of the file, whatever its name.

import { isBmp } from './stills/bmp-header.ts';

/** Bytes needed from the start of the file. */
export const signatureLength = 64;

const starts = (bytes: Uint8Array, at: number, text: string) =>
  Array.from(text).every((letter, i) => bytes[at + i] === letter.charCodeAt(0));

/** Brands of ISO base media files that hold pictures (ISO/IEC 23008-12, AVIF). */
const stillBrands =
  'avif avis heic heix heim heis hevc hevx hevm hevs mif1 msf1 mif2 miaf MiHB MiHE avci avcs vvic vvis j2ki j2is jpeg jpgs';

/** True for the main brand of a file of pictures, and for a file that names one of the common ones further on. */
function hasStillBrand(bytes: Uint8Array): boolean {
  const code = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (stillBrands.split(' ').includes(code(8))) return true;
  const length = (bytes[2]! << 8) | bytes[3]!;
  for (let at = 16; at + 4 <= Math.min(length, bytes.length); at += 4)
    if (['mif1', 'heic', 'avif'].includes(code(at))) return true;
  return false;
}

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
  if (starts(bytes, 4, 'ftyp') && hasStillBrand(bytes)) return 'heif';
  return null;
}
