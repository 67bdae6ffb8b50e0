// A decoded picture of FFmpeg as RGB pixels of its own size.
import { AV_PIX_FMT_RGB24, type Frame } from '../../ffmpeg.ts';
import { Scaler } from '../../pixels/scaler.ts';
import type { Pixels } from './pixels.ts';

/** Errors: DECODE_FAILED, TOO_LARGE. */
export function framePixels(frame: Frame): Pixels {
  const { width, height } = frame;
  const scaler = new Scaler(AV_PIX_FMT_RGB24, 'area');
  try {
    const rgb = scaler.scale(frame, { width, height });
    const stride = rgb.linesize[0]!;
    const data = new Uint8Array(width * height * 3);
    for (let y = 0; y < height; y++)
      data.set(rgb.data![0]!.subarray(y * stride, y * stride + width * 3), y * width * 3);
    return { width, height, channels: 3, data };
  } finally {
    scaler.close();
  }
}
