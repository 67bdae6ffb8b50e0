// The bytes of one strip or tile without their compression.
import * as zlib from 'node:zlib';
import { Codec, CodecContext, Frame, Packet } from '../../../ffmpeg.ts';
import { tiffFile } from '../pixels.ts';

const [lzw, deflate, oldDeflate, packBits, lzma, zstd] = [5, 8, 32946, 32773, 34925, 50000];
/** Missing in older versions of Node. */
const zstdDecompress = zlib.zstdDecompressSync as typeof zlib.zstdDecompressSync | undefined;

/** Compressions that are undone here. */
export const ownCompressions: readonly number[] = [
  1,
  lzw,
  deflate,
  oldDeflate,
  packBits,
  lzma,
  ...(zstdDecompress ? [zstd] : []),
];

const byFfmpeg: readonly number[] = [lzw, packBits, lzma];

/** A piece as it is stored and without its compression, and what FFmpeg has of both, in sizes of it. */
export const copiesOf = (compression: number): number => (byFfmpeg.includes(compression) ? 5 : 2);

/** The others have no predictor, whatever the tag says. */
export const hasPredictor = (compression: number): boolean =>
  [lzw, deflate, oldDeflate, lzma, zstd].includes(compression);

/** `rows` rows of `stride` bytes, or more; null when the piece has fewer or is damaged. */
export function expandPiece(bytes: Buffer, compression: number, stride: number, rows: number): Buffer | null {
  const length = stride * rows;
  const whole = byFfmpeg.includes(compression)
    ? expandByFfmpeg(bytes, compression, stride, rows)
    : expand(bytes, compression, length);
  return whole && whole.length >= length ? whole : null;
}

function expand(bytes: Buffer, compression: number, length: number): Buffer | null {
  if (compression === 1) return bytes;
  const options = { maxOutputLength: length + 65_536 };
  try {
    return compression === zstd ? zstdDecompress!(bytes, options) : zlib.inflateSync(bytes, options);
  } catch {
    return null;
  }
}

// FFmpeg's TIFF decoder is handed a piece as a grey picture of its bytes in a file of its own, since the
// decoder leaves black what it cannot read and, asked to be strict, refuses tags that it does not know. It
// takes pieces of up to 256 MB.

function wrapped(bytes: Buffer, compression: number, stride: number, rows: number): Buffer {
  return tiffFile(
    [bytes],
    [
      [256, 4, 1, stride],
      [257, 4, 1, rows],
      [258, 3, 1, 8],
      [259, 3, 1, compression],
      [262, 3, 1, 1],
      [273, 4, 1, 8],
      [277, 3, 1, 1],
      [278, 4, 1, rows],
      [279, 4, 1, bytes.length],
    ],
  );
}

/** `rows` rows of `stride` bytes; null when the data are damaged or too short. */
function expandByFfmpeg(bytes: Buffer, compression: number, stride: number, rows: number): Buffer | null {
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
    packet.data = wrapped(bytes, compression, stride, rows);
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
