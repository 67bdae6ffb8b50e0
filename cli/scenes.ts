// What a search has found as items of a timeline.
import { isStillName } from '../actors/decoder/media-names.ts';
import type { TimelineItem } from '../actors/exporter/timeline/contract.ts';
import type { Found } from './found.ts';
import { isStill, secondsOf } from './place.ts';

/** A still is shown so long. */
const STILL_SECONDS = 5;

/**
 * One after the other, in the order in which they were found: the scene that is seen, else the words, with
 * sound where they are said.
 */
export function sceneItems(entries: readonly Found[]): TimelineItem[] {
  return entries.map((entry): TimelineItem => {
    const { media_path, start, end, isOfStill } = spanOf(entry);
    return {
      media_path,
      source_start_seconds: isOfStill ? 0 : start,
      source_end_seconds: isOfStill ? STILL_SECONDS : end,
      track: entry.seen || entry.written ? 'video' : 'both',
    };
  });
}

function spanOf({ seen, said, written }: Found) {
  const words = said ?? written;
  if (seen || !words) return sceneOf(seen!);
  const { media_path, start_seconds: start, end_seconds: end } = words;
  return { media_path, start, end, isOfStill: isStillName(media_path) };
}

function sceneOf(seen: NonNullable<Found['seen']>) {
  const { video_path: media_path, scene_start_timestamp: first, scene_end_timestamp: last } = seen;
  // The last second of a scene belongs to it.
  return { media_path, start: secondsOf(first), end: secondsOf(last) + 1, isOfStill: isStill(seen) };
}
