// Decoded pictures of FFmpeg as RGB pixels of their own size. Owns its scaler.
import { AV_PIX_FMT_RGB24, type Frame } from '../../ffmpeg.ts';
import { Scaler } from '../../pixels/scaler.ts';
import type { Pixels } from './pixels.ts';

export class FramePixels {
  readonly #scaler = new Scaler(AV_PIX_FMT_RGB24, 'area');

  /** Errors: DECODE_FAILED, TOO_LARGE. */
  of(frame: Frame): Pixels {
    const { width, height } = frame;
    const rgb = this.#scaler.scale(frame, { width, height });
    const stride = rgb.linesize[0]!;
    const data = new Uint8Array(width * height * 3);
    for (let y = 0; y < height; y++)
      data.set(rgb.data![0]!.subarray(y * stride, y * stride + width * 3), y * width * 3);
    return { width, height, channels: 3, data };
  }

  close() {
    this.#scaler.close();
  }
}
