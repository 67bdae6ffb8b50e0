// An encoder of a device: pictures in, packets into the file of a clip. Every call has a time limit, every
// packet is checked (each picture comes back once, at its own time), and the first pictures of the finished
// file are decoded and compared. Owns its native objects.
import type { Clock } from '../../../../runtime/clock.ts';
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PIX_FMT_RGB24,
  AVCOL_RANGE_JPEG,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVFMT_GLOBALHEADER,
  avGetPixFmtFromName,
  Codec,
  CodecContext,
  FFmpegError,
  Frame,
  HardwareDeviceContext,
  HardwareFramesContext,
  Packet,
  type Stream,
} from '../../ffmpeg.ts';
import { readHead } from '../../packets/head.ts';
import { Scaler } from '../../pixels/scaler.ts';
import { type OpenOptions, openSource, type Source } from '../../source/source.ts';
import type { ClipFile } from '../clip-file.ts';
import { decodedPictures } from '../decoded-pictures.ts';
import {
  describePictures,
  type EncodedShape,
  type EncoderInput,
  type FinishPacket,
  keyframeDistance,
  type PictureEncoder,
} from '../picture-encoder.ts';

type CodecName = Parameters<typeof Codec.findEncoderByName>[0];

/** One encoder on one device. Plain data. */
export interface EncoderCandidate {
  readonly name: string;
  /** FFmpeg's name. */
  readonly codec: string;
  /** Device file; null where the driver finds the device. */
  readonly path: string | null;
  /** Pictures are copied to a device of that kind first; null where it takes them from memory. */
  readonly upload: 'vaapi' | null;
  readonly options: Readonly<Record<string, string>>;
}

/** The encoder of a device failed: the clip is then made without it. Does not leave the decoder. */
export class EncoderFailure extends Error {
  readonly encoder: string;
  /** It gave no sign of life within its limit. */
  readonly isHung: boolean;

  constructor(encoder: string, what: string, isHung = false) {
    super(`${encoder}: ${what}`);
    this.name = 'EncoderFailure';
    this.encoder = encoder;
    this.isHung = isHung;
  }
}

export interface DeviceEncoderOptions {
  readonly clock: Clock;
  /** Ms that one call may take; opening a device is one. */
  readonly limitMs: number;
  newContext(candidate: EncoderCandidate): CodecContext;
}

/** Opening a device of a machine that has many takes seconds. */
export const defaultLimitMs = 20_000;
/** A context of FFmpeg itself. */
export const newContext = () => new CodecContext();
/** Objects that native code may still use. They can never be freed, not even by the garbage collector. */
const abandoned: unknown[] = [];
/** Size at which pictures are compared, px, and the levels of 255 by which they may differ. */
const compared = { width: 32, height: 18, difference: 12 };
/** Pictures of a finished file that are decoded and compared. */
const mostCompared = 16;

export class DeviceEncoder implements PictureEncoder {
  readonly name: string;
  readonly input: EncoderInput;
  readonly #file: ClipFile;
  readonly #options: DeviceEncoderOptions;
  readonly #context: CodecContext;
  readonly #packet = new Packet();
  #upload: PictureUpload | null = null;
  #stream: Stream | null = null;
  /** Times of pictures that no packet has come for. */
  readonly #pending = new Set<bigint>();
  #isAbandoned = false;
  readonly #scaler = new Scaler(AV_PIX_FMT_RGB24, 'area');
  /** The first pictures as they were given, small. */
  readonly #given: Uint8Array[] = [];

  private constructor(
    file: ClipFile,
    candidate: EncoderCandidate,
    { width, height }: EncodedShape,
    options: DeviceEncoderOptions,
  ) {
    this.name = candidate.name;
    this.#file = file;
    this.#options = options;
    this.#context = options.newContext(candidate);
    this.#packet.alloc();
    this.input = { width, height, pixelFormat: avGetPixFmtFromName('nv12' as never) };
  }

