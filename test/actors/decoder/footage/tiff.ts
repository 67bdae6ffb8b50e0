// Writes TIFFs of many kinds from samples, for tests of what reads them.
import { deflateSync } from 'node:zlib';

export interface TiffKind {
  readonly bits: number;
  /** 0 white is zero, 1 black is zero, 2 RGB, 3 palette, 5 CMYK, 6 YCbCr, 8 CIELab, 9 ICCLab. */
  readonly photometric: number;
  /** 1 none, 5 LZW, 8 deflate, 32773 PackBits. */
  readonly compression?: number;
  /** 1 unsigned, 2 signed, 3 floating point. */
  readonly format?: 1 | 2 | 3;
  readonly planar?: boolean;
  readonly tile?: number;
  readonly predictor?: boolean;
  readonly extra?: readonly number[];
  readonly big?: boolean;
  readonly orientation?: number;
  /** All reds, all greens, all blues, of 16 bits. */
  readonly palette?: readonly number[];
}

/** `sample` answers the number of one sample of a pixel, as it is stored. */
export function tiff(
  width: number,
  height: number,
  samples: number,
  sample: (x: number, y: number, i: number) => number,
  kind: TiffKind,
): Buffer {
  const { compression = 1, planar = false, tile, extra = [], palette = [] } = kind;
  const [across, down] = tile ? [tile, tile] : [width, Math.min(height, 4)];
  const pieces: Buffer[] = [];
  for (let plane = 0; plane < (planar ? samples : 1); plane++) {
    for (let top = 0; top < height; top += down) {
      for (let left = 0; left < width; left += across) {
        const rows = tile ? down : Math.min(down, height - top);
        const bytes = Array.from({ length: rows }, (_, y) => {
          const values = Array.from({ length: across * (planar ? 1 : samples) }, (_, at) => {
            const x = left + Math.floor(at / (planar ? 1 : samples));
            // The part of a tile beside the picture has a colour that is not in it.
            if (x >= width || top + y >= height) return 1;
            return sample(x, top + y, planar ? plane : at % samples);
          });
          return row(values, planar ? 1 : samples, kind);
        });
        pieces.push(compressed(Buffer.concat(bytes), compression));
      }
    }
  }
  const offsets: number[] = [];
  let end = 8;
  for (const piece of pieces) {
    offsets.push(end);
    end += piece.length;
  }
  const tags: [number, number, readonly number[]][] = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, Array.from({ length: samples }, () => kind.bits)],
    [259, 3, [compression]],
    [262, 3, [kind.photometric]],
    [274, 3, [kind.orientation ?? 1]],
    [277, 3, [samples]],
    [284, 3, [planar ? 2 : 1]],
    [317, 3, [kind.predictor ? 2 : 1]],
    ...(palette.length > 0 ? [[320, 3, palette] as [number, number, readonly number[]]] : []),
    ...(extra.length > 0 ? [[338, 3, extra] as [number, number, readonly number[]]] : []),
    [339, 3, Array.from({ length: samples }, () => kind.format ?? 1)],
    ...(kind.photometric === 6 ? [[530, 3, [1, 1]] as [number, number, readonly number[]]] : []),
    ...(tile
      ? ([
          [322, 4, [tile]],
          [323, 4, [tile]],
          [324, 4, offsets],
          [325, 4, pieces.map(({ length }) => length)],
        ] as const)
      : ([
          [273, 4, offsets],
          [278, 4, [down]],
          [279, 4, pieces.map(({ length }) => length)],
        ] as const)
    ).map(([tag, type, values]) => [tag, type, values] as [number, number, readonly number[]]),
  ];
  return file(Buffer.concat(pieces), tags, kind.big ?? false);
}

