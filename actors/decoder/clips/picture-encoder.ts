// The encoder of the pictures of a clip: what the pictures are, and an encoder in software opened for them.

import { mediaErrors } from '../contract.ts';
import {
  AV_CODEC_FLAG_INTERLACED_DCT,
  AV_FRAME_FLAG_INTERLACED,
  AV_FRAME_FLAG_TOP_FIELD_FIRST,
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_RGB,
  AVCOL_TRC_UNSPECIFIED,
  avGetPixFmtFromName,
  avGetPixFmtName,
  type CodecContext,
  Frame,
  hasEncoder,
  type Packet,
  Rational,
  SoftwareScaleContext,
  type Stream,
} from '../ffmpeg.ts';
import type { TimeBase } from '../grid.ts';
import type { OpenOptions, Source } from '../source/source.ts';
import { codedSize, pictureRate } from '../source/stream.ts';
import { type ClipFile, Encoder, isRgbFormat, pictureFormatOf } from './clip-file.ts';
import { clipErrors } from './contract.ts';

// Brings pictures to the size and pixel format of an encoder, with both fields of interlaced ones. Owns its
// native objects.

/** Format of pictures that an encoder takes. */
export type EncoderInput = Pick<CodecContext, 'width' | 'height' | 'pixelFormat'>;
type NamedFormat = Parameters<typeof avGetPixFmtName>[0];

const flags = 'bicubic+accurate_rnd+full_chroma_int';
/** RGB above this height becomes BT.709, as players take it for. */
const sdHeight = 576;

/**
 * Matrix and range of what the encoder is given of a picture: RGB has none that H.264 could carry on. Few
 * decoders tag it as such.
 */
export function encodedColours({ colorSpace, colorRange, height, format }: Frame) {
  const isRgb = colorSpace === AVCOL_SPC_RGB || isRgbFormat(avGetPixFmtName(format as NamedFormat) ?? '');
  if (!isRgb) return { colorSpace, colorRange };
  return {
    colorSpace: height > sdHeight ? AVCOL_SPC_BT709 : AVCOL_SPC_BT470BG,
    colorRange: AVCOL_RANGE_MPEG,
  };
}

export class PictureFitter {
  readonly #context = new SoftwareScaleContext();
  readonly #encoder: EncoderInput;
  #frame: Frame | null = null;

  constructor(encoder: EncoderInput) {
    this.#encoder = encoder;
    this.#context.allocContext();
    this.#context.setOption('sws_flags', flags);
  }

