// The shot sizes of a media, made of the things and faces that are stored of it.
import type { Track } from '../../things/tracks.ts';
import { faceAt } from '../people/face-columns.ts';
import type { Store } from '../store/store.ts';
import { type Shot, shotsOf } from './shots.ts';

/** Throws STORE_DAMAGED for a record of the media that is damaged; faces that are damaged are left out. */
export function storedShots({ media, people }: Store, hash: string, tracks: readonly Track[]): Shot[] {
  const { width = 0, height = 0 } = media.byHash(hash)?.probe ?? {};
  if (width <= 0 || height <= 0) return [];
  const faces = people.faces
    .byAll(hash)
    .flatMap((all) => Array.from(all.frames, (frame, at) => ({ ...faceAt(all, at), frame })));
  return shotsOf(tracks, faces, width / height);
}
