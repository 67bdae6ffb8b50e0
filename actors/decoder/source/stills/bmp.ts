// Windows and OS/2 bitmaps. FFmpeg refuses many kinds: 2 bits a pixel, channel masks of unusual widths, run
// lengths of 24 bits, headers of 16 and 52 bytes, JPEG and PNG inside.
import sharp, { type Sharp } from 'sharp';
import type { Size } from '../coded-size.ts';
import { ByteSource } from '../file.ts';
import {
  damaged,
  expectFits,
  expectSize,
  jpegBytes,
  type Pixels,
  type Still,
  sharpOf,
  unsupported,
  wholeBytes,
} from './still.ts';

// The header of a Windows or OS/2 bitmap, in all its sizes.

export type BmpCoding = 'plain' | 'rle4' | 'rle8' | 'rle24' | 'jpeg' | 'png';

export interface BmpHeader extends Size {
  /** Rows are stored from the top down, not from the bottom up. */
  readonly topDown: boolean;
  /** Bits of one pixel. */
  readonly bits: number;
  readonly coding: BmpCoding;
  /** Which bits of a pixel are red, green, blue and opacity; null where the header has no masks. */
  readonly masks: readonly [number, number, number, number] | null;
  /** RGB of each colour; empty above 8 bits. */
  readonly palette: readonly (readonly [number, number, number])[];
  /** Where the pixels start in the file. */
  readonly start: number;
}

/** Bytes needed from the start of the file: the largest header with a palette of 256 colours and masks. */
export const bmpHeaderLength = 14 + 124 + 16 + 1024;

const cores = [12];
const infos = [40, 52, 56, 64, 108, 124];

/** True for the start of a bitmap file. */
export function isBmp(bytes: Uint8Array): boolean {
  if (bytes.length < 18 || bytes[0] !== 0x42 || bytes[1] !== 0x4d) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = view.getUint32(14, true);
  return cores.includes(size) || infos.includes(size) || (size >= 16 && size <= 64);
}

/** Errors: DECODE_FAILED, UNSUPPORTED_CODEC. */
export function parseBmp(path: string, bytes: Buffer): BmpHeader {
  const broken = (what: string) => damaged(path, 'BMP', what);
  const foreign = (what: string) => unsupported(path, 'BMP', what);
  const size = bytes.readUInt32LE(14);
  if (bytes.length < 14 + size) throw broken('header is cut off');
  const core = size === 12;
  // OS/2 headers may end after any field; what is missing is 0.
  const field = (at: number, length: 2 | 4) => (at + length <= size ? bytes.readUIntLE(14 + at, length) : 0);
  const width = core ? field(4, 2) : field(4, 4) | 0;
  const rows = core ? field(6, 2) : field(8, 4) | 0;
  const bits = core ? field(10, 2) : field(14, 2);
  const code = core ? 0 : field(16, 4);
  const coding = codingOf(code, bits, size);
  if (!coding) {
    if (code === 3) throw foreign('Huffman compression');
    throw broken(`header says compression ${code} with ${bits} bits a pixel`);
  }
  if (![1, 2, 4, 8, 16, 24, 32, 64].includes(bits) && coding !== 'jpeg' && coding !== 'png')
    throw broken(`header says ${bits} bits a pixel`);
  if (bits === 64) throw foreign('64 bits a pixel');
  const masks = masksOf(bytes, size, code, bits, coding);
  const after = 14 + size + (size === 40 && masks ? (code === 6 ? 16 : code === 3 ? 12 : 0) : 0);
  const declared = bytes.readUInt32LE(10);
  const colours = core ? 0 : field(32, 4);
  const palette = paletteOf(bytes, { after, declared, bits, colours, entry: core ? 3 : 4 });
  const start = declared > 0 ? declared : after + palette.length * (core ? 3 : 4);
  return { width, height: Math.abs(rows), topDown: rows < 0, bits, coding, masks, palette, start };
}

/** Null for a code that means nothing here. */
function codingOf(code: number, bits: number, size: number): BmpCoding | null {
  const os2 = size !== 40 && size <= 64 && size !== 52 && size !== 56;
  if (code === 0 || code === 6 || (code === 3 && bits !== 1)) return 'plain';
  if (code === 1 && bits === 8) return 'rle8';
  if (code === 2 && bits === 4) return 'rle4';
  if (code === 4 && bits === 24) return 'rle24';
  if (code === 4 && !os2) return 'jpeg';
  if (code === 5) return 'png';
  return null;
}

