import { join } from 'node:path';
import { Concepts, StoredEvidence } from '../actors/analysis/stages/summary/evidence.ts';
import { FilmSummary, type FilmSummaryParts } from '../actors/analysis/stages/summary/film.ts';
import type { embedderContract } from '../actors/embedder/contract.ts';
import { indexContract } from '../actors/index/contract.ts';
import type { MediaRecord } from '../actors/index/store/contract.ts';
import { mostVectorsOfMessage } from '../actors/index/summary-inputs/contract.ts';
import { conceptPhrases } from '../actors/summarizer/concepts/concepts.ts';
import { summarizerContract } from '../actors/summarizer/contract.ts';
import type { Contract } from '../runtime/contract.ts';
import type { Ref } from '../runtime/ref.ts';
import { startBench } from './actors.ts';
import { type LongFilm, peopleIn, pictureRows, spokenSegments, textVector } from './long-films.ts';
import { median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';

const hour: LongFilm = { seconds: sized(3600, 120), dimensions: 512, shotSeconds: 8, segments: 900 };
const tenHours: LongFilm = { seconds: sized(36_000, 200), dimensions: 1152, shotSeconds: 8, segments: 9000 };
/** With 10,000 of them. */
const manyShots: LongFilm = {
  seconds: sized(36_000, 200),
  dimensions: 512,
  shotSeconds: 3.6,
  segments: 9000,
};
/** Other films of the folder, for what usually is seen. */
const library = sized({ films: 10, seconds: 2000 }, { films: 2, seconds: 100 });
const rounds = sized(5, 1);

const signal = new AbortController().signal;
const megabytes = () => process.memoryUsage.rss() / 1e6;

type Step = 'reading' | 'background' | 'outline' | 'texts' | 'storing';
const stepOf: Readonly<Record<string, Step>> = {
  analysed_by: 'reading',
  transcripts: 'reading',
  people_in: 'reading',
  stored_vectors: 'reading',
  open_film: 'reading',
  add_vectors: 'reading',
  add_words: 'reading',
  add_people: 'reading',
  add_sights: 'reading',
  has_concepts: 'background',
  sample_vectors: 'background',
  set_concepts: 'background',
  outline: 'outline',
  write: 'texts',
  conclude: 'texts',
  begin_summary: 'storing',
  append_nodes: 'storing',
  commit_summary: 'storing',
};

export const summarize: Question = async (say, folder) => {
  const bench = startBench(1, 64);
  try {
    const index = await bench.actor(indexContract, {});
    const summarizer = await bench.actor(summarizerContract, {
      modelsDir: folder,
      device: 'cpu',
      threads: 1,
    });
    const rows: Row[] = [];
    for (const [name, film] of [
      ['an hour × 512', hour],
      ['ten hours × 1152', tenHours],
      ['ten hours × 512 with 10,000 shots', manyShots],
    ] as const) {
      say(`storing ${name}`);
      const measured = new Measured(index, summarizer, join(folder, String(rows.length)), film);
      await measured.store();
      say(`summaries of ${name}`);
      const ask = film === tenHours ? memoryOf : speedOf;
      rows.push(...(await ask(measured, name, film === hour ? 2000 : null)));
    }
    return rows;
  } finally {
    await bench.stop();
  }
};

function row(name: string, value: number, unit: string, extra: Partial<Row> = {}): Row {
  return { question: 'summarize', name, value, unit, against: null, ratio: null, goal: null, ...extra };
}

const atMost = (than: number) => ({ of: 'value', at: 'most', than }) as const;

async function speedOf(film: Measured, name: string, goal: number | null): Promise<Row[]> {
  const first = await film.summarised();
  const runs: Took[] = [];
  const floors: number[] = [];
  for (let round = 0; round < rounds; round++) {
    floors.push(await film.floor());
    runs.push(await film.summarised());
  }
  const whole = median(runs.map(({ ms }) => ms));
  const floor = median(floors);
  const against = { name: 'reading the vectors and scanning them once', value: floor };
  return [
    row(`${name}, from request to committed`, whole, 'ms', {
      against,
      ratio: floor / whole,
      goal: goal === null ? null : atMost(goal),
    }),
    ...stepRows(name, runs),
    row(`${name}, the first one, which brings the lexicon`, first.ms, 'ms'),
  ];
}

/** Three after the first: the first one makes room that is used again. */
async function memoryOf(film: Measured, name: string): Promise<Row[]> {
  const before = megabytes();
  const { seconds, dimensions } = film.film;
  const vectors = (seconds * dimensions * 4) / 1e6;
  const runs = [await film.summarised()];
  for (let round = 0; round < 3; round++) runs.push(await film.summarised());
  const floor = await film.floor();
  const most = Math.max(...runs.map(({ most }) => most)) - before;
  const [, second, , last] = runs.map((took) => took.after) as [number, number, number, number];
  const whole = median(runs.map(({ ms }) => ms));
  const against = { name: 'reading the vectors and scanning them once', value: floor };
  return [
    row(`${name}, from request to committed`, whole, 'ms', { against, ratio: floor / whole }),
    ...stepRows(name, runs),
    row(`${name}, memory more at most`, most, 'MB', {
      against: { name: 'the vectors', value: vectors },
      ratio: vectors / most,
      goal: { of: 'ratio', at: 'least', than: 1 / 2.5 },
    }),
    row(`${name}, memory after the fourth more than after the second`, last - second, 'MB', {
      goal: atMost(20),
    }),
  ];
}

function stepRows(name: string, runs: readonly Took[]): Row[] {
  const steps = [...new Set(Object.values(stepOf))];
  const middle = (of: (took: Took) => number) => median(runs.map(of));
  return [
    ...steps.map((step) =>
      row(
        `${name}, ${step}`,
        middle(({ by }) => by[step]),
        'ms',
      ),
    ),
    row(
      `${name}, longest wait of another question to the summarizer`,
      middle(({ waits }) => waits[0]),
      'ms',
      { goal: atMost(100) },
    ),
    row(
      `${name}, longest wait of another question to the index`,
      middle(({ waits }) => waits[1]),
      'ms',
      { goal: atMost(50) },
    ),
  ];
}

interface Took {
  readonly ms: number;
  readonly by: Readonly<Record<Step, number>>;
  /** Longest, of the summarizer and of the index, ms. */
  readonly waits: readonly [number, number];
  /** Resident, MB: the most while it was made, and afterwards. */
  readonly most: number;
  readonly after: number;
}

class Measured {
  readonly film: LongFilm;
  readonly #index: Ref<typeof indexContract>;
  readonly #summarizer: Ref<typeof summarizerContract>;
  readonly #folder: string;
  readonly #model: string;

  constructor(
    index: Ref<typeof indexContract>,
    summarizer: Ref<typeof summarizerContract>,
    folder: string,
    film: LongFilm,
  ) {
    this.film = film;
    this.#index = index;
    this.#summarizer = summarizer;
    this.#folder = folder;
    this.#model = `bench-${film.dimensions}`;
  }

  async store(): Promise<void> {
    const { film } = this;
    const { dimensions } = film;
    for (let i = 0; i < library.films; i++)
      await this.#storeVectors(`b${i}`, { ...film, seconds: library.seconds + i, dimensions });
    await this.#storeVectors('a0', film);
    const mark = {
      ...{ model_key: 'bench', language: null, spoken: 'en', channels: null },
      ...{ detect_speakers: true, speaker_count: 'auto' },
    };
    const request = { cache_dir: this.#folder, media: mediaOf('a0', film), mark };
    await this.#index.ask('transcribe', { ...request, segments: spokenSegments(film) });
  }

  async #storeVectors(hash_str: string, film: LongFilm): Promise<void> {
    const named = { cache_dir: this.#folder, hash_str, model_key: this.#model };
    const { stage } = await this.#index.ask('begin', { ...named, dimensions: film.dimensions });
    for (const { first, vectors } of pictureRows(film, conceptPhrases, 64)) {
      const frames = Array.from({ length: vectors.length / film.dimensions }, (_, i) => first + i);
      await this.#index.ask('append', { stage, frames, vectors, previews: [] });
    }
    await this.#index.ask('commit', { stage, media: mediaOf(hash_str, film) });
  }

  /** A task of its own: the background of the library is taken anew. */
  async summarised(): Promise<Took> {
    const by = { reading: 0, background: 0, outline: 0, texts: 0, storing: 0 };
    const index = timing(this.#index, by);
    const summarizer = timing(this.#summarizer, by);
    const evidence = new StoredEvidence(index, this.#folder);
    const models = { open: () => Promise.resolve({ model_key: this.#model }) };
    const parts = { index, summarizer, textEmbedder: standIn(this.film.dimensions), models };
    const concepts = new Concepts(parts as never as ConstructorParameters<typeof Concepts>[0], this.#folder);
    const shared: FilmSummaryParts = {
      index,
      summarizer,
      concepts,
      evidence,
      cache_dir: this.#folder,
      signal,
    };
    const waits = [watched(() => this.#other('summarizer')), watched(() => this.#other('index'))] as const;
    let most = 0;
    const sampling = setInterval(() => {
      most = Math.max(most, megabytes());
    }, 20);
    const start = performance.now();
    try {
      await this.#make(shared);
    } finally {
      clearInterval(sampling);
    }
    const ms = performance.now() - start;
    return { ms, by, waits: [await waits[0](), await waits[1]()], most, after: megabytes() };
  }

  async #make(parts: FilmSummaryParts): Promise<void> {
    const media = mediaOf('a0', this.film);
    const stored = await parts.evidence.of(media, this.#model, { signal });
    // No faces are stored: to cluster them would take longer than to measure.
    const sources = { ...stored, people: peopleIn(this.film) };
    const objective = { preset: 'general_understanding', priority_hints: [], custom_instructions: null };
    const named = { path: media.path, analysis_name: 'bench', model_key: null, collection: null };
    const job = { ...named, objective, replace_existing: true } as const;
    const result = { tell: () => {}, wrote: () => {} };
    const { seconds } = this.film;
    const work = { media, seconds, job, sources, inUse: this.#model, replaces: true, ...result };
    const { warnings, failed_nodes } = await new FilmSummary(parts, work).make();
    if (warnings.length > 0 || failed_nodes > 0) throw new Error(`not whole: ${warnings.join(' ')}`);
  }

  #other(actor: 'summarizer' | 'index'): Promise<unknown> {
    if (actor === 'summarizer') return this.#summarizer.ask('has_concepts', { model_key: '' });
    const none = { cache_dir: this.#folder, hashes: [] };
    return this.#index.ask('analysed_by', none);
  }

  /** ms to read the vectors as the stage does, and to multiply each with one other. */
  async floor(): Promise<number> {
    const query = textVector('a beach', this.film.dimensions);
    const start = performance.now();
    let sum = 0;
    for (let from: number | null = 0; from !== null; ) {
      const named = { cache_dir: this.#folder, model_key: this.#model, hash_str: 'a0' };
      const page: { vectors: Float32Array; next: number | null } = await this.#index.ask('stored_vectors', {
        ...{ ...named, from, most: mostVectorsOfMessage },
      });
      for (let at = 0; at < page.vectors.length; at += query.length)
        for (let k = 0; k < query.length; k++) sum += page.vectors[at + k]! * query[k]!;
      from = page.next;
    }
    if (!Number.isFinite(sum)) throw new Error('vectors are not finite');
    return performance.now() - start;
  }
}

/** The same actor, whose answers are timed. */
function timing<C extends Contract>(ref: Ref<C>, by: Record<Step, number>): Ref<C> {
  const ask: Ref<C>['ask'] = async (name, request, options) => {
    const start = performance.now();
    try {
      return await ref.ask(name, request, options);
    } finally {
      const step = stepOf[name];
      if (step) by[step] += performance.now() - start;
    }
  };
  return { name: ref.name, phase: ref.phase, ask, feed: ref.feed.bind(ref) };
}

/** Asks again and again; answers a function that stops it and tells the longest wait, ms. */
function watched(ask: () => Promise<unknown>): () => Promise<number> {
  let isOver = false;
  const asking = (async () => {
    let longest = 0;
    while (!isOver) {
      const start = performance.now();
      await ask();
      longest = Math.max(longest, performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return longest;
  })();
  return () => {
    isOver = true;
    return asking;
  };
}

/** A model that understands every text, at once. */
function standIn(dimensions: number): Pick<Ref<typeof embedderContract>, 'ask'> {
  const ask = (_: string, { texts }: { readonly texts: readonly string[] }) => {
    const vectors = new Float32Array(texts.length * dimensions);
    for (const [i, text] of texts.entries()) vectors.set(textVector(text, dimensions), i * dimensions);
    return Promise.resolve({ vectors, understood: texts.map(() => true) });
  };
  return { ask: ask as never };
}

function mediaOf(hash_str: string, { seconds }: LongFilm): MediaRecord {
  const facts = { creation_date: null, camera_make: null, camera_model: null, location: null };
  const timecode = { text: '00:00:00:00', drop_frame: false, rate: { num: 25, den: 1 } };
  return {
    path: `/footage/${hash_str}.mp4`,
    identity: { hash_str, size_bytes: 1000, mtime_ms: 1, inode: '1' },
    probe: {
      ...{ ...facts, kind: 'video', container: 'mov', size_bytes: 1000, duration_seconds: seconds },
      ...{ grid_frames: seconds, width: 320, height: 180 },
      ...{ video: null, audio: [], subtitles: [], timecode },
    },
  };
}
