// Scales decoded pictures with swscale and converts their pixel format. Owns its native objects.
import { mediaErrors, type PictureShape } from '../contract.ts';
import {
  AV_FRAME_FLAG_INTERLACED,
  AV_FRAME_FLAG_TOP_FIELD_FIRST,
  type AV_PIX_FMT_RGB24,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_TRC_UNSPECIFIED,
  avGetPixFmtName,
  Frame,
  SoftwareScaleContext,
} from '../ffmpeg.ts';
import type { Size } from '../source/coded-size.ts';

// The two fields of an interlaced picture were taken one after the other. Where something moves between them,
// shown together they comb; then the first field alone is shown, its lines interpolated by the scaler that
// follows. Pictures that are only flagged as interlaced (25 progressive frames in 50 fields) keep all of
// their lines.

type NamedFormat = Parameters<typeof avGetPixFmtName>[0];

/** Least difference of a line from both of its neighbours, of 255, that counts. */
const LEAST_STEP = 16;
/** Share of the places looked at from which a picture combs: below it is fine horizontal detail, or noise. */
const COMBING_SHARE = 0.004;
/** Every so many lines and columns are looked at. */
const [LINES_APART, COLUMNS_APART] = [4, 2];

/** Owns a native frame. */
export class FirstFields {
  #field: Frame | null = null;

  /** The picture itself, or its first field where it combs, which is *borrowed until the next call*. */
  of(frame: Frame): Frame {
    if (!frame.hasFlags(AV_FRAME_FLAG_INTERLACED)) return frame;
    const bits = lumaBits(avGetPixFmtName(frame.format as NamedFormat) ?? '');
    if (bits !== null && combs(frame, bits)) return this.#first(frame);
    // swscale refuses interlaced frames.
    frame.clearFlags(AV_FRAME_FLAG_INTERLACED);
    return frame;
  }

  #first(frame: Frame): Frame {
    const height = frame.height >> 1;
    const lastField = this.#field;
    const fits =
      lastField?.width === frame.width && lastField.height === height && lastField.format === frame.format;
    const field = fits ? lastField : this.#allocate(frame, height);
    field.colorRange = frame.colorRange;
    field.colorSpace = frame.colorSpace;
    const second = frame.hasFlags(AV_FRAME_FLAG_TOP_FIELD_FIRST) ? 0 : 1;
    for (const [plane, to] of (field.data ?? []).entries()) {
      const from = frame.data?.[plane];
      if (from) copyLines(from, frame.linesize[plane]!, second, to, field.linesize[plane]!);
    }
    return field;
  }

  #allocate(frame: Frame, height: number): Frame {
    this.close();
    const field = new Frame();
    field.alloc();
    field.width = frame.width;
    field.height = height;
    field.format = frame.format;
    field.getBuffer(0);
    this.#field = field;
    return field;
  }

  close(): void {
    this.#field?.free();
    this.#field = null;
  }
}

/** Every second line from line `first` on. */
function copyLines(from: Uint8Array, stride: number, first: number, to: Uint8Array, toStride: number): void {
  const bytes = Math.min(stride, toStride);
  const lines = Math.floor(to.length / toStride);
  for (let line = 0; line < lines; line++) {
    const at = (2 * line + first) * stride;
    if (at + bytes > from.length) break;
    to.set(from.subarray(at, at + bytes), line * toStride);
  }
}

/**
 * True if many lines differ from both of their neighbours in the same direction, as those of the other field
 * do.
 */
