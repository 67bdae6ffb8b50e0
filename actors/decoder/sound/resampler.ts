// Brings decoded sound to 16 kHz floats with FFmpeg's resampler, one plane a channel. Owns its native object.
import { mediaErrors, soundRate } from '../contract.ts';
import {
  AV_SAMPLE_FMT_FLTP,
  avChannelLayoutDefault,
  avGetSampleFmtName,
  type Frame,
  SoftwareResampleContext,
} from '../ffmpeg.ts';

type SampleFormat = Parameters<typeof avGetSampleFmtName>[0];
export type ChannelLayout = Frame['channelLayout'];
const nothing = [Buffer.alloc(0)];

export class Resampler {
  readonly #native = new SoftwareResampleContext();
  readonly rate: number;
  readonly #channels: number;
  readonly #format: SampleFormat;
  /** FFmpeg takes frames only when it knows what their channels are; otherwise their bytes. */
  readonly #named: boolean;
  readonly #path: string;
  #closed = false;

  /**
   * For sound like that of a frame. `rows`: for each channel that comes out the level of each that goes in, row by row.
   * Throws UNSUPPORTED_CODEC.
   */
  constructor(frame: Frame, rows: (layout: ChannelLayout) => readonly number[], path: string) {
    this.#path = path;
    this.rate = frame.sampleRate;
    const layout = frame.channelLayout;
    const format = frame.format as SampleFormat;
    const wide = layout.nbChannels;
    this.#format = format;
    this.#channels = wide;
    this.#named = layout.order === 1;
    const levels = rows(layout);
    const out = avChannelLayoutDefault(levels.length / wide);
    let result = this.#native.allocSetOpts2(out, AV_SAMPLE_FMT_FLTP, soundRate, layout, format, this.rate);
    if (result >= 0 && wide > 1) result = this.#native.setMatrix([...levels], wide);
    if (result >= 0) result = this.#native.init();
    if (result < 0) {
      this.close();
      const what = `${wide} channels of ${avGetSampleFmtName(format)} at ${this.rate} Hz`;
      throw mediaErrors.UNSUPPORTED_CODEC(`${path}: its sound cannot be resampled: ${what}`, { path });
    }
  }

  /** Takes a frame, *borrowed*; what comes of it waits for `pull`. False for a frame unlike the first. */
  push(frame: Frame): boolean {
    if (this.#named) return this.#native.convertFrame(null, frame) >= 0;
    if (frame.channels !== this.#channels || frame.format !== this.#format) return false;
    return this.#native.convertSync(null, 0, frame.extendedData, frame.nbSamples) >= 0;
  }

  /** Takes zeros. Throws DECODE_FAILED. */
  pushSilence(samples: number) {
    this.#done(this.#native.injectSilence(samples));
  }

  /**
   * Fills planes with what is ready, at most `count` samples each, and answers how many. `last`: nothing follows. Throws
   * DECODE_FAILED.
   */
  pull(planes: Buffer[], count: number, last: boolean): number {
    return this.#done(this.#native.convertSync(planes, count, last ? null : nothing, 0));
  }

  #done(result: number): number {
    if (result >= 0) return result;
    const path = this.#path;
    throw mediaErrors.DECODE_FAILED(`${path}: its sound cannot be resampled (${result})`, { path });
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#native.free();
  }
}
