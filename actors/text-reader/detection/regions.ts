// Where lines of text are, from the map of how likely each pixel belongs to one: what hangs together is a
// region, and its smallest rectangle, grown to what the network was taught to shrink, is a line.

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
    const hull: Point[] = [];
    for (const point of some) {
      while (hull.length > 1 && turn(hull.at(-2)!, hull.at(-1)!, point) <= 0) hull.pop();
      hull.push(point);
    }
    return hull.slice(0, -1);
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
    const rectangle = around(corners, (to[0] - from[0]) / length, (to[1] - from[1]) / length);
    if (best === null || rectangle.width * rectangle.height < best.width * best.height) best = rectangle;
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
function lyingDown(rectangle: Rectangle): Rectangle {
  const isUpright = Math.abs(rectangle.ux) < Math.abs(rectangle.uy);
  const [ux, uy] = isUpright ? [-rectangle.uy, rectangle.ux] : [rectangle.ux, rectangle.uy];
  const sign = ux < 0 ? -1 : 1;
  const [width, height] = isUpright
    ? [rectangle.height, rectangle.width]
    : [rectangle.width, rectangle.height];
  return { ...rectangle, ux: ux * sign, uy: uy * sign, width, height };
}

/** A pixel above it belongs to text. */
const threshold = 0.3;
/** Mean of the map in a rectangle below which it is none. */
const leastScore = 0.6;
/** Growth of a rectangle on each side: its area times this, divided by its circumference. */
const growth = 1.6;
/** Shorter side of what is kept before and after growing, px of the map. */
const leastSide = 3;
/** Lines of one picture at most; the largest are kept. */
export const mostLines = 300;

/**
 * In a smaller picture a pixel above it may belong to text: in each one with text that was measured, one is
 * above 0.99.
 */
const glimpsed = 0.2;

export interface TextRegion extends Rectangle {
  readonly score: number;
}

/** True if anything in the map of a smaller picture may be text. */
export function mayBeText(map: Float32Array): boolean {
  return map.some((value) => value > glimpsed);
}

/** In pixels of the map, in reading order. */
export function regionsOf(map: Float32Array, width: number, height: number): TextRegion[] {
  const regions: TextRegion[] = [];
  for (const outline of outlines(map, width, height)) {
    const tight = smallestRectangle(outline);
    if (Math.min(tight.width, tight.height) < leastSide) continue;
    const score = meanInside(map, width, height, tight);
    if (!(score >= leastScore)) continue;
    const margin = (tight.width * tight.height * growth) / (tight.width + tight.height);
    const region = { ...tight, width: tight.width + margin, height: tight.height + margin, score };
    if (Math.min(region.width, region.height) >= leastSide + 2) regions.push(region);
  }
  const largest = regions.toSorted((a, b) => b.width * b.height - a.width * a.height).slice(0, mostLines);
  return inReadingOrder(largest);
}

/**
 * The corners of the pixels at the left and right end of each row, for each part of the map that hangs
 * together.
 */
function* outlines(map: Float32Array, width: number, height: number): Generator<[number, number][]> {
  const marks = new Uint8Array(map.length);
  const stack = new Int32Array(map.length);
  const lefts = new Int32Array(height);
  const rights = new Int32Array(height).fill(-1);
  for (let start = 0; start < map.length; start++) {
    if (marks[start] || !(map[start]! > threshold)) continue;
    let [size, top, bottom] = [1, height, -1];
    stack[0] = start;
    marks[start] = 1;
    while (size > 0) {
      const pixel = stack[--size]!;
      const y = Math.floor(pixel / width);
      const x = pixel - y * width;
      if (rights[y] === -1) [lefts[y], rights[y]] = [x, x];
      else if (x < lefts[y]!) lefts[y] = x;
      else if (x > rights[y]!) rights[y] = x;
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
      for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++) {
        for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++) {
          const next = row * width + column;
          if (marks[next] || !(map[next]! > threshold)) continue;
          marks[next] = 1;
          stack[size++] = next;
        }
      }
    }
    const points: [number, number][] = [];
    for (let y = top; y <= bottom; y++) {
      const [left, right] = [lefts[y]!, rights[y]! + 1];
      points.push([left, y], [right, y], [left, y + 1], [right, y + 1]);
      rights[y] = -1;
    }
    yield points;
  }
}

function meanInside(map: Float32Array, width: number, height: number, rectangle: Rectangle): number {
  let [sum, count] = [0, 0];
  for (let aside = 0.5 - rectangle.height / 2; aside < rectangle.height / 2; aside++) {
    for (let along = 0.5 - rectangle.width / 2; along < rectangle.width / 2; along++) {
      const x = Math.floor(rectangle.x + along * rectangle.ux - aside * rectangle.uy);
      const y = Math.floor(rectangle.y + along * rectangle.uy + aside * rectangle.ux);
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      sum += map[y * width + x]!;
      count++;
    }
  }
  return sum / Math.max(1, count);
}

/** Rows from top to bottom, each from left to right. */
export function inReadingOrder<R extends Pick<Rectangle, 'x' | 'y' | 'height'>>(regions: readonly R[]): R[] {
  const rows: R[][] = [];
  for (const region of regions.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    const first = rows.at(-1)?.[0];
    if (first && region.y - first.y < Math.min(first.height, region.height) / 2) rows.at(-1)!.push(region);
    else rows.push([region]);
  }
  return rows.flatMap((row) => row.sort((a, b) => a.x - b.x));
}
