// LZMA, undone by FFmpeg: only its TIFF decoder can. A piece is handed to it as a grey picture of its bytes in a file of its
// own, since the decoder leaves black what it cannot read and, asked to be strict, refuses tags that it does not know.
import { Codec, CodecContext, Frame, Packet } from '../../../ffmpeg.ts';

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
export function expandLzma(bytes: Buffer, stride: number, rows: number): Buffer | null {
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
