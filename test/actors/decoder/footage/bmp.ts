// Writes bitmaps of every kind from one small picture, for tests of what reads them.

export type Rgba = readonly [number, number, number, number];

export interface BmpKind {
  readonly bits: 1 | 2 | 4 | 8 | 16 | 24 | 32;
  /** Bytes of the header: 12 (OS/2), 16 (OS/2 2), 40 (Windows), 52, 56, 108, 124. */
  readonly header?: number;
  /** Bits of red, green, blue and opacity. */
  readonly masks?: readonly [number, number, number, number];
  readonly topDown?: boolean;
  readonly runs?: boolean;
}

/** `colour` answers the picture; with up to 8 bits there may be no more colours than fit the palette. */
export function bmp(
  width: number,
  height: number,
  colour: (x: number, y: number) => Rgba,
  kind: BmpKind,
): Buffer {
  const { bits, header = 40, masks, topDown = false, runs = false } = kind;
  const rows = Array.from({ length: height }, (_, row) => {
    const y = topDown ? row : height - 1 - row;
    return Array.from({ length: width }, (_, x) => colour(x, y));
  });
  const palette = bits <= 8 ? paletteOf(rows.flat()) : [];
  const values = rows.map((row) => row.map((pixel) => storedValue(pixel, palette, kind)));
  const data = Buffer.concat(
    runs ? values.flatMap((row) => runRow(row, bits)) : values.map((row) => plainRow(row, bits)),
  );
  const pixels = runs ? Buffer.concat([data, Buffer.of(0, 1)]) : data;
  const code = runs ? ({ 8: 1, 4: 2, 24: 4 } as Record<number, number>)[bits]! : masks ? 3 : 0;
  const info = Buffer.alloc(header);
  info.writeUInt32LE(header, 0);
  if (header === 12) {
    [width, height, 1, bits].forEach((value, i) => {
      info.writeUInt16LE(value, 4 + i * 2);
    });
  } else {
    info.writeInt32LE(width, 4);
    info.writeInt32LE(topDown ? -height : height, 8);
    info.writeUInt16LE(1, 12);
    info.writeUInt16LE(bits, 14);
    if (header >= 20) info.writeUInt32LE(code, 16);
    if (header >= 36) info.writeUInt32LE(palette.length, 32);
  }
  const maskBytes = Buffer.concat((masks ?? []).map((mask) => u32(mask)));
  if (masks && header >= 56) maskBytes.copy(info, 40);
  else if (masks && header === 52) maskBytes.copy(info, 40, 0, 12);
  const after = masks && header === 40 ? maskBytes.subarray(0, 12) : Buffer.alloc(0);
  const colours = Buffer.concat(
    palette.map(([r, g, b]) => Buffer.from(header === 12 ? [b, g, r] : [b, g, r, 0])),
  );
  const start = 14 + header + after.length + colours.length;
  const file = Buffer.concat([Buffer.from('BM'), u32(start + pixels.length), u32(0), u32(start)]);
  return Buffer.concat([file, info, after, colours, pixels]);
}

/** A bitmap that holds a whole JPEG (4) or PNG (5) file. */
export function bmpAround(code: 4 | 5, width: number, height: number, inside: Buffer): Buffer {
  const info = Buffer.alloc(40);
  [40, width, height, 1, code, inside.length].forEach((value, i) => {
    info.writeUInt32LE(value, i * 4);
  });
  const file = Buffer.concat([Buffer.from('BM'), u32(54 + inside.length), u32(0), u32(54)]);
  return Buffer.concat([file, info, inside]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

const same = (a: Rgba, b: Rgba) => a.every((level, i) => level === b[i]);

function paletteOf(pixels: readonly Rgba[]): readonly Rgba[] {
  return pixels.filter((pixel, i) => pixels.findIndex((other) => same(other, pixel)) === i);
}

function storedValue(pixel: Rgba, palette: readonly Rgba[], { bits, masks }: BmpKind): number {
  if (bits <= 8) return palette.findIndex((colour) => same(colour, pixel));
  const [r, g, b] = pixel;
  if (bits === 24) return (r << 16) | (g << 8) | b;
  const [red, green, blue, alpha] =
    masks ?? (bits === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff0000, 0xff00, 0xff, 0]);
  const put = (level: number, mask: number) => {
    if (mask === 0) return 0;
    const low = mask & -mask;
    return (Math.round((level / 255) * (mask >>> (31 - Math.clz32(low)))) * (low >>> 0)) >>> 0;
  };
  return (put(r, red) + put(g, green) + put(b, blue) + put(pixel[3], alpha)) >>> 0;
}

function plainRow(values: readonly number[], bits: number): Buffer {
  const row = Buffer.alloc(Math.ceil((values.length * bits) / 32) * 4);
  for (const [x, value] of values.entries()) {
    if (bits >= 16) row.writeUIntLE(value, (x * bits) / 8, bits / 8);
    else row[Math.floor((x * bits) / 8)]! |= value << (8 - bits - ((x * bits) % 8));
  }
  return row;
}

/** The first pixels as runs, the last four as they are, and the end of the row. */
function runRow(values: readonly number[], bits: number): Buffer[] {
  const bytesOf = (value: number) =>
    bits === 24 ? [value & 255, (value >> 8) & 255, value >> 16] : [bits === 4 ? value * 17 : value];
  const last = values.length - 4;
  const runs = values.slice(0, last).map((value) => Buffer.from([1, ...bytesOf(value)]));
  const rest = values.slice(last);
  const plain = bits === 4 ? [rest[0]! * 16 + rest[1]!, rest[2]! * 16 + rest[3]!] : rest.flatMap(bytesOf);
  return [...runs, Buffer.from([0, 4, ...plain]), Buffer.of(0, 0)];
}
