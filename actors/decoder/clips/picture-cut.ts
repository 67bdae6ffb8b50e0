// The pictures of a precise clip: decoded, chosen and encoded as H.264 at their own times.

import type { Rational } from '../contract.ts';
import { AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_NONE, type Frame, ticks } from '../ffmpeg.ts';
import type { StreamHead } from '../packets/head.ts';
import type { PacketTurn } from '../source/packet-checkpoint.ts';
import type { OpenOptions, Source } from '../source/source.ts';
import { frameStep, pictureRate } from '../source/stream.ts';
import type { ClipFile } from './clip-file.ts';
import { clipErrors } from './contract.ts';
import { type DecodedPicture, decodedPictures } from './decoded-pictures.ts';
import type { EncoderOpener } from './encoders/machine.ts';
import { type ClipFrame, ClipFrameRange, frameRangeOf } from './frame-range.ts';
import { type PictureEncoder, PictureFitter, pictureShape } from './picture-encoder.ts';

export interface CutOptions {
  readonly source: Source;
  readonly head: StreamHead;
  readonly start: number;
  readonly end: number;
  readonly turn: PacketTurn;
}

export interface PictureCutOptions extends CutOptions {
  readonly openEncoder: EncoderOpener;
  /** Seconds between keyframes at most, as far as there are pictures; as the encoder likes when left out. */
  readonly keyEvery?: number;
}

export class PictureCut {
  readonly #options: PictureCutOptions;
  readonly #pictures: AsyncGenerator<DecodedPicture>;
  readonly #range: ClipFrameRange<Frame>;
  readonly #times: FrameTimes;
  /** Ticks of the picture that file time 0 shows. */
  readonly #zero: number;
  /** Ticks that the last decoded picture says it is shown. */
  #length = 0;
  #next: ClipFrame<Frame> | null = null;
  #encoder: PictureEncoder | null = null;
  /** The encoder of a device that could not be opened. */
  failedEncoder: string | null = null;
  #fitter: PictureFitter | null = null;
  /** Ticks that a picture is shown, by its time: packets come in another order. */
  readonly #lengths = new Map<bigint, bigint>();
  /** Time of the latest picture that was encoded, in ticks of the clip. */
  #latest = -1;
  /** Seconds of the latest keyframe that was asked for. */
  #key = 0;
  #done = false;
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
    this.#range = new ClipFrameRange(range, (frame) => frame.free());
  }

  /** Decodes up to the first picture, and opens the encoder. Throws CLIP_OUTSIDE, CLIP_UNWRITABLE. */
  async open(file: ClipFile) {
    this.#next = await this.#decode();
    if (!this.#next) {
      const { path } = this.#options.source;
      throw clipErrors.CLIP_OUTSIDE(`${path}: has no picture at ${this.#options.start} s`, { path });
    }
    const { source, head, openEncoder } = this.#options;
    const shape = pictureShape(source, head.video, this.#times.base, this.#next.picture);
    const { encoder, failed } = await openEncoder(file, shape, head.video);
    this.#encoder = encoder;
    this.failedEncoder = failed;
    this.#fitter = new PictureFitter(encoder.input);
  }

  /** FFmpeg's name of what encodes; known once it is open. */
  get encoder(): string {
    return this.#encoder!.name;
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

  async step() {
    const next = this.#next;
    if (!next) {
      await this.#encoder!.encode(null, (packet) => this.#finish(packet));
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
    frame.pictType = this.#isKey(at) ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    this.#lengths.set(pts, length);
    try {
      await this.#encoder!.encode(frame, (packet) => this.#finish(packet));
      this.frames++;
    } finally {
      this.#next = null;
      next.picture.free();
    }
    this.#next = await this.#decode();
    if (!this.#next) await this.step();
  }

  /** Throws EncoderFailure where the encoder of a device wrote something else than it was given. */
  async check(path: string, turn: OpenOptions['turn']) {
    await this.#encoder!.check?.(path, turn);
  }

  async close() {
    this.#next?.picture.free();
    this.#next = null;
    await this.#pictures.return(undefined);
    this.#range.close();
    this.#encoder?.close();
    this.#fitter?.close();
  }

  /** Encoders count pictures between keyframes, and not seconds. `at`: ticks of the clip. */
  #isKey(at: number): boolean {
    const { keyEvery } = this.#options;
    const seconds = at * this.#perTick;
    if (keyEvery === undefined || seconds - this.#key < keyEvery * 0.9) return false;
    this.#key = seconds;
    return true;
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

// The times of the pictures of a clip. Matroska writes whole milliseconds and transport streams whole 1/90000
// s: a film of an even rate would come out as one of uneven rate.

/** Finer clocks are not made: players of mp4 multiply them by the length of a film. */
const finest = 1_000_000;

export interface FrameTimes {
  /** Seconds per tick of the clip. */
  readonly base: Rational;
  /**
   * Ticks of the clip for ticks of the source from the start of the clip on. Never falls where those rise.
   */
  of(at: number): number;
}

/**
 * Times in a clock that has both those of the source, in `base`, and those of an even `rate`. One that lies
 * within a tick of the source from where the rate has it was rounded, and is there again.
 */
export function frameTimes(base: Rational, rate: Rational | null): FrameTimes {
  const asIs = { base, of: (at: number) => at };
  const isWhole = !rate || (rate.den * base.den) % (rate.num * base.num) === 0;
  if (isWhole || base.num !== 1) return asIs;
  const perSecond = leastCommonMultiple(base.den, rate.num);
  if (perSecond > finest) return asIs;
  const tick = perSecond / base.den;
  const step = (perSecond / rate.num) * rate.den;
  const of = (at: number) => {
    const exact = at * tick;
    const even = Math.round(exact / step) * step;
    return Math.abs(even - exact) <= tick ? even : exact;
  };
  return { base: { num: 1, den: perSecond }, of };
}

function leastCommonMultiple(a: number, b: number): number {
  let [common, remainder] = [a, b];
  while (remainder > 0) [common, remainder] = [remainder, common % remainder];
  return (a / common) * b;
}
