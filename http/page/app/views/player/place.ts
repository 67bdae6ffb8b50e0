// Where one is in a medium, as it is told: by timecode and frame, or by its time where frames cannot be counted.
import { clock } from '../../times.ts';
import { frameAt, timecodeOf } from './frames.ts';
import type { Medium } from './media.ts';

type Counted = Pick<Medium, 'rate' | 'rateVaries' | 'frames'>;

/** For other programs: `00:01:02:13`, else seconds, `62.345`. */
export function placeOf(medium: Counted, seconds: number): string {
  return timecodeAt(medium, seconds) ?? startOf(medium, seconds).toFixed(3);
}

/** For people: `00:01:02:13`, `1:02.345` where the rate varies, `1:02.3` of sound. */
export function shownPlace(medium: Counted, seconds: number): string {
  const { frames } = medium;
  return timecodeAt(medium, seconds) ?? clock(startOf(medium, seconds), { decimals: frames ? 3 : 1 });
}

function timecodeAt({ rate, rateVaries }: Counted, seconds: number): string | null {
  return rate > 0 && !rateVaries ? timecodeOf(frameAt(seconds, rate), rate) : null;
}

/** Of the frame that is seen, where there are frames and their times are known. */
function startOf({ frames }: Counted, seconds: number): number {
  return frames?.at(seconds)?.start_seconds ?? seconds;
}

/** From 0; null where frames are not counted. */
export function numberOf({ rate, rateVaries }: Counted, seconds: number): number | null {
  return rate > 0 && !rateVaries ? frameAt(seconds, rate) : null;
}
