// Decides whether other pictures reference the picture in a packet, by the bitstream reader of its codec. A
// picture that no reader understands counts as a reference, so that a wrong guess costs time but never a
// picture.
import { h264Picture, ParameterSets } from './bitstream/h264.ts';
import { HevcReader } from './bitstream/hevc.ts';
import { nalFraming } from './bitstream/nal.ts';
import {
  av1Picture,
  type CodedPicture,
  mpeg2Picture,
  mpeg4Picture,
  unknownPicture,
  vp8Picture,
  vp9Picture,
} from './bitstream/picture.ts';

export interface PictureReader {
  /** Most pictures that can precede a picture in decoding order and follow it in presentation order. */
  readonly reorder: number;
  /** Reads one packet. `data` is *borrowed for the call*; `keyframe`: the container's flag. */
  read(data: () => Uint8Array, keyframe: boolean): CodedPicture;
}

/** The limit of H.264 and HEVC. Field pairs do not exceed it: a packet with one field is half a picture. */
const maxReorder = 16;
const intraPicture: CodedPicture = { reference: false, shown: true, entry: 'closed', skipped: false };

/** `codec`: FFmpeg's name. `intraOnly`: pictures of this codec never reference each other. */
export function pictureReader(
  codec: string,
  intraOnly: boolean,
  extradata: Uint8Array | null,
): PictureReader {
  if (intraOnly) return { reorder: 0, read: () => intraPicture };
  switch (codec) {
    case 'h264': {
      const framing = nalFraming(extradata, 4);
      const parameters = new ParameterSets();
      return { reorder: maxReorder, read: (data, key) => h264Picture(data(), framing, key, parameters) };
    }
    case 'hevc': {
      const reader = new HevcReader(nalFraming(extradata, 21), extradata);
      return { reorder: maxReorder, read: (data) => reader.picture(data()) };
    }
    case 'mpeg1video':
    case 'mpeg2video':
      return { reorder: maxReorder, read: (data, key) => mpeg2Picture(data(), key) };
    case 'mpeg4':
      return { reorder: maxReorder, read: (data, key) => mpeg4Picture(data(), key) };
    case 'vp8':
      return { reorder: 0, read: (data) => vp8Picture(data()) };
    case 'vp9':
      return { reorder: 0, read: (data, key) => vp9Picture(data(), key) };
    case 'av1':
      return { reorder: 0, read: (data, key) => av1Picture(data(), key) };
    default:
      return { reorder: maxReorder, read: () => unknownPicture };
  }
}
