// The size of a picture in px: as it is coded, and as a player shows it.

import type { Turn } from '../../../runtime/actor.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { mediaErrors, type Rational } from '../contract.ts';

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

// Memory for a still or for the index of a film, out of the budget that all decoders share.

export interface Needs {
  readonly path: string;
  /** Owner of the memory, as in "its picture". */
  readonly what: string;
  /** Details of the error. */
  readonly details: Readonly<Record<string, number>>;
}

/** To be decoded. */
export function pictureOf({ path, width, height }: Size & { readonly path: string }): Needs {
  return { path, what: `its picture of ${width}x${height}`, details: { width, height } };
}

/** Waits until so many bytes may be used; the answer gives them back. Errors: TOO_LARGE, CANCELLED. */
export async function reserveFor(
  { path, what, details }: Needs,
  bytes: number,
  turn: Pick<Turn, 'reserve'>,
): Promise<() => void> {
  try {
    return await turn.reserve(Math.ceil(bytes));
  } catch (error) {
    if (!engineErrors.OVER_BUDGET.is(error)) throw error;
    const limit = Number(error.details.limit);
    throw mediaErrors.TOO_LARGE(
      `${path}: ${what} needs about ${megabytes(bytes)} MB of memory to be decoded, and the setting still_memory_mb ` +
        `allows ${megabytes(limit)}`,
      { path, ...details, needed_bytes: Math.ceil(bytes), limit_bytes: limit },
      error,
    );
  }
}

/** In the unit of the setting. */
function megabytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
