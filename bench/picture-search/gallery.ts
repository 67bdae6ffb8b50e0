// The pictures that are searched: drawings of the tests, the sample library, recorded media where they are,
// and a folder of the caller's. All as files of at most 640 px, so that every one goes the way of a still.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { copySamples } from '../../actors/samples/samples.ts';
import { SIDE } from '../../test/actors/models/starter/drawings/canvas.ts';
import { drawSet } from '../../test/actors/models/starter/drawings/set.ts';
import { sharedPath } from '../../test/shared.ts';
import type { Decoder } from '../actors.ts';
import { sized } from '../size.ts';

export interface GalleryPicture {
  /** Where it comes from: `drawn`, `samples`, `recorded`, `folder`. */
  readonly group: string;
  readonly path: string;
}

const preview = { max_side: 640, quality: 95 };
/** Seconds between two pictures of a film; nearer ones are often one picture. */
const secondsApart = 3;
/**
 * Mean difference of two thumbnails, of 255, below which one of them is left out: nobody could tell which was
 * meant.
 */
const leastDifference = 6;
const thumbnailSide = 16;
/** Pictures of each kind of drawing, and pictures of the caller's folder at most. */
const drawnOfEach = sized(3, 1);
const mostOfFolder = 300;
/** Files of each source. */
const mostOfSource = sized(Number.POSITIVE_INFINITY, 1);

/** `folder`: of the caller's, every picture in it; null for none. Files are written into `into`. */
export async function makeGallery(
  decoder: Decoder,
  into: string,
  { seed, folder }: { readonly seed: number; readonly folder: string | null },
): Promise<GalleryPicture[]> {
  const gallery: GalleryPicture[] = [];
  const thumbnails: Uint8Array[] = [];
  const add = async (group: string, jpeg: Uint8Array) => {
    const thumbnail = await sharp(jpeg)
      .resize(thumbnailSide, thumbnailSide, { fit: 'fill' })
      .raw()
      .toBuffer();
    if (thumbnails.some((earlierThumbnail) => differenceOf(thumbnail, earlierThumbnail) < leastDifference))
      return;
    thumbnails.push(thumbnail);
    const path = join(into, `${gallery.length}.jpg`);
    writeFileSync(path, jpeg);
    gallery.push({ group, path });
  };
  for (const { pixels } of drawSet(drawnOfEach, seed)) {
    const raw = { width: SIDE, height: SIDE, channels: 3 } as const;
    await add('drawn', await sharp(pixels, { raw }).jpeg({ quality: 95 }).toBuffer());
  }
  const samples = join(into, 'samples');
  await copySamples(samples);
  const sources: [group: string, paths: readonly string[]][] = [
    ['samples', filesOf(samples)],
    ['recorded', ['video', 'faces/portraits', 'faces/signers', 'images'].flatMap(recorded)],
    ['folder', folder === null ? [] : filesOf(folder).slice(0, mostOfFolder)],
  ];
  for (const [group, paths] of sources) {
    for (const path of paths.slice(0, mostOfSource))
      for (const jpeg of await picturesOf(decoder, path)) await add(group, jpeg);
  }
  return gallery;
}

function recorded(name: string): string[] {
  return filesOf(sharedPath(join('media', name)));
}

/** Sorted, so that every run has the same; none of a folder that is not there. */
function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && /\.(jpe?g|png|mp4|mkv|webm)$/i.test(entry.name))
      .map(({ name }) => join(folder, name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** JPEGs of a still, or of some moments of a film. */
async function picturesOf(decoder: Decoder, path: string): Promise<Uint8Array[]> {
  const { kind, duration_seconds } = await decoder.ask('probe', { path });
  const moments = kind === 'image' ? 1 : Math.ceil(duration_seconds / secondsApart);
  const seconds = Array.from({ length: moments }, (_, i) => i * secondsApart);
  const jpegs: Uint8Array[] = [];
  for await (const { jpeg } of decoder.feed('moments', { path, seconds, preview }, { credit: 2 }))
    jpegs.push(jpeg);
  return jpegs;
}

function differenceOf(first: Uint8Array, second: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < first.length; i++) sum += Math.abs(first[i]! - second[i]!);
  return sum / first.length;
}
