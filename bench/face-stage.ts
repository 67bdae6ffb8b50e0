// The cost of faces beside pictures. Films are analysed for pictures, for faces and for both: the time of
// both above pictures alone, against the detector on as many frames. Nobody is in the films, so that this is
// all that the models do.
import { appendFileSync, copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { AnalysisEvent } from '../actors/analysis/contract.ts';
import { InputFiller } from '../actors/faces/detection/detector.ts';
import { quartered } from '../actors/faces/picture.ts';
import { openSession } from '../actors/models/session.ts';
import { startEngine } from '../main.ts';
import { resolveConfig } from '../runtime/config.ts';
import { createLog } from '../runtime/log.ts';
import { settings } from '../settings.ts';
import { facesModels, yunetRow, yunetWeights } from '../test/actors/faces/stand-in-embedder.ts';
import { skipWithout } from '../test/shared.ts';
import { footage, kinds } from './footage.ts';
import { median, processorSeconds, type Question, type Row } from './row.ts';
import { sized } from './size.ts';

const cores = availableParallelism();
const log = createLog('bench', () => {});
const model_key = 'starter-visual-3';
const [width, height] = [1280, 720];
const rounds = sized(5, 1);
const mebibytes = () => process.memoryUsage().rss / 2 ** 20;

type Work = 'pictures' | 'faces' | 'both';
const works = ['bare', 'pictures', 'faces', 'both'] as const;

/** ms */
interface Took {
  readonly wall: number;
  readonly processor: number;
}
type Seen = Readonly<Record<Work | 'bare', readonly Took[]>>;

export const faceStage: Question = async (say, home) => {
  const missing = skipWithout(yunetWeights);
  if (missing) {
    say(missing);
    return [];
  }
  return await measured(home, say);
};

async function measured(home: string, say: (text: string) => void): Promise<Row[]> {
  const models = join(home, 'models');
  await facesModels(models);
  const film = await footage(kinds.h264Gop60, say);
  const films = Array.from({ length: cores }, (_, i) => copied(film.path, join(home, `film-${i}.mp4`), i));
  const frames = film.seconds * films.length;
  say(`${films.length} films of ${film.seconds} s`);
  const { analyse, stop, most } = await startedEngine(home, films);
  const bare = await bareDetector(models, frames);
  const timings: Record<Work | 'bare', Took[]> = { bare: [], pictures: [], faces: [], both: [] };
  const after: Partial<Record<Work | 'bare', number>> = {};
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const work of works) {
        const took = await (work === 'bare' ? timed(bare.run) : analyse(work));
        if (round > 0) timings[work].push(took);
        else after[work] = mebibytes();
      }
    }
  } finally {
    await bare.release();
    await stop();
  }
  return [
    ...rowsOf(timings, frames, 'wall', ''),
    ...rowsOf(timings, frames, 'processor', ', time of processors'),
    ofMemory('memory after pictures were analysed', after.pictures!),
    ofMemory('memory after faces were looked for', after.faces!),
    ofMemory('most memory of all rounds', most()),
  ];
}

/** One engine for all rounds, as in a service; each analysis goes into a new folder. */
async function startedEngine(home: string, films: string[]) {
  const file = { home, model: model_key, hardware_decoding: 'off', device: 'cpu' };
  const { values } = resolveConfig(settings, { flags: {}, env: {}, file });
  const engine = await startEngine(values, cores, log);
  const job = { name: 'cast', paths: films, eps: 0.4, min_samples: 2, clear_names: false, samples: [] };
  let most = 0;
  const analyse = async (work: Work): Promise<Took> => {
    const cache_dir = await mkdtemp(join(home, 'cache-'));
    const request = {
      ...{ cache_dir, speech: [], summary_jobs: [], decode: 'exact' as const, force: false, model_key },
      paths: work === 'faces' ? [] : films,
      face_jobs: work === 'pictures' ? [] : [job],
    };
    const bad: string[] = [];
    const onEvent = (event: AnalysisEvent) => {
      most = Math.max(most, mebibytes());
      if (event.type === 'result' && event.result.outcome !== 'analyzed') bad.push(event.result.path);
    };
    const { signal } = new AbortController();
    const run = { task_id: 'bench', request, earlier: null };
    const took = await timed(() => engine.analysis.run(run, { signal, onEvent }));
    if (bad.length > 0) throw new Error(`not analysed: ${bad.join(', ')}`);
    await rm(cache_dir, { recursive: true });
    return took;
  };
  return { analyse, stop: engine.stop, most: () => most };
}

function rowsOf(timings: Seen, frames: number, kind: keyof Took, suffix: string): Row[] {
  const of = (work: Work | 'bare') => median(timings[work].map((took) => took[kind])) / frames;
  const row = (name: string, value: number): Row => ({
    ...{ question: 'faces', name: `${name}${suffix}`, value, unit: 'ms a frame' },
    ...{ against: null, ratio: null, goal: null },
  });
  const beside =
    median(timings.both.map((both, round) => both[kind] - timings.pictures[round]![kind])) / frames;
  return [
    row('1080p film, pictures alone', of('pictures')),
    row('1080p film, faces alone', of('faces')),
    row('1080p film, pictures and faces in one pass', of('both')),
    {
      ...row('1080p film, faces beside pictures', beside),
      against: { name: 'the detector alone', value: of('bare') },
      ratio: of('bare') / beside,
      goal: { of: 'ratio', at: 'least', than: 1 },
    },
  ];
}

const ofMemory = (name: string, value: number): Row => ({
  ...{ question: 'faces', name, value, unit: 'MiB', against: null, ratio: null, goal: null },
});

/** The detector on frames that are ready, both looks at each. */
async function bareDetector(models: string, frames: number) {
  const file = join(models, yunetRow.key, 'graph.onnx');
  const session = await openSession(file, { device: 'cpu', threads: cores, log });
  const picture = { data: new Uint8Array(width * height * 3).fill(100), width, height };
  const inputs = [picture, quartered(picture)].map((level) => {
    const input = new InputFiller(yunetRow.detector).fill(level);
    return { data: input.data.slice(), dims: [1, 3, input.height, input.width] };
  });
  const run = async () => {
    for (let frame = 0; frame < frames; frame++) for (const input of inputs) await session.run({ input });
  };
  return { run, release: () => session.release() };
}

/** The same film with other bytes at its end, so that it is one of its own. */
function copied(from: string, to: string, number: number): string {
  copyFileSync(from, to);
  const box = Buffer.alloc(9 + number);
  box.writeUInt32BE(box.length, 0);
  box.write('free', 4);
  appendFileSync(to, box);
  return to;
}

async function timed(work: () => Promise<unknown>): Promise<Took> {
  const start = performance.now();
  const processor = (await processorSeconds(work)) * 1000;
  return { wall: performance.now() - start, processor };
}
