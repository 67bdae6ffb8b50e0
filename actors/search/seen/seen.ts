// What detectors have seen in one media file, as it is stored: nothing has to be loaded.
import { joinRanges } from '../../../runtime/ranges.ts';
import type { CallOptions } from '../../../runtime/ref.ts';
import { believedScore, measuredClasses } from '../../things/contract.ts';
import type { Track } from '../../things/tracks.ts';
import type { NamedMedia, SeenAnswer } from '../media/contract.ts';
import type { LocationParts } from '../media/location.ts';
import { knownMedia } from '../scenes/scenes.ts';

/**
 * Errors: MEDIA_UNKNOWN; STORE_DAMAGED; what keeps a file from being read that the folder does not know by
 * its path.
 */
export async function seenIn(
  parts: LocationParts,
  request: NamedMedia,
  call: CallOptions,
): Promise<SeenAnswer> {
  const { cache_dir } = request;
  const { record, media_path } = await knownMedia(parts, request, call);
  const { hash_str } = record.identity;
  const things = await parts.index.ask('things_of', { cache_dir, hash_str }, call);
  const written = await parts.index.ask('written_in', { cache_dir, hash_str }, call);
  return {
    hash_str,
    media_path,
    things_from: things.model_key === null ? null : sourceOf(things),
    things: classesOf(things.tracks),
    shots: things.shots.map(({ size, ...range }) => ({ size, ...secondsOf(range) })),
    lines_from: written.lines === null ? null : sourceOf(written),
    lines: (written.lines ?? []).map(({ text, score, box, ...range }) => ({
      text,
      score,
      ...secondsOf(range),
      box,
    })),
    faces: things.faces
      .map(({ frame: time_seconds, box }) => ({ time_seconds, box }))
      .sort((a, b) => a.time_seconds - b.time_seconds),
  };
}

const sourceOf = ({ from_previews }: { readonly from_previews: boolean }) =>
  from_previews ? 'previews' : 'file';
/** Frames of the grid are seconds. */
const secondsOf = ({ start, end }: { readonly start: number; readonly end: number }) => ({
  start_seconds: start,
  end_seconds: end,
});

const measured: ReadonlySet<string> = new Set(measuredClasses);

/** What is seen longest comes first. */
function classesOf(tracks: readonly Track[]): SeenAnswer['things'] {
  const believed = tracks.filter(({ score }) => score >= believedScore);
  return [...Map.groupBy(believed, (track) => track.class)]
    .map(([name, own]) => ({
      class: name,
      measured: measured.has(name),
      score: Math.max(...own.map(({ score }) => score)),
      ranges: joinRanges(own.map(({ start, end }) => [start, end])),
      tracks: own.map(({ box, ...range }) => ({ ...secondsOf(range), box })),
    }))
    .sort((a, b) => lengthOf(b.ranges) - lengthOf(a.ranges) || b.score - a.score);
}

const lengthOf = (ranges: readonly (readonly [number, number])[]) =>
  ranges.reduce((sum, [start, end]) => sum + end - start, 0);
