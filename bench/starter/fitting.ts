// Pictures that the scenes of starter-visual are fitted on: the half of the photographs that the table does
// not have, each also cropped and in other light, the drawings of the tests, the sample library, and pictures
// of nothing. None of them is in the table.
import sharp, { type Sharp } from 'sharp';
import { drawSet } from '../../test/actors/models/starter/drawings/set.ts';
import { Canvas } from '../samples/drawings/canvas.ts';
import type { Scene } from '../samples/drawings/scene.ts';
import { sampleShots } from '../samples/list.ts';
import { nothing } from './nothing.ts';
import { type Picture, SIDE } from './picture.ts';
import { photographs } from './table.ts';

const EACH = 4;
const SEED = 50_000;
/** Pictures of each kind of nothing. */
const NOTHINGS = 18;
const NOTHING_SEED = 60_000;
const raw = { width: SIDE, height: SIDE, channels: 3 as const };

export interface Fitted extends Picture {
  /** Pictures of one group are never on both sides of a trial. */
  readonly group: string;
}

export async function fitted(): Promise<Fitted[]> {
  const photos = await photographs('fit');
  if (photos.length === 0) throw new Error('FRAMEHOUND_BENCH_PICTURES names no folder of photographs');
  const altered = await Promise.all(photos.map(alter));
  return [...altered.flat(), ...drawings(), ...(await sampled()), ...blanks()];
}

async function alter(picture: Picture): Promise<Fitted[]> {
  const { pixels, name: group } = picture;
  const of = async (change: (from: Sharp) => Sharp) =>
    new Uint8Array(await change(sharp(pixels, { raw })).resize(SIDE, SIDE, { fit: 'fill' }).raw().toBuffer());
  const crop = (left: number, top: number) => ({ left, top, width: 184, height: 184 });
  const versions = [
    pixels,
    await of((from) => from.extract(crop(0, 20)).linear(0.8, 0)),
    await of((from) => from.extract(crop(40, 30)).linear(1.15, 6).flop()),
    await of((from) => from.flop().linear(0.85, 25).blur(0.8)),
  ];
  return versions.map((version) => ({ ...picture, pixels: version, group }));
}

/** They may be said to be plain, and no more. */
function blanks(): Fitted[] {
  return nothing(NOTHINGS, NOTHING_SEED).map(({ name, pixels }) => ({
    ...{ name, style: 'nothing', tags: [], maybe: ['plain'], pixels, group: name },
  }));
}

type Labels = readonly [tags: readonly string[], maybe: readonly string[]];

/** Labels of the kinds of the tests' drawings that show a scene. */
const kinds: Readonly<Record<string, Labels>> = {
  'blue sky': [['blue sky'], ['clouds', 'landscape', 'plain']],
  'sky over land': [
    ['blue sky', 'landscape'],
    ['clouds', 'grass', 'foliage', 'rock', 'sand'],
  ],
  overcast: [
    ['overcast', 'clouds'],
    ['landscape', 'fog', 'rock', 'grass'],
  ],
  sea: [['water'], ['blue sky', 'clouds', 'overcast', 'landscape']],
  foliage: [['foliage'], ['forest', 'grass']],
  forest: [['forest'], ['foliage', 'grass']],
  grass: [['grass'], ['blue sky', 'clouds', 'overcast', 'landscape', 'foliage']],
  snow: [['snow'], ['blue sky', 'clouds', 'overcast', 'landscape', 'forest']],
  beach: [
    ['beach', 'sand'],
    ['water', 'blue sky', 'clouds', 'landscape', 'desert'],
  ],
  desert: [
    ['desert', 'sand'],
    ['beach', 'blue sky', 'clouds', 'landscape'],
  ],
  night: [['night'], ['city lights', 'stars']],
  'city lights': [['city lights', 'night'], ['stars']],
  sunset: [['sunset'], ['clouds', 'landscape', 'backlit']],
  fire: [['fire'], ['night', 'sunset']],
  face: [['face'], []],
  document: [['document', 'text'], []],
  title: [['text'], ['plain']],
  fog: [['fog'], ['overcast', 'clouds', 'landscape', 'snow', 'plain']],
  room: [[], ['plain']],
  street: [['overcast'], ['clouds', 'rock']],
  plain: [['plain'], ['fog', 'overcast', 'sand']],
  cluttered: [['busy'], []],
};

function drawings(): Fitted[] {
  return drawSet(EACH, SEED).map(({ kind, pixels }, i) => {
    const [tags, maybe] = kinds[kind] ?? [[], ['plain']];
    const name = `drawn ${kind} ${i}`;
    return { name, style: 'tests', tags, maybe, pixels, group: name };
  });
}

const shots: Readonly<Record<string, Labels>> = {
  'sunset-over-the-sea.mp4 0': [
    ['sunset', 'water'],
    ['clouds', 'landscape'],
  ],
  'sunset.jpg': [['sunset'], ['clouds', 'landscape', 'water']],
  'a-day-outdoors.mp4 0': [['blue sky'], ['landscape', 'grass', 'clouds', 'foliage']],
  'a-day-outdoors.mp4 1': [['forest'], ['foliage', 'grass']],
  'forest.jpg': [['forest'], ['foliage', 'grass']],
  'a-day-outdoors.mp4 2': [['snow'], ['blue sky', 'landscape', 'rock', 'clouds']],
  'snowy-mountain.jpg': [['snow'], ['blue sky', 'landscape', 'rock', 'clouds']],
  'beach.mp4 0': [
    ['beach', 'sand'],
    ['water', 'blue sky', 'landscape', 'clouds'],
  ],
  'beach.webp': [
    ['beach', 'sand'],
    ['water', 'blue sky', 'landscape', 'clouds'],
  ],
  'camp-fire.mkv 0': [['fire'], ['night', 'stars']],
  'fire.webp': [['fire'], ['night', 'stars']],
  'moon-over-the-sea.jpg': [
    ['night', 'stars'],
    ['water', 'city lights'],
  ],
  'street-at-night.jpg': [['night', 'city lights'], ['stars']],
  'the-red-car.mp4 0': [['night', 'city lights'], ['stars']],
  'hills.jpg': [
    ['blue sky', 'landscape'],
    ['grass', 'clouds', 'foliage', 'forest'],
  ],
  'page-of-text.png': [['document', 'text'], []],
};

/** The sample library, drawn small; what is not named shows nothing certain. */
async function sampled(): Promise<Fitted[]> {
  const namedShots = sampleShots.filter(({ name }) => Object.hasOwn(shots, name));
  return Promise.all(
    namedShots.map(async ({ name, scene, moment }) => {
      const [tags, maybe] = shots[name]!;
      return {
        name,
        style: 'samples',
        tags,
        maybe,
        pixels: await drawSample(scene, moment),
        group: name.replace(/[.].*/, ''),
      };
    }),
  );
}

async function drawSample(scene: Scene, moment: number): Promise<Uint8Array> {
  const [width, height] = [320, 200];
  const canvas = new Canvas(width, height);
  scene(width, height)(canvas, moment);
  const { buffer, byteOffset, length } = canvas.rgb;
  const whole = sharp(new Uint8Array(buffer, byteOffset, length), { raw: { width, height, channels: 3 } });
  return new Uint8Array(await whole.resize(SIDE, SIDE, { fit: 'fill' }).raw().toBuffer());
}
