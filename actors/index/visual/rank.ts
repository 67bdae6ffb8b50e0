// From scored frames to an answer: one match a scene, so many a video, the best scenes, then grouped by
// video.
//
// Order of the answer: videos by their best match, and within a video best first, as an editor reads it: the
// best film, then the other places in it. `original_index` is the position before that grouping, so the plain
// ranking is not lost.
//
// Equal scores are ordered by hash, and in one video by frame: where rows lie in memory decides nothing.
import { type LoadedMedia, sceneRange } from './catalog.ts';
import type { RankedMatch } from './contract.ts';
import { shotAt } from './shots.ts';

/** A frame that stands for its scene. */
export interface Scored {
  readonly media: LoadedMedia;
  /** Position of the frame among those of the media. */
  readonly position: number;
  readonly scene: number;
  readonly score: number;
}

/** How long an answer may be. */
export interface Most {
  readonly matches: number;
  readonly perVideo: number;
}

/** Best first. */
export function byScore(a: Scored, b: Scored): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.media !== b.media) return a.media.hash < b.media.hash ? -1 : 1;
  return a.position - b.position;
}

/**
 * The best frame of each scene, best first, `most` of them. What it leaves out is in no ranking of more
 * frames either.
 */
export function ranking<S extends Scored>(scored: readonly S[], most: Most): S[] {
  const best: S[] = [];
  const scenesByMedia = new Map<LoadedMedia, Set<number>>();
  for (const candidate of scored.toSorted(byScore)) {
    if (best.length === most.matches) break;
    const scenes = scenesByMedia.get(candidate.media) ?? new Set();
    if (scenes.size === most.perVideo || scenes.has(candidate.scene)) continue;
    scenesByMedia.set(candidate.media, scenes.add(candidate.scene));
    best.push(candidate);
  }
  return best;
}

/** Frames that do not reach these scores change nothing of a ranking. */
export class Limits {
  /** Number of frames of any video. */
  readonly all: number;
  readonly #ofVideo = new Map<LoadedMedia, number>();

  constructor(ranked: readonly Scored[], most: Most) {
    this.all = ranked.length < most.matches ? Number.NEGATIVE_INFINITY : ranked.at(-1)!.score;
    if (most.perVideo >= most.matches) return;
    for (const [media, group] of Map.groupBy(ranked, (candidate) => candidate.media))
      if (group.length === most.perVideo) this.#ofVideo.set(media, group.at(-1)!.score);
  }

  of(media: LoadedMedia): number {
    return this.#ofVideo.get(media) ?? this.all;
  }
}

export function grouped(ranked: readonly Scored[]): RankedMatch[] {
  const matches = ranked.map(({ media, position, scene, score }, original_index): RankedMatch => {
    const [scene_start, scene_end] = sceneRange(media, scene);
    const frame_index = media.frames[position] as number;
    return {
      hash_str: media.hash,
      path: media.path,
      frame_index,
      scene_start,
      scene_end,
      original_index,
      score,
      ...(media.shots && { shot: shotAt(media.shots, frame_index) }),
    };
  });
  return byVideo(matches);
}

/** `matches`: best first. */
export function byVideo(matches: readonly RankedMatch[]): RankedMatch[] {
  return [...Map.groupBy(matches, ({ hash_str }) => hash_str).values()].flat();
}
