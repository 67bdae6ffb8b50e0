// How the camera has moved between two pictures: small blocks of the one are looked for in the other, and
// the shift, zoom and roll that most of them agree on is that of the camera. What moves by itself does not
// agree.

import type { CameraMotion } from '../frames/contract.ts';

/** Levels of brightness, 0 to 255, in rows. */
export type Brightness = Float32Array;

/** px; pictures of every shape are brought to it. */
export const seenWidth = 96;
export const seenHeight = 54;

interface Level {
  readonly width: number;
  readonly height: number;
  /** Without what is the same all around: the light changes, too. */
  readonly detail: Float32Array;
}

/** A picture with what is compared, so that it can be compared with several. */
export type Seen = readonly [fine: Level, middle: Level, coarse: Level];

export function seenOf(brightness: Brightness): Seen {
  const middle = halved(brightness, seenWidth, seenHeight);
  const [width, height] = [seenWidth >> 1, seenHeight >> 1];
  const coarse = halved(middle, width, height);
  return [
    levelOf(brightness, seenWidth, seenHeight),
    levelOf(middle, width, height),
    levelOf(coarse, width >> 1, height >> 1),
  ];
}

function halved(from: Float32Array, width: number, height: number): Float32Array {
  const [w, h] = [width >> 1, height >> 1];
  const to = new Float32Array(w * h);
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const at = 2 * y * width + 2 * x;
      to[y * w + x] = (from[at]! + from[at + 1]! + from[at + width]! + from[at + width + 1]!) / 4;
    }
  }
  return to;
}

/** Half a side of the neighbourhood of a pixel. */
const around = 3;

function levelOf(from: Float32Array, width: number, height: number): Level {
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row += from[y * width + x]!;
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1]! + row;
    }
  }
  const detail = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const [top, bottom] = [Math.max(0, y - around), Math.min(height, y + around + 1)];
    for (let x = 0; x < width; x++) {
      const [left, right] = [Math.max(0, x - around), Math.min(width, x + around + 1)];
      const at = (line: number, place: number) => sums[line * (width + 1) + place]!;
      const sum = at(bottom, right) - at(top, right) - at(bottom, left) + at(top, left);
      detail[y * width + x] = from[y * width + x]! - sum / ((bottom - top) * (right - left));
    }
  }
  return { width, height, detail };
}

/** Null where too little can be seen to say: a plain wall, a cut, a blur. */
export function motionBetween(before: Seen, after: Seen): CameraMotion | null {
  const blocks = blocksOf(before, after, globalShift(before[2], after[2]));
  return blocks.length < fewestBlocks ? null : agreed(blocks);
}

// The shift of the whole picture, on the coarsest level.

/** Of the width and the height. */
const farthest = 0.45;

function globalShift(before: Level, after: Level): readonly [number, number] {
  const { width, height } = before;
  const [mostX, mostY] = [Math.floor(width * farthest), Math.floor(height * farthest)];
  let best: readonly [number, number] = [0, 0];
  let least = Number.POSITIVE_INFINITY;
  for (let dy = -mostY; dy <= mostY; dy++) {
    for (let dx = -mostX; dx <= mostX; dx++) {
      const cost = overlapCost(before, after, dx, dy);
      if (cost >= least) continue;
      least = cost;
      best = [dx, dy];
    }
  }
  return best;
}

/** Of what both show: how much they differ, as a share of how much there is. */
function overlapCost(
  { width, height, detail: a }: Level,
  { detail: b }: Level,
  dx: number,
  dy: number,
): number {
  let difference = 0;
  let amount = 1e-3;
  const left = Math.max(0, -dx);
  const right = Math.min(width, width - dx);
  const bottom = Math.min(height, height - dy);
  for (let y = Math.max(0, -dy); y < bottom; y++) {
    const shift = (y + dy) * width + dx;
    for (let x = left; x < right; x++) {
      const one = a[y * width + x]!;
      const other = b[shift + x]!;
      difference += Math.abs(one - other);
      amount += Math.abs(one) + Math.abs(other);
    }
  }
  return difference / amount;
}

