// Converts decoded sound to floats, 16 kHz unless said otherwise, with FFmpeg's resampler, one plane per
// channel. Owns its native object.
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
  /**
   * FFmpeg converts whole frames only when their channel layout is known; otherwise it is given their planes.
   */
  readonly #layoutKnown: boolean;
  readonly #path: string;
  #closed = false;

  /**
   * For sound in the format of a frame. `rows`: the mixing matrix, one row of input gains per output channel.
   * `rateOut`: Hz. Throws UNSUPPORTED_CODEC.
   */
  constructor(
    frame: Frame,
    rows: (layout: ChannelLayout) => readonly number[],
    path: string,
    rateOut: number = soundRate,
  ) {
    this.#path = path;
    this.rate = frame.sampleRate;
    const layout = frame.channelLayout;
    const format = frame.format as SampleFormat;
    const channels = layout.nbChannels;
    this.#format = format;
    this.#channels = channels;
    this.#layoutKnown = layout.order === 1;
    const matrix = rows(layout);
    const out = avChannelLayoutDefault(matrix.length / channels);
    let result = this.#native.allocSetOpts2(out, AV_SAMPLE_FMT_FLTP, rateOut, layout, format, this.rate);
    if (result >= 0 && channels > 1) result = this.#native.setMatrix([...matrix], channels);
    if (result >= 0) result = this.#native.init();
    if (result < 0) {
      this.close();
      const what = `${channels} channels of ${avGetSampleFmtName(format)} at ${this.rate} Hz`;
      throw mediaErrors.UNSUPPORTED_CODEC(`${path}: its sound cannot be resampled: ${what}`, { path });
    }
  }

  /**
   * Converts a frame, *borrowed*; `pull` returns the output. False for a frame of another format than the
   * first.
   */
  push(frame: Frame): boolean {
    if (this.#layoutKnown) return this.#native.convertFrame(null, frame) >= 0;
    if (frame.channels !== this.#channels || frame.format !== this.#format) return false;
    return this.#native.convertSync(null, 0, frame.extendedData, frame.nbSamples) >= 0;
  }

  /** Converts silence. Throws DECODE_FAILED. */
  pushSilence(samples: number) {
    this.#done(this.#native.injectSilence(samples));
  }

  /**
   * Fills planes with available output, at most `count` samples each, and returns how many. `last`: no input
   * follows, so the rest is flushed. Throws DECODE_FAILED.
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
