// The header of a Windows or OS/2 bitmap, in all its sizes.
import type { Size } from '../coded-size.ts';
import { damaged, unsupported } from './still.ts';

export type BmpCoding = 'plain' | 'rle4' | 'rle8' | 'rle24' | 'jpeg' | 'png';

export interface BmpHeader extends Size {
  /** Rows are stored from the top down, not from the bottom up. */
  readonly topDown: boolean;
  /** Bits of one pixel. */
  readonly bits: number;
  readonly coding: BmpCoding;
  /** Which bits of a pixel are red, green, blue and opacity; null where the header has no masks. */
  readonly masks: readonly [number, number, number, number] | null;
  /** RGB of each colour; empty above 8 bits. */
  readonly palette: readonly (readonly [number, number, number])[];
  /** Where the pixels start in the file. */
  readonly start: number;
}

/** Bytes needed from the start of the file: the largest header with a palette of 256 colours and masks. */
export const bmpHeaderLength = 14 + 124 + 16 + 1024;

const cores = [12];
const infos = [40, 52, 56, 64, 108, 124];

/** True for the start of a bitmap file. */
export function isBmp(bytes: Uint8Array): boolean {
  if (bytes.length < 18 || bytes[0] !== 0x42 || bytes[1] !== 0x4d) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = view.getUint32(14, true);
  return cores.includes(size) || infos.includes(size) || (size >= 16 && size <= 64);
}

/** Errors: DECODE_FAILED, UNSUPPORTED_CODEC. */
export function parseBmp(path: string, bytes: Buffer): BmpHeader {
  const broken = (what: string) => damaged(path, 'BMP', what);
  const foreign = (what: string) => unsupported(path, 'BMP', what);
  const size = bytes.readUInt32LE(14);
  if (bytes.length < 14 + size) throw broken('header is cut off');
  const core = size === 12;
  // OS/2 headers may end after any field; what is missing is 0.
  const field = (at: number, length: 2 | 4) => (at + length <= size ? bytes.readUIntLE(14 + at, length) : 0);
  const width = core ? field(4, 2) : field(4, 4) | 0;
  const rows = core ? field(6, 2) : field(8, 4) | 0;
  const bits = core ? field(10, 2) : field(14, 2);
  const code = core ? 0 : field(16, 4);
  const coding = codingOf(code, bits, size);
  if (!coding) {
    if (code === 3) throw foreign('Huffman compression');
    throw broken(`header says compression ${code} with ${bits} bits a pixel`);
  }
  if (![1, 2, 4, 8, 16, 24, 32, 64].includes(bits) && coding !== 'jpeg' && coding !== 'png')
    throw broken(`header says ${bits} bits a pixel`);
  if (bits === 64) throw foreign('64 bits a pixel');
  const masks = masksOf(bytes, size, code, bits, coding);
  const after = 14 + size + (size === 40 && masks ? (code === 6 ? 16 : code === 3 ? 12 : 0) : 0);
  const declared = bytes.readUInt32LE(10);
  const colours = core ? 0 : field(32, 4);
  const palette = paletteOf(bytes, { after, declared, bits, colours, entry: core ? 3 : 4 });
  const start = declared > 0 ? declared : after + palette.length * (core ? 3 : 4);
  return { width, height: Math.abs(rows), topDown: rows < 0, bits, coding, masks, palette, start };
}

/** Null for a code that means nothing here. */
function codingOf(code: number, bits: number, size: number): BmpCoding | null {
  const os2 = size !== 40 && size <= 64 && size !== 52 && size !== 56;
  if (code === 0 || code === 6 || (code === 3 && bits !== 1)) return 'plain';
  if (code === 1 && bits === 8) return 'rle8';
  if (code === 2 && bits === 4) return 'rle4';
  if (code === 4 && bits === 24) return 'rle24';
  if (code === 4 && !os2) return 'jpeg';
  if (code === 5) return 'png';
  return null;
}

function masksOf(
  bytes: Buffer,
  size: number,
  code: number,
  bits: number,
  coding: BmpCoding,
): BmpHeader['masks'] {
  if (coding !== 'plain' || (bits !== 16 && bits !== 32)) return null;
  if (code === 0) return bits === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff0000, 0xff00, 0xff, 0];
  const count = code === 6 || size >= 56 ? 4 : 3;
  // Where they are cut off, so is the picture.
  const mask = (at: number) =>
    at < count && bytes.length >= 58 + at * 4 ? bytes.readUInt32LE(54 + at * 4) : 0;
  return [mask(0), mask(1), mask(2), mask(3)];
}

interface PaletteFacts {
  readonly after: number;
  readonly declared: number;
  readonly bits: number;
  readonly colours: number;
  /** Bytes of one colour. */
  readonly entry: number;
}

/** As many colours as are said and stored; writers that leave them all out mean shades of grey. */
function paletteOf(
  bytes: Buffer,
  { after, declared, bits, colours, entry }: PaletteFacts,
): BmpHeader['palette'] {
  if (bits > 8) return [];
  const end = declared > after ? Math.min(bytes.length, declared) : bytes.length;
  const stored = Math.max(0, Math.floor((end - after) / entry));
  const wanted = colours > 0 && colours < 2 ** bits ? colours : 2 ** bits;
  return Array.from({ length: Math.min(stored, wanted) }, (_, i) => {
    const at = after + i * entry;
    return [bytes[at + 2]!, bytes[at + 1]!, bytes[at]!] as const;
  });
}
