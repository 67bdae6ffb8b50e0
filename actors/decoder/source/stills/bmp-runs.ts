// Run lengths of bitmaps: RLE4 and RLE8 of Windows, RLE24 of OS/2.
import type { BmpHeader } from './bmp-header.ts';

/**
 * The rows as they are without compression. Pixels that no run covers keep colour 0. Null when the data end before the
 * picture does without saying so.
 */
export function expandRuns(data: Buffer, header: BmpHeader, stride: number): Buffer | null {
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
