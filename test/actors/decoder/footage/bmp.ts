// Writes bitmaps, which libvips does not.

export type Rgb = readonly [number, number, number];

/** `colour` gives the picture; with up to 8 bits there may be no more colours than fit the palette. */
export function bmp(
  width: number,
  height: number,
  colour: (x: number, y: number) => Rgb,
  bits: 4 | 8 | 24,
): Buffer {
  const rows = Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, x) => colour(x, height - 1 - row)),
  );
  const palette =
    bits === 24 ? [] : [...new Map(rows.flat().map((pixel) => [String(pixel), pixel])).values()];
  const names = palette.map(String);
  const pixels = Buffer.concat(
    rows.map((row) => {
      const bytes = Buffer.alloc(Math.ceil((width * bits) / 32) * 4);
      for (const [x, pixel] of row.entries()) {
        const index = names.indexOf(String(pixel));
        if (bits === 24) bytes.set([pixel[2], pixel[1], pixel[0]], x * 3);
        else bytes[Math.floor((x * bits) / 8)]! |= index << (8 - bits - ((x * bits) % 8));
      }
      return bytes;
    }),
  );
  const colours = Buffer.concat(palette.map(([r, g, b]) => Buffer.from([b, g, r, 0])));
  const start = 54 + colours.length;
  const head = Buffer.alloc(54);
  head.write('BM');
  head.writeUInt32LE(start + pixels.length, 2);
  head.writeUInt32LE(start, 10);
  for (const [i, value] of [40, width, height, 1 | (bits << 16)].entries())
    head.writeUInt32LE(value, 14 + 4 * i);
  head.writeUInt32LE(palette.length, 46);
  return Buffer.concat([head, colours, pixels]);
}
