// The bytes of one strip or tile without their compression.
import * as zlib from 'node:zlib';
import { expandLzma } from './lzma.ts';

const [lzwCode, deflate, oldDeflate, packBitsCode, lzma, zstd] = [5, 8, 32946, 32773, 34925, 50000];
/** Missing in older versions of Node. */
const zstdDecompress = zlib.zstdDecompressSync as typeof zlib.zstdDecompressSync | undefined;

/** Compressions that are undone here. */
export const ownCompressions: readonly number[] = [
  1,
  lzwCode,
  deflate,
  oldDeflate,
  packBitsCode,
  lzma,
  ...(zstdDecompress ? [zstd] : []),
];

/** The others have no predictor, whatever the tag says. */
export const hasPredictor = (compression: number): boolean =>
  [lzwCode, deflate, oldDeflate, lzma, zstd].includes(compression);

/** `rows` rows of `stride` bytes, or more; null when the piece has fewer or is damaged. */
export function expandPiece(bytes: Buffer, compression: number, stride: number, rows: number): Buffer | null {
  const length = stride * rows;
  const whole = compression === lzma ? expandLzma(bytes, stride, rows) : expand(bytes, compression, length);
  return whole && whole.length >= length ? whole : null;
}

function expand(bytes: Buffer, compression: number, length: number): Buffer | null {
  if (compression === 1) return bytes;
  if (compression === lzwCode) return lzw(bytes, length);
  if (compression === packBitsCode) return packBits(bytes, length);
  const options = { maxOutputLength: length + 65_536 };
  try {
    return compression === zstd ? zstdDecompress!(bytes, options) : zlib.inflateSync(bytes, options);
  } catch {
    return null;
  }
}

function packBits(bytes: Buffer, length: number): Buffer | null {
  const out = Buffer.alloc(length);
  let to = 0;
  for (let at = 0; at < bytes.length && to < length; ) {
    const count = bytes.readInt8(at++);
    if (count >= 0) {
      bytes.copy(out, to, at, at + count + 1);
      at += count + 1;
      to += count + 1;
    } else if (count !== -128) {
      out.fill(bytes[at++] ?? 0, to, Math.min(length, to + 1 - count));
      to += 1 - count;
    }
  }
  return to >= length ? out : null;
}

const clear = 256;
const end = 257;
const firstCode = 258;
const mostCodes = 4096;

/** LZW of TIFF 6.0: codes grow one early, the high bit comes first. The older order of bits is told by the first code. */
function lzw(bytes: Buffer, length: number): Buffer | null {
  const old = bytes[0] === 0 && (bytes[1]! & 1) === 1;
  const out = Buffer.alloc(length);
  /** Each code is the text of an earlier place in the output. */
  const starts = new Int32Array(mostCodes);
  const lengths = new Int32Array(mostCodes);
  let [codes, width, bit, to] = [firstCode, 9, 0, 0];
  let previous: { readonly start: number; readonly length: number } | null = null;
  const bits = bytes.length * 8;
  while (to < length) {
    if (bit + width > bits) return null;
    const code = old ? lowFirst(bytes, bit, width) : highFirst(bytes, bit, width);
    bit += width;
    if (code === end) break;
    if (code === clear) {
      [codes, width, previous] = [firstCode, 9, null];
      continue;
    }
    const start = to;
    if (code < clear) out[to++] = code;
    else if (code > codes || (code === codes && !previous) || code < firstCode) return null;
    else {
      const from = code === codes ? previous!.start : starts[code]!;
      const count = code === codes ? previous!.length + 1 : lengths[code]!;
      // One by one: the text of the newest code overlaps itself.
      for (let i = 0; i < count && to < length; i++, to++) out[to] = out[from + i]!;
    }
    if (previous && codes < mostCodes) {
      starts[codes] = previous.start;
      lengths[codes] = previous.length + 1;
      codes++;
    }
    previous = { start, length: to - start };
    const next = codes + (previous ? 1 : 0) + (old ? -1 : 0);
    width = next >= 2048 ? 12 : next >= 1024 ? 11 : next >= 512 ? 10 : 9;
  }
  return to >= length ? out : null;
}

function highFirst(bytes: Buffer, bit: number, width: number): number {
  let value = 0;
  for (let i = 0; i < 3; i++) value = (value << 8) | (bytes[(bit >> 3) + i] ?? 0);
  return (value >> (24 - width - (bit & 7))) & ((1 << width) - 1);
}

function lowFirst(bytes: Buffer, bit: number, width: number): number {
  let value = 0;
  for (let i = 0; i < 3; i++) value |= (bytes[(bit >> 3) + i] ?? 0) << (8 * i);
  return (value >> (bit & 7)) & ((1 << width) - 1);
}
