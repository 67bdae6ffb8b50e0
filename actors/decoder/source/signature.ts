// Is this file a still? Told from its first bytes, not from its name. Pure.

/** Bytes of the file that are needed. */
export const signatureLength = 64;

const starts = (bytes: Uint8Array, at: number, text: string) =>
  Array.from(text).every((letter, i) => bytes[at + i] === letter.charCodeAt(0));

/** Brands of ISO files that hold a still (ISO/IEC 23008-12, AV1 image format). */
const stillBrands = ['avif', 'avis', 'heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1', 'mif2'];

/** The format of a still as sharp names it; null for everything else. */
export function stillFormat(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg';
  if (starts(bytes, 0, '\x89PNG\r\n')) return 'png';
  if (starts(bytes, 0, 'GIF87a') || starts(bytes, 0, 'GIF89a')) return 'gif';
  if (starts(bytes, 0, 'RIFF') && starts(bytes, 8, 'WEBP')) return 'webp';
  if (starts(bytes, 0, 'II*\0') || starts(bytes, 0, 'MM\0*')) return 'tiff';
  if (starts(bytes, 0, 'II+\0') || starts(bytes, 0, 'MM\0+')) return 'tiff';
  if (starts(bytes, 4, 'ftyp') && stillBrands.some((brand) => starts(bytes, 8, brand))) return 'heif';
  return null;
}
