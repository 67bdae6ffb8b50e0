// The scenes of a search as items of a timeline. Pure.
import type { TimelineItem } from '../actors/exporter/timeline/contract.ts';
import type { Match } from '../actors/search/contract.ts';
import { isStill } from './place.ts';

/** A still is shown so long. */
const STILL_SECONDS = 5;

/** One after the other, in the order in which they were found. */
export function sceneItems(matches: readonly Match[]): TimelineItem[] {
  return matches.map((match) => {
    const { video_path: media_path, scene_start_timestamp: first, scene_end_timestamp: last } = match;
    const source_start_seconds = isStill(match) ? 0 : secondsOf(first);
    // The last second of a scene belongs to it.
    const source_end_seconds = isStill(match) ? STILL_SECONDS : secondsOf(last) + 1;
    return { media_path, source_start_seconds, source_end_seconds, track: 'video' };
  });
}

/** Of `HH:MM:SS`; hours may have more than two digits. */
export function secondsOf(timestamp: string): number {
  return timestamp.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
}
