// Recorded takes from which films are cut: the films and stills of ../shared, and the films of the folder
// that FRAMEHOUND_BENCH_FOOTAGE names, each of which must be a single take.
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { isMediaName } from '../../actors/decoder/media-names.ts';
import { sharedPath } from '../../test/shared.ts';
import type { Decoder } from '../actors.ts';

/** Size of all pictures, in px: red, green and blue bytes, row by row. */
export const [width, height] = [480, 270];

export interface Take {
  /** Takes of one group look alike. */
  readonly group: string;
  readonly seconds: number;
  /** Its path; null for a still. */
  readonly film: string | null;
  /** The picture shown at each frame of a film with `rate` frames a second. */
  read(from: number, seconds: number, rate: number): Promise<Uint8Array[]>;
}

export const sharedTakes = ['media/video', 'media/faces/signers', 'media/images'] as const;

export async function openTakes(decoder: Decoder): Promise<Take[]> {
  const footage = process.env['FRAMEHOUND_BENCH_FOOTAGE'];
  const [video, signers, images] = sharedTakes.map(sharedPath) as [string, string, string];
  const films = [video, signers, ...(footage ? [footage] : [])].flatMap(filesIn);
  return Promise.all([
    ...films.map((path) => filmTake(decoder, path, path.startsWith(signers) ? signers : path)),
    ...filesIn(images).map(stillTake),
  ]);
}

function filesIn(folder: string): string[] {
  const names = globSync('**/*', { cwd: folder }).filter(isMediaName).sort();
  return names.map((name) => join(folder, name));
}

async function filmTake(decoder: Decoder, path: string, group: string): Promise<Take> {
  const { duration_seconds } = await decoder.ask('probe', { path });
  return {
    group,
    seconds: duration_seconds,
    film: path,
    read: async (from, seconds, rate) => {
      const needed = Math.max(0, from - 1);
      const parts = [{ from: needed, needed, to: from + seconds }];
      const moments = Array.from({ length: Math.floor(seconds * rate) }, (_, i) => from + i / rate);
      for await (const part of decoder.feed('part_pictures', { path, parts, width, height })) {
        const bytes = width * height * 3;
        const shown = moments.map((at) => part.seconds.findLastIndex((begin) => begin <= at + 1e-6));
        return shown.map((n) => part.pictures.subarray(Math.max(0, n) * bytes, (Math.max(0, n) + 1) * bytes));
      }
      throw new Error(`${basename(path)} has no pictures`);
    },
  };
}

async function stillTake(path: string): Promise<Take> {
  const sized = sharp(path).removeAlpha().toColourspace('srgb').resize(width, height);
  const picture = new Uint8Array(await sized.raw().toBuffer());
  return {
    group: path,
    seconds: 60,
    film: null,
    read: async (_, seconds, rate) => Array.from({ length: Math.floor(seconds * rate) }, () => picture),
  };
}
