// Where a face looks, estimated from its five landmarks.
import { applied, fitted, template } from '../alignment/similarity.ts';

export interface Pose {
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
