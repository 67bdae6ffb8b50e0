// What do people cost a search? 500,000 faces in 20,000 films of 30 s, by whom a search over all their frames
// is filtered. The peer is the same search over everything.

import { PeopleFacets } from '../actors/index/facets/people.ts';
import type { StoredClusters } from '../actors/index/people/cluster-columns.ts';
import type { PeopleFilter } from '../actors/index/people/contract.ts';
import { idBytes } from '../actors/index/people/entry-id.ts';
import { type Clusterings, LoadedPeople, type Seen } from '../actors/index/people/loaded.ts';
import { JobIndexing } from '../actors/index/people/loaded-job.ts';
import { Catalog, type LoadedMedia } from '../actors/index/visual/catalog.ts';
import { writeRow8 } from '../actors/index/visual/quantize.ts';
import { type Searched, search } from '../actors/index/visual/search.ts';
import { RowBank } from '../actors/index/visual/segment.ts';
import { alternate, type Question, type Row } from './row.ts';
import { sized } from './size.ts';
import { footageMaker, seeded, unit } from './vectors.ts';

const films = sized(20_000, 200);
const seconds = 30;
const faces = sized(500_000, 5000);
const clusters = sized(2000, 100);
const dimensions = 512;

const hashOf = (film: number): string => (film + 0x100000).toString(16);

/** Rows of a film are those of one of a hundred: to make all of them would take longer than to measure. */
function footage(): { bank: RowBank; catalog: Catalog } {
  const bank = new RowBank(dimensions);
  const catalog = new Catalog();
  const make = footageMaker(dimensions);
  const vector = new Float32Array(dimensions);
  const made = Array.from({ length: 100 }, () => {
    const rows = new Uint8Array(seconds * bank.stride);
    for (let i = 0; i < seconds; i++) {
      make(vector);
      writeRow8(vector, rows, i * bank.stride);
    }
    return rows;
  });
  for (let film = 0; film < films; film++) {
    const media: LoadedMedia = {
      hash: hashOf(film),
      path: `/footage/${film}.mp4`,
      revision: 1,
      file: '',
      start: 0,
      frames: Int32Array.from({ length: seconds }, (_, i) => i),
      scenes: Int32Array.from({ length: Math.ceil(seconds / 8) }, (_, i) => i * 8),
      shots: null,
    };
    const runs = [];
    for (let position = 0; position < seconds; ) {
      const { row, count } = bank.allocate(seconds - position);
      const own = made[film % made.length]!;
      bank.fill(row, count, (bytes) =>
        bytes.set(own.subarray(position * bank.stride, (position + count) * bank.stride)),
      );
      runs.push({ media, row, count, position });
      position += count;
    }
    catalog.add(media, runs);
  }
  return { bank, catalog };
}

/**
 * The first cluster has an eighth of all faces, the second a sixteenth..., as in a film with leading parts.
 */
function clustering(name: string, seed: number): StoredClusters {
  const next = seeded(seed);
  const random = () => next() + 0.5;
  const media = new Uint32Array(faces);
  const frames = new Uint32Array(faces);
  const of = new Int32Array(faces);
  const perFilm = faces / films;
  for (let at = 0; at < faces; at++) {
    media[at] = Math.floor(at / perFilm);
    frames[at] = Math.floor(((at % perFilm) * seconds) / perFilm / 2);
    const pick = random();
    of[at] = pick < 0.125 ? 0 : pick < 0.25 ? 1 : pick < 0.3 ? -1 : 2 + Math.floor(random() * (clusters - 2));
  }
  // Clusterings of the same faces: they have the same ids.
  const ids = new Uint8Array(faces * idBytes);
  for (let at = 0; at < faces; at++) new DataView(ids.buffer).setUint32(at * idBytes, at);
  const clusterIds = Array.from({ length: clusters }, (_, i) => `c${i}`);
  return {
    name,
    version: 1,
    hashes: Array.from({ length: films }, (_, i) => hashOf(i)),
    cluster_ids: clusterIds,
    names: clusterIds.map((id, i) => (i < 50 ? `Person ${id}` : '')),
    ids,
    media,
    frames,
    clusters: of,
  };
}

