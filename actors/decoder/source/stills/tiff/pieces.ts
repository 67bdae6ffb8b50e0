// The bytes of one strip or tile without their compression.
import * as zlib from 'node:zlib';
import { Codec, CodecContext, Frame, Packet } from '../../../ffmpeg.ts';

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

/**
 * LZW of TIFF 6.0: codes grow one early, the high bit comes first. The older order of bits is told by the
 * first code.
 */
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

// LZMA, undone by FFmpeg: only its TIFF decoder can. A piece is handed to it as a grey picture of its bytes
// in a file of its own, since the decoder leaves black what it cannot read and, asked to be strict, refuses
// tags that it does not know.

/** Tags of the picture: width, height, bits, compression, photometric, strip, samples, rows, bytes. */
function wrapped(bytes: Buffer, stride: number, rows: number): Buffer {
  const tags = [
    [256, stride],
    [257, rows],
    [258, 8],
    [259, 34925],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, rows],
    [279, bytes.length],
  ] as const;
  const start = 8 + bytes.length + (bytes.length % 2);
  const file = Buffer.alloc(start + 2 + tags.length * 12 + 4);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(start, 4);
  bytes.copy(file, 8);
  file.writeUInt16LE(tags.length, start);
  for (const [i, [tag, value]] of tags.entries()) {
    const at = start + 2 + i * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(4, at + 2);
    file.writeUInt32LE(1, at + 4);
    file.writeUInt32LE(value, at + 8);
  }
  return file;
}

/** `rows` rows of `stride` bytes; null when the data are damaged or too short. */
function expandLzma(bytes: Buffer, stride: number, rows: number): Buffer | null {
  const codec = Codec.findDecoderByName('tiff' as Parameters<typeof Codec.findDecoderByName>[0]);
  if (!codec) return null;
  const context = new CodecContext();
  const packet = new Packet();
  const frame = new Frame();
  try {
    packet.alloc();
    frame.alloc();
    context.allocContext3(codec);
    context.threadCount = 1;
    context.setOption('err_detect', 'explode');
    if (context.open2Sync(codec, null) < 0) return null;
    packet.data = wrapped(bytes, stride, rows);
    if (context.sendPacketSync(packet) < 0 || context.receiveFrameSync(frame) < 0) return null;
    if (frame.width !== stride || frame.height !== rows) return null;
    const out = Buffer.alloc(stride * rows);
    const step = frame.linesize[0]!;
    for (let y = 0; y < rows; y++) out.set(frame.data![0]!.subarray(y * step, y * step + stride), y * stride);
    return out;
  } finally {
    frame.free();
    packet.free();
    context.freeContext();
  }
}