function masksOf(
  bytes: Buffer,
  size: number,
  code: number,
  bits: number,
  coding: BmpCoding,
): BmpHeader['masks'] {
  if (coding !== 'plain' || (bits !== 16 && bits !== 32)) return null;
  if (code === 0) return bits === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff0000, 0xff00, 0xff, 0];
  const count = code === 6 || size >= 56 ? 4 : 3;
  // Where they are cut off, so is the picture.
  const mask = (at: number) =>
    at < count && bytes.length >= 58 + at * 4 ? bytes.readUInt32LE(54 + at * 4) : 0;
  return [mask(0), mask(1), mask(2), mask(3)];
}

interface PaletteFacts {
  readonly after: number;
  readonly declared: number;
  readonly bits: number;
  readonly colours: number;
  /** Bytes of one colour. */
  readonly entry: number;
}

/** The stated and stored number of colours; writers that leave them all out mean shades of grey. */
function paletteOf(
  bytes: Buffer,
  { after, declared, bits, colours, entry }: PaletteFacts,
): BmpHeader['palette'] {
  if (bits > 8) return [];
  const end = declared > after ? Math.min(bytes.length, declared) : bytes.length;
  const stored = Math.max(0, Math.floor((end - after) / entry));
  const wanted = colours > 0 && colours < 2 ** bits ? colours : 2 ** bits;
  return Array.from({ length: Math.min(stored, wanted) }, (_, i) => {
    const at = after + i * entry;
    return [bytes[at + 2]!, bytes[at + 1]!, bytes[at]!] as const;
  });
}

const format = 'BMP';

/** Errors: FILE_UNREADABLE, DECODE_FAILED, UNSUPPORTED_CODEC, TOO_LARGE. */
export async function openBmp(path: string): Promise<Still> {
  const start = await ByteSource.of(path, (source) => source.readUpTo(0, bmpHeaderLength));
  const header = parseBmp(path, start);
  expectSize(path, format, header);
  const { width, height, bits, masks } = header;
  const inside = header.coding === 'jpeg' || header.coding === 'png';
  if (!inside) expectFits(path, header);
  return {
    path,
    format,
    container: 'bmp',
    width,
    height,
    samples: {
      bit_depth: masks || bits > 8 ? 8 : bits,
      color_model: 'srgb',
      alpha: masks !== null && masks[3] !== 0,
      chroma_subsampling: null,
    },
    exif: new Uint8Array(),
    xmp: new Uint8Array(),
    orientation: 1,
    memory: () => bytesOf(header, inside),
    decode: () => (inside ? decodeInside(path, header, 'warning') : decodePixels(path, header, false)),
    lenient: [
      {
        memory: () => bytesOf(header, inside),
        decode: () => (inside ? decodeInside(path, header, 'none') : decodePixels(path, header, true)),
      },
    ],
  };
}

/** The stored rows and the colours. A file inside is read by another reader, at worst as a whole. */
function bytesOf(header: BmpHeader, inside: boolean): number {
  if (inside) return jpegBytes({ ...header, channels: 3, chroma: null, scans: true });
  const channels = header.masks?.[3] ? 4 : 3;
  return wholeBytes(header, header.bits / 8 + channels, channels);
}

/** A JPEG or PNG file in the place of the pixels. */
async function decodeInside(
  path: string,
  { start }: BmpHeader,
  failOn: 'warning' | 'none',
): Promise<() => Sharp> {
  const bytes = await ByteSource.of(path, (source) => source.readUpTo(start, source.size));
  return () => sharp(bytes, { failOn });
}

async function decodePixels(path: string, header: BmpHeader, isLenient: boolean): Promise<() => Sharp> {
  const { width, height, bits, coding, start } = header;
  const stride = Math.ceil((width * bits) / 32) * 4;
  const rows = await ByteSource.of(path, async (source) => {
    if (coding !== 'plain')
      return expandRuns(await source.readUpTo(start, source.size), header, stride, isLenient);
    const missing = start + stride * height - source.size;
    // The last row may lack the bytes that fill it up to a multiple of four.
    if (missing > stride - Math.ceil((width * bits) / 8) && !isLenient) return null;
    // Without a whole row there is no picture to show.
    if (source.size < start + stride) return null;
    const stored = await source.readUpTo(start, stride * height);
    return missing > 0 ? Buffer.concat([stored, Buffer.alloc(missing)]) : stored;
  });
  if (!rows) throw damaged(path, format, 'picture is cut off');
  const pixels = header.masks ? maskedPixels(rows, header, stride) : plainPixels(rows, header, stride);
  return () => sharpOf(pixels);
}

/** Which of the stored rows is row `y` of the picture; most files store them from the bottom up. */
function storedRow({ topDown, height }: BmpHeader, y: number): number {
  return topDown ? y : height - 1 - y;
}