function file(
  data: Buffer,
  tags: readonly (readonly [number, number, readonly number[]])[],
  big: boolean,
): Buffer {
  const start = 8 + data.length + (data.length % 2);
  const sorted = tags.toSorted(([a], [b]) => a - b);
  const directory = Buffer.alloc(2 + sorted.length * 12 + 4);
  const u16 = (at: number, value: number, to = directory) =>
    big ? to.writeUInt16BE(value, at) : to.writeUInt16LE(value, at);
  const u32 = (at: number, value: number, to = directory) =>
    big ? to.writeUInt32BE(value, at) : to.writeUInt32LE(value, at);
  const further: Buffer[] = [];
  let end = start + directory.length;
  u16(0, sorted.length);
  for (const [i, [tag, type, values]] of sorted.entries()) {
    const at = 2 + i * 12;
    const size = type === 3 ? 2 : 4;
    const bytes = Buffer.alloc(Math.max(4, values.length * size));
    for (const [n, value] of values.entries()) (size === 2 ? u16 : u32)(n * size, value, bytes);
    u16(at, tag);
    u16(at + 2, type);
    u32(at + 4, values.length);
    if (values.length * size <= 4) bytes.copy(directory, at + 8);
    else {
      u32(at + 8, end);
      further.push(bytes);
      end += bytes.length;
    }
  }
  const head = Buffer.from(big ? 'MM\0*\0\0\0\0' : 'II*\0\0\0\0\0', 'latin1');
  u32(4, start, head);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2), directory, ...further]);
}

function row(
  values: readonly number[],
  step: number,
  { bits, format = 1, predictor, big = false }: TiffKind,
): Buffer {
  const bytes = Buffer.alloc(Math.ceil((values.length * bits) / 8));
  if (format === 3) {
    for (const [i, value] of values.entries())
      big ? bytes.writeFloatBE(value, i * 4) : bytes.writeFloatLE(value, i * 4);
    return bytes;
  }
  const modulus = 2 ** bits;
  const stored = values.map((value, i) => {
    const before = predictor && i >= step ? values[i - step]! : 0;
    return (((value - before) % modulus) + modulus) % modulus;
  });
  for (const [i, value] of stored.entries()) {
    if (bits >= 8 && bits % 8 === 0) {
      if (big) bytes.writeUIntBE(value, (i * bits) / 8, bits / 8);
      else bytes.writeUIntLE(value, (i * bits) / 8, bits / 8);
      continue;
    }
    for (let bit = 0; bit < bits; bit++) {
      const at = i * bits + bit;
      bytes[at >> 3]! |= (Math.floor(value / 2 ** (bits - 1 - bit)) % 2) << (7 - (at & 7));
    }
  }
  return bytes;
}

function compressed(bytes: Buffer, compression: number): Buffer {
  if (compression === 8) return deflateSync(bytes);
  if (compression === 5) return lzw(bytes);
  if (compression !== 32773) return bytes;
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const run = bytes.subarray(at, at + 3);
    const same = run.length === 3 && run.every((byte) => byte === run[0]);
    parts.push(same ? Buffer.from([254, run[0]!]) : Buffer.from([run.length - 1, ...run]));
  }
  return Buffer.concat(parts);
}

/** LZW of TIFF 6.0, with codes up to 12 bits that grow one early. */
function lzw(bytes: Buffer): Buffer {
  let bits = '';
  let codes = new Map<string, number>();
  let width = 9;
  let next = 258;
  const put = (code: number) => {
    bits += code.toString(2).padStart(width, '0');
  };
  const codeOf = (text: string) => (text.length === 1 ? text.charCodeAt(0) : codes.get(text)!);
  put(256);
  let text = '';
  for (const letter of bytes.toString('latin1')) {
    if (text === '' || codes.has(text + letter)) {
      text += letter;
      continue;
    }
    put(codeOf(text));
    codes.set(text + letter, next++);
    if (next === 512 || next === 1024 || next === 2048) width++;
    if (next === 4094) {
      put(256);
      [codes, width, next] = [new Map(), 9, 258];
    }
    text = letter;
  }
  put(codeOf(text));
  // The decoder has a code more by now.
  if (next + 1 === 512 || next + 1 === 1024 || next + 1 === 2048) width++;
  put(257);
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
  return Buffer.from(padded.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}
