// Pictures of a face as JPEG: as the embedder saw it, and for people. Owns its native objects.
import type { Picture } from '../../../runtime/picture.ts';
import {
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUVJ420P,
  AV_PIX_FMT_YUVJ444P,
  checked,
  type Frame,
  SoftwareScaleContext,
} from '../../decoder/ffmpeg.ts';
import { JpegEncoder, jpegFrame } from '../../decoder/pixels/jpeg.ts';
import { alignedSide } from '../alignment/align.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Makes the pictures of faces one after the other, on the thread that asks. */
export class FaceCrops {
  readonly #aligned = new CropMaker(AV_PIX_FMT_YUVJ444P, 92);
  readonly #display = new CropMaker(AV_PIX_FMT_YUVJ420P, 85);

  /** `face`: 112×112×3 RGB. */
  aligned(face: Uint8Array): Uint8Array<ArrayBuffer> {
    const whole = { left: 0, top: 0, width: alignedSide, height: alignedSide };
    return this.#aligned.make({ ...whole, data: face }, whole, whole);
  }

  /** The region, its longest side brought to 160 px. */
  display(picture: Picture, region: Region): Uint8Array<ArrayBuffer> {
    const scale = displaySide / Math.max(region.width, region.height);
    const side = (length: number) => Math.max(1, Math.round(length * scale));
    return this.#display.make(picture, region, { width: side(region.width), height: side(region.height) });
  }

  close() {
    this.#aligned.close();
    this.#display.close();
  }
}

/** Cuts, scales and encodes in one format of JPEG. */
class CropMaker {
  readonly #format: typeof AV_PIX_FMT_YUVJ420P;
  readonly #scaler = new SoftwareScaleContext();
  readonly #encoder: JpegEncoder;
  #scaled: Frame | null = null;

  constructor(format: typeof AV_PIX_FMT_YUVJ420P, quality: number) {
    this.#format = format;
    this.#encoder = new JpegEncoder(format, quality);
    this.#scaler.allocContext();
    // Exact rounding, and chroma interpolated at full resolution.
    this.#scaler.setOption('sws_flags', 'bicubic+accurate_rnd+full_chroma_int');
  }

  make(picture: Picture, region: Region, size: Size): Uint8Array<ArrayBuffer> {
    const part = jpegFrame(region, AV_PIX_FMT_RGB24);
    try {
      cut(picture, region, part);
      const scaled = this.#frameOf(size);
      checked(this.#scaler.scaleFrameSync(scaled, part), 'face', 'cannot be scaled');
      return this.#encoder.encode(scaled);
    } finally {
      part.free();
    }
  }

  close() {
    this.#scaled?.free();
    this.#scaled = null;
    this.#encoder.close();
    this.#scaler.freeContext();
  }

  #frameOf(size: Size): Frame {
    if (this.#scaled?.width === size.width && this.#scaled.height === size.height) return this.#scaled;
    this.#scaled?.free();
    this.#scaled = null;
    this.#scaled = jpegFrame(size, this.#format);
    return this.#scaled;
  }
}

function cut({ data, width }: Picture, region: Region, part: Frame): void {
  const [pixels, stride] = [part.data![0]!, part.linesize[0]!];
  const line = region.width * 3;
  for (let y = 0; y < region.height; y++) {
    const from = ((region.top + y) * width + region.left) * 3;
    pixels.set(data.subarray(from, from + line), y * stride);
  }
}

// Which part of a picture shows a face to people: a square around it, moved to where the picture is.

interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Longest side of the crop, px. */
const displaySide = 160;

/** How much larger than the longer side of the box. */
const margin = 1.6;

/**
 * `box` in pixels; it may reach beyond the picture. At an edge the square is moved inwards; only where the
 * picture itself is narrower, it is no square. At least one pixel.
 */
export function displayRegion(box: Region, picture: { width: number; height: number }): Region {
  const side = Math.max(1, Math.round(Math.max(box.width, box.height) * margin));
  const width = Math.min(side, picture.width);
  const height = Math.min(side, picture.height);
  return {
    left: clamped(Math.round(box.left + (box.width - width) / 2), picture.width - width),
    top: clamped(Math.round(box.top + (box.height - height) / 2), picture.height - height),
    width,
    height,
  };
}

function clamped(value: number, most: number): number {
  return Math.min(most, Math.max(0, value));
}
