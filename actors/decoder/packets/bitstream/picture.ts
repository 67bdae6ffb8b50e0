// How a coded picture relates to the pictures around it, as far as its own header says.
import { nextStartCode } from './nal.ts';

/** Facts about the picture in one packet, read from its bytes without decoding it. */
export interface CodedPicture {
  /** False only when it is certain that no other picture references this one. */
  readonly reference: boolean;
  /** False for a picture that is decoded but never shown. */
  readonly shown: boolean;
  /**
   * Kind of random access point. `closed`: no picture after it in decoding order references one before it.
   * `open`: only its leading pictures, which follow it in decoding order and are shown before it, may do so.
   */
  readonly entry: 'closed' | 'open' | 'no';
  /**
   * True for a leading picture that a decoder drops by itself when it started at the random access point
   * before.
   */
  readonly skipped: boolean;
}

/** Assumed of a picture whose bytes are not understood. */
export const unknownPicture: CodedPicture = { reference: true, shown: true, entry: 'no', skipped: false };

// MPEG-1/2 video (ISO/IEC 13818-2, 6.2.3) and MPEG-4 part 2 (ISO/IEC 14496-2, 6.2.5): B pictures are never
// references.

const MPEG2_PICTURE = 0x00;
const MPEG2_GROUP = 0xb8;
const MPEG4_VOP = 0xb6;
const MPEG2_B = 3;
const MPEG4_B = 2;

export function mpeg2Picture(data: Uint8Array, keyframe: boolean): CodedPicture {
  let pictures = 0;
  let bidirectional = 0;
  let closed = false;
  for (let at = nextStartCode(data, 0); at >= 0; at = nextStartCode(data, at)) {
    const code = data[at]!;
    // group_of_pictures_header: 25 bits of time code, then closed_gop.
    if (code === MPEG2_GROUP) closed = ((data[at + 4] ?? 0) & 0x40) !== 0;
    if (code === MPEG2_PICTURE) {
      pictures++;
      // temporal_reference takes 10 bits, then picture_coding_type 3.
      if ((((data[at + 2] ?? 0) >> 3) & 7) === MPEG2_B) bidirectional++;
    }
    // Slices follow the picture header; no other header matters after the first slice.
    if (code >= 1 && code <= 0xaf && pictures > 0) break;
  }
  if (pictures === 0) return unknownPicture;
  const entry = !keyframe ? 'no' : closed ? 'closed' : 'open';
  return { reference: bidirectional < pictures, shown: true, entry, skipped: false };
}

export function mpeg4Picture(data: Uint8Array, keyframe: boolean): CodedPicture {
  let pictures = 0;
  let bidirectional = 0;
  for (let at = nextStartCode(data, 0); at >= 0; at = nextStartCode(data, at)) {
    if (data[at] !== MPEG4_VOP) continue;
    pictures++;
    if ((data[at + 1] ?? 0) >> 6 === MPEG4_B) bidirectional++;
  }
  // A packet with several pictures (packed bitstream in AVI) is always decoded.
  if (pictures !== 1) return { ...unknownPicture, entry: 'no' };
  return { reference: bidirectional === 0, shown: true, entry: keyframe ? 'open' : 'no', skipped: false };
}

// VP8 (RFC 6386, 9.1), VP9 and AV1: whether a packet holds a hidden picture, and whether it is a random
// access point. Every picture counts as a reference: even one that refreshes no buffer may pass on its
// entropy contexts.

export function vp8Picture(data: Uint8Array): CodedPicture {
  if (data.length < 3) return unknownPicture;
  const key = (data[0]! & 1) === 0;
  const shown = ((data[0]! >> 4) & 1) === 1;
  return { reference: true, shown, entry: key && shown ? 'closed' : 'no', skipped: false };
}

export function vp9Picture(data: Uint8Array, keyframe: boolean): CodedPicture {
  const first = data[0];
  if (first === undefined || first >> 6 !== 2) return unknownPicture;
  // A superframe holds several pictures, one of which is shown; it ends with an index.
  const superframe = (data[data.length - 1]! & 0xe0) === 0xc0;
  let bit = 4;
  const profile = ((first >> 5) & 1) | (((first >> 4) & 1) << 1);
  if (profile === 3) bit++;
  const at = (index: number) => (data[index >> 3]! >> (7 - (index & 7))) & 1;
  if (at(bit) === 1) return { reference: true, shown: true, entry: 'no', skipped: false };
  const key = at(bit + 1) === 0;
  const shown = at(bit + 2) === 1;
  const entry = keyframe && key && shown ? 'closed' : 'no';
  return { reference: true, shown: shown || superframe, entry, skipped: false };
}

const AV1_FRAME_HEADER = 3;
const AV1_FRAME = 6;

/** A temporal unit of AV1 always shows one picture (AV1 specification, 7.5). */
export function av1Picture(data: Uint8Array, keyframe: boolean): CodedPicture {
  if (!keyframe) return unknownPicture;
  let at = 0;
  while (at < data.length) {
    const header = data[at]!;
    const type = (header >> 3) & 15;
    let body = at + 1 + ((header >> 2) & 1);
    let size = data.length - body;
    if (header & 2) [size, body] = leb128(data, body);
    if (type === AV1_FRAME_HEADER || type === AV1_FRAME) {
      // show_existing_frame 0, frame_type 0 (key), show_frame 1.
      const entry = (data[body] ?? 0xff) >> 4 === 1 ? 'closed' : 'no';
      return { ...unknownPicture, entry };
    }
    at = body + size;
  }
  return unknownPicture;
}

function leb128(data: Uint8Array, start: number): [value: number, next: number] {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = data[start + i] ?? 0;
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return [value, start + i + 1];
  }
  return [Number.POSITIVE_INFINITY, start + 8];
}
