// The two fields of an interlaced picture were taken one after the other. Where something moves between them, shown
// together they comb; then the first field alone is shown, its lines interpolated by the scaler that follows. Pictures
// that are only flagged as interlaced (25 progressive frames in 50 fields) keep all of their lines.
import {
  AV_FRAME_FLAG_INTERLACED,
  AV_FRAME_FLAG_TOP_FIELD_FIRST,
  avGetPixFmtName,
  Frame,
} from '../ffmpeg.ts';

type PixelFormat = Parameters<typeof avGetPixFmtName>[0];

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
    const format = avGetPixFmtName(frame.format as PixelFormat) ?? '';
    if (/^(yuvj?4\d\dp|nv12|nv21|gray)/.test(format) && combs(frame, bytesOfSample(format))) {
      return this.#first(frame);
    }
    // swscale refuses interlaced frames.
    frame.clearFlags(AV_FRAME_FLAG_INTERLACED);
    return frame;
  }

  #first(frame: Frame): Frame {
    const height = frame.height >> 1;
    const known = this.#field;
    const fits = known?.width === frame.width && known.height === height && known.format === frame.format;
    const field = fits ? known : this.#allocate(frame, height);
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

/** Whether many lines differ from both of their neighbours in the same direction, which the other field has. */
function combs(frame: Frame, sample: 1 | 2): boolean {
  const luma = frame.data?.[0];
  if (!luma) return false;
  const stride = frame.linesize[0]!;
  // The upper byte of a sample of two, in little-endian order, of at least nine bits: a step of 4 in 10 bits is 1 in 8.
  const step = sample * COLUMNS_APART;
  const valueAt =
    sample === 1 ? (at: number) => luma[at]! : (at: number) => (luma[at]! | (luma[at + 1]! << 8)) >> 2;
  let found = 0;
  let looked = 0;
  for (let line = 1; line < frame.height - 1; line += LINES_APART) {
    const row = line * stride;
    for (let at = row; at < row + frame.width * sample; at += step) {
      const value = valueAt(at);
      const [above, below] = [value - valueAt(at - stride), value - valueAt(at + stride)];
      looked++;
      if (above > LEAST_STEP ? below > LEAST_STEP : above < -LEAST_STEP && below < -LEAST_STEP) found++;
    }
  }
  return found > looked * COMBING_SHARE;
}

function bytesOfSample(format: string): 1 | 2 {
  return /(9|10|12|14|16)(le|be)?$/.test(format) ? 2 : 1;
}
