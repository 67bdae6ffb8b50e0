// Whether the edge of the picture cuts a face. Detectors press box and landmarks into the picture, so a face
// that is half there shows by its form: too narrow at a side, too low at the top or bottom.

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Width over height of the box: whole faces have 0.6 to 0.85, turned ones the less. Measured in decision 14.
 */
const narrow = 0.6;
const low = 1;
/** A box ends at an edge that is nearer than this share of its longer side. */
const reach = 0.03;

/** `box` in pixels of the picture. */
export function isCut(box: Box, picture: { width: number; height: number }): boolean {
  const near = reach * Math.max(box.width, box.height);
  const atSide = box.left < near || box.left + box.width > picture.width - near;
  const atEnd = box.top < near || box.top + box.height > picture.height - near;
  const form = box.width / box.height;
  return (atSide && form < narrow) || (atEnd && form > low);
}
