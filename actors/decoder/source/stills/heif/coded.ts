// How the items of HEIF files are coded, and in which colours.
import type { CodedColours } from '../coded-pictures.ts';
import { Fields, type Property } from './items.ts';

interface Coding {
  /** FFmpeg's name of the decoder, and the name for people. */
  readonly decoder: string;
  readonly name: string;
  /** The property with the decoder's settings; null where there is none. */
  readonly settings: string | null;
}

/** Types of items. AV1 is left to libvips where all of the picture is AV1. */
export const codings: Readonly<Record<string, Coding>> = {
  hvc1: { decoder: 'hevc', name: 'HEVC', settings: 'hvcC' },
  hev1: { decoder: 'hevc', name: 'HEVC', settings: 'hvcC' },
  avc1: { decoder: 'h264', name: 'H.264', settings: 'avcC' },
  av01: { decoder: 'libdav1d', name: 'AV1', settings: 'av1C' },
  jpeg: { decoder: 'mjpeg', name: 'JPEG', settings: null },
  j2k1: { decoder: 'jpeg2000', name: 'JPEG 2000', settings: null },
};

export function coloursOf(properties: readonly Property[]): CodedColours | null {
  for (const { type, body } of properties) {
    const fields = new Fields(body);
    if (type !== 'colr' || fields.code() !== 'nclx') continue;
    fields.u(2);
    return { transfer: fields.u(2), matrix: fields.u(2), fullRange: fields.u(1) >= 128 };
  }
  return null;
}

/** The ICC profile; null where there is none. */
export function profileOf(properties: readonly Property[]): Buffer | null {
  for (const { type, body } of properties) {
    const fields = new Fields(body);
    if (type !== 'colr' || !['prof', 'rICC'].includes(fields.code())) continue;
    const profile = fields.rest();
    if (profile.length > 128) return profile;
  }
  return null;
}
