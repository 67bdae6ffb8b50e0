// Pixels of a picture that lie in a slot.
import { engineErrors } from './errors.ts';

export interface Picture {
  /** width×height×3 RGB in rows; may be longer. *Borrowed.* */
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Throws INVALID_MESSAGE where the slot is smaller than the picture. */
export function pictureIn(slot: Uint8Array, width: number, height: number): Picture {
  const bytes = width * height * 3;
  if (slot.length >= bytes) return { data: slot, width, height };
  throw engineErrors.INVALID_MESSAGE(
    `a slot of ${slot.length} bytes, a picture of ${width}×${height} has ${bytes}`,
  );
}

// Upright boxes in pictures.

/** Left, top, width, height, in whatever unit. */
export type Box = readonly [left: number, top: number, width: number, height: number];

/** Intersection over union; 0 for boxes without area. */
export function overlap([x, y, w, h]: Box, [a, b, c, d]: Box): number {
  const across = Math.min(x + w, a + c) - Math.max(x, a);
  const down = Math.min(y + h, b + d) - Math.max(y, b);
  if (across <= 0 || down <= 0) return 0;
  return (across * down) / (w * h + c * d - across * down);
}
