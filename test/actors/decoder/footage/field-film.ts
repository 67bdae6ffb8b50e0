// A film of interlaced H.264 whose fields are packets of their own, as cameras with AVCHD write it; FFmpeg's
// encoders code no fields. The macroblocks are uncompressed (I_PCM), but for the last column of P and B
// pictures, which is copied from their references: a reference that is not decoded shows.
import { checked, FormatContext, OutputFormat, Packet, Rational } from '../../../../actors/decoder/ffmpeg.ts';
import { BitWriter, nal } from './bit-writer.ts';
import { type Clip, kept } from './clip.ts';
import { drawStamp } from './stamp.ts';

const [columns, rows] = [24, 6];
const [width, height] = [columns * 16, rows * 16];
const frames = 60;
const gop = 12;
const sliceTypes = { I: 7, P: 5, B: 6 } as const;
/** mb_type of I_PCM. */
const pcmTypes = { I: 25, P: 30, B: 48 } as const;
/** Three bytes of a picture's planes: luma and two chroma values, at full resolution. */
type Draw = (x: number, y: number) => readonly [number, number, number];

interface Coded {
  readonly frame: number;
  readonly type: keyof typeof sliceTypes;
  readonly reference: boolean;
  readonly frameNumber: number;
}

/** `path` ends in the container's extension. */
export function fieldClip(name: string, file: string): Clip {
  const facts = {
    frames: Array.from({ length: frames }, (_, stamp) => ({ stamp, seconds: stamp / 25 })),
    duration: frames / 25,
    frameRate: { num: 25, den: 1 },
    width,
    height,
    gop: 'closed',
    soundTracks: 0,
    captionTracks: 0,
  } as const;
  const write = async (path: string) => writeFields(path);
  return { name, facts, write, make: () => kept(file, write) };
}

function writeFields(path: string) {
  const output = new FormatContext();
  const packet = new Packet();
  packet.alloc();
  try {
    checked(
      output.allocOutputContext2(OutputFormat.guessFormat(null, path, null), null, `file:${path}`),
      path,
      'making',
    );
    const stream = output.newStream();
    Object.assign(stream.codecpar, { codecType: 0, codecId: 27, width, height, extradata: parameters() });
    stream.timeBase = new Rational(1, 50);
    stream.avgFrameRate = new Rational(25, 1);
    checked(output.openOutputSync(), path, 'opening');
    checked(output.writeHeaderSync(null), path, 'writing');
    for (const { data, pts, dts, duration, key } of codedPackets()) {
      packet.data = data;
      Object.assign(packet, { streamIndex: 0, pts, dts, duration, isKeyframe: key });
      packet.rescaleTs(new Rational(1, 50), stream.timeBase);
      checked(output.interleavedWriteFrameSync(packet), path, 'writing');
    }
    checked(output.writeTrailerSync(), path, 'writing');
  } finally {
    packet.free();
    output.closeOutputSync();
    output.freeContext();
  }
}

/** Ticks of 1/50 s. Every fifth reference is coded as a frame, as encoders do where nothing moves. */
function* codedPackets() {
  let at = -2;
  for (const [order, coded] of decodingOrder().entries()) {
    const { frame, type, reference } = coded;
    const whole = type === 'P' && order % 5 === 0;
    for (const field of whole ? [null] : [0, 1]) {
      const key = type === 'I' && field === 0;
      const units = [nal(0x09, Buffer.from([0xf0])), ...(key ? [parameters()] : [])];
      units.push(nal((reference ? 0x60 : 0) | (key ? 5 : 1), slice(coded, field)));
      const duration = BigInt(whole ? 2 : 1);
      yield {
        data: Buffer.concat(units),
        pts: BigInt(2 * frame + (field ?? 0)),
        dts: BigInt(at),
        duration,
        key,
      };
      at += whole ? 2 : 1;
    }
  }
}

/** I0 P2 B1 P4 B3 ... P10 B9 P11, again and again. */
function decodingOrder(): Coded[] {
  const order: Coded[] = [];
  for (let first = 0; first < frames; first += gop) {
    let frameNumber = 0;
    order.push({ frame: first, type: 'I', reference: true, frameNumber: frameNumber++ });
    for (let n = 2; n <= gop; n += 2) {
      const last = Math.min(n, gop - 1);
      order.push({ frame: first + last, type: 'P', reference: true, frameNumber: frameNumber++ });
      if (last === n) order.push({ frame: first + n - 1, type: 'B', reference: false, frameNumber });
    }
  }
  return order;
}

