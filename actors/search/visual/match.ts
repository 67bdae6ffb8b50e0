// Turns ranked frames into the matches of the API.
import { clockTime } from '../../decoder/contract.ts';
import type { RankedMatch } from '../../index/visual/contract.ts';
import type { Match } from '../contract.ts';
import { copiesIn, type ShownMatch } from '../media/match-locations.ts';
import type { Explanation } from './contract.ts';

/** `image`: JPEG bytes; undefined leaves the field out. */
export function toMatch(
  { match: ranked, path, others }: ShownMatch<RankedMatch>,
  image: Uint8Array | undefined,
  explanation?: Explanation,
): Match {
  return {
    frame_idx: String(ranked.frame_index),
    timestamp: clockTime(ranked.frame_index),
    ...(image ? { image: Buffer.from(image).toString('base64') } : {}),
    scene_start_timestamp: clockTime(ranked.scene_start),
    // The last second of the scene: a strip with both ends shows nothing of the next one.
    scene_end_timestamp: clockTime(Math.max(ranked.scene_start, ranked.scene_end - 1)),
    original_index: ranked.original_index,
    hash_str: ranked.hash_str,
    video_path: path,
    ...copiesIn({ others }),
    ...(explanation && { explanation }),
  };
}
