import { join } from 'node:path';
import { cameraOf, type Motion, type Movement, movements } from '../actors/index/visual/camera.ts';
import { sharedPath, skipWithout } from '../test/shared.ts';
import { type Decoder, startBench } from './actors.ts';
import { footage, kinds } from './footage.ts';
import { type Clip, clips, filmOf, type Picture, sourceOf } from './movement/clips.ts';
import { beside, processorSeconds, type Question, type Row } from './row.ts';
import { writeFilm } from './samples/writer/film.ts';
import { sized } from './size.ts';

const stills = ['astronaut.png', 'chelsea.png', 'coffee.png', 'rocket.jpg'].map((name) =>
  join('media/images', name),
);
const film = 'media/video/car-detection.mp4';
const shape = { width: 224, height: 224, fit: 'stretch', resample: 'area' } as const;
/** One film of so many. */
const oneOf = sized(1, 14);
const rounds = 5;

export const movement: Question = async (say, folder) => {
  const lacking = skipWithout(...stills, film);
  if (lacking !== false) {
    say(lacking);
    return [];
  }
  const bench = startBench(8, shape.width * shape.height * 3);
  try {
    const [decoder] = (await bench.decoders(1)) as [Decoder];
    const sources = await Promise.all([...stills.map(sharedPath).map(sourceOf), recorded(decoder)]);
    const told: Told[] = [];
    for (const [i, clip] of clips().entries()) {
      if (i % oneOf !== 0) continue;
      const path = join(folder, `${i}.mp4`);
      await writeFilm({ path, picture: filmOf(clip, sources) });
      const seconds = movementsOf(await motionsOf(decoder, path));
      told.push({ clip, seconds });
      say(`${clip.movement}, ${clip.name}: ${seconds.map((one) => one ?? '?').join(' ')}`);
    }
    return [...rowsOf(told), await cost(decoder, say)];
  } finally {
    await bench.stop();
  }
};

/** A frame of a recorded film: a road, of which little stands out. */
async function recorded(decoder: Decoder): Promise<Picture> {
  const request = { path: sharedPath(film), seconds: [4], preview: { max_side: 1280, quality: 95 } };
  for await (const { jpeg } of decoder.feed('moments', request, { credit: 1 })) return sourceOf(jpeg);
  throw new Error(`${film}: no picture`);
}

async function motionsOf(decoder: Decoder, path: string): Promise<Motion[]> {
  const motions: Motion[] = [];
  const request = { path, shape, preview: null, mode: 'exact', from_frame: 0, motion: true } as const;
  for await (const { motion } of decoder.feed('frames', request, { credit: 4 }))
    motions.push(motion ? [motion.dx, motion.dy, motion.zoom] : null);
  return motions;
}

function movementsOf(motions: readonly Motion[]): (Movement | null)[] {
  const camera = cameraOf(motions, [0]);
  return motions.map((_, i) => movements[camera[i]! - 1] ?? null);
}

interface Told {
  readonly clip: Clip;
  readonly seconds: readonly (Movement | null)[];
}

function rowsOf(told: readonly Told[]): Row[] {
  const row = (name: string, value: number, goal: Row['goal'] = null): Row => {
    return { question: 'movement', name, value, unit: '', against: null, ratio: null, goal };
  };
  const filmsOf = (some: readonly Told[], as: Movement | null) =>
    some.filter(({ seconds }) => mostOf(seconds) === as).length;
  const right = told.filter(({ clip, seconds }) => mostOf(seconds) === clip.movement).length;
  const seconds = told.flatMap((one) => one.seconds.map((as) => [one.clip.movement, as] as const));
  const known = seconds.filter(([, as]) => as !== null);
  return [
    row(`${told.length} films: share told right`, right / told.length, {
      of: 'value',
      at: 'least',
      than: 0.9,
    }),
    row(`${seconds.length} seconds: share told`, known.length / seconds.length),
    row(
      `${known.length} seconds that are told: share told right`,
      known.filter(([is, as]) => is === as).length / known.length,
    ),
    ...movements.flatMap((is) => {
      const own = told.filter(({ clip }) => clip.movement === is);
      const others = [...movements, null].filter((as) => as !== is);
      return others.map((as) => row(`${own.length} ${is}: told as ${as ?? 'nothing'}`, filmsOf(own, as)));
    }),
  ];
}

/** Of what is told. */
function mostOf(seconds: readonly (Movement | null)[]): Movement | null {
  const count = (one: Movement) => seconds.filter((as) => as === one).length;
  const best = movements.reduce((a, b) => (count(b) > count(a) ? b : a));
  return count(best) > 0 ? best : null;
}

async function cost(decoder: Decoder, say: (text: string) => void): Promise<Row> {
  const { path, name, seconds } = await footage(kinds.h264Gop60, say);
  say(name);
  const decode = async (motion: boolean) => {
    const request = {
      ...{ path, shape, preview: { max_side: 640, quality: 80 }, from_frame: 0 },
      ...{ mode: 'exact' as const, ...(motion && { motion }) },
    };
    const used = await processorSeconds(async () => {
      for await (const _ of decoder.feed('frames', request, { credit: 4 }));
    });
    return { used: (used / seconds) * 1000 };
  };
  const { used } = await beside(
    rounds,
    () => decode(true),
    () => decode(false),
  );
  return {
    question: 'movement',
    name: `${name} with 640 px previews, the camera followed`,
    value: used.value,
    unit: 'ms of a processor for a second',
    against: { name: 'not followed', value: used.peer },
    ratio: 1 / used.ratio,
    goal: { of: 'ratio', at: 'least', than: 0.95 },
  };
}
