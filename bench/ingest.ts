// How fast whole films go in, from file to flushed analysis, with a graph of the size of ViT-B/32: against
// what decoding alone and embedding alone allow on the same cores, and against the naive pipeline.
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { AnalysisEvent, WorkResult } from '../actors/analysis/contract.ts';
import type { Reuse } from '../actors/analysis/stages/picture/kind.ts';
import { type Preparation, preparation } from '../actors/embedder/prepare.ts';
import type { Engine } from '../actors/engine.ts';
import { type ModelSession, openSession } from '../actors/models/session.ts';
import { startEngine } from '../main.ts';
import { resolveConfig } from '../runtime/config.ts';
import { createLog } from '../runtime/log.ts';
import { formatLine } from '../runtime/process/log-sink.ts';
import { type SettingValues, settings } from '../settings.ts';
import { type Decoder, drain, startBench } from './actors.ts';
import { decodeAll, hasFfmpeg } from './command-line.ts';
import { footage, kinds } from './footage.ts';
import { alternate, type Question, type Row } from './row.ts';
import { vitB32, vitKey, writeVit } from './vit.ts';

const cores = availableParallelism();
const shape = { width: vitB32.side, height: vitB32.side, fit: 'stretch', resample: 'bilinear' } as const;
const preview = { max_side: 640, quality: 80 };
const log = createLog('bench', (line) => process.stderr.write(formatLine(line)), { level: 'warn' });

type Speed = Record<'decodeAlone' | 'embedAlone' | 'whole' | 'naive', number>;

export const ingest: Question = async (say, home) => {
  const film = await footage(kinds.h264Gop60, say);
  const films = copies(film.path, home, cores * 2);
  const models = join(home, 'models');
  mkdirSync(models);
  const { visual } = await writeVit(models);
  const graph = join(models, vitKey, 'vision.onnx');
  const prepare = preparation(visual!);
  const session = await openSession(graph, { device: 'cpu', threads: cores, log });
  const engine = await startedEngine(home);
  const bench = startBench(cores * 10, prepare.bytes);
  const decoders = await bench.decoders(cores);
  const peer = hasFfmpeg();
  say(`${films.length} films of ${film.seconds} s`);
  const speed = await alternate(3, {
    decodeAlone: () => timesRealTime(film.seconds * cores, () => decodeAlone(decoders, film.path)),
    embedAlone: () => embedAlone(session, visual!.batch, prepare.floats),
    whole: () => timesRealTime(film.seconds * films.length, () => ingestAll(engine, home, films)),
    naive: () => (peer ? timesRealTime(film.seconds, () => naive(film.path, session, prepare)) : Number.NaN),
  });
  await session.release();
  await bench.stop();
  await engine.stop();
  return rows(speed, peer);
};

/** Seconds of film done in a second of work. */
async function timesRealTime(seconds: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return seconds / ((performance.now() - start) / 1000);
}

function decodeAlone(decoders: readonly Decoder[], path: string): Promise<unknown> {
  return Promise.all(decoders.map((decoder) => drain(decoder, path, { shape, preview, mode: 'exact' })));
}

/** One picture is one second of film. */
function embedAlone(session: ModelSession, batch: number, floats: number): Promise<number> {
  const data = new Float32Array(batch * floats);
  const feeds = { pixel_values: { data, dims: [batch, 3, vitB32.side, vitB32.side] } };
  const rounds = 6;
  return timesRealTime(batch * rounds, async () => {
    for (let i = 0; i < rounds; i++) await session.run(feeds);
  });
}

/** The naive pipeline: ffmpeg writes every picture to a pipe, and each is embedded by itself. */
async function naive(path: string, session: ModelSession, prepare: Preparation): Promise<void> {
  const pictures: Promise<unknown>[] = [];
  const data = new Float32Array(prepare.floats);
  const dims = [1, 3, vitB32.side, vitB32.side];
  let remainder = new Uint8Array(0);
  let last: Promise<unknown> = Promise.resolve();
  await decodeAll(path, vitB32.side, (bytes) => {
    const all = Buffer.concat([remainder, bytes]);
    let at = 0;
    for (; all.length - at >= prepare.bytes; at += prepare.bytes) {
      const picture = all.subarray(at, at + prepare.bytes);
      last = last.then(() => {
        prepare.fill(picture, data, 0);
        return session.run({ pixel_values: { data, dims } });
      });
      pictures.push(last);
    }
    remainder = all.subarray(at);
  });
  await Promise.all(pictures);
}

function rows(speed: Speed, peer: boolean): Row[] {
  const row = (name: string, value: number, against: Row['against'], least: number | null): Row => ({
    question: 'ingest',
    name,
    value,
    unit: '× real time',
    against,
    ratio: against ? value / against.value : null,
    goal: least === null ? null : { of: 'ratio', at: 'least', than: least },
  });
  const allowed = 1 / (1 / speed.decodeAlone + 1 / speed.embedAlone);
  return [
    row('decoding alone, with previews', speed.decodeAlone, null, null),
    row('embedding alone', speed.embedAlone, null, null),
    row('whole ingest', speed.whole, { name: 'what its stages allow', value: allowed }, 0.9),
    ...(peer ? [row('whole ingest', speed.whole, { name: 'naive pipeline', value: speed.naive }, 2.5)] : []),
  ];
}

/** Copies with other bytes at the end (a `free` box of their own), so that each is a film of its own. */
export function copies(path: string, folder: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const copy = join(folder, `film-${i}.mp4`);
    copyFileSync(path, copy);
    const box = Buffer.alloc(8 + i + 1);
    box.writeUInt32BE(box.length, 0);
    box.write('free', 4);
    appendFileSync(copy, box);
    return copy;
  });
}

/** One engine for all rounds, as in a service: the warm-up round loads the model. */
export function startedEngine(home: string, model = vitKey, ownSettings: object = {}): Promise<Engine> {
  const file = { home, model, hardware_decoding: 'off', device: 'cpu', ...ownSettings };
  const values: SettingValues = resolveConfig(settings, { flags: {}, env: {}, file }).values;
  return startEngine(values, cores, log);
}

/** Analyses all films into a folder, a new one unless it is named, and answers their results. */
export async function ingestAll(
  engine: Engine,
  home: string,
  films: readonly string[],
  model_key = vitKey,
  reuse: Reuse = 'exact',
  cache_dir = mkdtempSync(join(home, 'cache-')),
): Promise<readonly WorkResult[]> {
  const request = {
    cache_dir,
    paths: [...films],
    speech: [],
    face_jobs: [],
    summary_jobs: [],
    model_key,
    decode: 'exact' as const,
    reuse,
    force: false,
  };
  const signal = new AbortController().signal;
  const results: WorkResult[] = [];
  const onEvent = (event: AnalysisEvent) => {
    if (event.type === 'result') results.push(event.result);
  };
  await engine.analysis.run({ task_id: 'bench', request, earlier: null }, { signal, onEvent });
  const bad = results.find(({ outcome }) => outcome !== 'analyzed');
  if (bad) throw new Error(`${bad.path}: ${bad.outcome} ${bad.error?.message}`);
  return results;
}
