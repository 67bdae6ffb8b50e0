// Times of a source in an EDL, which has one count for everything: its readers take every timecode for one of
// the sequence.
import { nominalRate, timecode } from '../../decoder/timecode.ts';
import { type Clip, counterText, type Source, sourceTimecode, type Timeline } from './model.ts';
import { framesIn, framesPerSecond, isSameRate } from './rate.ts';

export interface SourceTimes {
  readonly first: string;
  readonly last: string;
  /** The first one as the source counts it, where that is another count. */
  readonly own: string | null;
  /**
   * Frames per second of a source that has as many numbers a second as the sequence, and is slower or faster.
   */
  readonly speed: number | null;
}

export function sourceTimes(clip: Clip, source: Source, { rate }: Timeline): SourceTimes {
  const { timecode: counter } = source;
  const length = clip.end - clip.start;
  if (nominalRate(counter.rate) !== nominalRate(rate)) return converted(clip, source, rate);
  const first = sourceTimecode(source, clip.in);
  if (!isSameRate(counter.rate, rate)) {
    const speed = framesPerSecond(counter.rate);
    return { first, last: sourceTimecode(source, clip.out), own: null, speed };
  }
  const from = framesIn(clip.in, source.rate, counter.rate);
  return { first, last: counterText(counter, from + length), own: null, speed: null };
}

/**
 * The same hours, minutes and seconds, so that a reader finds the place in a file that it knows the timecode
 * of.
 */
function converted(clip: Clip, source: Source, rate: Timeline['rate']): SourceTimes {
  const own = sourceTimecode(source, clip.in);
  const [hours, minutes, seconds, frame] = own.split(/[:;]/).map(Number) as [number, number, number, number];
  const count = nominalRate(rate);
  const second = (hours * 60 + minutes) * 60 + seconds;
  const number = second * count + Math.round((frame * count) / nominalRate(source.timecode.rate));
  const text = (at: number) => timecode(at, { rate: { num: count, den: 1 }, dropFrame: false });
  return { first: text(number), last: text(number + clip.end - clip.start), own, speed: null };
}
