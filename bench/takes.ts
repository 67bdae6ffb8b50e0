import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VisualModel } from '../actors/embedder/contract.ts';
import { sampledRows } from '../actors/index/visual/background.ts';
import { Catalog, everything } from '../actors/index/visual/catalog.ts';
import type { RankedTake } from '../actors/index/visual/contract.ts';
import { writeRow8 } from '../actors/index/visual/quantize.ts';
import type { SearchedVectors } from '../actors/index/visual/search.ts';
import { RowBank } from '../actors/index/visual/segment.ts';
import { compareFrom, type TakesCursor } from '../actors/index/visual/takes/compare.ts';
import { defaultModelKey } from '../actors/models/rows/list.ts';
import { alike } from '../actors/search/visual/bands.ts';
import { Dice } from '../test/actors/models/starter/drawings/canvas.ts';
import { sharedPath, skipWithout } from '../test/shared.ts';
import { type Bench, type Decoder, startBench } from './actors.ts';
import { type Alteration, alterations } from './picture-search/alterations.ts';
import { makeGallery } from './picture-search/gallery.ts';
import { processorSeconds, type Question, type Row } from './row.ts';
import { sized } from './size.ts';
import { writeAltered } from './takes/altered-film.ts';
import { type Film, Footage } from './takes/footage.ts';
import { fineOf } from './vectors.ts';

const model_key = defaultModelKey;
const names = ['car-detection.mp4', 'bottle-detection.mp4'].map((name) => join('media/video', name));
/** Hours of the library; each drawn film is one hour. */
const hours = sized(100, 2);
const filmSeconds = 3600;
const others = sized(100, 4);
const partSeconds = 10;
/** Where parts begin: between two seconds of the grid, as far apart as the length of the film allows. */
const startsOfEach = sized(5, 1);
/** One film of so many is compared with everything. */
const oneOf = sized(20, 2);

interface Change {
  readonly name: string;
  readonly alter: Alteration | null;
  readonly crf: number;
}
const changes: readonly Change[] = [
  { name: 'cut', alter: null, crf: 23 },
  { name: 'mirrored', alter: alterations['mirror']!, crf: 23 },
  { name: 'between bars', alter: alterations['bars above and below, a quarter']!, crf: 23 },
  { name: 'encoded again', alter: null, crf: 40 },
].slice(0, sized(4, 2));

export const takes: Question = async (say, folder) => {
  const lacking = skipWithout(...names);
  if (lacking !== false) {
    say(lacking);
    return [];
  }
  const bench = startBench(16, 512 * 512 * 3);
  try {
    return await measure(bench, folder, say);
  } finally {
    await bench.stop();
  }
};

async function measure(bench: Bench, folder: string, say: (text: string) => void): Promise<Row[]> {
  const [decoder] = (await bench.decoders(1)) as [Decoder];
  const eye = await openEye(bench, decoder);
  const paths = names.slice(0, sized(2, 1)).map(sharedPath);
  const films: Film[] = [];
  for (const path of paths) films.push({ vectors: await eye.look(path), scenes: [0] });
  say('altering parts of films');
  const parts = await alteredParts(decoder, eye, folder, paths, films);
  say('drawing and reading pictures');
  const gallery = await makeGallery(decoder, folder, { seed: 7000, folder: null });
  const pictures: Float32Array[] = [];
  for (const { path } of gallery) pictures.push(...(await eye.look(path)));
  say(`drawing ${hours} hours with the statistics of ${pictures.length} pictures`);
  const footage = new Footage(
    pictures,
    films.map(({ vectors }) => vectors),
    new Dice(5),
  );
  const library = new Library(eye.model, await eye.blanks());
  for (let i = 0; i < hours; i++) library.add(`a${String(i).padStart(3, '0')}`, footage.draw(filmSeconds));
  for (const [i, film] of films.entries()) library.add(`film${i}`, film);
  try {
    const strange = Array.from({ length: others }, () => footage.draw(partSeconds));
    return [...rowsOf(library, parts, strange), ...(await timeRows(library, say))];
  } finally {
    await library.bank.close();
  }
}

