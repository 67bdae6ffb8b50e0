// May this packet be left out? Chooses the reader of coded pictures for a codec. What no reader understands counts as a
// reference that is needed, so that a wrong guess costs time and never a picture.
import { h264Picture } from './bitstream/h264.ts';
import { HevcReader } from './bitstream/hevc.ts';
import { mpeg2Picture, mpeg4Picture } from './bitstream/mpeg.ts';
import { nalFraming } from './bitstream/nal.ts';
import { type CodedPicture, unknownPicture } from './bitstream/picture.ts';
import { av1Picture, vp8Picture, vp9Picture } from './bitstream/vpx.ts';

export interface PictureReader {
  /** Most pictures that can precede a picture in the file and follow it on the screen. */
  readonly reorder: number;
  /** Reads one packet. `data` is *borrowed for the call*; `keyframe` is what the container says. */
  read(data: () => Uint8Array, keyframe: boolean): CodedPicture;
}

/** H.264 and HEVC allow 16; a packet of one field counts half a picture, which pairs of fields never exceed. */
const deepest = 16;
const intraPicture: CodedPicture = { reference: false, shown: true, entry: 'closed', skipped: false };

/** `codec` is FFmpeg's name; `intraOnly` says that its pictures never depend on each other. */
export function pictureReader(
  codec: string,
  intraOnly: boolean,
  extradata: Uint8Array | null,
): PictureReader {
  if (intraOnly) return { reorder: 0, read: () => intraPicture };
  switch (codec) {
    case 'h264': {
      const framing = nalFraming(extradata, 4);
      return { reorder: deepest, read: (data, key) => h264Picture(data(), framing, key) };
    }
    case 'hevc': {
      const reader = new HevcReader(nalFraming(extradata, 21), extradata);
      return { reorder: deepest, read: (data) => reader.picture(data()) };
    }
    case 'mpeg1video':
    case 'mpeg2video':
      return { reorder: deepest, read: (data, key) => mpeg2Picture(data(), key) };
    case 'mpeg4':
      return { reorder: deepest, read: (data, key) => mpeg4Picture(data(), key) };
    case 'vp8':
      return { reorder: 0, read: (data) => vp8Picture(data()) };
    case 'vp9':
      return { reorder: 0, read: (data, key) => vp9Picture(data(), key) };
    case 'av1':
      return { reorder: 0, read: (data, key) => av1Picture(data(), key) };
    default:
      return { reorder: deepest, read: () => unknownPicture };
  }
}
