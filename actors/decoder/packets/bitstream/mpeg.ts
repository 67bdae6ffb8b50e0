// MPEG-1/2 video (ISO/IEC 13818-2, 6.2.3) and MPEG-4 part 2 (ISO/IEC 14496-2, 6.2.5): B pictures are never
// references.
import { nextStartCode } from './nal.ts';
import { type CodedPicture, unknownPicture } from './picture.ts';

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