/** The model that looks at a file, second by second. */
interface Eye {
  readonly model: VisualModel;
  look(path: string): Promise<Float32Array[]>;
  /** Vectors of pictures of a single colour. */
  blanks(): Promise<Float32Array[]>;
}

async function openEye({ embedder: open, pool }: Bench, decoder: Decoder): Promise<Eye> {
  const settings = { modelsDir: tmpdir(), device: 'cpu', threads: 1, defaultModel: model_key };
  const embedder = await open(settings);
  const model = await embedder.ask('load', { model_key });
  return {
    model,
    look: async (path) => {
      const vectors: Float32Array[] = [];
      const request = { path, shape: model.shape, preview: null, mode: 'exact', from_frame: 0 } as const;
      for await (const { picture } of decoder.feed('frames', request, { credit: 1 })) {
        const slots = [picture];
        vectors.push((await embedder.ask('pictures', { model_key, pictures: slots }, { slots })).vectors);
      }
      return vectors;
    },
    blanks: async () => {
      const holder = pool.holder();
      const vectors: Float32Array[] = [];
      for (const level of [0, 255]) {
        const slot = await pool.acquire(holder, undefined, 'now');
        pool.view(slot).fill(level);
        const slots = [slot];
        vectors.push((await embedder.ask('pictures', { model_key, pictures: slots }, { slots })).vectors);
      }
      pool.releaseAll(holder);
      return vectors;
    },
  };
}

interface AlteredPart {
  readonly hash: string;
  readonly change: string;
  /** Number of the film it is of, and the second at which it begins there. */
  readonly of: number;
  readonly start: number;
  readonly film: Film;
}

async function alteredParts(
  decoder: Decoder,
  eye: Eye,
  folder: string,
  paths: readonly string[],
  films: readonly Film[],
): Promise<AlteredPart[]> {
  const parts: AlteredPart[] = [];
  const into = join(folder, 'part.mp4');
  for (const [of, path] of paths.entries()) {
    const room = films[of]!.vectors.length - 1 - partSeconds;
    for (let i = 0; i < startsOfEach; i++) {
      const start = Math.floor((i * room) / startsOfEach) + 0.4;
      for (const { name, alter, crf } of changes) {
        await writeAltered(decoder, { path, start, seconds: partSeconds, alter, crf }, into);
        const film = { vectors: await eye.look(into), scenes: [0] };
        parts.push({ hash: `part${parts.length}`, change: name, of, start, film });
      }
    }
  }
  return parts;
}

/** Loaded vectors, as the index holds them. */
class Library implements SearchedVectors {
  readonly bank: RowBank;
  readonly catalog = new Catalog();
  readonly pause = (): void => {};
  readonly fine: SearchedVectors['fine'];
  readonly #how;

  constructor({ dimensions, mirror }: VisualModel, blank: readonly Float32Array[]) {
    this.bank = new RowBank(dimensions);
    this.fine = fineOf(this.bank);
    this.#how = { least: alike.strong, above: alike.above, mirror, blank };
  }

  add(hash: string, { vectors, scenes }: Film): void {
    const frames = Int32Array.from(vectors.keys());
    const media = {
      hash,
      path: `/${hash}`,
      revision: 1,
      file: '',
      start: 0,
      frames,
      scenes: Int32Array.from(scenes),
      shots: null,
    };
    const runs = [];
    for (let position = 0; position < vectors.length; ) {
      const { row, count } = this.bank.allocate(vectors.length - position);
      const first = position;
      this.bank.fill(row, count, (bytes) => {
        for (let i = 0; i < count; i++) writeRow8(vectors[first + i]!, bytes, i * this.bank.stride);
      });
      runs.push({ media, row, count, position });
      position += count;
    }
    this.catalog.add(media, runs);
  }

  /** Where a part is, which is in the library only meanwhile: none has twenty copies of it. */
  takesOf(part: Film): RankedTake[] {
    const hash = 'part';
    this.add(hash, part);
    const matches = this.#compare({ only: hash, end: partSeconds, step: 1 }, null, () => false);
    for (const { row, count } of this.catalog.remove(hash)) this.bank.release(row, count);
    return matches;
  }