// Blocks: each is looked for where the whole picture has gone, and where it was.

interface Block {
  /** px from the middle of the picture. */
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
}

/** px; on the middle level, and on the fine one. */
const [middleSide, fineSide] = [8, 12];
const [columns, rows] = [9, 5];
/** px on the middle level. */
const reach = 3;
/** Least slope that a block has in every direction: along an edge nobody knows how far it has gone. */
const leastSlope = 1.2;
/** A block that differs by a greater share is not found. */
const mostDifferent = 0.5;
const fewestBlocks = 5;

function blocksOf(
  [fineA, middleA]: Seen,
  [fineB, middleB]: Seen,
  [gx, gy]: readonly [number, number],
): Block[] {
  const found: Block[] = [];
  const starts = gx === 0 && gy === 0 ? [[0, 0] as const] : [[gx * 2, gy * 2] as const, [0, 0] as const];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const left = Math.round((column * (seenWidth - fineSide)) / (columns - 1));
      const top = Math.round((row * (seenHeight - fineSide)) / (rows - 1));
      if (slopeOf(fineA, left, top) < leastSlope) continue;
      const rough = starts
        .map((start) =>
          nearest(middleA, middleB, (left + 2) >> 1, (top + 2) >> 1, middleSide - 4, start, reach),
        )
        .reduce((a, b) => (b.cost < a.cost ? b : a));
      const fine = nearest(fineA, fineB, left, top, fineSide, [rough.dx * 2, rough.dy * 2], 1);
      if (fine.cost > mostDifferent) continue;
      const [x, y] = [left + fineSide / 2 - seenWidth / 2, top + fineSide / 2 - seenHeight / 2];
      found.push({ x, y, ...within(fineA, fineB, left, top, fine) });
    }
  }
  return found;
}

/** The lesser eigenvalue of the structure tensor, a pixel. */
function slopeOf({ width, detail }: Level, left: number, top: number): number {
  let [xx, yy, xy] = [0, 0, 0];
  for (let y = top + 1; y < top + fineSide - 1; y++) {
    for (let x = left + 1; x < left + fineSide - 1; x++) {
      const at = y * width + x;
      const sx = detail[at + 1]! - detail[at - 1]!;
      const sy = detail[at + width]! - detail[at - width]!;
      xx += sx * sx;
      yy += sy * sy;
      xy += sx * sy;
    }
  }
  const least = (xx + yy) / 2 - Math.sqrt(((xx - yy) / 2) ** 2 + xy * xy);
  return Math.sqrt(least / (fineSide - 2) ** 2);
}

interface Place {
  readonly dx: number;
  readonly dy: number;
  /** 0 is the same, 1 as different as can be. */
  readonly cost: number;
}

function nearest(
  before: Level,
  after: Level,
  left: number,
  top: number,
  side: number,
  [fromX, fromY]: readonly [number, number],
  by: number,
): Place {
  let best: Place = { dx: fromX, dy: fromY, cost: Number.POSITIVE_INFINITY };
  for (let dy = fromY - by; dy <= fromY + by; dy++) {
    for (let dx = fromX - by; dx <= fromX + by; dx++) {
      const cost = blockCost(before, after, left, top, side, dx, dy);
      if (cost < best.cost) best = { dx, dy, cost };
    }
  }
  return best;
}

/** Infinite where the block would lie outside. */
function blockCost(
  { width, height, detail: a }: Level,
  { detail: b }: Level,
  left: number,
  top: number,
  side: number,
  dx: number,
  dy: number,
): number {
  const x = left + dx;
  const y = top + dy;
  if (x < 0 || y < 0 || x + side > width || y + side > height) return Number.POSITIVE_INFINITY;
  let difference = 0;
  let amount = 1e-3;
  for (let line = 0; line < side; line++) {
    const one = (top + line) * width + left;
    const other = (y + line) * width + x;
    for (let place = 0; place < side; place++) {
      const p = a[one + place]!;
      const q = b[other + place]!;
      difference += Math.abs(p - q);
      amount += Math.abs(p) + Math.abs(q);
    }
  }
  return difference / amount;
}

