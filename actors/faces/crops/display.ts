// Which part of a picture shows a face to people: a square around it, moved to where the picture is.

export interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Longest side of the crop, px. */
export const displaySide = 160;

/** How much larger than the longer side of the box. */
const margin = 1.6;

/**
 * `box` in pixels; it may reach beyond the picture. At an edge the square is moved inwards; only where the picture itself
 * is narrower, it is no square. At least one pixel.
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
