// Where the shots of a film begin. The picture of every second says which seconds are worth looking at whole;
// in those, a cut is the picture that differs from the one before it far more than its neighbours differ from
// theirs. A dissolve, a fade and a wipe are told by pictures between two others that both of them explain.
import type { Steps } from '../../../../runtime/sync/checkpoint.ts';

/** Size of the pictures that are compared, in px; red, green and blue of each. */
export const lookWidth = 48;
export const lookHeight = 27;
export const lookBytes = lookWidth * lookHeight * 3;

/** Sides of a block, in px. */
const side = 3;
const across = lookWidth / side;
const down = lookHeight / side;
const blocks = across * down;
/** Values of a block. */
const perBlock = side * side;

/** Red, green and blue of 0 to 1, in rows, with what is asked of it again and again. */
export class SmallPicture {
  readonly values = new Float32Array(lookBytes);
  readonly mean: number;
  readonly variance: number;
  #described: { readonly structure: Float32Array; readonly texture: Float32Array } | null = null;

  /** `rgb`: of `lookBytes`. */
  constructor(rgb: Uint8Array) {
    let [sum, squares] = [0, 0];
    for (let i = 0; i < lookBytes; i++) {
      const value = rgb[i]! / 255;
      this.values[i] = value;
      sum += value;
      squares += value * value;
    }
    this.mean = sum / lookBytes;
    this.variance = Math.max(0, squares / lookBytes - this.mean ** 2);
  }

  /** Luma of each block without its mean. */
  get structure(): Float32Array {
    return this.#describe().structure;
  }

  /** Variance of the luma of each block. */
  get texture(): Float32Array {
    return this.#describe().texture;
  }

  #describe() {
    if (this.#described !== null) return this.#described;
    const structure = new Float32Array(blocks * perBlock);
    const texture = new Float32Array(blocks);
    for (let block = 0; block < blocks; block++) {
      let mean = 0;
      for (const [i, at] of pixelsOf(block).entries()) {
        const luma = 0.299 * this.values[at]! + 0.587 * this.values[at + 1]! + 0.114 * this.values[at + 2]!;
        structure[block * perBlock + i] = luma;
        mean += luma / perBlock;
      }
      for (let i = block * perBlock; i < (block + 1) * perBlock; i++) {
        structure[i]! -= mean;
        texture[block]! += structure[i]! ** 2 / perBlock;
      }
    }
    this.#described = { structure, texture };
    return this.#described;
  }
}

/** Where the pixels of each block begin among the values. */
const places = Array.from({ length: blocks }, (_, block) => {
  const [left, top] = [(block % across) * side, Math.floor(block / across) * side];
  return Array.from(
    { length: perBlock },
    (_, i) => ((top + Math.floor(i / side)) * lookWidth + left + (i % side)) * 3,
  );
});
const pixelsOf = (block: number) => places[block]!;

/** `rgb`: width×height×3. Each pixel is the mean of those in its place, or the one there. */
export function reduced(rgb: Uint8Array, width: number, height: number): Uint8Array {
  const [columns, rows] = [edgesOf(width, lookWidth), edgesOf(height, lookHeight)];
  const look = new Uint8Array(lookBytes);
  for (let y = 0, to = 0; y < lookHeight; y++) {
    for (let x = 0; x < lookWidth; x++, to += 3) {
      const [left, right] = columns[x]!;
      const [top, bottom] = rows[y]!;
      let [red, green, blue] = [0, 0, 0];
      for (let line = top; line < bottom; line++) {
        for (let at = (line * width + left) * 3; at < (line * width + right) * 3; at += 3) {
          red += rgb[at]!;
          green += rgb[at + 1]!;
          blue += rgb[at + 2]!;
        }
      }
      const count = (right - left) * (bottom - top);
      look.set([Math.round(red / count), Math.round(green / count), Math.round(blue / count)], to);
    }
  }
  return look;
}

/** Where each of `parts` equal parts of a length begins and ends, at least 1 long. */
function edgesOf(length: number, parts: number): (readonly [number, number])[] {
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * length) / parts);
    return [from, Math.max(from + 1, Math.floor(((part + 1) * length) / parts))] as const;
  });
}

