// Whether a face says who it is: one that is too small, blurred, turned away or cut off is weak.
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
