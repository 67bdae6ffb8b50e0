// The size of the picture in which faces are looked for.
import type { PictureShape, Probe } from '../../../decoder/contract.ts';
import { mostPictureBytes } from '../../../models/contract.ts';

/** Longest side of a still, px: it is looked at once, so a larger picture costs little. */
export const stillSide = 1920;

/** The longest side of sample pictures, px: they show one large face. */
export const sampleSide = 1280;

/** Bytes of a still of 4:3. */
const stillBytes = 1920 * 1440 * 3;

/**
 * Bytes of a slot that holds such pictures. Memory that nothing touches is not used, but all slots together
 * stay within `memory`, bytes: many decoders on a small machine look at smaller pictures.
 */
export function slotBytesFor(slots: number, memory: number): number {
  return Math.max(mostPictureBytes, Math.min(stillBytes, Math.floor(memory / slots)));
}

/**
 * The picture at its own shape, never larger than it is: the longest side at most `side`, and as many pixels
 * as a slot of `slotBytes` holds.
 */
export function faceShape(
  { width, height }: Pick<Probe, 'width' | 'height'>,
  side: number,
  slotBytes: number,
): PictureShape {
  const fits = Math.sqrt(slotBytes / 3 / (width * height));
  const scale = Math.min(1, side / Math.max(width, height), fits);
  const ofSide = (length: number) => Math.max(1, Math.floor(length * scale + 1e-6));
  return { width: ofSide(width), height: ofSide(height), fit: 'stretch', resample: 'area' };
}