  /** Compares one film with everything that comes behind it. */
  compareAll(hash: string): RankedTake[] {
    const how = { only: null, end: Number.MAX_SAFE_INTEGER, step: 4 };
    return this.#compare(how, { hash_str: hash, frame_index: 0 }, ({ hash_str }) => hash_str !== hash);
  }

  #compare(
    range: { readonly only: string | null; readonly end: number; readonly step: number },
    from: TakesCursor | null,
    isOver: (place: TakesCursor) => boolean,
  ): RankedTake[] {
    const rows = sampledRows(this.catalog.picks(everything));
    const matches: RankedTake[] = [];
    for (let place = from; ; ) {
      const { takes, next } = compareFrom(this, { ...this.#how, ...range, from: 0 }, place, rows);
      matches.push(...takes);
      if (next === null || isOver(next)) return matches;
      place = next;
    }
  }
}

function row(name: string, value: number, unit: string, goal: Row['goal'] = null): Row {
  return { question: 'takes', name, value, unit, against: null, ratio: null, goal };
}

function rowsOf(library: Library, parts: readonly AlteredPart[], others: readonly Film[]): Row[] {
  const results = parts.map((part) => ({ part, takes: library.takesOf(part.film) }));
  type Told = (typeof results)[number];
  const isOf = ({ hash_str }: RankedTake, { of }: AlteredPart) => hash_str === `film${of}`;
  const isFound = ({ part, takes }: Told) =>
    takes.some(
      (take) =>
        isOf(take, part) &&
        Math.abs(take.offset - part.start) <= 1 &&
        take.mirrored === (part.change === 'mirrored'),
    );
  const shareOf = (some: readonly Told[], holds: (result: Told) => boolean) =>
    some.filter(holds).length / some.length;
  const wrong = results.reduce(
    (sum, { part, takes }) => sum + takes.filter((take) => !isOf(take, part)).length,
    0,
  );
  const strange = others.filter((film) => library.takesOf(film).length > 0).length;
  const isLeast = { of: 'value', at: 'least', than: 0.95 } as const;
  const isNone = { of: 'value', at: 'most', than: 0 } as const;
  const what = (count: number, of = '') => `${count} parts of ${partSeconds} s${of}, in ${hours} hours`;
  return [
    row(`${what(results.length)}: share found`, shareOf(results, isFound), '', isLeast),
    row(
      `${what(results.length)}: share found at this or another place of the film`,
      shareOf(results, ({ part, takes }) => takes.some((take) => isOf(take, part))),
      '',
    ),
    ...changes.map(({ name }) => {
      const changeResults = results.filter(({ part }) => part.change === name);
      return row(
        `${what(changeResults.length, `, ${name}`)}: share found`,
        shareOf(changeResults, isFound),
        '',
      );
    }),
    row(`${what(results.length)}: takes of something else`, wrong, '', isNone),
    row(`${what(others.length, ' of other footage')}: with takes`, strange, '', isNone),
  ];
}

/** Some films stand for all. */
async function timeRows(library: Library, say: (text: string) => void): Promise<Row[]> {
  const some = library.catalog
    .ordered()
    .filter((hash) => hash.startsWith('a'))
    .filter((_, i) => i % oneOf === oneOf >> 1);
  say(`comparing ${some.length} of ${hours} films with everything`);
  let matchCount = 0;
  const begun = performance.now();
  const processors = await processorSeconds(() => {
    for (const hash of some) matchCount += library.compareAll(hash).length;
  });
  const wall = (performance.now() - begun) / 1000;
  const whole = hours / some.length / 60;
  const what = `${hours} hours against themselves, from ${some.length} of them`;
  return [
    row(what, wall * whole, 'min'),
    row(`${what}, processor time`, processors * whole, 'min', { of: 'value', at: 'most', than: 60 }),
    row(`${what}: sequences found in drawn footage`, matchCount, ''),
  ];
}
