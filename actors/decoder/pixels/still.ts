// Scaling of still images: a large one is reduced once, and pictures and previews are made of that.
import sharp, { type Sharp } from 'sharp';
import type { Turn } from '../../../runtime/actor.ts';
import type { PictureShape, PreviewShape } from '../contract.ts';
import type { Size } from '../source/coded-size.ts';
import { decodeStill } from '../source/still.ts';
import type { Still } from '../source/stills/still.ts';
import { readsReduced } from '../source/stills/vips.ts';
import { type Bars, barsOf, levelsOf } from './bars.ts';
import { placeShape, placeWhole } from './geometry.ts';

/** The reduced image is this many times the model's size, so that scaling twice looks like scaling once. */
const oversampling = 2;
/** Kernels of sharp; each averages over the pixels it merges, as `area` asks. */
const kernels = { area: 'linear', bilinear: 'linear', bicubic: 'cubic' } as const;

/** In px, from the top left. */
interface Part extends Size {
  readonly left: number;
  readonly top: number;
}

/** A still scaled down to little more than the sizes that are asked for. */
export interface ReducedStill extends Size {
  /** width×height×3 RGB bytes. */
  readonly rgb: Buffer;
  readonly shape: PictureShape;
  /** Size of the preview, in px; null when none is asked for. */
  readonly preview: Size | null;
  /** The part without black bars, in px; null where there are none, or where they are to stay. */
  readonly within: Part | null;
  /** Parts of the picture may be missing, because the file is damaged. */
  readonly isDamaged: boolean;
}

/**
 * Reduced for each shape by itself, so that a picture does not depend on the other shapes. The first is also
 * for the preview. Errors: those of `decodeStill`, CANCELLED.
 */
export async function reduceStill(
  still: Still,
  shapes: readonly PictureShape[],
  preview: PreviewShape | null,
  turn: Pick<Turn, 'throwIfCancelled' | 'reserve'>,
): Promise<readonly ReducedStill[]> {
  const plans = shapes.map((shape, i) => planOf(still, shape, i === 0 ? preview : null));
  const sides = (side: 'width' | 'height') => Math.max(...plans.map((plan) => plan[side]));
  const largest = { width: sides('width'), height: sides('height') };
  return decodeStill(still, { reduced: largest, turn }, async (picture, isDamaged) => {
    const reduced: ReducedStill[] = [];
    for (const plan of plans) {
      turn.throwIfCancelled();
      reduced.push({ ...(await reduce(still, picture(), plan)), isDamaged });
    }
    return reduced;
  });
}

/** Facts about a reduced still before it is decoded. */
type Plan = Omit<ReducedStill, 'rgb' | 'within' | 'isDamaged'>;

function planOf(still: Still, shape: PictureShape, preview: PreviewShape | null): Plan {
  const shown = asShown(still);
  const small = preview && placeWhole(shown, preview.max_side).crop;
  const target = placeShape(shown, shape).scaled;
  const side = (full: number, model: number, previewSide = 0) =>
    Math.min(full, Math.max(oversampling * model, previewSide));
  const width = side(still.width, target.width, small?.width);
  const height = side(still.height, target.height, small?.height);
  return { width, height, shape, preview: small };
}

async function reduce(still: Still, picture: Sharp, plan: Plan): Promise<Omit<ReducedStill, 'isDamaged'>> {
  const { width, height } = plan;
  const { resample } = plan.shape;
  const resized = picture.resize(width, height, {
    fit: 'fill',
    kernel: kernels[resample],
    fastShrinkOnLoad: resample !== 'bicubic' || (still.container === 'webp' && readsReduced(still, plan)),
  });
  const { data, info } = await resized.raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`${info.channels} channels instead of 3`);
  return { ...plan, rgb: data, within: partWithin(data, plan) };
}

/** The part of a picture that its shape asks for: without black bars where they are to be left out. */
export function partWithin(
  rgb: Uint8Array,
  { width, height, shape }: Pick<ReducedStill, 'width' | 'height' | 'shape'>,
): Part | null {
  const bars = shape.trim_bars ? barsOf(levelsOf(rgb, width, height)) : null;
  return bars && partBetween(bars, { width, height });
}

/** The part of a picture that is between its bars. */
export function partBetween(bars: Bars, { width, height }: Size): Part {
  const [left, top] = [Math.round(bars.left * width), Math.round(bars.top * height)];
  const [right, bottom] = [Math.round(bars.right * width), Math.round(bars.bottom * height)];
  return { left, top, width: width - left - right, height: height - top - bottom };
}

/** The picture as width×height×3 RGB bytes, *copied* into `slot`. */
export async function fillStill(still: Omit<ReducedStill, 'isDamaged'>, slot: Uint8Array): Promise<void> {
  const { width, height, fit, resample } = still.shape;
  const whole = fromRgb(still);
  const resized = (still.within ? whole.extract(still.within) : whole).resize(width, height, {
    fit: fit === 'stretch' ? 'fill' : 'cover',
    kernel: kernels[resample],
  });
  const data = await resized.raw().toBuffer();
  slot.set(data.subarray(0, width * height * 3));
}

/** The preview as JPEG in a buffer of its own that can be *moved*; null when none was asked for. */
export async function previewStill(
  still: ReducedStill,
  quality: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!still.preview) return null;
  const { width, height } = still.preview;
  const resized = fromRgb(still).resize(width, height, { fit: 'fill', kernel: 'linear' });
  return new Uint8Array(await resized.jpeg({ quality }).toBuffer());
}

/** The whole still as JPEG, in a buffer of its own. Errors: those of `decodeStill`. */
export async function stillJpeg(
  still: Still,
  { max_side, quality }: PreviewShape,
  turn: Pick<Turn, 'reserve'>,
): Promise<Uint8Array> {
  const { width, height } = placeWhole(asShown(still), max_side).crop;
  return decodeStill(still, { reduced: { width, height }, turn }, (picture) =>
    picture().resize(width, height, { fit: 'fill', kernel: 'linear' }).jpeg({ quality }).toBuffer(),
  );
}

/** The size is already upright and in square pixels. */
function asShown({ width, height }: Still) {
  return { width, height, pixelAspect: { num: 1, den: 1 }, rotation: 0, mirrored: false };
}

function fromRgb({ rgb, width, height }: Pick<ReducedStill, 'rgb' | 'width' | 'height'>): Sharp {
  return sharp(rgb, { raw: { width, height, channels: 3 } });
}
