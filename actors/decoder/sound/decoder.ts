// A decoder of one audio track: packets in, frames of samples out. Owns its native objects.

import { mediaErrors, soundRate } from '../contract.ts';
import {
  AV_SAMPLE_FMT_FLTP,
  AVERROR_EAGAIN,
  AVERROR_ENOMEM,
  AVERROR_EOF,
  avChannelLayoutDefault,
  avGetCodecName,
  avGetSampleFmtName,
  type CodecContext,
  Frame,
  mediaError,
  type Packet,
  SoftwareResampleContext,
  type Stream,
} from '../ffmpeg.ts';
import { openCodecContext } from '../source/stream.ts';

export class SoundDecoder {
  readonly #context: CodecContext;
  readonly #path: string;
  readonly #frame = new Frame();
  /** True for codecs that store floats as they are, so that samples may be NaN or infinite. */
  readonly #rawFloats: boolean;
  #closed = false;

  private constructor(context: CodecContext, path: string, codec: string) {
    this.#context = context;
    this.#path = path;
    this.#rawFloats = /^pcm_f|^wavpack/.test(codec);
    this.#frame.alloc();
  }

  /** Throws UNSUPPORTED_CODEC. */
  static open(stream: Stream, path: string): SoundDecoder {
    const name = avGetCodecName(stream.codecpar.codecId) ?? 'unknown';
    const context = openCodecContext({ stream, path, codec: name, what: 'sound' });
    return new SoundDecoder(context, path, name);
  }

  /** Sends a packet, *borrowed*, or null at the end. False for a packet that cannot be decoded. */
  send(packet: Packet | null): boolean {
    const result = this.#context.sendPacketSync(packet);
    if (result === AVERROR_ENOMEM) throw mediaError(result, this.#path, 'decoding');
    return result >= 0;
  }

  /**
   * The next frame, *borrowed until the next call*; null when another packet is needed, `broken` for a frame
   * that cannot be decoded.
   */
  receive(): Frame | 'broken' | null {
    const result = this.#context.receiveFrameSync(this.#frame);
    if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return null;
    if (result === AVERROR_ENOMEM) throw mediaError(result, this.#path, 'decoding');
    if (result < 0) return 'broken';
    if (this.#rawFloats) zeroNonFinite(this.#frame);
    return this.#frame;
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#frame.free();
    this.#context.freeContext();
  }
}

// Operations on decoded samples: NaN and infinity become 0, values are clamped to full scale, the start of a
// frame is cut.

/** Bytes per sample, by the name of the format without the `p` of planar ones. */
const widths: Readonly<Record<string, number>> = { u8: 1, s16: 2, s32: 4, flt: 4, s64: 8, dbl: 8 };

function planesOf(frame: Frame): { name: string; stride: number; planes: readonly Buffer[] } {
  const format = avGetSampleFmtName(frame.format as Parameters<typeof avGetSampleFmtName>[0]) ?? '';
  const planar = format.endsWith('p');
  const name = planar ? format.slice(0, -1) : format;
  const stride = (widths[name] ?? 0) * (planar ? 1 : frame.channels);
  return { name, stride, planes: frame.extendedData ?? [] };
}

/** Sets NaN and infinite samples of float frames to 0, in place. */
function zeroNonFinite(frame: Frame) {
  const { name, stride, planes } = planesOf(frame);
  if (name !== 'flt' && name !== 'dbl') return;
  for (const { buffer, byteOffset } of planes) {
    const samples =
      name === 'flt'
        ? new Float32Array(buffer, byteOffset, (frame.nbSamples * stride) / 4)
        : new Float64Array(buffer, byteOffset, (frame.nbSamples * stride) / 8);
    for (let i = 0; i < samples.length; i++) {
      const value = samples[i]!;
      // NaN for NaN and infinity, else 0; faster than Number.isFinite.
      if (value - value !== 0) samples[i] = 0;
    }
  }
}

/**
 * Answers how loud the loudest sample of [from, to) is over all channels, in parts of full scale. NaN counts
 * as silence. *Borrowed*: as long as the frame is.
 */
export function loudestIn(frame: Frame): (from: number, to: number) => number {
  const { name, stride, planes } = planesOf(frame);
  const width = widths[name] ?? 1;
  const wide = stride / width;
  const views = planes.map(({ buffer, byteOffset }) =>
    viewOf(name, buffer as ArrayBuffer, byteOffset, frame.nbSamples * wide),
  );
  return (from, to) => {
    let most = 0;
    for (const view of views) most = Math.max(most, loudest(view, from * wide, to * wide));
    return most;
  };
}

interface View {
  readonly samples: Uint8Array | Int16Array | Int32Array | Float32Array | Float64Array;
  /** Sample values of silence, and of full scale above it. */
  readonly zero: number;
  readonly full: number;
  /** Numbers of a sample, of which the last one counts. */
  readonly step: number;
}

function viewOf(name: string, buffer: ArrayBuffer, at: number, count: number): View {
  const defaults = { zero: 0, full: 1, step: 1 };
  if (name === 'flt') return { ...defaults, samples: new Float32Array(buffer, at, count) };
  if (name === 'dbl') return { ...defaults, samples: new Float64Array(buffer, at, count) };
  if (name === 's16') return { ...defaults, full: 2 ** 15, samples: new Int16Array(buffer, at, count) };
  if (name === 's32') return { ...defaults, full: 2 ** 31, samples: new Int32Array(buffer, at, count) };
  // The upper half is precise enough.
  if (name === 's64')
    return { ...defaults, full: 2 ** 31, step: 2, samples: new Int32Array(buffer, at, 2 * count) };
  return { ...defaults, zero: 128, full: 128, samples: new Uint8Array(buffer, at, count) };
}

function loudest({ samples, zero, full, step }: View, from: number, to: number): number {
  let most = 0;
  for (let i = from * step + step - 1; i < to * step; i += step) {
    const value = Math.abs(samples[i]! - zero);
    if (value > most) most = value;
  }
  return Math.min(1, most / full);
}

/** Removes the first `count` samples of a frame, in place; at least one must remain. */
export function cutFront(frame: Frame, count: number) {
  frame.makeWritable();
  const { stride, planes } = planesOf(frame);
  for (const plane of planes) plane.copyWithin(0, count * stride, frame.nbSamples * stride);
  frame.nbSamples -= count;
}

/** Copies samples, clamped to -1 to 1; NaN and infinity become 0. */
export function copyClamped(from: Float32Array, to: Float32Array) {
  for (let i = 0; i < from.length; i++) {
    const value = from[i]!;
    to[i] = value - value === 0 ? Math.min(1, Math.max(-1, value)) : 0;
  }
}

// Converts decoded sound to floats, 16 kHz unless said otherwise, with FFmpeg's resampler, one plane per
// channel. Owns its native object.

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