/** Between pixels: where a parabola through the neighbours is lowest. */
function within(before: Level, after: Level, left: number, top: number, { dx, dy, cost }: Place) {
  const at = (x: number, y: number) => blockCost(before, after, left, top, fineSide, x, y);
  return {
    dx: dx + lowest(at(dx - 1, dy), cost, at(dx + 1, dy)),
    dy: dy + lowest(at(dx, dy - 1), cost, at(dx, dy + 1)),
  };
}

function lowest(before: number, here: number, after: number): number {
  const bend = before - 2 * here + after;
  if (!Number.isFinite(bend) || bend <= 1e-6) return 0;
  return Math.max(-0.5, Math.min(0.5, (before - after) / (2 * bend)));
}

// What most blocks agree on: of each two of them, the shift, zoom and roll that takes both along.

/** px by which a block may miss it. */
const tolerance = 0.7;
const leastShare = 0.4;
/** When so many do, nothing better is looked for. */
const enoughShare = 0.9;
/** px between two blocks that say something of zoom and roll. */
const apart = 20;

/** A point goes by (a·x − b·y + tx, b·x + a·y + ty). */
interface Model {
  readonly a: number;
  readonly b: number;
  readonly tx: number;
  readonly ty: number;
}

function agreed(blocks: readonly Block[]): CameraMotion | null {
  let [best, most] = [null as Model | null, 0];
  const nearlyAll = blocks.length * enoughShare;
  for (let i = 0; i < blocks.length && most < nearlyAll; i++) {
    for (let j = i + 1; j < blocks.length && most < nearlyAll; j++) {
      const model = throughBoth(blocks[i]!, blocks[j]!);
      if (model === null) continue;
      let count = 0;
      for (const block of blocks) if (isTaken(block, model)) count++;
      if (count > most) [best, most] = [model, count];
    }
  }
  if (best === null || most < leastShare * blocks.length) return null;
  const chosen = best;
  const { a, b, tx, ty } = fitted(blocks.filter((block) => isTaken(block, chosen))) ?? best;
  return { dx: tx / seenWidth, dy: ty / seenHeight, zoom: Math.hypot(1 + a, b) - 1 };
}

const mostZoom = 0.35;

function throughBoth(one: Block, other: Block): Model | null {
  const [x, y] = [other.x - one.x, other.y - one.y];
  const square = x * x + y * y;
  if (square < apart * apart) return null;
  const [u, v] = [other.dx - one.dx, other.dy - one.dy];
  const [a, b] = [(u * x + v * y) / square, (v * x - u * y) / square];
  if (Math.abs(a) > mostZoom || Math.abs(b) > mostZoom) return null;
  return { a, b, tx: one.dx - (a * one.x - b * one.y), ty: one.dy - (b * one.x + a * one.y) };
}

function isTaken({ x, y, dx, dy }: Block, { a, b, tx, ty }: Model): boolean {
  return Math.abs(dx - (a * x - b * y + tx)) < tolerance && Math.abs(dy - (b * x + a * y + ty)) < tolerance;
}

/** By least squares. */
function fitted(blocks: readonly Block[]): Model | null {
  const n = blocks.length;
  let [sx, sy, su, sv] = [0, 0, 0, 0];
  for (const { x, y, dx, dy } of blocks) {
    sx += x / n;
    sy += y / n;
    su += dx / n;
    sv += dy / n;
  }
  let [square, along, across] = [0, 0, 0];
  for (const { x, y, dx, dy } of blocks) {
    const [px, py, pu, pv] = [x - sx, y - sy, dx - su, dy - sv];
    square += px * px + py * py;
    along += pu * px + pv * py;
    across += pv * px - pu * py;
  }
  if (square === 0) return null;
  const [a, b] = [along / square, across / square];
  return { a, b, tx: su - (a * sx - b * sy), ty: sv - (b * sx + a * sy) };
}
