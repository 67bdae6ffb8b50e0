// The pictures of a precise clip: decoded, chosen and encoded as H.264 at their own times.
import {
  AV_CODEC_FLAG_INTERLACED_DCT,
  AV_FRAME_FLAG_INTERLACED,
  AV_FRAME_FLAG_TOP_FIELD_FIRST,
  AV_PICTURE_TYPE_NONE,
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
  avGetPixFmtFromName,
  avGetPixFmtName,
  type CodecContext,
  type Frame,
  Rational,
} from '../ffmpeg.ts';
import type { Head } from '../packets/head.ts';
import type { PacketTurn } from '../source/packet-checkpoint.ts';
import type { Source } from '../source/source.ts';
import { codedSize, frameStep, pictureRate } from '../source/stream.ts';
import { ticks } from '../source/ticks.ts';
import type { ClipFile, TimeBase } from './clip-file.ts';
import { clipErrors } from './contract.ts';
import { type DecodedPicture, decodedPictures } from './decoded-pictures.ts';
import { Encoder } from './encoder.ts';
import { pictureFormatOf } from './formats.ts';
import { type ClipFrame, FrameRange, frameRangeOf } from './frame-range.ts';
import { type FrameTimes, frameTimes } from './frame-times.ts';
import { encodedColours, PictureFitter } from './picture-fitter.ts';

/** Constant quality that nobody tells from the source (x264 calls 17 or 18 visually lossless). */
export const quality = { preset: 'fast', crf: '17' };
/** Seconds between keyframes: an editor that winds back decodes so much at most. */
export const keyframeSeconds = 1;
/** Pictures above this size are looked ahead at less, so that fewer of them lie in memory. */
const largePixels = 4_000_000;
const sideData = [
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
];

type PixelFormat = ReturnType<typeof avGetPixFmtFromName>;

export interface PictureCutOptions {
  readonly source: Source;
  readonly head: Head;
  readonly start: number;
  readonly end: number;
  readonly turn: PacketTurn;
}

export class PictureCut {
  readonly #options: PictureCutOptions;
  readonly #pictures: AsyncGenerator<DecodedPicture>;
  readonly #range: FrameRange<Frame>;
  readonly #times: FrameTimes;
  /** Ticks of the picture that file time 0 shows. */
  readonly #zero: number;
  /** Ticks that the last decoded picture says it is shown. */
  #length = 0;
  #next: ClipFrame<Frame> | null = null;
  #encoder: Encoder | null = null;
  #fitter: PictureFitter | null = null;
  /** Ticks that a picture is shown, by its time: packets come in another order. */
  readonly #lengths = new Map<bigint, bigint>();
  /** Time of the latest picture that was encoded, in ticks of the clip. */
  #latest = -1;
  #done = false;
  /** Pictures encoded so far. */
  frames = 0;

  constructor(options: PictureCutOptions) {
    this.#options = options;
    const { source, head, start, end, turn } = options;
    const { timeBase } = head.video;
    const zero = head.start ?? 0;
    this.#zero = zero;
    this.#times = frameTimes(timeBase, pictureRate(source));
    this.#pictures = decodedPictures({ source, head, seconds: start, turn });
    const range = frameRangeOf(timeBase, { zero, start, end, step: frameStep(source) });
    this.#range = new FrameRange(range, (frame) => frame.free());
  }

  /** Decodes up to the first picture, and opens the encoder. Throws CLIP_OUTSIDE, CLIP_UNWRITABLE. */
  async open(file: ClipFile) {
    this.#next = await this.#decode();
    if (!this.#next) {
      const { path } = this.#options.source;
      throw clipErrors.CLIP_OUTSIDE(`${path}: has no picture at ${this.#options.start} s`, { path });
    }
    this.#encoder = openEncoder(file, this.#options, this.#times.base, this.#next.picture);
    this.#fitter = new PictureFitter(this.#encoder.context);
  }

  /** Where the clip starts, in seconds of the clock of the streams; known once it is open. */
  get origin(): number {
    return this.#seconds(this.#range.origin!);
  }

