// VP8 (RFC 6386, 9.1), VP9 and AV1: whether a packet holds a hidden picture, and whether it is a random
// access point. Every picture counts as a reference: even one that refreshes no buffer may pass on its
// entropy contexts.
import { type CodedPicture, unknownPicture } from './picture.ts';

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
