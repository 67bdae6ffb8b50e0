// The size and depth in the header of a JPEG XL picture (ISO/IEC 18181-1, annex D), of a codestream or a container.
import type { Size } from '../coded-size.ts';

/** Width to height. */
const ratios = [1, 1, 12 / 10, 4 / 3, 3 / 2, 16 / 9, 5 / 4, 2];

export interface JpegXlHeader extends Size {
  /** Of one sample; 16 where the header says it further on than is read here. */
  readonly bits: number;
}

/** Null when there is no codestream in these bytes. Throws RangeError when it is cut off. */
export function jpegXlHeader(bytes: Buffer): JpegXlHeader | null {
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
