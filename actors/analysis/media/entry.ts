// The media properties of docs/api.md ("Media"), made of what is known of a file.
import { clockTime, type Rational } from '../../decoder/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import type { MediaProperties } from './contract.ts';

/** A duration this little short of a whole second is that second. */
const sliver = 0.002;

/** `analysed` and `transcribed`: hashes whose visual analysis and whose transcript are stored. */
export function propertiesEntry(
  { path, identity, probe }: MediaRecord,
  analysed: ReadonlySet<string>,
  transcribed: ReadonlySet<string>,
): MediaProperties {
  const { hash_str } = identity;
  const { kind, duration_seconds, timecode, width, height } = probe;
  // A sound file whose container does not say its length has 0.
  const timed = kind !== 'image' && duration_seconds > 0;
  return {
    video_cached: kind !== 'audio' && analysed.has(hash_str),
    audio_cached: kind !== 'image' && transcribed.has(hash_str),
    runtime: timed ? clockTime(duration_seconds + sliver) : null,
    fps: kind === 'video' ? rateOf(probe.video?.frame_rate) : 0,
    media_path: path,
    timecode: timecode.text,
    hash_str,
    drop_frame: timecode.drop_frame,
    timecode_rate: rateOf(timecode.rate) ?? 0,
    kind,
    width,
    height,
  };
}

/** Frames per second to a thousandth, as people write it: 29.97, 23.976; null when the file does not say. */
function rateOf(rate: Rational | undefined): number | null {
  return rate && rate.num > 0 ? Math.round((1000 * rate.num) / rate.den) / 1000 : null;
}