// How a camera may change the exposure of the whole picture from one to the next.
const [leastGain, mostGain] = [0.45, 2.2];
const mostOffset = 70 / 255;

interface Exposure {
  readonly gain: number;
  readonly offset: number;
}

const unchanged: Exposure = { gain: 1, offset: 0 };

const clamped = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

/** The change of exposure that makes `from` most like `to`. */
function exposureBetween(from: SmallPicture, to: SmallPicture): Exposure {
  let product = 0;
  for (let i = 0; i < lookBytes; i++) product += from.values[i]! * to.values[i]!;
  const covariance = product / lookBytes - from.mean * to.mean;
  const gain = from.variance > 1e-6 ? clamped(covariance / from.variance, leastGain, mostGain) : 1;
  return { gain, offset: clamped(to.mean - gain * from.mean, -mostOffset, mostOffset) };
}

function meanDifference(from: SmallPicture, to: SmallPicture, { gain, offset }: Exposure): number {
  const [a, b] = [from.values, to.values];
  let sum = 0;
  for (let i = 0; i < lookBytes; i++) {
    const value = gain * a[i]! + offset;
    sum += Math.abs(Math.min(1, Math.max(0, value)) - b[i]!);
  }
  return sum / lookBytes;
}

const plainDifference = (first: SmallPicture, second: SmallPicture) =>
  meanDifference(first, second, unchanged);

/** Mean difference of two pictures that no change of exposure explains, 0 to 1. */
export function difference(first: SmallPicture, second: SmallPicture): number {
  return Math.min(
    plainDifference(first, second),
    meanDifference(first, second, exposureBetween(first, second)),
    meanDifference(second, first, exposureBetween(second, first)),
  );
}

/** A block with less variance than that is flat. */
const leastTexture = 0.0003;
const isTextured = (look: SmallPicture, block: number) => look.texture[block]! > leastTexture;
/** From this correlation on a block shows the same. */
const alike = 0.7;

/** Share of the blocks with texture in either picture that show the same in both; 0 where there are none. */
export function keptShare(first: SmallPicture, second: SmallPicture): number {
  let [textured, alikeCount] = [0, 0];
  for (let block = 0; block < blocks; block++) {
    const [a, b] = [first.texture[block]!, second.texture[block]!];
    if (a <= leastTexture && b <= leastTexture) continue;
    textured++;
    let covariance = 0;
    for (let i = block * perBlock; i < (block + 1) * perBlock; i++) {
      covariance += (first.structure[i]! * second.structure[i]!) / perBlock;
    }
    if (covariance > alike * Math.sqrt(a * b)) alikeCount++;
  }
  return textured > 2 ? alikeCount / textured : 0;
}

/**
 * A difference that no exposure and no light makes: pictures of one layout in other colours are two pictures.
 */
const otherColours = 0.12;
/** Differences this many deviations of the picture large are those of two pictures. */
const wholeDifference = 0.3;
/** From this value of `changeBetween` on a second is looked at whole. */
export const worthLooking = 0.3;

/** How much two pictures look like two shots, 0 to 1. */
export function changeBetween(first: SmallPicture, second: SmallPicture): number {
  const deviation = Math.max(0.01, Math.sqrt(Math.max(first.variance, second.variance)));
  const unexplained = difference(first, second);
  const apart = Math.min(1, unexplained / deviation / wholeDifference);
  return unexplained >= otherColours ? apart : (1 - keptShare(first, second)) * apart;
}

/** Which grid frames of a film are worth looking at, of pictures that come one after the other. */
export class FrameChoice {
  /** Frames that may begin another shot than the frame before them, ascending. */
  readonly frames: number[] = [];
  #seen: SmallPicture | null = null;