/** Sequence and picture parameters (ITU-T H.264, 7.3.2.1 and 7.3.2.2): Main profile, interlaced, CAVLC. */
function parameters(): Buffer {
  const sequence = new BitWriter();
  sequence.bits(77, 8).bits(0, 8).bits(40, 8).golomb(0);
  // 8 bits of frame_num and of the picture order count, 2 reference frames.
  sequence.golomb(4).golomb(0).golomb(4).golomb(2).bits(0, 1);
  sequence.golomb(columns - 1).golomb(rows / 2 - 1);
  // Fields, but no adaptive macroblocks; no cropping; of the VUI only the limits of reordering.
  sequence.bits(0b001_0_1, 5).bits(0b0000_0000, 8).bits(1, 1);
  sequence.bits(1, 1).golomb(0).golomb(0).golomb(10).golomb(10).golomb(1).golomb(2);
  const picture = new BitWriter();
  picture.golomb(0).golomb(0).bits(0, 2).golomb(0).golomb(0).golomb(0).bits(0, 3);
  picture.golomb(0).golomb(0).golomb(0).bits(0b100, 3);
  return Buffer.concat([nal(0x67, sequence.end()), nal(0x68, picture.end())]);
}

/** One slice with the whole picture; `field`: 0 is the top one, null for a frame. */
function slice({ frame, type: frameType, reference, frameNumber }: Coded, field: number | null): Buffer {
  // The second field of an I frame references the first.
  const type = frameType === 'I' && field === 1 ? 'P' : frameType;
  const bits = new BitWriter();
  bits.golomb(0).golomb(sliceTypes[type]).golomb(0).bits(frameNumber, 8);
  bits.bits(field === null ? 0 : 1, 1);
  if (field !== null) bits.bits(field, 1);
  if (type === 'I') bits.golomb((frame / gop) % 2);
  bits.bits((2 * (frame % gop) + (field ?? 0)) & 255, 8);
  if (type === 'B') bits.bits(1, 1);
  if (type !== 'I') bits.bits(0, type === 'B' ? 3 : 2);
  if (reference) bits.bits(0, type === 'I' ? 2 : 1);
  bits.golomb(0).golomb(1);
  writeMacroblocks(bits, type, drawnFrame(frame), field);
  return bits.end();
}

function writeMacroblocks(bits: BitWriter, type: Coded['type'], draw: Draw, field: number | null) {
  const lineOf = (y: number) => (field === null ? y : 2 * y + field);
  const count = field === null ? rows : rows / 2;
  let skipped = 0;
  for (let at = 0; at < count * columns; at++) {
    const [left, top] = [(at % columns) * 16, Math.floor(at / columns) * 16];
    if (type !== 'I' && left === width - 16) {
      skipped++;
      continue;
    }
    if (type !== 'I') bits.golomb(skipped);
    skipped = 0;
    bits.golomb(pcmTypes[type]).align();
    for (let i = 0; i < 256; i++) bits.bits(draw(left + (i & 15), lineOf(top + (i >> 4)))[0], 8);
    for (const plane of [1, 2] as const) {
      for (let i = 0; i < 64; i++) bits.bits(draw(left + (i & 7) * 2, lineOf(top + (i >> 3) * 2))[plane], 8);
    }
  }
  if (skipped > 0) bits.golomb(skipped);
}

/** The stamped frame in BT.601. */
function drawnFrame(n: number): Draw {
  const rgb = new Uint8Array(width * height * 3);
  drawStamp(n, rgb, width, height);
  return (x, y) => {
    const at = (y * width + x) * 3;
    const [r, g, b] = [rgb[at]!, rgb[at + 1]!, rgb[at + 2]!];
    return [
      Math.round(16 + 0.257 * r + 0.504 * g + 0.098 * b),
      Math.round(128 - 0.148 * r - 0.291 * g + 0.439 * b),
      Math.round(128 + 0.439 * r - 0.368 * g - 0.071 * b),
    ];
  };
}