  /**
   * The picture itself where it fits, else a copy that does, *borrowed until the next call*. Changes its
   * tags.
   */
  fit(picture: Frame): Frame {
    const { width, height, pixelFormat } = this.#encoder;
    if (picture.width === width && picture.height === height && picture.format === pixelFormat)
      return picture;
    this.#frame ??= this.#allocate(picture);
    const frame = this.#frame;
    // An encoder may hold the picture before.
    if (frame.makeWritable() < 0) throw tooLarge(this.#encoder);
    const isInterlaced = picture.hasFlags(AV_FRAME_FLAG_INTERLACED);
    // swscale refuses pairs of which one is interlaced, and would convert colours that only the tags speak
    // of.
    picture.clearFlags(AV_FRAME_FLAG_INTERLACED);
    frame.clearFlags(AV_FRAME_FLAG_INTERLACED);
    picture.colorTrc = AVCOL_TRC_UNSPECIFIED;
    picture.colorPrimaries = AVCOL_PRI_UNSPECIFIED;
    if (this.#context.scaleFrameSync(frame, picture) < 0) {
      throw mediaErrors.DECODE_FAILED(`A picture of ${picture.width}x${picture.height} cannot be converted`);
    }
    frame.flags = picture.flags;
    if (isInterlaced) frame.setFlags(AV_FRAME_FLAG_INTERLACED);
    return frame;
  }

  close() {
    this.#frame?.free();
    this.#context.freeContext();
  }

  #allocate(picture: Frame): Frame {
    const { width, height, pixelFormat } = this.#encoder;
    const frame = new Frame();
    frame.alloc();
    frame.width = width;
    frame.height = height;
    frame.format = pixelFormat;
    Object.assign(frame, encodedColours(picture));
    if (frame.getBuffer(0) >= 0) return frame;
    frame.free();
    throw tooLarge(this.#encoder);
  }
}

function tooLarge({ width, height }: EncoderInput) {
  return mediaErrors.TOO_LARGE(`No memory for a picture of ${width}x${height}`);
}

/** Constant quality that nobody tells from the source (x264 calls 17 or 18 visually lossless). */
export const quality = { preset: 'fast', crf: '17' };

export interface SoftwareEncoding {
  readonly quality: { readonly preset: string; readonly crf: string };
  /** 0: as many threads as x264 finds good for this machine. */
  readonly threads: number;
}
/** Seconds between keyframes: an editor that winds back decodes so much at most. */
const keyframeSeconds = 1;
/**
 * Pictures that x264 looks ahead at, by their size in px, so that fewer of the large ones lie in memory; the
 * preset says it of smaller ones.
 */
const lookahead = [
  { above: 16_000_000, pictures: '4' },
  { above: 4_000_000, pictures: '15' },
];
const sideData = [
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
];

type PixelFormat = ReturnType<typeof avGetPixFmtFromName>;

/** Facts about the pictures that an encoder needs before the first one. */
export interface EncodedShape {
  /** In px, before pixel aspect and rotation. */
  readonly width: number;
  readonly height: number;
  /** FFmpeg's name of the pixel format that is encoded. */
  readonly format: string;
  readonly base: TimeBase;
  /** Pictures per second; null where they come at no even rate. */
  readonly rate: { readonly num: number; readonly den: number } | null;
  readonly pixelAspect: { readonly num: number; readonly den: number };
  /** The field shown first; null for whole pictures. */
  readonly firstField: 'top' | 'bottom' | null;
  readonly colours: Pick<
    CodecContext,
    'colorPrimaries' | 'colorTrc' | 'chromaLocation' | 'colorSpace' | 'colorRange'
  >;
}

/** `base`: of the times of the clip. `first`: its first picture, *borrowed*. */
export function pictureShape(source: Source, video: Stream, base: TimeBase, first: Frame): EncodedShape {
  const { width, height, colorPrimaries, colorTrc, chromaLocation } = first;
  const name = avGetPixFmtName(first.format as PixelFormat) ?? '';
  const isInterlaced = first.hasFlags(AV_FRAME_FLAG_INTERLACED) && height % 4 === 0;
  const top = first.hasFlags(AV_FRAME_FLAG_TOP_FIELD_FIRST) ? 'top' : 'bottom';
  return {
    width,
    height,
    format: pictureFormatOf(name, first),
    base,
    rate: pictureRate(source),
    pixelAspect: codedSize(video).pixelAspect,
    firstField: isInterlaced ? top : null,
    colours: { colorPrimaries, colorTrc, chromaLocation, ...encodedColours(first) },
  };
}

/** Pictures from one keyframe to the next. */
export function keyframeDistance({ rate }: EncodedShape): number {
  return Math.max(1, Math.round((rate ? rate.num / rate.den : 25) * keyframeSeconds));
}

/** Completes a packet, *borrowed*, before it is written. */
export type FinishPacket = (packet: Packet) => void;

/** Pictures in, packets into the file of a clip. */
export interface PictureEncoder {
  /** FFmpeg's name. */
  readonly name: string;
  readonly input: EncoderInput;
  readonly stream: Stream;
  /** Encodes a picture, *borrowed*, or with null what is left, and writes the packets that are ready. */
  encode(frame: Frame | null, finish?: FinishPacket): Promise<void> | void;
  /** Compares the finished file with what was encoded, for encoders that may get it wrong. */
  check?(path: string, turn: OpenOptions['turn']): Promise<void>;
  close(): void;
}

/**
 * Opens it on a stream of the file, with the side data of `video`. Errors: CLIP_NO_ENCODER, CLIP_UNWRITABLE.
 * The caller closes it.
 */
export function openPictureEncoder(
  file: ClipFile,
  requestedShape: EncodedShape,
  video: Stream,
  request: SoftwareEncoding = { quality, threads: 0 },
): Encoder {
  const name = softwareCodec();
  if (name === null) throw noEncoder(false);
  const shape = name === 'libopenh264' ? plainShape(requestedShape) : requestedShape;
  const { firstField } = shape;
  const encoder = new Encoder(file, {
    name,
    options: name === 'libopenh264' ? openH264Options(shape, request) : x264Options(shape, request),
    prepare: (context) => {
      describePictures(context, shape);
      context.threadCount = request.threads;
      if (firstField) context.setFlags(AV_CODEC_FLAG_INTERLACED_DCT);
    },
  });
  describeStream(encoder.stream, shape, video);
  return encoder;
}

function x264Options(shape: EncodedShape, encoding: SoftwareEncoding) {
  const { width, height, firstField } = shape;
  const ahead = lookahead.find(({ above }) => width * height > above);
  return {
    ...encoding.quality,
    // Told with the first picture only, it comes too late for that one, which is the one that players
    // believe.
    ...(firstField && { 'x264-params': firstField === 'top' ? 'tff=1' : 'bff=1' }),
    g: String(keyframeDistance(shape)),
    ...(ahead && { 'rc-lookahead': ahead.pictures }),
  };
}

/** One quantizer for all pictures, since it has no constant quality: the same number looks about as good. */
function openH264Options(shape: EncodedShape, { quality: { crf } }: SoftwareEncoding) {
  return { profile: 'high', qmin: crf, qmax: crf, g: String(keyframeDistance(shape)) };
}

/** Nearest shape that OpenH264 takes; pictures are fitted to it. */
function plainShape(shape: EncodedShape): EncodedShape {
  const even = (side: number) => Math.max(16, side + (side % 2));
  return {
    ...shape,
    width: even(shape.width),
    height: even(shape.height),
    format: 'yuv420p',
    firstField: null,
    // The format does not say it by itself, as `yuvj420p` does.
    colours: /^yuvj/.test(shape.format) ? { ...shape.colours, colorRange: AVCOL_RANGE_JPEG } : shape.colours,
  };
}

export function describePictures(context: CodecContext, shape: EncodedShape) {
  const { base, rate, pixelAspect } = shape;
  context.width = shape.width;
  context.height = shape.height;
  context.pixelFormat = avGetPixFmtFromName(shape.format as never);
  context.timeBase = new Rational(base.num, base.den);
  if (rate) context.framerate = new Rational(rate.num, rate.den);
  context.sampleAspectRatio = new Rational(pixelAspect.num, pixelAspect.den);
  Object.assign(context, shape.colours);
}

/** Copies the facts of `video` that a player needs beside the packets. */
export function describeStream(stream: Stream, { rate, pixelAspect }: EncodedShape, video: Stream) {
  stream.sampleAspectRatio = new Rational(pixelAspect.num, pixelAspect.den);
  if (rate) stream.avgFrameRate = new Rational(rate.num, rate.den);
  for (const type of sideData) {
    const data = video.codecpar.getCodedSideData(type);
    if (data) stream.codecpar.addCodedSideData(type, Buffer.from(data));
  }
}

// The encoders of H.264 that need no device, as far as this FFmpeg was built with them.

/** FFmpeg's names, best first. OpenH264 takes whole pictures of 8 bits and 4:2:0 only. */
const codecs = ['libx264', 'libopenh264'] as const;
export type SoftwareCodec = (typeof codecs)[number];

/** Null for a build without any. */
export function softwareCodec(): SoftwareCodec | null {
  return codecs.find(hasEncoder) ?? null;
}

/** The reason, and what can be done about it. `isForbidden`: by the settings. */
export function noEncoder(isForbidden: boolean) {
  const why = isForbidden
    ? 'hardware_encoding is "only", and no device can encode these pictures: set it to "auto"'
    : 'FFmpeg was built without libx264 and libopenh264, and no device can encode these pictures: install node-av with its own FFmpeg';
  return clipErrors.CLIP_NO_ENCODER(`${why}, or use a device with an H.264 encoder (docs/gpu.md)`);
}
