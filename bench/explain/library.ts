// A loaded library, in memory alone: still pictures, or films that repeat some frames.
import { Catalog, everything, type LoadedMedia } from '../../actors/index/visual/catalog.ts';
import { standing } from '../../actors/index/visual/handlers.ts';
import { writeRow8 } from '../../actors/index/visual/quantize.ts';
import { ScaleCache } from '../../actors/index/visual/scale-cache.ts';
import { type SearchedVectors, search } from '../../actors/index/visual/search.ts';
import { RowBank } from '../../actors/index/visual/segment.ts';

export interface Library extends SearchedVectors {
  readonly kept: ScaleCache;
  readonly perMedia: number;
}

export function pictureLibrary(vectors: readonly Float32Array[]): Library {
  return library(vectors, vectors.length, 1);
}

export function filmLibrary(vectors: readonly Float32Array[], films: number, seconds: number): Library {
  return library(vectors, films, seconds);
}

const hashOf = (media: number) => `m${media}`;

/** Frame i of all is vector i, again from the first when there are no more. */
function library(vectors: readonly Float32Array[], media: number, perMedia: number): Library {
  const d = vectors[0]?.length ?? 1;
  const bank = new RowBank(d);
  const catalog = new Catalog();
  for (let m = 0; m < media; m++) {
    const frames = Int32Array.from({ length: perMedia }, (_, i) => i);
    const loadedMedia: LoadedMedia = {
      hash: hashOf(m),
      path: `/${m}`,
      revision: 1,
      file: '',
      start: 0,
      frames,
      scenes: frames,
      shots: null,
    };
    const runs = [];
    for (let position = 0; position < perMedia; ) {
      const { row, count } = bank.allocate(perMedia - position);
      const first = m * perMedia + position;
      bank.fill(row, count, (bytes) => {
        for (let i = 0; i < count; i++)
          writeRow8(vectors[(first + i) % vectors.length]!, bytes, i * bank.stride);
      });
      runs.push({ media: loadedMedia, row, count, position });
      position += count;
    }
    catalog.add(loadedMedia, runs);
  }
  return {
    ...{ bank, catalog, kept: new ScaleCache(), perMedia, pause: () => {} },
    fine: ({ media, position, row: first }, row, count) => {
      const at = Number(media.hash.slice(1)) * perMedia + position + row - first;
      return Array.from({ length: count }, (_, i) => vectors[(at + i) % vectors.length]!);
    },
  };
}

/** The best frames by words, as numbers of all frames. */
export function ranking(at: Library, text: Float32Array, most: number): number[] {
  const query = { text, pictures: [], textWeight: 1, exclude: [] };
  return search(at, query, everything, most)
    .matches.toSorted((a, b) => a.original_index - b.original_index)
    .map(({ hash_str, frame_index }) => Number(hash_str.slice(1)) * at.perMedia + frame_index);
}

export function standingOf(
  at: Library,
  { text, words }: { readonly text: Float32Array; readonly words: readonly Float32Array[] },
  frames: readonly number[],
) {
  const moments = frames.map((frame) => ({
    hash_str: hashOf(Math.floor(frame / at.perMedia)),
    frame_index: frame % at.perMedia,
  }));
  return standing(at, at.kept, { text, pictures: [], textWeight: 1, exclude: [], words }, moments);
}