  /** The caller closes it. Throws EncoderFailure, and then no stream is in the file. */
  static async open(
    file: ClipFile,
    candidate: EncoderCandidate,
    shape: EncodedShape,
    options: DeviceEncoderOptions,
  ): Promise<DeviceEncoder> {
    const encoder = new DeviceEncoder(file, candidate, shape, options);
    try {
      await encoder.#open(candidate, shape);
      return encoder;
    } catch (error) {
      encoder.close();
      throw error;
    }
  }

  get stream(): Stream {
    return this.#stream!;
  }

  /** Throws EncoderFailure for what the device does, CLIP_UNWRITABLE for the file. */
  async encode(frame: Frame | null, finish?: FinishPacket) {
    if (frame) {
      if (this.#given.length < mostCompared) this.#given.push(small(this.#scaler, frame));
      await this.#send(frame);
    } else this.#must(await this.#limited(this.#context.sendFrame(null)), 'ending');
    while (await this.#receive(finish));
    if (!frame && this.#pending.size > 0) throw this.#failure(`left out ${this.#pending.size} pictures`);
  }

  async check(path: string, turn: OpenOptions['turn']) {
    const source = await openSource(path, { turn, pictures: mostCompared });
    try {
      await this.#compare(source, turn);
    } catch (error) {
      turn.throwIfCancelled();
      throw error instanceof EncoderFailure ? error : this.#failure(`wrote what cannot be read: ${error}`);
    } finally {
      source.close();
    }
  }

  async #compare(source: Source, turn: OpenOptions['turn']) {
    const expected = `${this.input.width}x${this.input.height}`;
    const scaler = new Scaler(AV_PIX_FMT_RGB24, 'area');
    let n = 0;
    try {
      const head = await readHead(source, turn);
      for await (const { frame } of decodedPictures({ source, head, seconds: 0, turn })) {
        const [size, rgb] = [`${frame.width}x${frame.height}`, small(scaler, frame)];
        frame.free();
        if (size !== expected) throw this.#failure(`makes pictures of ${size}, not ${expected}`);
        if (!isLike(rgb, this.#given[n]!)) throw this.#failure(`changes picture ${n}`);
        if (++n === this.#given.length) return;
      }
    } finally {
      scaler.close();
    }
    throw this.#failure(`only ${n} of its pictures can be decoded`);
  }

  close() {
    this.#scaler.close();
    if (this.#isAbandoned) return;
    this.#packet.free();
    this.#context.freeContext();
    this.#upload?.close();
  }

  async #open({ codec: name, options, upload, path }: EncoderCandidate, shape: EncodedShape) {
    const codec = Codec.findEncoderByName(name as CodecName);
    if (!codec) throw this.#failure('is not in this FFmpeg');
    const context = this.#context;
    context.allocContext3(codec);
    if (this.#file.format.oformat?.hasFlags(AVFMT_GLOBALHEADER))
      context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
    describePictures(context, shape);
    context.pixelFormat = this.input.pixelFormat;
    // These formats do not say it by themselves, as `yuvj420p` does.
    if (shape.format === 'yuvj420p') context.colorRange = AVCOL_RANGE_JPEG;
    if (upload) {
      this.#upload = new PictureUpload();
      this.#must(this.#upload.open(context, this.input, upload, path), 'opening the device');
    }
    for (const [key, value] of Object.entries({ ...options, g: String(keyframeDistance(shape)) }))
      this.#must(context.setOption(key, value), `setting ${key}=${value}`);
    this.#must(await this.#limited(context.open2(codec, null)), 'opening');
    this.#stream = this.#file.encodedStream(context);
  }

  async #send(frame: Frame) {
    // References of its own: an encoder may hold the picture after the call.
    const reference = frame.clone();
    if (!reference) throw this.#failure('no memory for a picture');
    const sent = this.#upload ? new Frame() : reference;
    try {
      if (this.#upload) {
        sent.alloc();
        this.#must(
          await this.#limited(this.#upload.fill(sent, reference)),
          'copying a picture to the device',
        );
      }
      this.#must(await this.#limited(this.#context.sendFrame(sent)), 'encoding');
    } finally {
      if (this.#isAbandoned) abandoned.push(sent, reference);
      else for (const picture of new Set([sent, reference])) picture.free();
    }
    this.#pending.add(frame.pts);
  }

  /** False when no packet is ready. */
  async #receive(finish?: FinishPacket): Promise<boolean> {
    const packet = this.#packet;
    const result = await this.#limited(this.#context.receivePacket(packet));
    if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return false;
    this.#must(result, 'encoding');
    if (!this.#pending.delete(packet.pts))
      throw this.#failure(`answers a picture for ${packet.pts}, which it was not given`);
    finish?.(packet);
    this.#file.write(packet, this.stream, this.#context.timeBase);
    return true;
  }

  /**
   * The answer of native code, which cannot be stopped: after the limit it is left alone with all that it
   * uses.
   */
  #limited(answer: Promise<number>): Promise<number> {
    const { clock, limitMs } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const cancel = clock.after(limitMs, () => {
      this.#isAbandoned = true;
      abandoned.push(this, this.#context, this.#packet, this.#upload);
      reject(new EncoderFailure(this.name, `gave no sign of life for ${limitMs} ms`, true));
    });
    answer.then(resolve, (error) => reject(this.#failure(String(error)))).finally(cancel);
    return promise;
  }

  #must(result: number, doing: string) {
    if (result < 0) throw this.#failure(`${doing}: ${FFmpegError.strerror(result)}`);
  }

  #failure(what: string): EncoderFailure {
    return new EncoderFailure(this.name, what);
  }
}

/** RGB of the picture at the size of a comparison. */
function small(scaler: Scaler, frame: Frame): Uint8Array {
  const { width, height } = compared;
  const { data, linesize } = scaler.scale(frame, { width, height });
  const stride = linesize[0]!;
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    rgb.set(data![0]!.subarray(y * stride, y * stride + width * 3), y * width * 3);
  return rgb;
}

function isLike(a: Uint8Array, b: Uint8Array): boolean {
  const sum = a.reduce((total, level, at) => total + Math.abs(level - b[at]!), 0);
  return sum / a.length <= compared.difference;
}

/** Pictures on the device at once; encoders hold a few. */
const poolSize = 20;

/** Copies pictures to a device for an encoder that takes no others. Owns its native objects. */
export class PictureUpload {
  readonly #device = new HardwareDeviceContext();
  readonly #frames = new HardwareFramesContext();

  /**
   * Opens the device for a context that is not open yet. `kind`: FFmpeg's name of the kind of device, which
   * is that of its pixel format too. Answers FFmpeg's number of an error, or 0.
   */
  open(context: CodecContext, input: EncoderInput, kind: string, path: string | null): number {
    const type = HardwareDeviceContext.findTypeByName(kind as never);
    const created = this.#device.create(type, path, null);
    if (created < 0) return created;
    const format = avGetPixFmtFromName(kind as never);
    const { width, height, pixelFormat: swFormat } = input;
    this.#frames.alloc(this.#device);
    Object.assign(this.#frames, { format, swFormat, width, height, initialPoolSize: poolSize });
    const ready = this.#frames.init();
    if (ready < 0) return ready;
    context.pixelFormat = format;
    context.hwFramesCtx = this.#frames;
    return 0;
  }

  /**
   * Takes memory of the device for `copy`, an empty frame, and fills it. Answers FFmpeg's number of an error,
   * or 0.
   */
  async fill(copy: Frame, picture: Frame): Promise<number> {
    const code = this.#frames.getBuffer(copy);
    if (code < 0) return code;
    const filled = await this.#frames.transferData(copy, picture);
    return filled < 0 ? filled : copy.copyProps(picture);
  }

  close() {
    this.#frames.free();
    this.#device.free();
  }
}
