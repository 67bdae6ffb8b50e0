// Windows and OS/2 bitmaps. FFmpeg refuses many kinds: 2 bits a pixel, channel masks of unusual widths, run
// lengths of 24 bits, headers of 16 and 52 bytes, JPEG and PNG inside.
import sharp, { type Sharp } from 'sharp';
import { type BmpHeader, bmpHeaderLength, parseBmp } from './bmp-header.ts';
import { ByteSource } from './byte-source.ts';
import { jpegBytes, wholeBytes } from './memory.ts';
import { expectFits, type Pixels, sharpOf } from './pixels.ts';
import { damaged, expectSize, type Still } from './still.ts';

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
    memory: () => bytesOf(header, inside),
    decode: () => (inside ? decodeInside(path, header) : decodePixels(path, header)),
  };
}

/** The stored rows and the colours. A file inside is read by another reader, at worst as a whole. */
function bytesOf(header: BmpHeader, inside: boolean): number {
  if (inside) return jpegBytes({ ...header, channels: 3, chroma: null, scans: true });
  const channels = header.masks?.[3] ? 4 : 3;
  return wholeBytes(header, header.bits / 8 + channels, channels);
}

/** A JPEG or PNG file in the place of the pixels. */
async function decodeInside(path: string, { start }: BmpHeader): Promise<() => Sharp> {
  const bytes = await ByteSource.of(path, (source) => source.readUpTo(start, source.size));
  return () => sharp(bytes, { failOn: 'truncated' });
}

async function decodePixels(path: string, header: BmpHeader): Promise<() => Sharp> {
  const { width, height, bits, coding, start } = header;
  const stride = Math.ceil((width * bits) / 32) * 4;
  const rows = await ByteSource.of(path, async (source) => {
    if (coding !== 'plain') return expandRuns(await source.readUpTo(start, source.size), header, stride);
    const missing = start + stride * height - source.size;
    // The last row may lack the bytes that fill it up to a multiple of four.
    if (missing > stride - Math.ceil((width * bits) / 8)) return null;
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
 * before the picture does without saying so.
 */
function expandRuns(data: Buffer, header: BmpHeader, stride: number): Buffer | null {
  const { width, height, bits } = header;
  const rows = Buffer.alloc(stride * height);
  let [x, y] = [0, 0];
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
      if (at - 1 + used > data.length) return null;
      for (let i = 0; i < count; i++) put(colour(at - 1, bits === 4 ? i % 2 : 0));
      at += used - 1;
    } else if (next === 0) {
      x = 0;
      y++;
    } else if (next === 1) {
      return rows;
    } else if (next === 2) {
      if (at + 2 > data.length) return null;
      x += data[at]!;
      y += data[at + 1]!;
      at += 2;
    } else {
      const used = Math.ceil(next * step);
      if (at + used > data.length) return null;
      for (let i = 0; i < next; i++) put(colour(at, i));
      at += used + (used % 2);
    }
    // Some writers leave the mark of the end out.
    if (y >= height) return rows;
  }
  return y >= height - 1 && x >= width ? rows : null;
}
