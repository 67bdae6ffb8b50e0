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
