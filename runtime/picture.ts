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
