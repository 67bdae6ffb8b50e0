// True if a face says who it is: one that is too small or blurred is weak, one that is cut off, turned away
// or covered is unreliable.

import type { Face } from '../../index/people/face.ts';
import { alignedSide, applied, fitted, template } from '../alignment/align.ts';
import { type Candidate, spanOf } from '../detection/family.ts';

/** Measured in docs/decisions/0014-how-faces-are-found.md. */
export const limits = {
  /** Shorter side of the box, px. */
  size: 28,
  sharpness: 0.1,
  /** Degrees to either side. */
  yaw: 55,
  /** Bar for `covering`. */
  covering: 16,
} as const;

export function isWeak({ size_px, sharpness }: Pick<Face, 'size_px' | 'sharpness'>): boolean {
  return size_px < limits.size || sharpness < limits.sharpness;
}

/**
 * True if the vector says more of what hides the face than of the person: such faces of different people are
 * alike.
 */
export function isUnreliable(face: {
  readonly yaw: number;
  readonly isCut: boolean;
  readonly covering: number;
}): boolean {
  return face.isCut || Math.abs(face.yaw) > limits.yaw || face.covering > limits.covering;
}

// How sharp an aligned face is: what blur, enlargement and motion take away first.

/** Half-open, px of the aligned face. */
interface Region {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The face without hair, background and what lies beyond the edge of the picture. */
const inner: Region = { left: 26, right: 86, top: 36, bottom: 102 };

/** Variance of the Laplacian that counts as 0.5: a face of 60 px in a clip of a webcam. */
const middle = 20;

/** `face`: 112×112×3 RGB. 0 flat to 1 sharp. */
export function sharpness(face: Uint8Array): number {
  const variance = laplacianVariance(face);
  return variance / (variance + middle);
}

/** Variance of the Laplacian over the four neighbours of each pixel; brightness 0 to 255. */
function laplacianVariance(face: Uint8Array): number {
  const light = brightness(face);
  let [sum, squares, count] = [0, 0, 0];
  for (let y = inner.top; y < inner.bottom; y++) {
    for (let x = inner.left; x < inner.right; x++) {
      const at = y * alignedSide + x;
      const around = light[at - 1]! + light[at + 1]! + light[at - alignedSide]! + light[at + alignedSide]!;
      const value = around - 4 * light[at]!;
      sum += value;
      squares += value * value;
      count++;
    }
  }
  const mean = sum / count;
  return squares / count - mean * mean;
}

/** ITU-R BT.601. */
function brightness(face: Uint8Array): Float32Array {
  const light = new Float32Array(alignedSide * alignedSide);
  for (let at = 0, from = 0; at < light.length; at++, from += 3) {
    light[at] = 0.299 * face[from]! + 0.587 * face[from + 1]! + 0.114 * face[from + 2]!;
  }
  return light;
}

// Covered faces. A mask, a scarf or a hand has another colour than the skin above it; brightness says
// nothing, because beards and shadows change it.

const forehead: Region = { left: 40, top: 30, right: 72, bottom: 44 };
const bridgeOfNose: Region = { left: 48, top: 44, right: 64, bottom: 60 };
const lowerFace: Region = { left: 30, top: 80, right: 82, bottom: 110 };
const chin: Region = { left: 44, top: 100, right: 68, bottom: 111 };

/**
 * How far the colour of the mouth and chin is from that of the nose and forehead, as chrominance of 8 bits.
 * `face`: 112×112×3 RGB.
 */
export function covering(face: Uint8Array): number {
  const nose = chrominance(face, bridgeOfNose);
  const below = chrominance(face, chin);
  const distances = [
    distance(nose, below),
    distance(nose, chrominance(face, lowerFace)),
    distance(chrominance(face, forehead), below),
  ];
  return distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
}

type Chrominance = readonly [blue: number, red: number];

const distance = (a: Chrominance, b: Chrominance) => Math.hypot(a[0] - b[0], a[1] - b[1]);

/** The mean, ITU-R BT.601. */
function chrominance(face: Uint8Array, { left, top, right, bottom }: Region): Chrominance {
  let [red, green, blue] = [0, 0, 0];
  for (let y = top; y < bottom; y++) {
    for (let at = 3 * (y * alignedSide + left); at < 3 * (y * alignedSide + right); at += 3) {
      red += face[at]!;
      green += face[at + 1]!;
      blue += face[at + 2]!;
    }
  }
  const light = 0.299 * red + 0.587 * green + 0.114 * blue;
  const count = (right - left) * (bottom - top);
  return [(0.564 * (blue - light)) / count, (0.713 * (red - light)) / count];
}

// Where a face looks, estimated from its five landmarks.

interface Pose {
  /** Degrees, -90 to 90: 0 looks into the camera, above 0 to the right of the picture. */
  readonly yaw: number;
  /** Degrees, -180 to 180: how far the face is turned clockwise in the plane of the picture. */
  readonly roll: number;
}

/** Distance of the eyes over how far the tip of the nose lies before them, of an average head. */
const eyesOverNose = 1.6;

const degrees = (radians: number) => (radians * 180) / Math.PI;

/** `landmarks`: x, y in pixels. Null where they are one point. */
export function pose(landmarks: ArrayLike<number>): Pose | null {
  const fit = fitted(landmarks, template);
  if (!fit) return null;
  const point = (at: number) => applied(fit, landmarks[2 * at]!, landmarks[2 * at + 1]!);
  const [right, left, nose] = [point(0), point(1), point(2)];
  // When the head turns by t, the distance of the eyes shrinks by cos t, and the nose leaves their middle by
  // sin t.
  const eyes = left[0] - right[0];
  const offset = nose[0] - (left[0] + right[0]) / 2;
  const yaw = degrees(Math.atan2(offset * eyesOverNose, Math.max(0, eyes)));
  return { yaw: yaw || 0, roll: degrees(Math.atan2(-fit.b, fit.a)) || 0 };
}

// True if the edge of the picture cuts a face. Detectors press box and landmarks into the picture, or guess
// landmarks beyond it: either way one of them lies near the edge.

/** Distance of a landmark from the edge, in sizes of the face: nearly all whole faces have .5 and more. */
const leastMargin = 0.25;

/** `landmarks` in pixels of the picture. */
export function isCut(
  landmarks: Candidate['landmarks'],
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  const least = leastMargin * spanOf(landmarks);
  return landmarks.some((value, at) => Math.min(value, (at % 2 === 0 ? width : height) - value) < least);
}
