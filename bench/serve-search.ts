// Latency of a search: /search/text of the real service over a hundred hours with fifty previews, idle
// and while films are analysed at full speed into another folder.
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { startBench } from './actors.ts';
import { footage, kinds } from './footage.ts';
import { copies } from './ingest.ts';
import { FRAMES, writeLibrary } from './library.ts';
import { median, type Question, type Row } from './row.ts';
import { type Client, type Service, startService, until } from './service.ts';
import { sized } from './size.ts';
import { vitKey, writeVit } from './vit.ts';

const SEARCHES = sized(300, 30);
const MATCHES = 50;
/** Enough to last longer than the searches; the rest is cancelled. */
const FILMS = 60;
const queries = [
  'a red car at night',
  'two people talk on a bridge',
  'snow on a roof',
  'a dog runs along a beach',
  'an empty street',
  'hands that write a letter',
  'a plane above clouds',
  'a market in the rain',
];

export const serveSearch: Question = async (say, home) => {
  const models = join(home, 'models');
  mkdirSync(models);
  await writeVit(models);
  const reader = await readQueries(models);
  say(`writing a library of ${FRAMES * 100} vectors`);
  const { cacheDir } = await writeLibrary(home, vitKey, reader.vectors);
  const film = await footage(kinds.h264Gop60, say);
  const films = copies(film.path, home, FILMS);
  const env = { FRAMEHOUND_MODEL: vitKey, FRAMEHOUND_DEVICE: 'cpu', FRAMEHOUND_HARDWARE_DECODING: 'off' };
  const service = await startService(home, env);
  const client = service.client(1);
  try {
    await until('the visual model', 120_000, async () => (await client.ask('/readyz')).status === 200);
    await client.get('/api/v1/analysis-data/load', { cache_dir: cacheDir });
    await searches(client, cacheDir, 40);
    say(`${SEARCHES} searches while nothing else happens`);
    const idle = await observed(service, () => searches(client, cacheDir, SEARCHES));
    const packed = await searches(client, cacheDir, 60, { 'Accept-Encoding': 'gzip' });
    const { task_id } = await client.get<{ task_id: string }>('/api/v1/analyze', {
      cache_dir: join(home, 'other'),
      visual_media_paths: films,
    });
    const frames = async () =>
      (await client.get<{ frames: number }>(`/api/v1/tasks/${task_id}?limit=0`)).frames;
    await until('the first frame', 60_000, async () => (await frames()) > 0);
    const before = await frames();
    say(`${SEARCHES} searches while films are analysed`);
    const began = performance.now();
    const busy = await observed(service, () => searches(client, cacheDir, SEARCHES));
    const rate = ((await frames()) - before) / ((performance.now() - began) / 1000);
    if (!(rate > 0)) throw new Error('no film was analysed while the searches ran');
    await client.get('/api/v1/analyze/cancel', {});
    return rowsOf(reader.milliseconds, idle, busy, packed, rate);
  } finally {
    client.close();
    await service.stop();
  }
};

/**
 * The vectors that the model in use makes of the queries, and how long one takes: through its actor, as in
 * the service.
 */
async function readQueries(
  modelsDir: string,
): Promise<{ vectors: readonly Float32Array[]; milliseconds: number }> {
  const bench = startBench(1, 1);
  const threads = availableParallelism();
  const embedder = await bench.embedder({
    modelsDir,
    device: 'cpu',
    threads,
    defaultModel: vitKey,
    sides: 'texts',
  });
  const ask = async (query: string) => {
    const began = performance.now();
    const { vectors } = await embedder.ask('texts', { model_key: vitKey, texts: [query] }, { lane: 'now' });
    return { vectors, ms: performance.now() - began };
  };
  await embedder.ask('load', { model_key: vitKey }, { lane: 'now' });
  for (const query of queries) await ask(query);
  const answers = [];
  for (const query of queries) answers.push(await ask(query));
  await bench.stop();
  return {
    vectors: answers.map(({ vectors }) => vectors),
    milliseconds: median(answers.map(({ ms }) => ms)),
  };
}

/** Milliseconds of each. Throws when an answer is not whole. */
async function searches(
  client: Client,
  cacheDir: string,
  count: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const body = { cache_dir: cacheDir, query: queries[i % queries.length], max_results: MATCHES };
    const answer = await client.ask('/api/v1/search/text', body, headers);
    times.push(answer.ms);
    if (headers['Accept-Encoding'] === undefined) expectWhole(answer.status, answer.body);
  }
  return times;
}

function expectWhole(status: number, body: Buffer): void {
  if (status !== 200) throw new Error(`search ${status}: ${body.toString().slice(0, 500)}`);
  const { matches, toast_warning } = JSON.parse(body.toString()) as {
    matches: { image: string; hash_str: string }[];
    toast_warning?: string;
  };
  const pictures = matches.filter(({ image }) => image.length > 20_000).length;
  if (matches.length !== MATCHES || pictures !== MATCHES || toast_warning !== undefined)
    throw new Error(`${matches.length} matches, ${pictures} with a preview; ${toast_warning ?? ''}`);
}

interface Observed {
  readonly times: readonly number[];
  /** p99 of how late the service's main event loop turned meanwhile, ms. */
  readonly loopDelay: number;
}

async function observed(service: Service, work: () => Promise<number[]>): Promise<Observed> {
  // A scrape begins the next measurement of the loop.
  await service.metric('framehound_event_loop_delay_seconds', 'p99');
  const times = await work();
  const loopDelay = (await service.metric('framehound_event_loop_delay_seconds', 'p99')) * 1000;
  return { times, loopDelay };
}

function rowsOf(
  text: number,
  idle: Observed,
  busy: Observed,
  packed: readonly number[],
  rate: number,
): Row[] {
  const question = 'serve-search';
  const name = (what: string) => `search by text over ${(FRAMES * 100).toLocaleString('en')}, ${what}`;
  const bare = { question, unit: 'ms', against: null, ratio: null, goal: null };
  const p50 = median(idle.times);
  const p99 = quantile(idle.times, 0.99);
  const busyP99 = quantile(busy.times, 0.99);
  return [
    {
      ...bare,
      name: name('50 previews, p50 without the text model'),
      value: p50 - text,
      against: { name: 'text model alone', value: text },
      goal: { of: 'value', at: 'most', than: 25 },
    },
    { ...bare, name: name('p99'), value: p99 },
    {
      ...bare,
      name: name('p50 compressed'),
      value: median(packed),
      against: { name: 'as it is', value: p50 },
    },
    {
      ...bare,
      name: name(`p50 while ${rate.toFixed(1)} frames/s are analysed`),
      value: median(busy.times),
      against: { name: 'idle', value: p50 },
      ratio: p50 / median(busy.times),
    },
    {
      ...bare,
      name: name('p99 while films are analysed'),
      value: busyP99,
      against: { name: 'idle', value: p99 },
      ratio: p99 / busyP99,
      goal: { of: 'ratio', at: 'least', than: 1 / 3 },
    },
    {
      ...bare,
      name: 'delay of the main event loop while films are analysed, p99',
      value: busy.loopDelay,
      against: { name: 'idle', value: idle.loopDelay },
      goal: { of: 'value', at: 'most', than: 20 },
    },
  ];
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]!;
}