const refs = (...names: readonly (readonly [string, string])[]) =>
  names.map(([cluster_job_name, id]) => ({ cluster_job_name, person_name: `Person ${id}` }));
const filters: Readonly<Record<string, PeopleFilter>> = {
  'both of two people': { mode: 'and', people: refs(['cast', 'c0'], ['cast', 'c1']) },
  'either of two people': { mode: 'or', people: refs(['cast', 'c0'], ['cast', 'c1']) },
  'both of two clusterings': { mode: 'and', people: refs(['cast', 'c0'], ['crew', 'c1']) },
};

const row = (name: string, value: number, rest: Partial<Row> = {}): Row => ({
  ...{ question: 'people', name, value, unit: 'ms', against: null, ratio: null, goal: null },
  ...rest,
});

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Steps of a load, without what the disk takes: the longest, and all of them. */
function indexing(stored: StoredClusters): { longest: number; total: number } {
  const loaded = new LoadedPeople({ folder: '/', identity: '' });
  const steps: number[] = [];
  let job: JobIndexing | null = null;
  steps.push(timed(() => (job = new JobIndexing(stored, loaded.numberOf))));
  for (let done = false; !done; ) steps.push(timed(() => (done = job!.step() !== null)));
  return { longest: Math.max(...steps), total: steps.reduce((sum, one) => sum + one, 0) };
}

export const people: Question = async (say) => {
  say('making footage and faces');
  const stored = new Map([clustering('cast', 1), clustering('crew', 2)].map((one) => [one.name, one]));
  const source: Clusterings = {
    clusterings: () => [...stored.keys()],
    version: () => 1,
    readClusters: (name) => stored.get(name) ?? null,
  };
  const cast = stored.get('cast')!;
  for (let i = 0; i < 3; i++) indexing(cast);
  const steps = indexing(cast);
  const facets = timed(() => new PeopleFacets().of(source, () => {}));
  const at: Searched = {
    ...footage(),
    fine: (_run, _row, count) => Array.from({ length: count }, () => null),
    pause: () => {},
  };
  const query = unit(Float32Array.from({ length: dimensions }, seeded(99)));
  const request = { text: query, pictures: [], textWeight: 1, exclude: [] };
  const find = (seen: Seen | null) =>
    search(at, request, { hashes: null, ranges: {}, only: seen?.ranges ?? null }, 50);
  const loaded = new LoadedPeople({ folder: '/', identity: '' });
  for (const name of stored.keys()) loaded.refresh(source, name);
  /** Afterwards every other answer has to be found anew. */
  const forget = () => {
    for (let i = 10; i < 30; i++) loaded.seen(source, { mode: 'or', people: refs(['cast', `c${i}`]) });
  };
  const rows: Row[] = [];
  for (const [name, filter] of Object.entries(filters)) {
    say(name);
    const took = await alternate(15, {
      plain: () => timed(() => find(null)),
      first: () => {
        forget();
        return timed(() => find(loaded.seen(source, filter)));
      },
      again: () => timed(() => find(loaded.seen(source, filter))),
      alone: () => {
        forget();
        return timed(() => loaded.seen(source, filter));
      },
    });
    const { searched } = find(loaded.seen(source, filter));
    const against = { name: 'search over everything', value: took.plain };
    const goal = { of: 'value', at: 'most', than: Math.round(took.plain + 20) } as const;
    rows.push(
      row(`search filtered by ${name} (${searched} frames), first time`, took.first, { against, goal }),
      row(`search filtered by ${name}, again`, took.again, { against, goal }),
      row(`frames of ${name}, first time`, took.alone),
    );
  }
  return [
    ...rows,
    row('longest step of loading 500,000 faces', steps.longest, {
      goal: { of: 'value', at: 'most', than: 50 },
    }),
    row('all steps of it', steps.total),
    row('facets of two such clusterings, first time', facets),
  ];
};
