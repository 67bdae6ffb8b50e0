// The faces of one content as columns, one value a face: what is known of each of them, without vectors and
// pictures.
import type { Face } from './face.ts';

/** Box, landmarks, score, size in pixels, sharpness, yaw, roll. */
export const numbersOfFace = 19;
const box = 4;
const measures = box + 10;

export interface FaceColumns {
  /** Grid frames, ascending. */
  readonly frames: Uint32Array;
  /** Position in these is `numbersOfFace` times that of the face. */
  readonly numbers: Float32Array;
  /** 1 for a weak face, 2 for an unreliable one. */
  readonly weak: Uint8Array;
}

/** Collects columns of a number of faces that is not known before. */
export class FaceList {
  #frames = new Uint32Array(64);
  #numbers = new Float32Array(64 * numbersOfFace);
  #weak = new Uint8Array(64);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(frame: number, face: Face): void {
    if (this.#count === this.#weak.length) this.#grow();
    const at = this.#count++;
    this.#frames[at] = frame;
    this.#weak[at] = face.unreliable ? 2 : face.weak ? 1 : 0;
    const { score, size_px, sharpness, yaw, roll } = face;
    this.#numbers.set(
      [...face.box, ...face.landmarks, score, size_px, sharpness, yaw, roll],
      at * numbersOfFace,
    );
  }

  #grow(): void {
    const size = this.#weak.length * 2;
    const [frames, numbers, weak] = [this.#frames, this.#numbers, this.#weak];
    this.#frames = new Uint32Array(size);
    this.#numbers = new Float32Array(size * numbersOfFace);
    this.#weak = new Uint8Array(size);
    this.#frames.set(frames);
    this.#numbers.set(numbers);
    this.#weak.set(weak);
  }

  /** *Copied*. */
  columns(from = 0): FaceColumns {
    return {
      frames: this.#frames.slice(from, this.#count),
      numbers: this.#numbers.slice(from * numbersOfFace, this.#count * numbersOfFace),
      weak: this.#weak.slice(from, this.#count),
    };
  }
}

export function faceAt({ numbers, weak }: FaceColumns, at: number): Face {
  const faceNumbers = numbers.subarray(at * numbersOfFace, (at + 1) * numbersOfFace);
  const [score, size_px, sharpness, yaw, roll] = faceNumbers.subarray(measures) as unknown as [
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    box: Array.from(faceNumbers.subarray(0, box)) as unknown as Face['box'],
    landmarks: Array.from(faceNumbers.subarray(box, measures)),
    score,
    size_px,
    sharpness,
    yaw,
    roll,
    weak: weak[at] === 1,
    unreliable: weak[at] === 2,
  };
}

/** How well a face shows a person, 0 to 1: sharp, large, seen from the front, and certain to be one. */
export function quality({ numbers, weak }: FaceColumns, at: number): number {
  const first = at * numbersOfFace + measures;
  const score = numbers[first]!;
  const large = Math.min(1, numbers[first + 1]! / 160);
  const sharpness = numbers[first + 2]!;
  const front = Math.max(0, Math.cos((Math.min(90, Math.abs(numbers[first + 3]!)) * Math.PI) / 180));
  const merit = 0.35 * sharpness + 0.3 * large + 0.25 * front + 0.1 * score;
  return Math.max(0, Math.min(1, weak[at] === 0 ? merit : merit / 2));
}

// Which faces of a content that is analysed again are the ones that were there before: the same place of the
// same frame.

/** Shared part of two boxes from which they are one face. */
const leastOverlap = 0.5;

/** Intersection over union of the boxes of two faces. */
export function overlap(a: FaceColumns, at: number, b: FaceColumns, otherAt: number): number {
  const [left, top, width, height] = a.numbers.subarray(at * numbersOfFace) as unknown as number[];
  const [x, y, w, h] = b.numbers.subarray(otherAt * numbersOfFace) as unknown as number[];
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
  const inheritedIds: (string | null)[] = Array.from(now.frames, () => null);
  const used = new Set<string>();
  const at = before.map(() => 0);
  for (let from = 0; from < now.frames.length; ) {
    const frame = now.frames[from]!;
    let to = from;
    while (now.frames[to] === frame) to++;
    const pairs: { face: number; id: string; shared: number }[] = [];
    for (const [i, old] of before.entries()) {
      while (at[i]! < old.frames.length && old.frames[at[i]!]! < frame) at[i]!++;
      for (let oldFace = at[i]!; old.frames[oldFace] === frame; oldFace++) {
        for (let face = from; face < to; face++) {
          const shared = overlap(now, face, old, oldFace);
          if (shared >= leastOverlap) pairs.push({ face, id: old.ids[oldFace]!, shared });
        }
      }
    }
    pairs.sort((a, b) => b.shared - a.shared || a.face - b.face);
    for (const { face, id } of pairs) {
      if (inheritedIds[face] !== null || used.has(id)) continue;
      inheritedIds[face] = id;
      used.add(id);
    }
    from = to;
  }
  return inheritedIds;
}
