// Turns ranked frames into the matches of the API.
import { clockTime } from '../../decoder/contract.ts';
import type { RankedMatch } from '../../index/visual/contract.ts';
import type { ThingTrack } from '../../things/tracks.ts';
import type { Match } from '../contract.ts';
import { now } from '../loaded-data.ts';
import { copiesIn, type ShownMatch } from '../media/match-locations.ts';
import { fewPerMedia } from '../moments/fuse.ts';
import { type Band, type Explanation, isAtLeast, leftOutOf } from './contract.ts';
import type { QueryParts } from './query-vectors.ts';
import { grouped, type ThingQuery } from './thing-finder.ts';

/** `image`: JPEG bytes; undefined leaves the field out. */
export function toMatch(
  { match: ranked, path, others }: ShownMatch<RankedMatch>,
  image: Uint8Array | undefined,
  explanation?: Explanation,
): Match {
  return {
    frame_idx: String(ranked.frame_index),
    timestamp: clockTime(ranked.frame_index),
    ...(image
      ? { image: Buffer.from(image.buffer, image.byteOffset, image.byteLength).toString('base64') }
      : {}),
    scene_start_timestamp: clockTime(ranked.scene_start),
    // The last second of the scene: a strip with both ends shows nothing of the next one.
    scene_end_timestamp: clockTime(Math.max(ranked.scene_start, ranked.scene_end - 1)),
    ...(ranked.shot && { shot: ranked.shot }),
    original_index: ranked.original_index,
    hash_str: ranked.hash_str,
    video_path: path,
    ...copiesIn({ others }),
    ...(explanation && { explanation }),
  };
}

/** Adds to how sure matches are where in the picture the things are that they show. */
export async function withBoxes(
  { index }: Pick<QueryParts, 'index'>,
  cache_dir: string,
  terms: ThingQuery['terms'],
  moments: readonly Pick<RankedMatch, 'hash_str' | 'frame_index'>[],
  explained: readonly Explanation[],
  signal: AbortSignal | undefined,
): Promise<Explanation[]> {
  const frames = moments.map(({ hash_str, frame_index }) => ({ hash_str, frame_index }));
  const { seen } = await index.ask('things_at', { cache_dir, terms: [...terms], frames }, now(signal));
  return explained.map(({ band, parts }, i) => {
    const boxes = seen[i]!.map(boxOf);
    const isSeen = boxes.length > 0;
    return {
      band,
      parts: parts.map((entry) => (entry.part === 'things' && isSeen ? { ...entry, boxes } : entry)),
    };
  });
}

function boxOf({ start, end, class: name, score, box }: ThingTrack) {
  return { class: name, score, box, start_seconds: start, end_seconds: end };
}

/** The best of the matches that are at least so sure: a less sure one may rank before a surer one. */
export function sureMatches(
  matches: readonly RankedMatch[],
  explained: readonly Explanation[],
  min_band: Band,
  max: number,
  max_per_media = leftOutOf,
): { readonly matches: RankedMatch[]; readonly weaker: number } {
  const sure = matches
    .filter((_, i) => isAtLeast(explained[i]!.band, min_band))
    .toSorted((a, b) => a.original_index - b.original_index);
  const few = fewPerMedia(
    sure.map((match) => ({ match, hash: match.hash_str })),
    max_per_media,
  );
  const best = few.slice(0, max).map(({ match }) => match);
  return { matches: grouped(best), weaker: matches.length - sure.length };
}
