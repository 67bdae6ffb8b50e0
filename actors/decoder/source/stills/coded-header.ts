// Size and depth of the stills that FFmpeg reads. FFmpeg decodes many of them as a whole to find out, so
// their headers are read here first, as far as needed to know how much memory that takes.
import type { Size } from '../coded-size.ts';

// The size and depth in the header of a JPEG XL picture (ISO/IEC 18181-1, annex D), of a codestream or a
// container.

/** Width to height. */
const ratios = [1, 1, 12 / 10, 4 / 3, 3 / 2, 16 / 9, 5 / 4, 2];

interface JpegXlHeader extends Size {
  /** Bits of one sample; 16 if the header states it beyond the part that is read here. */
  readonly bits: number;
}

/** Null when there is no codestream in these bytes. Throws RangeError when it is cut off. */
function jpegXlHeader(bytes: Buffer): JpegXlHeader | null {
  const start = codestreamStart(bytes);
  if (start === null || bytes.readUInt16BE(start) !== 0xff0a) return null;
  const u = bitReader(bytes, start + 2);
  const size = readSize(u);
  if (u(1) === 1) return { ...size, bits: 8 };
  if (u(1) === 1) {
    u(3);
    // An intrinsic size, a preview or an animation come before the depth.
    if (u(3) !== 0) return { ...size, bits: 16 };
  }
  if (u(1) === 1) return { ...size, bits: 32 };
  const choice = u(2);
  return { ...size, bits: choice === 3 ? 1 + u(6) : 8 + 2 * choice };
}

/** After the signature of a container, the first box of a codestream. */
function codestreamStart(bytes: Buffer): number | null {
  if (bytes[0] === 0xff) return 0;
  for (let at = 0; at + 8 <= bytes.length; ) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'jxlc') return at + 8;
    // A part of one begins with its number.
    if (type === 'jxlp') return at + 12;
    const length = bytes.readUInt32BE(at);
    if (length < 8) return null;
    at += length;
  }
  return null;
}

type Bits = (count: number) => number;

/** The low bit of a byte comes first. */
function bitReader(bytes: Buffer, start: number): Bits {
  let bit = start * 8;
  return (count) => {
    let value = 0;
    for (let i = 0; i < count; i++, bit++) value += ((bytes.readUInt8(bit >> 3) >> (bit & 7)) & 1) * 2 ** i;
    return value;
  };
}

function readSize(u: Bits): Size {
  const small = u(1) === 1;
  const side = () => 1 + (small ? 8 * (u(5) + 1) - 1 : u([9, 13, 18, 30][u(2)]!));
  const height = side();
  const ratio = u(3);
  return { width: ratio === 0 ? side() : Math.floor(height * ratios[ratio]!), height };
}

export interface CodedHeader extends Size {
  /** Bytes of the decoded picture. */
  readonly frameBytes: number;
  /** Bytes that its decoder takes beside it. */
  readonly furtherBytes: number;
}

/** Bytes needed from the start of the file. */
export const codedHeaderLength = 65_536;

type Reader = (bytes: Buffer, fileBytes: number) => CodedHeader | null;

const header = (width: number, height: number, bytesPerPixel: number, further = 0): CodedHeader => ({
  width,
  height,
  frameBytes: width * height * bytesPerPixel,
  furtherBytes: width * height * further,
});

/** Elements of DPX with other than four samples a pixel (SMPTE 268M, table 1). */
const dpxSamples: Readonly<Record<number, number>> = { 6: 1, 50: 3, 100: 2, 101: 3, 102: 3 };

const dpx: Reader = (bytes) => {
  const little = bytes.toString('latin1', 0, 4) === 'XPDS';
  const u32 = (at: number) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const depth = bytes.readUInt8(803);
  return header(
    u32(772),
    u32(776),
    (dpxSamples[bytes.readUInt8(800)] ?? 4) * (depth > 16 ? 4 : depth > 8 ? 2 : 1),
  );
};

const photoshop: Reader = (bytes, fileBytes) => {
  const frame = header(
    bytes.readUInt32BE(18),
    bytes.readUInt32BE(14),
    (Math.min(4, bytes.readUInt16BE(12)) * Math.max(8, bytes.readUInt16BE(22))) / 8,
  );
  // Rows that are compressed are expanded into a buffer of their own.
  return { ...frame, furtherBytes: fileBytes < frame.frameBytes ? frame.frameBytes : 0 };
};

