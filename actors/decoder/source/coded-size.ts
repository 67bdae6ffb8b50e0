// The size of a picture in px: as it is coded, and as a player shows it.
import type { Rational } from '../contract.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface CodedSize extends Size {
  /** Sample aspect ratio. */
  readonly pixelAspect: Rational;
  /** Degrees clockwise by which a player turns the picture: 0, 90, 180, 270. */
  readonly rotation: number;
  /** A player swaps left and right before it turns the picture. */
  readonly mirrored: boolean;
}

export function rotated({ width, height }: Size, rotation: number): Size {
  return rotation === 90 || rotation === 270 ? { width: height, height: width } : { width, height };
}

/** Size as shown: sample aspect ratio applied to the width, then rotation. */
export function shownSize({ width, height, pixelAspect, rotation }: CodedSize): Size {
  const { num, den } = pixelAspect;
  const stretched = num > 0 && den > 0 ? Math.max(1, Math.round((width * num) / den)) : width;
  return rotated({ width: stretched, height }, rotation);
}
