// Whether a decoder had to guess a picture.
import { AV_FRAME_FLAG_CORRUPT, type Frame } from '../../ffmpeg.ts';

export const isDamaged = (frame: Frame) =>
  frame.decodeErrorFlags !== 0 || frame.hasFlags(AV_FRAME_FLAG_CORRUPT);
