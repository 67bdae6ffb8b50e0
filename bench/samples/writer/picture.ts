// The video track of a film: pictures are drawn as RGB bytes, converted to the encoder's pixel format and
// encoded.
import type { Rational as Ratio } from '../../../actors/decoder/contract.ts';
import {
  AV_CODEC_FLAG_FRAME_DURATION,
  AV_PIX_FMT_RGB24,
  AV_PKT_DATA_DISPLAYMATRIX,
  avGetPixFmtFromName,
  type FormatContext,
  Frame,
  type Packet,
  Rational,
  SoftwareScaleContext,
  SWS_BILINEAR,
} from '../../../actors/decoder/ffmpeg.ts';
import { encoderCodec, type FilmTrack, must, TrackEncoder, type WritePacket } from './track.ts';

export interface FilmPicture {
  /** Coded size in px. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly frameRate: Ratio;
  /**
   * FFmpeg's name: libx264, libx265, libvpx-vp9, prores_ks, mpeg2video, mpeg4, mjpeg. As root, libsvtav1
   * leaves the calling thread, and each process it starts, at real-time priority: run it in a process of its
   * own.
   */
  readonly encoder: string;
  /** FFmpeg's options: g, bf, crf, preset, flags, x264-params and the like. */
  readonly options?: Readonly<Record<string, string>>;
  /** FFmpeg's name; yuv420p when left out. */
  readonly pixelFormat?: string;
  /** Sample aspect ratio; 1/1 when left out. */
  readonly pixelAspect?: Ratio;
  /** Degrees clockwise by which a player rotates the picture; a multiple of 90. */
  readonly rotation?: number;
  /** PTS of the frames in ticks of `base` seconds, ascending; frame n at n / frameRate when left out. */
  readonly times?: { readonly base: Ratio; readonly ticks: readonly number[] };
  /**
   * Draws frame n into width×height×3 RGB bytes, *borrowed until it returns*, which contain the frame before.
   */
  draw(n: number, rgb: Uint8Array): void;
}

/**
 * Films of so few frames have none to reorder: each is decoded when it is shown. libx265 takes the decoding
 * times of its first packets from the third frame, and where there is none it leaves them uninitialised,
 * which no muxer takes.
 */
const mostInOrder = 2;

export class PictureTrack implements FilmTrack {
  readonly #picture: FilmPicture;
  readonly #path: string;
  readonly #encoder: TrackEncoder;
  readonly #scaler = new SoftwareScaleContext();
  readonly #frame = new Frame();
  readonly #rgb: Buffer;
  /** Duration of each frame by its PTS: encoders output packets in decoding order. */
  readonly #durations = new Map<bigint, bigint>();
  #next = 0;

  constructor(format: FormatContext, path: string, picture: FilmPicture) {
    this.#picture = picture;
    this.#path = path;
    const pixelFormat = avGetPixFmtFromName(picture.pixelFormat ?? 'yuv420p');
    const { width, height, frameRate, pixelAspect } = picture;
    const base = picture.times?.base ?? { num: frameRate.den, den: frameRate.num };
    const codec = encoderCodec(picture.encoder, path);
    this.#encoder = new TrackEncoder(format, path, codec, picture.options ?? {}, (context) => {
      context.width = width;
      context.height = height;
      context.pixelFormat = pixelFormat;
      context.timeBase = new Rational(base.num, base.den);
      context.framerate = new Rational(frameRate.num, frameRate.den);
      context.sampleAspectRatio = new Rational(pixelAspect?.num ?? 1, pixelAspect?.den ?? 1);
      context.setFlags(AV_CODEC_FLAG_FRAME_DURATION);
    });
    const { stream } = this.#encoder;
    stream.sampleAspectRatio = this.#encoder.context.sampleAspectRatio;
    if (steady(picture.times?.ticks ?? [])) stream.avgFrameRate = new Rational(frameRate.num, frameRate.den);
    if (picture.rotation) {
      stream.codecpar.addCodedSideData(AV_PKT_DATA_DISPLAYMATRIX, displayMatrix(picture.rotation));
    }
    this.#scaler.getContext(width, height, AV_PIX_FMT_RGB24, width, height, pixelFormat, SWS_BILINEAR);
    this.#frame.alloc();
    this.#rgb = Buffer.alloc(width * height * 3);
  }

  get seconds(): number {
    const { frames, times, frameRate } = this.#picture;
    if (this.#next > frames) return Infinity;
    const base = times?.base ?? { num: frameRate.den, den: frameRate.num };
    return (this.#tick(this.#next) * base.num) / base.den;
  }

  step(write: WritePacket): void {
    const n = this.#next++;
    const finish = (packet: Packet) => {
      packet.duration = this.#durations.get(packet.pts) ?? 1n;
      this.#durations.delete(packet.pts);
      if (this.#picture.frames <= mostInOrder) packet.dts = packet.pts;
    };
    if (n === this.#picture.frames) {
      this.#encoder.encode(null, write, finish);
      return;
    }
    this.#picture.draw(n, this.#rgb);
    const frame = this.#fill();
    frame.pts = BigInt(this.#tick(n));
    frame.duration = BigInt(this.#tick(n + 1) - this.#tick(n));
    this.#durations.set(frame.pts, frame.duration);
    this.#encoder.encode(frame, write, finish);
    frame.unref();
  }

  close(): void {
    this.#frame.free();
    this.#scaler.freeContext();
    this.#encoder.close();
  }

  /** PTS of frame n in ticks; past the end, extrapolated from the last two frames. */
  #tick(n: number): number {
    const ticks = this.#picture.times?.ticks;
    if (!ticks) return n;
    const knownTick = ticks[n];
    if (knownTick !== undefined) return knownTick;
    const last = ticks.at(-1) ?? 0;
    return last + (ticks.length > 1 ? last - ticks.at(-2)! : 1);
  }

  /** Converts the RGB bytes into a new buffer: the encoder may still hold the one before. */
  #fill(): Frame {
    const { width, height } = this.#picture;
    const frame = this.#frame;
    const { context } = this.#encoder;
    frame.width = width;
    frame.height = height;
    frame.format = context.pixelFormat;
    must(frame.getBuffer(), this.#path, 'making a picture');
    frame.sampleAspectRatio = context.sampleAspectRatio;
    frame.colorPrimaries = context.colorPrimaries;
    frame.colorTrc = context.colorTrc;
    frame.colorSpace = context.colorSpace;
    const rows = this.#scaler.scaleSync([this.#rgb], [width * 3], 0, height, frame.data!, frame.linesize);
    must(rows, this.#path, 'converting a picture');
    return frame;
  }
}

/** True when the ticks are equally spaced. */
export function steady(ticks: readonly number[]): boolean {
  return ticks.every((tick, n) => n < 2 || tick - ticks[n - 1]! === ticks[1]! - ticks[0]!);
}

/** FFmpeg's 3×3 display matrix, 16.16 fixed point, for a clockwise rotation. */
function displayMatrix(degrees: number): Buffer {
  const cos = Math.round(Math.cos((degrees * Math.PI) / 180)) * 65536;
  const sin = Math.round(Math.sin((degrees * Math.PI) / 180)) * 65536;
  return Buffer.from(new Int32Array([cos, sin, 0, -sin, cos, 0, 0, 0, 1 << 30]).buffer);
}
