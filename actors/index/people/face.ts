// A face as it is found, stored and answered, without its vector and pictures.
import { type Static, Type } from 'typebox';

/** Relative to the width and height of the picture; parts beyond its edge are cut off. */
const Share = Type.Number({ minimum: 0, maximum: 1 });

export const Face = Type.Object({
  /** Left, top, width, height. */
  box: Type.Tuple([Share, Share, Share, Share]),
  /**
   * x and y of the right eye of the person, left eye, nose, right and left corner of the mouth; may lie
   * outside.
   */
  landmarks: Type.Array(Type.Number(), { minItems: 10, maxItems: 10 }),
  /** Score of the detector, 0 to 1. */
  score: Share,
  /** Shorter side of the box in pixels of the picture that was looked at. */
  size_px: Type.Number({ minimum: 0 }),
  /** 0 flat to 1 sharp: variance of the Laplacian of the aligned face, brought to this range. */
  sharpness: Share,
  /** Degrees, estimated from the landmarks: 0 looks into the camera, -90 and 90 are profiles. */
  yaw: Type.Number(),
  /** Degrees in the plane of the picture. */
  roll: Type.Number(),
  /** Too small or blurred to say who it is: it may join people, and never joins two of them. */
  weak: Type.Boolean(),
  /** Cut off, turned away or covered: its vector is like that of any such face, so it joins nobody. */
  unreliable: Type.Boolean(),
});
export type Face = Static<typeof Face>;