  /** How much a frame looks like another shot than the one before it, 0 to 1; 1 of the first. */
  see(frame: number, picture: SmallPicture): number {
    const changed = this.#seen === null ? 1 : changeBetween(this.#seen, picture);
    if (this.#seen !== null) this.note(frame, changed);
    this.#seen = picture;
    return changed;
  }

  /** The same of a frame that was seen before: `changed` as `see` answered it. */
  note(frame: number, changed: number): void {
    if (changed >= worthLooking) this.frames.push(frame);
  }
}

/** Pictures of a part of a film, one after the other. */
export interface FilmPictures {
  /** When each is shown. */
  readonly seconds: readonly number[];
  readonly looks: readonly SmallPicture[];
}

/** Where a new shot begins: the index of its first picture. A gradual change begins before. */
export interface ShotChange {
  readonly at: number;
  readonly isGradual: boolean;
}

/** Ascending. */
export function* changesOf(part: FilmPictures): Steps<ShotChange[]> {
  const cuts = yield* cutsOf(part);
  const gradual = yield* gradualChanges(part, cuts);
  return [...cuts.map((at) => ({ at, isGradual: false })), ...gradual].sort((a, b) => a.at - b.at);
}

// Cuts.

/** Pictures on either side with which one is compared. */
export const neighbours = 3;
/** Pictures before and after, of which one pair that is alike proves that it was a flash or a person. */
const [before, after] = [
  [1, 2, 3, 5, 7],
  [0, 1, 2, 4, 6],
];

/** A step from one picture to the next, as what happens around it shows it. */
interface Step {
  /** Its size in multiples of the largest step beside it. */
  readonly times: number;
  /** The same for the side on which the steps are smaller. */
  readonly timesCalmer: number;
  /** There are fewer than `neighbours` pictures before it. */
  readonly isFirst: boolean;
}

function* cutsOf({ looks }: FilmPictures): Steps<number[]> {
  const steps = [0];
  for (let at = 1; at < looks.length; at++) {
    steps.push(difference(looks[at - 1]!, looks[at]!));
    yield;
  }
  const cuts: number[] = [];
  for (let at = 1; at < looks.length; at++) {
    yield;
    if (steps[at]! < 0.004) continue;
    const earlier = Math.max(0.001, ...steps.slice(Math.max(1, at - neighbours), at));
    const later = Math.max(0.001, ...steps.slice(at + 1, at + 1 + neighbours));
    const step = {
      times: steps[at]! / Math.max(earlier, later),
      timesCalmer: steps[at]! / Math.min(earlier, later),
      isFirst: at < neighbours,
    };
    if (step.times >= 1.3 && step.timesCalmer >= 2.2 && isCut(looks, at, step)) cuts.push(at);
  }
  return cuts;
}

/** The bounds were chosen on the fit films of docs/measurements.md ("Shots") and five edited ones. */
function isCut(looks: readonly SmallPicture[], at: number, { times, timesCalmer, isFirst }: Step): boolean {
  const { some, many, most, isInset } = outstandingBlocks(looks, at);
  if (some < 0.3) return false;
  const { least, sameShare } = nearestAcross(looks, at);
  if (least <= 0.006 || (isInset && sameShare >= 0.1)) return false;
  if (times >= 3 && sameShare < 0.62 && many >= 0.55) return true;
  if (times >= 3 && least >= otherColours && many >= 0.8 && !isFirst) return true;
  // Another moment of the same shot: what does not move stays, and the rest is elsewhere.
  if (times >= 3.4 && sameShare >= 0.55 && sameShare < 0.84 && least >= 0.025 && most >= 0.3 && most <= 0.6)
    return true;
  if (times < 2 && (least < 0.06 || sameShare >= 0.3 || isFirst)) return false;
  return sameShare < 0.4 || (timesCalmer >= 3 && sameShare < 0.55 && many >= 0.35 && some >= 0.55);
}

/** The least difference, and the largest equal share, between pictures before and behind a place. */
function nearestAcross(looks: readonly SmallPicture[], at: number): { least: number; sameShare: number } {
  let [least, sameShare] = [1, 0];
  for (const back of before) {
    const earlier = looks[at - back];
    for (const on of earlier ? after : []) {
      const later = looks[at + on];
      if (!later) continue;
      least = Math.min(least, difference(earlier!, later));
      sameShare = Math.max(sameShare, keptShare(earlier!, later));
    }
  }
  return { least, sameShare };
}

/** Mean difference of each block that no change of exposure of the whole picture explains. */
function blockDifferences(from: SmallPicture, to: SmallPicture): Float32Array {
  const fitted = exposureBetween(from, to);
  const isBetter = meanDifference(from, to, fitted) < plainDifference(from, to);
  const { gain, offset } = isBetter ? fitted : unchanged;
  return Float32Array.from({ length: blocks }, (_, block) => {
    let sum = 0;
    for (const at of pixelsOf(block)) {
      for (let i = at; i < at + 3; i++) {
        sum += Math.abs(clamped(gain * from.values[i]! + offset, 0, 1) - to.values[i]!);
      }
    }
    return sum / (perBlock * 3);
  });
}

/**
 * Shares of the blocks that show something: those that change more than they do around this place (`some`),
 * twice as much (`many`), and clearly so (`most`). `isInset`: the last are one rectangle.
 */
function outstandingBlocks(looks: readonly SmallPicture[], at: number) {
  const usual = new Float32Array(blocks);
  for (let i = Math.max(1, at - neighbours); i <= Math.min(looks.length - 1, at + neighbours); i++) {
    if (i === at) continue;
    for (const [block, value] of blockDifferences(looks[i - 1]!, looks[i]!).entries()) {
      usual[block] = Math.max(usual[block]!, value);
    }
  }
  const [earlier, later] = [looks[at - 1]!, looks[at]!];
  let [left, top, right, bottom] = [across, down, -1, -1];
  const count = { some: 0, many: 0, most: 0 };
  const shown = { some: 0, many: 0, most: 0 };
  for (const [block, value] of blockDifferences(earlier, later).entries()) {
    const stands = {
      some: value > 1.3 * usual[block]! + 0.008,
      many: value > 2 * usual[block]! + 0.008,
      most: value > 2 * usual[block]! + 0.015,
    };
    const isShown = isTextured(earlier, block) || isTextured(later, block);
    for (const how of ['some', 'many', 'most'] as const) {
      if (stands[how]) count[how]++;
      if (stands[how] || isShown) shown[how]++;
    }
    if (!stands.most) continue;
    const [x, y] = [block % across, Math.floor(block / across)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  const box = Math.max(0, right - left + 1) * Math.max(0, bottom - top + 1);
  return {
    some: count.some / Math.max(1, shown.some),
    many: count.many / Math.max(1, shown.many),
    most: count.most / Math.max(1, shown.most),
    isInset: count.most > 0.75 * box && box < 0.5 * blocks,
  };
}

// Gradual changes.

/** Seconds that a change may take. */
const lengths = [0.32, 0.6, 1, 1.5, 2.2];

interface Window {
  readonly from: number;
  readonly to: number;
  readonly apart: number;
}

/** Where the new picture prevails. */
function* gradualChanges(part: FilmPictures, cuts: readonly number[]): Steps<ShotChange[]> {
  const windows: Window[] = [];
  for (const length of lengths) {
    for (const window of windowsOf(part, length)) {
      yield;
      if (cuts.some((cut) => cut > window.from && cut <= window.to)) continue;
      if (isGradual(part, window)) windows.push(window);
    }
  }
  windows.sort((a, b) => a.from - b.from);
  const changes: ShotChange[] = [];
  for (let i = 0; i < windows.length; ) {
    let end = windows[i]!.to;
    let best = windows[i]!;
    for (i++; i < windows.length && windows[i]!.from < end; i++) {
      end = Math.max(end, windows[i]!.to);
      if (windows[i]!.apart > best.apart) best = windows[i]!;
    }
    changes.push({ at: prevailing(part, best), isGradual: true });
  }
  return changes;
}

function* windowsOf({ seconds, looks }: FilmPictures, length: number): Generator<Window> {
  const step = Math.max(0.08, length / 4);
  for (let start = seconds[0]!, from = 0; ; start += step) {
    while (from < seconds.length && seconds[from]! < start - 1e-6) from++;
    let to = from;
    while (to < seconds.length && seconds[to]! < start + length - 1e-6) to++;
    if (to >= seconds.length) return;
    if (to - from < 3 || seconds[to]! - seconds[from]! > length * 1.5) continue;
    const apart = plainDifference(looks[from]!, looks[to]!);
    if (apart >= 0.16) yield { from, to, apart };
  }
}

function isGradual({ seconds, looks }: FilmPictures, { from, to, apart }: Window): boolean {
  const [first, last] = [looks[from]!, looks[to]!];
  const sameShare = keptShare(first, last);
  if (sameShare >= 0.4 || differingShare(first, last) < 0.85) return false;
  const margin = Math.max(1, Math.floor((to - from) * 0.12));
  const [earlier, later] = [
    looks[Math.max(0, from - margin)]!,
    looks[Math.min(looks.length - 1, to + margin)]!,
  ];
  const moved = Math.max(plainDifference(earlier, first), plainDifference(last, later)) / apart;
  if (moved > 0.5) return false;
  let step = 0;
  for (let i = from + 1; i <= to; i++) {
    step = Math.max(step, plainDifference(looks[i - 1]!, looks[i]!) / apart);
  }
  if (step > Math.min(0.35, 0.2 + 0.5 / (to - from))) return false;
  const shares = [0.25, 0.5, 0.75].map((place) =>
    explainedShare(first, last, looks[from + Math.floor((to - from) * place)]!),
  );
  if (Math.min(...shares) <= 0.5) return false;
  // An even change with rest before and after may move more in between.
  const isEven = step <= 0.17 && moved <= 0.35 && sameShare < 0.2;
  if ((shares[0]! + shares[1]! + shares[2]!) / 3 <= (isEven ? 0.6 : 0.72)) return false;
  // Someone who walks past the lens leaves the picture that was there before.
  const start = looks[Math.max(0, from - 3)]!;
  for (let i = to; i < looks.length && seconds[i]! < seconds[to]! + 2; i += 3) {
    if (keptShare(start, looks[i]!) >= 0.35 || plainDifference(start, looks[i]!) < 0.6 * apart) return false;
  }
  return true;
}

/** Share of the blocks that no change of exposure of the whole picture explains. */
function differingShare(first: SmallPicture, last: SmallPicture): number {
  return blockDifferences(first, last).filter((value) => value > 0.02).length / blocks;
}

/**
 * Share of the blocks that differ between two pictures which are, in the one between them, either of them or
 * a mixture of both; 0 where there are none.
 */
function explainedShare(first: SmallPicture, last: SmallPicture, between: SmallPicture): number {
  let [differing, explained] = [0, 0];
  for (let block = 0; block < blocks; block++) {
    const fit = mixtureOf(first.values, last.values, between.values, pixelsOf(block));
    if (fit.apart <= 0.03) continue;
    differing++;
    if (fit.residual < 0.25 * fit.apart + 0.005) explained++;
  }
  return differing === 0 ? 0 : explained / differing;
}

/** Residual of a block taken as a mixture of two others, and the distance between these. */
function mixtureOf(a: Float32Array, b: Float32Array, m: Float32Array, pixels: readonly number[]) {
  let [aa, bb, ab, am, bm] = [0, 0, 0, 0, 0];
  for (const at of pixels) {
    for (let i = at; i < at + 3; i++) {
      aa += a[i]! * a[i]!;
      bb += b[i]! * b[i]!;
      ab += a[i]! * b[i]!;
      am += a[i]! * m[i]!;
      bm += b[i]! * m[i]!;
    }
  }
  const determinant = aa * bb - ab * ab;
  let p = determinant > 1e-4 ? clamped((am * bb - bm * ab) / determinant, 0, 1) : 0.5;
  let q = determinant > 1e-4 ? clamped((bm * aa - am * ab) / determinant, 0, 1) : 0.5;
  const sum = Math.max(1, p + q);
  [p, q] = [p / sum, q / sum];
  let [mixed, first, last, apart] = [0, 0, 0, 0];
  for (const at of pixels) {
    for (let i = at; i < at + 3; i++) {
      mixed += Math.abs(p * a[i]! + q * b[i]! - m[i]!);
      first += Math.abs(a[i]! - m[i]!);
      last += Math.abs(b[i]! - m[i]!);
      apart += Math.abs(a[i]! - b[i]!);
    }
  }
  const values = pixels.length * 3;
  return { residual: Math.min(mixed, first, last) / values, apart: apart / values };
}

/** The first picture that is nearer to the last one of a window than to the first. */
function prevailing({ looks }: FilmPictures, { from, to }: Window): number {
  const [first, last] = [looks[from]!, looks[to]!];
  for (let at = from + 1; at < to; at++) {
    if (plainDifference(looks[at]!, last) < plainDifference(looks[at]!, first)) return at;
  }
  return to;
}
