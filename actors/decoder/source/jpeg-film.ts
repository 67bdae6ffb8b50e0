// Tells a raw Motion JPEG stream, which is a sequence of JPEG pictures, from a JPEG still: both start with
// the same bytes. A still can contain further pictures too (preview, gain map, stereo), but those differ in
// size or are few.
import { extname } from 'node:path';
import { ByteSource } from './stills/byte-source.ts';

/** Bytes examined, at most. */
const examined = 4 * 2 ** 20;
/** As many consecutive pictures of one size are a film. */
const filmPictures = 3;
const extensions = ['.mjpeg', '.mjpg'];
const endOfImage = Buffer.of(0xff, 0xd9);

/** True for a Motion JPEG stream, by the extension or the content of the file. Errors: FILE_UNREADABLE. */
export function isJpegFilm(path: string): Promise<boolean> {
  return ByteSource.of(path, async (source) => {
    if (!beginsJpeg(await source.readUpTo(0, 3), 0)) return false;
    if (extensions.includes(extname(path).toLowerCase())) return true;
    return holdsJpegFilm(await source.readUpTo(0, examined));
  });
}

/** True when the start of a file contains several consecutive JPEG pictures of one size. */
export function holdsJpegFilm(bytes: Buffer): boolean {
  let at = 0;
  let first: number | null = null;
  for (let count = 0; count < filmPictures; count++) {
    if (!beginsJpeg(bytes, at)) return false;
    const picture = readPicture(bytes, at);
    if (picture === null) return false;
    first ??= picture.size;
    if (picture.size !== first) return false;
    at = picture.end;
  }
  return true;
}

function beginsJpeg(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xff && bytes[at + 1] === 0xd8 && bytes[at + 2] === 0xff;
}

/**
 * Height and width as one number, and the offset of the picture's end; null when it is not within the bytes.
 */
function readPicture(bytes: Buffer, start: number): { readonly size: number; readonly end: number } | null {
  let size: number | null = null;
  for (let at = start + 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    // Fill bytes may precede a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    const tables = marker === 0xc4 || marker === 0xc8 || marker === 0xcc;
    if (marker >= 0xc0 && marker <= 0xcf && !tables) size = bytes.readUInt32BE(at + 5);
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker !== 0xda) continue;
    // Entropy-coded data cannot contain the bytes of this marker.
    const end = bytes.indexOf(endOfImage, at);
    return end < 0 || size === null ? null : { size, end: end + endOfImage.length };
  }
  return null;
}
