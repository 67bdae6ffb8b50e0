// Where a match is, in words and as an address.
import { pathToFileURL } from 'node:url';
import { isStillName } from '../actors/decoder/media-names.ts';
import type { Match } from '../actors/search/contract.ts';

/** A still has one moment and no scene. */
export function isStill({ video_path, frame_idx, scene_end_timestamp }: Match): boolean {
  return isStillName(video_path) && frame_idx === '0' && scene_end_timestamp <= '00:00:01';
}

/** `00:00:12, scene 00:00:10–00:00:14`; of a still that it is one. */
export function momentText(match: Match): { readonly moment: string; readonly scene: string } {
  if (isStill(match)) return { moment: 'still', scene: '' };
  const { timestamp, scene_start_timestamp: start, scene_end_timestamp: end } = match;
  return { moment: timestamp, scene: start === end ? '' : `scene ${start}–${end}` };
}

/** `also at A, B and 3 more`; empty where the content is nowhere else. */
export function copiesText(paths: readonly string[] = []): string {
  if (paths.length === 0) return '';
  const rest = paths.length > 2 ? ` and ${paths.length - 2} more` : '';
  return `also at ${paths.slice(0, 2).join(', ')}${rest}`;
}

/**
 * Opens in a browser or player at the moment: `#t=` is the fragment of the standard for media (W3C Media
 * Fragments).
 */
export function addressOf(match: Match): string {
  // A frame of the grid is a second.
  return momentAddress(match.video_path, isStill(match) ? null : match.frame_idx);
}

/** `seconds` null: of the file as a whole. */
export function momentAddress(path: string, seconds: number | string | null): string {
  const url = pathToFileURL(path);
  if (seconds !== null) url.hash = `t=${seconds}`;
  return url.href;
}

/** Of `HH:MM:SS`; hours may have more than two digits. */
export function secondsOf(timestamp: string): number {
  return timestamp.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
}
