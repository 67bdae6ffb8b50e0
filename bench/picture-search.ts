import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { VisualModel } from '../actors/embedder/contract.ts';
import { scoreOf, scoringOf, spreadOf } from '../actors/index/visual/scoring.ts';
import { defaultModelKey } from '../actors/models/rows/list.ts';
import { pictureReadings } from '../actors/search/visual/query-vectors.ts';
import { Dice } from '../test/actors/models/starter/drawings/canvas.ts';
import { type Bench, type Decoder, startBench } from './actors.ts';
import { type Alteration, alterations, rgbOf, sharpOf } from './picture-search/alterations.ts';
import { type GalleryPicture, makeGallery } from './picture-search/gallery.ts';
import { colourHistogram } from './picture-search/histogram.ts';
import { type Ranks, recall, spread } from './picture-search/recall.ts';
import type { Question, Row } from './row.ts';
import { sized } from './size.ts';

const model_key = defaultModelKey;
/** Pictures that each alteration is tried on: evenly spaced, from another one on for each. */
const queriesOfEach = sized(120, 2);
/** The drawings that settings are chosen on have another seed. */
const seed = Number(process.env.FRAMEHOUND_BENCH_SEED ?? 7000);

export const pictureSearch: Question = async (say, folder) => {
  const bench = startBench(8, 512 * 512 * 3);
  try {
    return await measure(bench, folder, say);
  } finally {
    await bench.stop();
  }
};

async function measure(bench: Bench, folder: string, say: (text: string) => void): Promise<Row[]> {
  const [decoder] = (await bench.decoders(1)) as [Decoder];
  const search = await openSearch(bench, decoder);
  say('drawing and reading the pictures');
  const ownFolder = process.env.FRAMEHOUND_BENCH_PICTURES ?? null;
  const gallery = await makeGallery(decoder, folder, { seed, folder: ownFolder });
  const stored: Stored[] = [];
  for (const { path } of gallery) {
    const histogram = await colourHistogram(await rgbOf(sharp(path)));
    stored.push({ vector: await search.stored(path), histogram });
  }
  say(`${gallery.length} pictures: ${groupsOf(gallery)}`);
  const query = join(folder, 'query.png');
  const allRanks: Ranks[] = [];
  for (const [number, [name, alter]] of Object.entries(alterations).entries()) {
    const of = Array.from(
      { length: queriesOfEach },
      (_, i) => Math.floor(((i + number / 7) * gallery.length) / queriesOfEach) % gallery.length,
    );
    const ranks = { name, places: [] as number[], floor: [] as number[], groups: [] as string[] };
    for (const picture of new Set(of)) {
      const { path, group } = gallery[picture]!;
      const { scores, floor } = await asked(search, stored, path, query, alter, picture);
      ranks.places.push(placeOf(scores, picture));
      ranks.floor.push(placeOf(floor, picture));
      ranks.groups.push(group);
    }
    allRanks.push(ranks);
    say(`${name}: ${recall(ranks.places, 1).toFixed(2)}, histogram ${recall(ranks.floor, 1).toFixed(2)}`);
  }
  return rowsOf(allRanks, say);
}

interface Stored {
  readonly vector: Float32Array;
  readonly histogram: Float32Array;
}

interface Searched {
  /** The vector that an analysis stores of a still. */
  stored(path: string): Promise<Float32Array>;
  /** The vectors that a search by this file ranks by: the nearest counts. */
  asked(path: string): Promise<Float32Array[]>;
}

async function openSearch(bench: Bench, decoder: Decoder): Promise<Searched> {
  const embedder = await bench.embedder({
    modelsDir: tmpdir(),
    device: 'cpu',
    threads: 1,
    defaultModel: model_key,
  });
  const model = await embedder.ask('load', { model_key });
  const models = { open: async (): Promise<VisualModel> => model };
  const { pool } = bench;
  return {
    stored: async (path) => {
      const request = { path, shape: model.shape, preview: null, mode: 'exact', from_frame: 0 } as const;
      for await (const { picture } of decoder.feed('frames', request, { credit: 1 })) {
        const slots = [picture];
        return (await embedder.ask('pictures', { model_key, pictures: slots }, { slots })).vectors;
      }
      throw new Error(`${path}: no picture`);
    },
    asked: async (path) => {
      const parts = { decoder, embedder, pool, models };
      const readings = await pictureReadings(parts, model, path, 0, undefined);
      const { dimensions } = model;
      return Array.from({ length: readings.length / dimensions }, (_, i) =>
        readings.slice(i * dimensions, (i + 1) * dimensions),
      );
    },
  };
}

/** Scores of every stored picture for the altered copy of one of them, and the same by colours alone. */
async function asked(
  search: Searched,
  stored: readonly Stored[],
  path: string,
  query: string,
  alter: Alteration,
  picture: number,
): Promise<{ scores: number[]; floor: number[] }> {
  const altered = await alter(await rgbOf(sharp(path)), new Dice(seed + picture));
  await sharpOf(altered).png({ compressionLevel: 1 }).toFile(query);
  const pictures = await search.asked(query);
  const request = { text: null, pictures, textWeight: 1, exclude: [] };
  const scoring = scoringOf(request, () => spreadOf(new Float64Array(0), 0));
  const histogram = await colourHistogram(altered);
  return {
    scores: stored.map(({ vector }) => scoreOf(scoring, vector)),
    floor: stored.map((entry) => entry.histogram.reduce((sum, share, i) => sum + share * histogram[i]!, 0)),
  };
}

/** 1 for the best. */
function placeOf(scores: readonly number[], picture: number): number {
  return 1 + scores.filter((score) => score > scores[picture]!).length;
}

function groupsOf(gallery: readonly GalleryPicture[]): string {
  const counts = new Map<string, number>();
  for (const { group } of gallery) counts.set(group, (counts.get(group) ?? 0) + 1);
  return [...counts].map(([group, count]) => `${count} ${group}`).join(', ');
}

function rowsOf(allRanks: readonly Ranks[], say: (text: string) => void): Row[] {
  const all = {
    name: 'all alterations',
    places: allRanks.flatMap(({ places }) => places),
    floor: allRanks.flatMap(({ floor }) => floor),
    groups: allRanks.flatMap(({ groups }) => groups),
  };
  for (const group of new Set(all.groups)) {
    const groupPlaces = all.places.filter((_, i) => all.groups[i] === group);
    say(
      `${group}: ${recall(groupPlaces, 1).toFixed(3)} first, ${recall(groupPlaces, 5).toFixed(3)} among five`,
    );
  }
  return [all, ...allRanks].flatMap(({ name, places, floor }): Row[] => {
    const [low, high] = spread(places, 1);
    const label = `${name}, ${places.length} queries: found first (${low.toFixed(2)} to ${high.toFixed(2)} in 90 % of draws)`;
    return [row(label, places, floor, 1), row(`${name}: among the first five`, places, floor, 5)];
  });
}

function row(name: string, places: readonly number[], floor: readonly number[], within: number): Row {
  const [value, baseline] = [recall(places, within), recall(floor, within)];
  return {
    question: 'picture-search',
    name,
    value,
    unit: 'recall',
    against: { name: 'histogram of colours', value: baseline },
    ratio: baseline > 0 ? value / baseline : null,
    goal: null,
  };
}
