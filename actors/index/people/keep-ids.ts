// Which faces of a content that is analysed again are the ones that were there before: the same place of the
// same frame.
import { type FaceColumns, numbersOfFace } from './face-columns.ts';

/** Shared part of two boxes from which they are one face. */
const leastOverlap = 0.5;

/** Intersection over union of the boxes of two faces. */
export function overlap(a: FaceColumns, at: number, b: FaceColumns, other: number): number {
  const [left, top, width, height] = a.numbers.subarray(at * numbersOfFace) as unknown as number[];
  const [x, y, w, h] = b.numbers.subarray(other * numbersOfFace) as unknown as number[];
  const across = Math.min(left! + width!, x! + w!) - Math.max(left!, x!);
  const down = Math.min(top! + height!, y! + h!) - Math.max(top!, y!);
  if (across <= 0 || down <= 0) return 0;
  const shared = across * down;
  const all = width! * height! + w! * h! - shared;
  return all > 0 ? shared / all : 0;
}

/** Faces that were there before, by one model. */
export interface EarlierFaces extends FaceColumns {
  /** One a face. */
  readonly ids: readonly string[];
}

/**
 * For each face of `now` the id it keeps, or null: the pairs of a frame that overlap most first, each id and
 * each face once.
 */
export function keptIds(before: readonly EarlierFaces[], now: FaceColumns): (string | null)[] {
  const kept: (string | null)[] = Array.from(now.frames, () => null);
  const used = new Set<string>();
  const at = before.map(() => 0);
  for (let from = 0; from < now.frames.length; ) {
    const frame = now.frames[from]!;
    let to = from;
    while (now.frames[to] === frame) to++;
    const pairs: { face: number; id: string; shared: number }[] = [];
    for (const [i, old] of before.entries()) {
      while (at[i]! < old.frames.length && old.frames[at[i]!]! < frame) at[i]!++;
      for (let other = at[i]!; old.frames[other] === frame; other++) {
        for (let face = from; face < to; face++) {
          const shared = overlap(now, face, old, other);
          if (shared >= leastOverlap) pairs.push({ face, id: old.ids[other]!, shared });
        }
      }
    }
    pairs.sort((a, b) => b.shared - a.shared || a.face - b.face);
    for (const { face, id } of pairs) {
      if (kept[face] !== null || used.has(id)) continue;
      kept[face] = id;
      used.add(id);
    }
    from = to;
  }
  return kept;
}
