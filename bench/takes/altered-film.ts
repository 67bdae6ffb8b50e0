// A part of a recorded film with something done to its pictures, coded again.
import sharp from 'sharp';
import type { decoderContract } from '../../actors/decoder/contract.ts';
import type { Ref } from '../../runtime/ref.ts';
import { Dice } from '../../test/actors/models/starter/drawings/canvas.ts';
import { type Alteration, rgbOf, sharpOf } from '../picture-search/alterations.ts';
import { writeFilm } from '../samples/writer/film.ts';

/** Frames a second of what is written: a part begins between two seconds of the grid. */
const fps = 5;
/** Longest side. */
const side = 640;

interface Part {
  readonly path: string;
  readonly start: number;
  readonly seconds: number;
  readonly alter: Alteration | null;
  /** Quality of x264, where more is worse. */
  readonly crf: number;
}

export async function writeAltered(
  decoder: Ref<typeof decoderContract>,
  { path, start, seconds, alter, crf }: Part,
  into: string,
): Promise<void> {
  const moments = Array.from({ length: seconds * fps }, (_, i) => start + i / fps);
  const pictures: { rgb: Uint8Array; width: number; height: number }[] = [];
  const request = { path, seconds: moments, preview: { max_side: side, quality: 95 } };
  for await (const { jpeg } of decoder.feed('moments', request, { credit: 2 })) {
    const plain = await rgbOf(sharp(jpeg));
    // The dice fall alike for every frame.
    const altered = alter === null ? plain : await alter(plain, new Dice(7));
    const [width, height] = [altered.width & ~1, altered.height & ~1];
    pictures.push(await rgbOf(sharpOf(altered).extract({ left: 0, top: 0, width, height })));
  }
  const { width, height } = pictures[0]!;
  await writeFilm({
    path: into,
    picture: {
      ...{ width, height, frames: pictures.length, frameRate: { num: fps, den: 1 } },
      encoder: 'libx264',
      options: { preset: 'veryfast', crf: String(crf), threads: '1' },
      draw: (n, rgb) => rgb.set(pictures[n]!.rgb),
    },
  });
}
