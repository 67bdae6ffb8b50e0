// The shot sizes of a media, made of the things and faces that are stored of it.

import { isSure } from '../../things/confidence.ts';
import type { ThingTrack } from '../../things/tracks.ts';
import { idText } from '../people/entry-id.ts';
import type { Face } from '../people/face.ts';
import { faceAt } from '../people/face-columns.ts';
import type { Store } from '../store/store.ts';
import type { ShotSize } from './contract.ts';

/** Throws STORE_DAMAGED for a record of the media that is damaged; faces that are damaged are left out. */
export function storedShots(
  store: Store,
  hash: string,
  tracks: readonly ThingTrack[],
  faces = storedFaces(store, hash),
): SizedShot[] {
  const { width = 0, height = 0, grid_frames = 0 } = store.media.byHash(hash)?.probe ?? {};
  const sure = tracks.filter((track) => isSure(track, grid_frames));
  return width > 0 && height > 0 ? shotsOf(sure, faces, width / height) : [];
}

/** With their ids and grid frames; those that are damaged are left out. */
export function storedFaces(
  { people }: Store,
  hash: string,
): (Face & { readonly frame: number; readonly id: string })[] {
  return people.faces
    .byAll(hash)
    .flatMap((all) =>
      Array.from(all.frames, (frame, at) => ({ ...faceAt(all, at), frame, id: idText(all.ids, at) })),
    );
}

// How large people are in a picture, as film makers name it: close-up, medium or wide shot. From the boxes of
// persons and faces that are stored.

/** Grid frames `[start, end)` in a row that show people in one size. */
export interface SizedShot {
  readonly size: ShotSize;
  readonly start: number;
  readonly end: number;
  /** Score of the largest person in the frame that shows it best. */
  readonly score: number;
  readonly best: number;
}

/** A face of a grid frame. */
export interface SeenFace extends Pick<Face, 'landmarks' | 'score'> {
  readonly frame: number;
}

/**
 * Heights of faces, from brow to chin, as shares of that of the picture from which a shot is a close-up (head
 * and shoulders, down to the chest) or a medium shot (down to the waist or the knees). Such a face is three
 * quarters of a head: a picture that shows a person down to the chest is 2.2 heads tall, and one down to the
 * knees 5.7.
 */
const [closeFace, mediumFace] = [1 / 3, 0.13];
/** Such a height in distances from the eyes to the mouth: the boxes of detectors differ by a fifth. */
const faceHeight = 2.8;

/**
 * Where no face was found: a person who fills so much of the height and reaches the lower edge of the picture
 * is cut off there, and the higher, the wider the box is for its height: shoulders are wider than a head and
 * a chest are tall, and a whole person is less than 0.4 as wide. Width by height in pixels.
 */
const [cutPerson, lowerEdge] = [0.55, 0.96];
/**
 * A small person cut off at the top or a side may be a hand that enters the picture, so no size is claimed.
 */
const edge = 0.01;
const [closeShape, mediumShape] = [0.9, 0.4];

interface Seen {
  readonly size: ShotSize;
  readonly height: number;
  readonly score: number;
}

/**
 * `aspect`: width of the picture by its height. Frames without a person and without a face belong to none.
 */
export function shotsOf(
  tracks: readonly ThingTrack[],
  faces: readonly SeenFace[],
  aspect: number,
): SizedShot[] {
  const sizesByFrame = new Map<number, Seen>();
  for (const { frame, landmarks, score } of faces) {
    const height = faceHeight * fromEyesToMouth(landmarks, aspect);
    const size = height >= closeFace ? 'close_up' : height >= mediumFace ? 'medium' : 'wide';
    if (height > (sizesByFrame.get(frame)?.height ?? 0)) sizesByFrame.set(frame, { size, height, score });
  }
  const withFace = new Set(sizesByFrame.keys());
  for (const { class: name, start, end, score, box } of tracks) {
    if (name !== 'person') continue;
    const size = sizeOf(box, aspect);
    if (size === null) continue;
    const sighting = { size, height: box[3], score };
    for (let frame = start; frame < end; frame++) {
      if (!withFace.has(frame) && sighting.height > (sizesByFrame.get(frame)?.height ?? 0))
        sizesByFrame.set(frame, sighting);
    }
  }
  return joined([...sizesByFrame].sort(([a], [b]) => a - b));
}

function sizeOf([left, top, width, height]: ThingTrack['box'], aspect: number): ShotSize | null {
  const isCut = height >= cutPerson && top + height >= lowerEdge;
  const shape = (width * aspect) / height;
  if (isCut && shape >= mediumShape) return shape >= closeShape ? 'close_up' : 'medium';
  return Math.min(top, left, 1 - left - width) < edge ? null : 'wide';
}

/** Distance as a share of the picture's height. */
function fromEyesToMouth(points: Face['landmarks'], aspect: number): number {
  const middle = (from: number) => (points[from]! + points[from + 2]!) / 2;
  return Math.hypot((middle(0) - middle(6)) * aspect, middle(1) - middle(7));
}

function joined(sightings: readonly (readonly [frame: number, seen: Seen])[]): SizedShot[] {
  const shots: SizedShot[] = [];
  for (const [frame, { size, score }] of sightings) {
    const last = shots.at(-1);
    if (last?.size !== size || last.end !== frame) {
      shots.push({ size, start: frame, end: frame + 1, score, best: frame });
    } else {
      const better = score > last.score ? { score, best: frame } : {};
      shots[shots.length - 1] = { ...last, ...better, end: frame + 1 };
    }
  }
  return shots;
}
