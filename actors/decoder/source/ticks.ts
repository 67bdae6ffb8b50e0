// Timestamps of FFmpeg as numbers.
import { noTimestamp } from '../ffmpeg.ts';

/** Null for AV_NOPTS_VALUE. */
export function ticks(value: bigint): number | null {
  return value === noTimestamp ? null : Number(value);
}
