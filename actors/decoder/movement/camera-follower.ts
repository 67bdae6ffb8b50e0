// Follows the camera from one grid frame to the next.
import type { GridPicture } from '../frames/gop-walk.ts';
import { brightnessOf } from './brightness.ts';
import type { CameraMotion } from './contract.ts';
import { motionBetween, type Seen, seenOf } from './motion.ts';

interface Followed {
  readonly second: number;
  readonly seconds: number;
  readonly seen: Seen | null;
}

export class CameraFollower {
  #last: Followed | null = null;

  /** Since the grid frame before; null where nobody can say. */
  next({ second, seconds, frame }: GridPicture): CameraMotion | null {
    const last = this.#last;
    const isSame = last?.seconds === seconds;
    const seen = isSame ? last.seen : seenIn(frame);
    this.#last = { second, seconds, seen };
    if (last?.second !== second - 1 || !last.seen || !seen) return null;
    return isSame ? { dx: 0, dy: 0, zoom: 0 } : motionBetween(last.seen, seen);
  }
}

function seenIn(frame: GridPicture['frame']): Seen | null {
  const brightness = brightnessOf(frame);
  return brightness && seenOf(brightness);
}
