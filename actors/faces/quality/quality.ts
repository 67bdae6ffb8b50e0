// Whether a face says who it is: one that is too small, blurred, turned away or cut off is weak.

import { alignedSide, applied, fitted, template } from '../alignment/align.ts';
import type { Face } from '../contract.ts';

/** Measured in docs/decisions/0014-how-faces-are-found.md. */
export const limits = {
  /** Shorter side of the box, px. */
  size: 28,
  sharpness: 0.1,
  /** Degrees to either side. */
  yaw: 55,
} as const;

type Qualities = Pick<Face, 'size_px' | 'sharpness' | 'yaw' | 'landmarks'> & { readonly cut: boolean };

export function isWeak({ size_px, sharpness, yaw, landmarks, cut }: Qualities): boolean {
  if (cut || size_px < limits.size || sharpness < limits.sharpness || Math.abs(yaw) > limits.yaw) return true;
  // A landmark beyond the edge was guessed, and the aligned face is black there.
  return landmarks.some((value) => value < 0 || value > 1);
}

// How sharp an aligned face is: what blur, enlargement and motion take away first.

/** The face without hair, background and what lies beyond the edge of the picture, px of the aligned face. */
const inner = { left: 26, right: 86, top: 36, bottom: 102 } as const;

/** Variance of the Laplacian that counts as 0.5: a face of 60 px in a clip of a webcam. */
const middle = 20;

/** `face`: 112×112×3 RGB. 0 flat to 1 sharp. */
export function sharpness(face: Uint8Array): number {
  const variance = laplacianVariance(face);
  return variance / (variance + middle);
}

/** Of the brightness, 0 to 255, with the four neighbours of each pixel. */
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
  // Of a head turned by t the eyes come closer by cos t, and the nose leaves their middle by sin t.
  const eyes = left[0] - right[0];
  const offset = nose[0] - (left[0] + right[0]) / 2;
  const yaw = degrees(Math.atan2(offset * eyesOverNose, Math.max(0, eyes)));
  return { yaw: yaw || 0, roll: degrees(Math.atan2(-fit.b, fit.a)) || 0 };
}

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
