import { definition } from '../actors/index/actor.ts';
import { indexContract } from '../actors/index/contract.ts';
import type { PeopleFilter } from '../actors/index/people/contract.ts';
import type { Face } from '../actors/index/people/face.ts';
import type { MediaRecord } from '../actors/index/store/contract.ts';
import { Store } from '../actors/index/store/store.ts';
import { createPeople } from '../actors/library/people/people.ts';
import { loadInSteps } from '../actors/search/loaded-data.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import { createSupervisor } from '../runtime/supervisor.ts';
import { startInMemory } from '../test/runtime/memory.ts';
import { median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';
import { footageMaker, seeded, unit } from './vectors.ts';

const films = sized(2500, 200);
const frames = 100;
/** Faces of a frame. */
const together = 2;
const clusters = sized(2000, 100);
const faces = films * frames * together;
/** Small: what is measured does not depend on it, and the folder is made each time. */
const dimensions = 16;
const face_model = 'detector+embedder';
const picture_model = 'visual';
const job = 'cast';
/** One face in so many is good enough to be shown. */
const shown = 8;
const rounds = sized(9, 1);

const hashOf = (film: number): string => (film + 0x100000).toString(16);
const log = createLog('bench', () => {});

export const faceStore: Question = async (say, folder) => {
  say(`storing ${faces.toLocaleString('en')} faces`);
  await stored(folder);
  return await measured(folder, say);
};

function mediaOf(film: number): MediaRecord {
  const hash_str = hashOf(film);
  return {
    path: `/footage/${hash_str}.mp4`,
    identity: { hash_str, size_bytes: 1000, mtime_ms: 1, inode: '1' },
    probe: { kind: 'video', grid_frames: frames, duration_seconds: frames },
  } as unknown as MediaRecord;
}

function faceOf(at: number): Face {
  return {
    box: [at % 2 === 0 ? 0.1 : 0.6, 0.3, 0.1, 0.2],
    landmarks: Array.from({ length: 10 }, () => 0.5),
    score: 0.9,
    size_px: 80,
    sharpness: at % shown === 0 ? 0.6 : 0.2,
    yaw: 0,
    roll: 0,
    weak: false,
    unreliable: false,
  };
}

/** Films with a vector a second and their faces, and a clustering of all faces. */
async function stored(folder: string): Promise<void> {
  const store = new Store(folder);
  const make = footageMaker(dimensions);
  const vectors = new Float32Array(frames * together * dimensions);
  for (let at = 0; at < vectors.length; at += dimensions) make(vectors.subarray(at, at + dimensions));
  const [small, large] = [new Uint8Array(40).fill(1), new Uint8Array(6144).fill(2)];
  const indices = Array.from({ length: frames }, (_, frame) => frame);
  for (let film = 0; film < films; film++) {
    const media = mediaOf(film);
    const visual = store.begin(hashOf(film), picture_model, dimensions);
    store.append(visual, {
      frames: indices,
      vectors: vectors.subarray(0, frames * dimensions),
      previews: [],
    });
    store.commit(visual, media);
    const writer = store.peopleWriter().faces;
    const stage = writer.begin(hashOf(film), face_model, dimensions);
    const all = Array.from({ length: frames * together }, (_, at) => faceOf(at + film));
    writer.append(stage, {
      frames: indices.map((frame) => ({
        frame_index: frame,
        faces: all.slice(frame * together, (frame + 1) * together),
      })),
      vectors,
      aligned: all.map(() => small),
      displays: all.map(({ sharpness }) => (sharpness > 0.5 ? large : small)),
    });
    writer.commit(stage, media);
  }
  const hashes = Array.from({ length: films }, (_, film) => hashOf(film));
  const open = store.people.begin({ name: job, model_key: face_model, hashes, eps: 0.4, min_samples: 2 });
  while (!open.step());
  store.people.commit(open, labels(), new Int32Array(faces).fill(5), 0.4, false);
  open.close();
  await store.close();
}

/**
 * The first two have an eighth of all faces each, one in twenty faces is nobody's, the others share the rest.
 */
function labels(): Int32Array {
  const next = seeded(7);
  const random = () => next() + 0.5;
  return Int32Array.from({ length: faces }, (_, at) => {
    if (at < clusters) return at;
    const pick = random();
    if (pick < 0.25) return pick < 0.125 ? 0 : 1;
    return pick < 0.3 ? -1 : 2 + Math.floor(random() * (clusters - 2));
  });
}

const started = async () => {
  const supervisor = createSupervisor({ clock: systemClock, log });
  const start = () => startInMemory(definition, { log });
  const index = await supervisor.add({ name: 'index', contract: indexContract, capacity: 8, start });
  return { index, stop: () => supervisor.stop() };
};
type Index = Awaited<ReturnType<typeof started>>['index'];

/** ms of each turn. */
async function loadPeople(index: Index, cache_dir: string): Promise<number[]> {
  const turns: number[] = [];
  const report = await loadInSteps(
    async (load) => {
      const from = performance.now();
      const answer = await index.ask('load_people', { cache_dir, load });
      turns.push(performance.now() - from);
      return answer;
    },
    () => {},
  );
  if (report.faces !== faces) throw new Error(`${report.faces} faces were loaded`);
  return turns;
}

const row = (name: string, value: number, most: number | null, against: Row['against'] = null): Row => ({
  ...{ question: 'faces', name, value, unit: 'ms', against, ratio: null },
  goal: most === null ? null : { of: 'value', at: 'most', than: most },
});

async function measured(folder: string, say: (text: string) => void): Promise<Row[]> {
  say('loading');
  const loads: number[][] = [];
  // The first load is that of an actor whose code is still being compiled.
  for (let round = 0; round < rounds; round++) {
    const { index, stop } = await started();
    loads.push(await loadPeople(index, folder));
    await stop();
  }
  const longest = median(loads.map((turns) => Math.max(...turns)));
  const whole = median(loads.map((turns) => turns.reduce((sum, turn) => sum + turn, 0)));
  const { index, stop } = await started();
  try {
    await loadPeople(index, folder);
    return [
      row('longest turn of loading 500,000 stored faces', longest, 100),
      row('all turns of it', whole, null),
      ...(await searching(index, folder, say)),
      ...(await showing(index, folder, say)),
    ];
  } finally {
    await stop();
  }
}

async function searching(index: Index, cache_dir: string, say: (text: string) => void): Promise<Row[]> {
  say('searching');
  const of = { cache_dir, model_key: picture_model };
  await loadInSteps(
    (load) => index.ask('load', { ...of, hashes: null, load }),
    () => {},
  );
  const { jobs } = await index.ask('cluster_jobs', { cache_dir });
  const ids = jobs[0]!.cluster_ids;
  const text = unit(Float32Array.from({ length: dimensions }, seeded(99)));
  const find = (people: PeopleFilter | null) =>
    index.ask('search', {
      ...{ ...of, text, picture: null, text_weight: 1, exclude: null },
      ...{ scope: { hashes: null, ranges: {}, filters: [] }, max_results: 50, ...(people && { people }) },
    });
  const both = (one: number, two: number): PeopleFilter => ({
    mode: 'and',
    people: [{ cluster_id: ids[one]! }, { cluster_id: ids[two]! }],
  });
  const plain = await times(() => find(null));
  /** Afterwards the answer for two people has to be found anew. */
  const forget = async () => {
    for (let i = 10; i < 30; i++) await find(both(i, i + 1));
  };
  const first: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await forget();
    first.push(await timed(() => find(both(0, 1))));
  }
  const peer = { name: 'search over everything', value: plain };
  const most = Math.round(plain + 20);
  return [
    row('search filtered by two stored people, first time', median(first), most, peer),
    row('search filtered by two stored people, again', await times(() => find(both(0, 1))), most, peer),
  ];
}

async function showing(index: Index, cache_dir: string, say: (text: string) => void): Promise<Row[]> {
  say('pictures of 100 clusters');
  const people = createPeople({ index, tasks: { start: () => Promise.reject(new Error('no tasks')) } });
  const samples = async () => {
    const answer = await people.samples({
      ...{ cache_dir, cluster_job_name: job, min_cluster_size: 1, max_cluster_size: 1e9 },
      ...{ max_clusters: 100, limit_per_cluster: 12, include_noise: false },
    });
    const pictures = 'clusters' in answer ? answer.clusters.flatMap((cluster) => cluster.sample_faces) : [];
    if (pictures.length !== 1200 || pictures.some((picture) => picture.length !== 8192))
      throw new Error(`${pictures.length} pictures, not 1200 of 6 KB`);
  };
  return [
    row('12 pictures each of 100 stored clusters, first time', await timed(samples), 150),
    row('12 pictures each of 100 stored clusters, again', await times(samples), 150),
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function times(work: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < rounds; round++) all.push(await timed(work));
  return median(all);
}
