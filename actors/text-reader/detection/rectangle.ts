// The smallest rectangle around points, whatever its direction.

type Point = readonly [x: number, y: number];

export interface Rectangle {
  /** Middle. */
  readonly x: number;
  readonly y: number;
  /**
   * Direction of `width`, of length 1; that of `height` is a quarter turn clockwise from it, y being
   * downwards.
   */
  readonly ux: number;
  readonly uy: number;
  readonly width: number;
  readonly height: number;
}

/** Positive where `b` lies clockwise of `a` as seen from `origin`, y being downwards. */
function turn(origin: Point, a: Point, b: Point): number {
  return (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0]);
}

function hull(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (some: readonly Point[]) => {
    const kept: Point[] = [];
    for (const point of some) {
      while (kept.length > 1 && turn(kept.at(-2)!, kept.at(-1)!, point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/**
 * At least three points that are not on one line. One side lies on a side of their hull; `ux` is at least
 * |`uy`|.
 */
export function smallestRectangle(points: readonly Point[]): Rectangle {
  const corners = hull(points);
  let best: Rectangle | null = null;
  for (const [i, from] of corners.entries()) {
    const to = corners[(i + 1) % corners.length]!;
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    const found = around(corners, (to[0] - from[0]) / length, (to[1] - from[1]) / length);
    if (best === null || found.width * found.height < best.width * best.height) best = found;
  }
  return lyingDown(best!);
}

function around(points: readonly Point[], ux: number, uy: number): Rectangle {
  let [left, right, top, bottom] = [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE];
  for (const [x, y] of points) {
    const along = x * ux + y * uy;
    const aside = y * ux - x * uy;
    left = Math.min(left, along);
    right = Math.max(right, along);
    top = Math.min(top, aside);
    bottom = Math.max(bottom, aside);
  }
  const [along, aside] = [(left + right) / 2, (top + bottom) / 2];
  const [x, y] = [along * ux - aside * uy, along * uy + aside * ux];
  return { x, y, ux, uy, width: right - left, height: bottom - top };
}

/** The same rectangle with its direction as close to the right as a quarter turn allows. */
function lyingDown(one: Rectangle): Rectangle {
  const isUpright = Math.abs(one.ux) < Math.abs(one.uy);
  const [ux, uy] = isUpright ? [-one.uy, one.ux] : [one.ux, one.uy];
  const sign = ux < 0 ? -1 : 1;
  const [width, height] = isUpright ? [one.height, one.width] : [one.width, one.height];
  return { ...one, ux: ux * sign, uy: uy * sign, width, height };
}
