// The samples of one row of a strip or tile as numbers, with the predictor undone.
import type { TiffImage } from './directory.ts';

export type RowLayout = Pick<TiffImage, 'little' | 'predictor' | 'format'> & {
  readonly bits: number;
  /** Samples of one pixel in this piece, and pixels of one row. */
  readonly samples: number;
  readonly width: number;
};

export function rowBytes({ bits, samples, width }: RowLayout): number {
  return Math.ceil((bits * samples * width) / 8);
}

/** Kinds of samples that `readRow` knows. */
export function knowsSamples({ bits, format, predictor }: Omit<RowLayout, 'samples' | 'width'>): boolean {
  if (format === 'float') return [16, 32, 64].includes(bits) && (predictor !== 2 || bits < 64);
  if (format === 'other' || bits < 1 || !(bits <= 32 || bits === 64)) return false;
  return predictor === 1 || (predictor === 2 && bits <= 32);
}

/** Writes samples×width numbers. `bytes` may be changed. */
export function readRow(bytes: Buffer, layout: RowLayout, into: Float64Array) {
  const { bits, format, predictor, samples, width, little } = layout;
  const count = samples * width;
  if (format === 'float') {
    const apart = predictor === 3;
    const source = apart ? joinFloats(bytes, layout) : predictor === 2 ? addWords(bytes, layout) : bytes;
    for (let i = 0; i < count; i++) into[i] = float(source, (i * bits) / 8, bits, little && !apart);
    return;
  }
  for (let i = 0; i < count; i++) into[i] = whole(bytes, i, bits, little);
  const modulus = 2 ** bits;
  if (predictor === 2) {
    for (let i = samples; i < count; i++) into[i] = (into[i]! + into[i - samples]!) % modulus;
  }
  if (format !== 'int') return;
  for (let i = 0; i < count; i++) if (into[i]! >= modulus / 2) into[i]! -= modulus;
}

function whole(bytes: Buffer, i: number, bits: number, little: boolean): number {
  if (bits === 8) return bytes[i]!;
  if (bits === 16) return little ? bytes.readUInt16LE(i * 2) : bytes.readUInt16BE(i * 2);
  if (bits === 24) return little ? bytes.readUIntLE(i * 3, 3) : bytes.readUIntBE(i * 3, 3);
  if (bits === 32) return little ? bytes.readUInt32LE(i * 4) : bytes.readUInt32BE(i * 4);
  if (bits === 64) return Number(little ? bytes.readBigUInt64LE(i * 8) : bytes.readBigUInt64BE(i * 8));
  let value = 0;
  for (let at = i * bits; at < (i + 1) * bits; at++) {
    value = value * 2 + ((bytes[at >> 3]! >> (7 - (at & 7))) & 1);
  }
  return value;
}

function float(bytes: Buffer, at: number, bits: number, little: boolean): number {
  if (bits === 64) return little ? bytes.readDoubleLE(at) : bytes.readDoubleBE(at);
  if (bits === 32) return little ? bytes.readFloatLE(at) : bytes.readFloatBE(at);
  return half(little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
}

/** IEEE 754 binary16. */
function half(value: number): number {
  const sign = value & 0x8000 ? -1 : 1;
  const exponent = (value >> 10) & 31;
  const fraction = value & 0x3ff;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

/** Predictor 2 takes the bits of a number for a whole number. */
function addWords(bytes: Buffer, { bits, samples, width, little }: RowLayout): Buffer {
  const size = bits / 8;
  for (let i = samples; i < samples * width; i++) {
    const sum = (whole(bytes, i, bits, little) + whole(bytes, i - samples, bits, little)) % 2 ** bits;
    if (little) bytes.writeUIntLE(sum, i * size, size);
    else bytes.writeUIntBE(sum, i * size, size);
  }
  return bytes;
}

/** Predictor 3: differences of bytes, all first bytes of a row before all second ones (Adobe, TIFF technical note 3). */
function joinFloats(bytes: Buffer, { bits, samples, width }: RowLayout): Buffer {
  const count = samples * width;
  const size = bits / 8;
  for (let at = samples; at < count * size; at++) bytes[at] = (bytes[at]! + bytes[at - samples]!) & 255;
  const joined = Buffer.alloc(count * size);
  for (let i = 0; i < count; i++) {
    for (let byte = 0; byte < size; byte++) joined[i * size + byte] = bytes[byte * count + i]!;
  }
  return joined;
}