/** Colours of a palette, or blue, green and red as bytes. */
function plainPixels(rows: Uint8Array, header: BmpHeader, stride: number): Pixels {
  const { width, height, bits, palette } = header;
  const data = new Uint8Array(width * height * 3);
  const perByte = 8 / bits;
  const most = 2 ** bits - 1;
  for (let y = 0, to = 0; y < height; y++) {
    const row = storedRow(header, y) * stride;
    for (let x = 0; x < width; x++, to += 3) {
      if (bits === 24) {
        const at = row + x * 3;
        data[to] = rows[at + 2]!;
        data[to + 1] = rows[at + 1]!;
        data[to + 2] = rows[at]!;
        continue;
      }
      const byte = rows[row + Math.floor(x / perByte)]!;
      const index = (byte >> (8 - bits * (1 + (x % perByte)))) & most;
      const grey = palette.length === 0 ? Math.round((index * 255) / most) : 0;
      data.set(palette[index] ?? [grey, grey, grey], to);
    }
  }
  return { width, height, channels: 3, data };
}

function maskedPixels(rows: Buffer, header: BmpHeader, stride: number): Pixels {
  const { width, height, bits } = header;
  const masks = header.masks!;
  const channels = masks[3] === 0 ? 3 : 4;
  const levels = masks.map(levelOf);
  const data = new Uint8Array(width * height * channels);
  for (let y = 0, to = 0; y < height; y++) {
    const row = storedRow(header, y) * stride;
    for (let x = 0; x < width; x++) {
      const at = row + (x * bits) / 8;
      const pixel = bits === 16 ? rows.readUInt16LE(at) : rows.readUInt32LE(at);
      for (let channel = 0; channel < channels; channel++) data[to++] = levels[channel]!(pixel);
    }
  }
  return channels === 4
    ? opaqueIfClear({ width, height, channels, data })
    : { width, height, channels, data };
}

/** Writers that mean no transparency leave all of it 0. */
function opaqueIfClear(pixels: Pixels): Pixels {
  const { data } = pixels;
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 0) return pixels;
  for (let at = 3; at < data.length; at += 4) data[at] = 255;
  return pixels;
}

/** The bits of a mask as 0 to 255. */
function levelOf(mask: number): (pixel: number) => number {
  if (mask === 0) return () => 0;
  const shift = 31 - Math.clz32(mask & -mask);
  const most = mask >>> shift;
  return (pixel) => Math.round((((pixel & mask) >>> shift) * 255) / most);
}

// Run lengths of bitmaps: RLE4 and RLE8 of Windows, RLE24 of OS/2.

/**
 * The rows as they are without compression. Pixels that no run covers keep colour 0. Null when the data end
 * before the picture does without saying so; with `isLenient`, what comes before.
 */
function expandRuns(data: Buffer, header: BmpHeader, stride: number, isLenient: boolean): Buffer | null {
  const { width, height, bits } = header;
  const rows = Buffer.alloc(stride * height);
  let [x, y] = [0, 0];
  const early = () => (isLenient && (x > 0 || y > 0) ? rows : null);
  const put = (value: number) => {
    if (x < width && y < height) {
      const at = y * stride;
      if (bits === 24) rows.writeUIntBE(value, at + x * 3, 3);
      else if (bits === 8) rows[at + x] = value;
      else rows[at + (x >> 1)]! |= x % 2 === 0 ? value << 4 : value;
    }
    x++;
  };
  /** Bytes of one colour; two pixels of 4 bits are in one. */
  const step = bits / 8;
  const colour = (at: number, i: number) => {
    if (bits === 24) return data.readUIntBE(at + i * 3, 3);
    if (bits === 8) return data[at + i]!;
    const byte = data[at + (i >> 1)]!;
    return i % 2 === 0 ? byte >> 4 : byte & 15;
  };
  for (let at = 0; at + 1 < data.length; ) {
    const count = data[at]!;
    const next = data[at + 1]!;
    at += 2;
    if (count > 0) {
      const used = bits === 24 ? 3 : 1;
      if (at - 1 + used > data.length) return early();
      for (let i = 0; i < count; i++) put(colour(at - 1, bits === 4 ? i % 2 : 0));
      at += used - 1;
    } else if (next === 0) {
      x = 0;
      y++;
    } else if (next === 1) {
      return rows;
    } else if (next === 2) {
      if (at + 2 > data.length) return early();
      x += data[at]!;
      y += data[at + 1]!;
      at += 2;
    } else {
      const used = Math.ceil(next * step);
      if (at + used > data.length) return early();
      for (let i = 0; i < next; i++) put(colour(at, i));
      at += used + (used % 2);
    }
    // Some writers leave the mark of the end out.
    if (y >= height) return rows;
  }
  return y >= height - 1 && x >= width ? rows : early();
}