/** PBM to PPM, PAM, and the floating point kinds. */
const netpbm: Reader = (bytes) => {
  const text = bytes.toString('latin1', 0, 4096).replace(/#[^\n]*/g, ' ');
  const kind = text.slice(0, 2);
  if (kind === 'P7') {
    const field = (name: string) => Number(new RegExp(`\\s${name}\\s+(\\d+)`).exec(text)?.[1] ?? Number.NaN);
    return header(field('WIDTH'), field('HEIGHT'), field('DEPTH') * (field('MAXVAL') > 255 ? 2 : 1));
  }
  const [, width, height, most] = /^\S+\s+(\d+)\s+(\d+)(?:\s+(\d+))?/.exec(text) ?? [];
  const samples = 'P3 P6 PF PH'.split(' ').includes(kind) ? 3 : 1;
  const depth = /F$/i.test(kind) ? 4 : /H$/i.test(kind) || Number(most) > 255 ? 2 : 1;
  return header(Number(width), Number(height), samples * depth);
};

const radiance: Reader = (bytes) => {
  const [, height, width] = /\n[-+]Y (\d+) [-+]X (\d+)\n/.exec(bytes.toString('latin1')) ?? [];
  return header(Number(width), Number(height), 12);
};

/** The main header: attributes of a name, a type, a length and a value, up to an empty name. */
const openExr: Reader = (bytes) => {
  let [width, height, samples, depth] = [0, 0, 0, 2];
  for (let at = 8; bytes[at] !== 0; ) {
    const name = textAt(bytes, at);
    const type = textAt(bytes, at + name.length + 1);
    const value = at + name.length + type.length + 6;
    const end = value + bytes.readUInt32LE(value - 4);
    if (type === 'box2i') {
      width = Math.max(width, bytes.readInt32LE(value + 8) - bytes.readInt32LE(value) + 1);
      height = Math.max(height, bytes.readInt32LE(value + 12) - bytes.readInt32LE(value + 4) + 1);
    }
    if (name === 'channels') {
      for (let channel = value; channel < end - 1; channel += textAt(bytes, channel).length + 17) {
        samples++;
        if (bytes.readUInt32LE(channel + textAt(bytes, channel).length + 1) !== 1) depth = 4;
      }
    }
    at = end;
  }
  return header(width, height, (samples > 3 ? 4 : samples > 1 ? 3 : 1) * depth);
};

function textAt(bytes: Buffer, start: number): string {
  const end = bytes.indexOf(0, start);
  if (end < 0) throw new RangeError('text is cut off');
  return bytes.toString('latin1', start, end);
}

/** The SIZ marker is the first of a codestream. Coefficients are kept with 4 bytes each. */
const jpeg2000: Reader = (bytes) => {
  const at = bytes.indexOf(Buffer.of(0xff, 0x4f, 0xff, 0x51));
  if (at < 0) return null;
  const components = bytes.readUInt16BE(at + 40);
  let [frame, coefficients] = [0, 0];
  for (let i = 0; i < components; i++) {
    const [bits, across, down] = bytes.subarray(at + 42 + i * 3);
    const share = 1 / (Math.max(1, across!) * Math.max(1, down!));
    frame += share * ((bits! & 127) >= 8 ? 2 : 1);
    coefficients += 4 * share;
  }
  return header(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12), frame, coefficients);
};

const silicon: Reader = (bytes) =>
  header(
    bytes.readUInt16BE(6),
    bytes.readUInt16BE(8),
    Math.max(1, bytes.readUInt16BE(10)) * bytes.readUInt8(3),
  );

const pcx: Reader = (bytes) =>
  header(
    bytes.readUInt16LE(8) - bytes.readUInt16LE(4) + 1,
    bytes.readUInt16LE(10) - bytes.readUInt16LE(6) + 1,
    bytes.readUInt8(65) >= 3 ? 3 : 1,
  );

/** OS/2 writes sides of two bytes; a negative height means rows from the top down. */
const bitmap: Reader = (bytes) => {
  const isOs2 = bytes.readUInt32LE(14) === 12;
  const height = isOs2 ? bytes.readUInt16LE(20) : Math.abs(bytes.readInt32LE(22));
  return header(isOs2 ? bytes.readUInt16LE(18) : bytes.readInt32LE(18), height, 4);
};

const sun: Reader = (bytes) =>
  header(bytes.readUInt32BE(4), bytes.readUInt32BE(8), Math.max(8, bytes.readUInt32BE(12)) / 8);

const jpegXl: Reader = (bytes) => {
  const picture = jpegXlHeader(bytes);
  if (!picture) return null;
  const { width, height, bits } = picture;
  // The decoder computes with more than it hands over.
  return header(width, height, bits > 8 ? 6 : 3, bits > 8 ? 10 : 4.5);
};

/** Formats by how their files begin. */
const formats: readonly (readonly [readonly string[], Reader])[] = [
  [['SDPX', 'XPDS'], dpx],
  [['BM'], bitmap],
  [['8BPS'], photoshop],
  [Array.from('1234567FfHh', (kind) => `P${kind}`), netpbm],
  [['#?RADIANCE', '#?RGBE'], radiance],
  [['v/1\x01'], openExr],
  [['\0\0\0\x0cjP  ', '\xff\x4f\xff\x51'], jpeg2000],
  [['\xff\x0a', '\0\0\0\x0cJXL '], jpegXl],
  [['qoif'], (bytes) => header(bytes.readUInt32BE(4), bytes.readUInt32BE(8), bytes.readUInt8(12))],
  [['\x01\xda'], silicon],
  [['\n\0', '\n\x02', '\n\x03', '\n\x04', '\n\x05'], pcx],
  [['\x59\xa6\x6a\x95'], sun],
  [['DDS '], (bytes) => header(bytes.readUInt32LE(16), bytes.readUInt32LE(12), 4)],
];

/**
 * `fileBytes`: size of the file. Null for formats that are not known here, and for headers that say no size.
 */
export function codedHeader(bytes: Buffer, fileBytes: number): CodedHeader | null {
  const start = bytes.toString('latin1', 0, 16);
  const read = formats.find(([starts]) => starts.some((prefix) => start.startsWith(prefix)))?.[1];
  try {
    const coded = read?.(bytes, fileBytes) ?? null;
    return coded && coded.width > 0 && coded.height > 0 && coded.frameBytes > 0 ? coded : null;
  } catch (error) {
    // The header is cut off.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
