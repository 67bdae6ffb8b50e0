// Puts clips that overlap on tracks one above the other.
import { mostTracks } from './contract.ts';
import type { Clip } from './model.ts';

/**
 * Each clip on the lowest track above all earlier clips that it overlaps: what comes later covers what came
 * before. The tracks have their clips in order of time. `refuse`: makes the error for the clip that would
 * need one track too many.
 */
export function stacked(clips: readonly Clip[], refuse: (clip: number) => Error): Clip[][] {
  const tracks: Clip[][] = [];
  for (const [i, clip] of clips.entries()) {
    const above = 1 + tracks.findLastIndex((track) => overlaps(track, clip));
    if (above === mostTracks) throw refuse(i);
    const track = tracks[above];
    if (track) track.splice(firstFrom(track, clip.start), 0, clip);
    else tracks.push([clip]);
  }
  return tracks;
}

function overlaps(track: readonly Clip[], { start, end }: Clip): boolean {
  const next = firstFrom(track, start);
  return (track[next - 1]?.end ?? 0) > start || (track[next]?.start ?? end) < end;
}

/** Place of the first clip that starts at `frame` or later. */
function firstFrom(track: readonly Clip[], frame: number): number {
  let [low, high] = [0, track.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track[middle]!.start < frame) low = middle + 1;
    else high = middle;
  }
  return low;
}
