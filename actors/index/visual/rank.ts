// From scored frames to an answer: one match a scene, so many a video, the best scenes, then grouped by video. Pure.
//
// Order of the answer: videos by their best match, and within a video best first, as an editor reads it: the best film,
// then the other places in it. `original_index` is the position before that grouping, so the plain ranking is not lost.
import type { RankedMatch } from './contract.ts';

/** A frame with its exact score, and the scene it stands for. */
export interface Scored {
  readonly hash: string;
  readonly path: string;
  readonly frame: number;
  readonly scene: readonly [number, number];
  readonly score: number;
}

function byScore(a: Scored, b: Scored): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.hash !== b.hash) return a.hash < b.hash ? -1 : 1;
  return a.frame - b.frame;
}

/** The best frame of each scene, best first. */
export function onePerScene(scored: readonly Scored[]): Scored[] {
  const seen = new Set<string>();
  return scored.toSorted(byScore).filter((one) => {
    const scene = `${one.hash}/${one.scene[0]}`;
    if (seen.has(scene)) return false;
    seen.add(scene);
    return true;
  });
}

/** The same ranking without what one video has beyond its best `most`. */
export function fewPerVideo(ranking: readonly Scored[], most: number): Scored[] {
  const seen = new Map<string, number>();
  return ranking.filter(({ hash }) => {
    const before = seen.get(hash) ?? 0;
    seen.set(hash, before + 1);
    return before < most;
  });
}

/** The first `max` of a ranking, grouped by video. */
export function grouped(ranking: readonly Scored[], max: number): RankedMatch[] {
  const videos = new Map<string, RankedMatch[]>();
  for (const [original_index, one] of ranking.slice(0, max).entries()) {
    const match = {
      hash_str: one.hash,
      path: one.path,
      frame_index: one.frame,
      scene_start: one.scene[0],
      scene_end: one.scene[1],
      original_index,
      score: one.score,
    };
    const video = videos.get(one.hash);
    if (video === undefined) videos.set(one.hash, [match]);
    else video.push(match);
  }
  return [...videos.values()].flat();
}