function combs(frame: Frame, bits: number): boolean {
  const luma = frame.data?.[0];
  if (!luma) return false;
  const { width, height } = frame;
  const stride = frame.linesize[0]!;
  const sample = bits > 8 ? 2 : 1;
  const valueAt =
    sample === 1
      ? (at: number) => luma[at]!
      : (at: number) => (luma[at]! | (luma[at + 1]! << 8)) >> (bits - 8);
  const places = Math.ceil((height - 2) / LINES_APART) * Math.ceil(width / COLUMNS_APART);
  const most = places * COMBING_SHARE;
  let count = 0;
  for (let line = 1; line < height - 1; line += LINES_APART) {
    const row = line * stride;
    for (let at = row; at < row + width * sample; at += sample * COLUMNS_APART) {
      const value = valueAt(at);
      const [above, below] = [value - valueAt(at - stride), value - valueAt(at + stride)];
      if (above > LEAST_STEP ? below > LEAST_STEP : above < -LEAST_STEP && below < -LEAST_STEP) count++;
    }
    if (count > most) return true;
  }
  return false;
}

/**
 * Bits of a luma sample by the name of the pixel format; null where luma is no plane of its own that is read
 * here.
 */
function lumaBits(format: string): number | null {
  if (format === 'nv12' || format === 'nv21') return 8;
  const match = /^(?:yuvj?4\d\dp|gray)(?:(9|10|12|14|16)le)?$/.exec(format);
  return match && Number(match[1] ?? 8);
}

type PixelFormat = typeof AV_PIX_FMT_RGB24;
/** swscale flags; the additions make rounding exact and interpolate chroma at full resolution. */
const flags = {
  area: 'area+accurate_rnd+full_chroma_int',
  bilinear: 'bilinear+accurate_rnd+full_chroma_int',
  bicubic: 'bicubic+accurate_rnd+full_chroma_int',
} as const;

/** Video above this height without a colour matrix is taken for BT.709, as players do. */
const sdHeight = 576;

export class Scaler {
  readonly #context = new SoftwareScaleContext();
  readonly #format: PixelFormat;
  readonly #fields = new FirstFields();
  #frame: Frame | null = null;

  constructor(format: PixelFormat, resample: PictureShape['resample']) {
    this.#format = format;
    this.#context.allocContext();
    this.#context.setOption('sws_flags', flags[resample]);
  }

  /**
   * The scaled picture is *borrowed until the next call*. `prepare` sets further fields of a newly allocated
   * frame.
   */
  scale(source: Frame, size: Size, prepare?: (frame: Frame) => void): Frame {
    if (this.#frame?.width !== size.width || this.#frame.height !== size.height)
      this.#allocate(size, prepare);
    const frame = this.#frame!;
    assumeColours(source);
    const result = this.#context.scaleFrameSync(frame, this.#fields.of(source));
    if (result < 0) {
      const name = avGetPixFmtName(source.format as PixelFormat) ?? 'unknown';
      throw mediaErrors.DECODE_FAILED(
        `A picture of ${source.width}x${source.height} ${name} cannot be scaled`,
      );
    }
    return frame;
  }

  close() {
    this.#frame?.free();
    this.#frame = null;
    this.#fields.close();
    this.#context.freeContext();
  }

  #allocate({ width, height }: Size, prepare?: (frame: Frame) => void) {
    this.#frame?.free();
    const frame = new Frame();
    frame.alloc();
    frame.width = width;
    frame.height = height;
    frame.format = this.#format;
    frame.colorRange = AVCOL_RANGE_JPEG;
    prepare?.(frame);
    this.#frame = frame;
    if (frame.getBuffer(0) < 0) throw mediaErrors.TOO_LARGE(`No memory for a picture of ${width}x${height}`);
  }
}

/**
 * Sets how swscale interprets the frame's colours. Transfer and primaries are cleared, since swscale would
 * compute a large table for every HDR stream; tone mapping is done elsewhere.
 */
function assumeColours(frame: Frame) {
  frame.colorTrc = AVCOL_TRC_UNSPECIFIED;
  frame.colorPrimaries = AVCOL_PRI_UNSPECIFIED;
  if (frame.colorSpace !== AVCOL_SPC_UNSPECIFIED || frame.height <= sdHeight) return;
  const name = avGetPixFmtName(frame.format as PixelFormat) ?? '';
  if (/^(yuv|nv|p0|p2|p4)/.test(name)) frame.colorSpace = AVCOL_SPC_BT709;
}
