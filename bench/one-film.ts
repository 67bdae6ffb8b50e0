// How fast one film goes in that all decoders work on, against as many films as there are decoders, side by
// side: decoding alone, and a whole analysis with the starter model, which takes little time itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { filmFrames, IdleDecoders } from '../actors/analysis/stages/film-sections.ts';
import { defaultModelKey } from '../actors/models/rows/list.ts';
import { createLog } from '../runtime/log.ts';
import { formatLine } from '../runtime/process/log-sink.ts';
import { type DecodeOptions, drain, startBench } from './actors.ts';
import { type Footage, footage, kinds } from './footage.ts';
import { copies, ingestAll, startedEngine } from './ingest.ts';
import { beside, type Question, type Row } from './row.ts';

const cores = availableParallelism();
/** The number of slots that an engine has. */
const slots = 48 + 8 * cores;
const shape = { width: 224, height: 224, fit: 'stretch', resample: 'area' } as const;
const options: DecodeOptions = { shape, preview: { max_side: 640, quality: 80 }, mode: 'exact' };
const rounds = 5;
const log = createLog('bench', (line) => process.stderr.write(formatLine(line)), { level: 'warn' });

export const oneFilm: Question = async (say) => {
  const film = await footage(kinds.long, say);
  say(`${film.seconds} s by ${cores} decoders, and ${cores} such films at once`);
  const decoding = await decodingOf(film);
  say('the same, analysed');
  const analysis = await analysisOf(film);
  return [row('decoding', decoding), row('analysis with the starter model', analysis)];
};

type Speeds = Awaited<ReturnType<typeof beside<'speed'>>>['speed'];

function row(what: string, { value, peer, ratio }: Speeds): Row {
  return {
    question: 'one-film',
    name: `one film by all decoders: ${what}`,
    value,
    unit: '× real time',
    against: { name: 'a film for each decoder', value: peer },
    ratio,
    goal: { of: 'ratio', at: 'least', than: 0.87 },
  };
}

async function speedOf(seconds: number, work: () => Promise<unknown>) {
  const start = performance.now();
  await work();
  return { speed: seconds / ((performance.now() - start) / 1000) };
}

async function decodingOf({ path, seconds }: Footage): Promise<Speeds> {
  const bench = startBench(slots, 512 * 512 * 3);
  const decoders = await bench.decoders(cores);
  const alone = async () => {
    const [reader] = decoders;
    const idle = new IdleDecoders(decoders);
    idle.need(reader!);
    const parts = { reader: reader!, idle, frames: seconds, slots, log };
    for await (const _ of filmFrames({ path, ...options, from_frame: 0 }, { credit: 8 }, parts));
  };
  const { speed } = await beside(
    rounds,
    () => speedOf(seconds, alone),
    () =>
      speedOf(cores * seconds, () => Promise.all(decoders.map((decoder) => drain(decoder, path, options)))),
  );
  await bench.stop();
  return speed;
}

async function analysisOf({ path, seconds }: Footage): Promise<Speeds> {
  const home = mkdtempSync(join(tmpdir(), 'framehound-one-film-'));
  const films = copies(path, home, cores);
  const engine = await startedEngine(home, defaultModelKey);
  const analysed = (some: readonly string[]) => () =>
    speedOf(some.length * seconds, () => ingestAll(engine, home, some, defaultModelKey));
  try {
    return (await beside(rounds, analysed(films.slice(0, 1)), analysed(films))).speed;
  } finally {
    await engine.stop();
    rmSync(home, { recursive: true, force: true });
  }
}
