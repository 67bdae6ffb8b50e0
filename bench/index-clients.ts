// Searches of many clients at once, against the same number one after the other: both through the index in
// its thread, as the service asks it.
import { indexContract } from '../actors/index/contract.ts';
import type { Ref } from '../runtime/ref.ts';
import { startBench } from './actors.ts';
import { median } from './row.ts';
import { sized } from './size.ts';
import { seeded, unit } from './vectors.ts';

const CLIENTS = 64;
/** Clients at once: as many searches as are scanned in one pass. */
const TOGETHER = 16;
/** Searches of each. */
const EACH = sized(8, 1);
const ALONE = sized(64, 4);

interface AskedRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly against: string;
  readonly ratio: number;
}

/** Measures searches of everything that a folder holds by a model. */
export async function asking(folder: string, model: string, dimensions: number): Promise<AskedRow[]> {
  const bench = startBench(1, 4096);
  try {
    const index = await bench.actor(indexContract, {});
    const loaded = { cache_dir: folder, model_key: model, hashes: null };
    let step = await index.ask('load', { ...loaded, load: null });
    while (!step.done) step = await index.ask('load', { ...loaded, load: step.load });
    const random = seeded(97);
    const next = () => ask(index, folder, model, unit(Float32Array.from({ length: dimensions }, random)));
    for (let i = 0; i < ALONE; i++) await next();
    const result = await timesOf(1, ALONE, next);
    const together = await timesOf(TOGETHER, EACH, next);
    const all = await timesOf(CLIENTS, EACH, next);
    const again = await timesOf(1, ALONE, next);
    const alone = (result.rate + again.rate) / 2;
    const pass = median(together.times);
    const p99 = all.times.toSorted((a, b) => a - b)[Math.floor(all.times.length * 0.99)]!;
    const name = `${CLIENTS} clients at once`;
    return [
      { name, value: all.rate, unit: 'answers/s', against: 'one after the other', ratio: all.rate / alone },
      { name: `${name}, p99`, value: p99, unit: 'ms', against: 'one pass for 16', ratio: pass / p99 },
    ];
  } finally {
    await bench.stop();
  }
}

/** ms of a search for the best 50. */
async function ask(
  index: Ref<typeof indexContract>,
  cache_dir: string,
  model_key: string,
  text: Float32Array,
): Promise<number> {
  const began = performance.now();
  const scope = { hashes: null, filters: [], ranges: {} };
  const of = { cache_dir, model_key, text, picture: null, text_weight: 1, exclude: null };
  const { matches } = await index.ask('search', { ...of, scope, max_results: 50 }, { lane: 'now' });
  if (matches.length !== 50) throw new Error(`${matches.length} matches`);
  return performance.now() - began;
}

/** Clients that ask again as soon as they have an answer. */
async function timesOf(clients: number, each: number, next: () => Promise<number>) {
  const times: number[] = [];
  const began = performance.now();
  const client = async () => {
    for (let i = 0; i < each; i++) times.push(await next());
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { times, rate: times.length / ((performance.now() - began) / 1000) };
}