  /** Seconds of the clip up to which its pictures are known. */
  get position(): number {
    if (this.#done) return Number.POSITIVE_INFINITY;
    return this.#shown(this.#next!.at) * this.#perTick;
  }

  /** Seconds of the clip at its end; null while it is not known. */
  get length(): number | null {
    const { ending, origin } = this.#range;
    return ending === null || origin === null ? null : this.#shown(ending) * this.#perTick;
  }

  /** In seconds of the source; known at the end. */
  get span(): { start: number; end: number } {
    const { origin, ending } = this.#range;
    return { start: this.#seconds(origin! - this.#zero), end: this.#seconds(ending! - this.#zero) };
  }

  /** Encodes the next picture. */
  async step() {
    const next = this.#next;
    if (!next) {
      this.#encoder!.encode(null, (packet) => this.#finish(packet));
      this.#done = true;
      return;
    }
    const frame = this.#fitter!.fit(next.picture);
    // Two pictures that lie within a rounding of each other must not come at the same time.
    const at = Math.max(this.#shown(next.at), this.#latest + 1);
    this.#latest = at;
    const pts = BigInt(at);
    const length = BigInt(Math.max(1, this.#shown(next.until) - at));
    frame.pts = pts;
    frame.duration = length;
    // The type the source had would be forced on the encoder.
    frame.pictType = AV_PICTURE_TYPE_NONE;
    this.#lengths.set(pts, length);
    try {
      this.#encoder!.encode(frame, (packet) => this.#finish(packet));
      this.frames++;
    } finally {
      this.#next = null;
      next.picture.free();
    }
    this.#next = await this.#decode();
    if (!this.#next) await this.step();
  }

  async close() {
    this.#next?.picture.free();
    this.#next = null;
    await this.#pictures.return(undefined);
    this.#range.close();
    this.#encoder?.close();
    this.#fitter?.close();
  }

  /** In ticks of the clip. */
  #shown(at: number): number {
    return Math.round(this.#times.of(at - this.#range.origin!));
  }

  get #perTick(): number {
    const { num, den } = this.#times.base;
    return num / den;
  }

  #seconds(at: number): number {
    const { num, den } = this.#options.head.video.timeBase;
    return (at * num) / den;
  }

  #finish(packet: { pts: bigint; duration: bigint }) {
    packet.duration = this.#lengths.get(packet.pts) ?? 1n;
    this.#lengths.delete(packet.pts);
  }

  async #decode(): Promise<ClipFrame<Frame> | null> {
    while (this.#range.ending === null) {
      const { value, done } = await this.#pictures.next();
      if (done) return this.#range.finish(this.#length || frameStep(this.#options.source));
      this.#length = ticks(value.frame.duration) ?? 0;
      const frame = this.#range.push(value.frame, value.at);
      if (frame) return frame;
    }
    return null;
  }
}

function openEncoder(
  file: ClipFile,
  { source, head: { video } }: PictureCutOptions,
  base: TimeBase,
  first: Frame,
): Encoder {
  const { pixelAspect } = codedSize(video);
  const rate = pictureRate(source);
  const { width, height } = first;
  const name = avGetPixFmtName(first.format as PixelFormat) ?? '';
  const format = avGetPixFmtFromName(pictureFormatOf(name, first) as never);
  const perSecond = rate ? rate.num / rate.den : 25;
  const isInterlaced = first.hasFlags(AV_FRAME_FLAG_INTERLACED) && height % 4 === 0;
  const options = {
    ...quality,
    // Told with the first picture only, it comes too late for that one, which is the one that players believe.
    ...(isInterlaced && { 'x264-params': first.hasFlags(AV_FRAME_FLAG_TOP_FIELD_FIRST) ? 'tff=1' : 'bff=1' }),
    g: String(Math.max(1, Math.round(perSecond * keyframeSeconds))),
    ...(width * height > largePixels ? { 'rc-lookahead': '15' } : {}),
  };
  const encoder = new Encoder(file, {
    name: 'libx264',
    options,
    prepare: (context) => {
      context.width = width;
      context.height = height;
      context.pixelFormat = format;
      context.timeBase = new Rational(base.num, base.den);
      if (rate) context.framerate = new Rational(rate.num, rate.den);
      context.sampleAspectRatio = new Rational(pixelAspect.num, pixelAspect.den);
      // As many threads as x264 finds good for this machine.
      context.threadCount = 0;
      if (isInterlaced) context.setFlags(AV_CODEC_FLAG_INTERLACED_DCT);
      colours(context, first);
    },
  });
  const { stream } = encoder;
  stream.sampleAspectRatio = encoder.context.sampleAspectRatio;
  if (rate) stream.avgFrameRate = new Rational(rate.num, rate.den);
  for (const type of sideData) {
    const data = video.codecpar.getCodedSideData(type);
    if (data) stream.codecpar.addCodedSideData(type, Buffer.from(data));
  }
  return encoder;
}

export function colours(context: CodecContext, first: Frame) {
  context.colorPrimaries = first.colorPrimaries;
  context.colorTrc = first.colorTrc;
  context.chromaLocation = first.chromaLocation;
  Object.assign(context, encodedColours(first));
}
