// The pictures that starter-visual is measured on: drawn ones in two ways, patterns, and photographs where
// they are. Weights are fitted on the other half of the photographs, and on none of these drawings.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Random, seeded } from '../diarization/random.ts';
import { flatScenes } from './flat-scenes.ts';
import { noiseScenes } from './noise-scenes.ts';
import { patterns } from './patterns.ts';
import { type Drawing, type Picture, photograph, rendered, type Shown } from './picture.ts';

export type Half = 'fit' | 'table';

interface Labelled extends Shown {
  readonly file: string;
  readonly half: Half;
}

type Draw = (random: Random) => Drawing;
const styles = { flat: flatScenes, noise: noiseScenes, pattern: patterns };
const FIRST_SEED = 900_000;

/**
 * `each` pictures of every kind of every way to draw; those of the table, or others of another `first` seed.
 */
export async function drawn(each: number, first = FIRST_SEED): Promise<Picture[]> {
  const pictures: Promise<Picture>[] = [];
  let seed = first;
  for (const [style, kinds] of Object.entries(styles) as [string, Readonly<Record<string, Draw>>][]) {
    for (const [kind, draw] of Object.entries(kinds)) {
      for (let i = 0; i < each; i++) {
        const { svg, tags, maybe } = draw(seeded(seed++));
        const unsaid = style === 'pattern' ? [] : looksOfScenes;
        pictures.push(rendered(`${style} ${kind} ${i}`, style, { svg, tags, maybe: [...maybe, ...unsaid] }));
      }
    }
  }
  return Promise.all(pictures);
}

/** Photographs of one half from the folder that FRAMEHOUND_BENCH_PICTURES names; none where it is not set. */
export async function photographs(half: Half): Promise<Picture[]> {
  const folder = process.env['FRAMEHOUND_BENCH_PICTURES'];
  if (folder === undefined) return [];
  const labels = labelled(await readFile(new URL('./photographs.tsv', import.meta.url), 'utf8'));
  const chosen = labels.filter((label) => label.half === half);
  return Promise.all(
    chosen.map(async ({ file, tags, maybe }) => {
      const pixels = await photograph(join(folder, file));
      const [colours, perhaps] = coloursOf(pixels);
      return {
        name: file,
        style: 'photograph',
        tags: [...tags, ...colours],
        maybe: [...maybe, ...looks, ...perhaps],
        pixels,
      };
    }),
  );
}

function labelled(text: string): Labelled[] {
  const list = (words = '') => (words === '' ? [] : words.split(','));
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [file = '', half, tags, maybe] = line.split('\t');
      if (half !== 'fit' && half !== 'table')
        throw new Error(`photographs.tsv: "${half}" is no half (${file})`);
      return { file, half, tags: list(tags), maybe: list(maybe) };
    });
}

/** Labels that drawn scenes do not have. */
const looksOfScenes = ['bright', 'vivid', 'pastel', 'plain', 'symmetrical', 'busy', 'textured', 'colourful'];

/** Labels that photographs do not have. */
const looks = [
  'busy',
  'textured',
  'symmetrical',
  'dark',
  'bright',
  'vivid',
  'pastel',
  'sepia',
  'colourful',
  'high contrast',
  'landscape',
  'low key',
  'horizontal stripes',
  'vertical stripes',
  'diagonal stripes',
  'grass under sky',
  'sunset over water',
  'test pattern',
];

/** Colours that fill 45 % of a photograph, and those that fill 4 %, by hue, saturation and lightness. */
function coloursOf(pixels: Uint8Array): [colours: string[], perhaps: string[]] {
  const shares = new Map<string, number>();
  const count = pixels.length / 3;
  for (let at = 0; at < pixels.length; at += 3) {
    for (const name of namesOf(pixels[at]! / 255, pixels[at + 1]! / 255, pixels[at + 2]! / 255)) {
      shares.set(name, (shares.get(name) ?? 0) + 1 / count);
    }
  }
  const over = (from: number, to: number) =>
    [...shares].filter(([, share]) => share >= from && share < to).map(([name]) => name);
  return [over(0.45, Number.POSITIVE_INFINITY), over(0.04, 0.45)];
}

function namesOf(red: number, green: number, blue: number): string[] {
  const [high, low] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const light = (high + low) / 2;
  const spread = high - low;
  const dim = light < 0.2 ? ['black'] : [];
  const pale = light > 0.8 ? ['white'] : [];
  if (spread < 0.1) return [...dim, ...pale, ...(light >= 0.15 && light <= 0.9 ? ['grey'] : [])];
  const turn =
    high === red
      ? (green - blue) / spread
      : high === green
        ? 2 + (blue - red) / spread
        : 4 + (red - green) / spread;
  const hue = (turn * 60 + 360) % 360;
  const found = hues
    .filter(([, from, to]) => (hue >= from && hue < to) || (hue + 360 >= from && hue + 360 < to))
    .map(([name]) => name);
  const earthy = hue < 50 && light < 0.65 ? ['brown'] : [];
  return [...dim, ...pale, ...found, ...earthy];
}

const hues: readonly (readonly [string, number, number])[] = [
  ['red', 340, 378],
  ['orange', 10, 50],
  ['yellow', 40, 70],
  ['green', 65, 170],
  ['cyan', 160, 205],
  ['blue', 185, 260],
  ['purple', 250, 315],
  ['pink', 295, 355],
];
