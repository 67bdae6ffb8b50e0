import type { Holder } from '../actors/cluster/division.ts';
import { jointIndex } from '../actors/cluster/joint-index.ts';
import { PartClient } from '../actors/cluster/part-client.ts';
import { indexContract } from '../actors/index/contract.ts';
import type { Place } from '../actors/index/visual/contract.ts';
import type { Request } from '../runtime/contract.ts';
import { createLog } from '../runtime/log.ts';
import type { Ref } from '../runtime/ref.ts';
import { freePort } from '../test/system/guarded-service.ts';
import { startBench } from './actors.ts';
import { ask as askChild, messageOf, startChild } from './child.ts';
import { FRAMES, hashOf, writeLibrary } from './library.ts';
import { asked, DIMENSIONS, secret, vectorOf } from './parts-library.ts';
import { median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';

const PARTS = 3;
const model = 'bench';
const QUESTIONS = sized(20, 2);
const ROUNDS = sized(5, 1);

type Index = Ref<typeof indexContract>;

/** The goal: how much longer than its slowest part a question takes. */
const MOST = 1.3;

export const askingParts: Question = async (say, folder) => {
  const bench = startBench(1, 4096);
  const client = new PartClient(() => secret);
  const children: ReturnType<typeof startChild>[] = [];
  try {
    say(`a library of ${(100 * FRAMES) / 3600} hours in ${PARTS} parts`);
    const { cacheDir, paths } = await writeLibrary(folder, model, [vectorOf(0)]);
    const holders: Holder[] = [];
    for (let part = 1; part <= PARTS; part++) {
      const address = `127.0.0.1:${await freePort()}`;
      holders.push({ id: `${part}`, address, hold: { part, of: PARTS } });
    }
    const [own, ...others] = holders as [Holder, ...Holder[]];
    for (const { address, hold } of others) {
      const child = startChild('parts-node.ts', JSON.stringify({ cacheDir, model, address, ...hold }));
      children.push(child);
      await messageOf(child);
    }
    const index = await bench.actor(indexContract, {});
    const asking = { own, division: () => holders.map((one) => [one]), rest: () => {} };
    const log = createLog('bench', () => {});
    const joint = jointIndex({ index, holders: asking, client, applied: () => 0, log });
    await load(joint, cacheDir);
    const rows = rowsOf(await compared({ joint, index, cacheDir, children }));
    say('takes of a shot');
    const whole = await bench.actor(indexContract, {});
    await load(whole, cacheDir);
    return [...rows, await takesRow(joint, whole, cacheDir, hashOf(paths[0]!))];
  } finally {
    client.close();
    for (const child of children) child.disconnect();
    await bench.stop();
  }
};

async function load(index: Index, cache_dir: string): Promise<void> {
  const request = { cache_dir, model_key: model, hashes: null };
  let answer = await index.ask('load', { ...request, load: null });
  while (!answer.done) answer = await index.ask('load', { ...request, load: answer.load });
}

interface Compared {
  readonly joint: Index;
  /** With the part of this process. */
  readonly index: Index;
  readonly cacheDir: string;
  readonly children: readonly ReturnType<typeof startChild>[];
}

/** ms, the medians of each round. */
interface Round {
  readonly all: number;
  readonly excluding: number;
  readonly slowest: number;
}

async function compared({ joint, index, cacheDir, children }: Compared): Promise<Round[]> {
  const timed = async (ref: Index, request: ReturnType<typeof asked> | object) => {
    const began = performance.now();
    await ref.ask('search', request as ReturnType<typeof asked>, { lane: 'now' });
    return performance.now() - began;
  };
  const rounds: Round[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const [all, excluding, slowest]: [number[], number[], number[]] = [[], [], []];
    for (let question = 1; question <= QUESTIONS; question++) {
      const request = asked(cacheDir, model, question);
      const alone = [
        timed(index, request),
        ...children.map((child) => askChild<number>(child, question as never)),
      ];
      slowest.push(Math.max(...(await Promise.all(alone))));
      all.push(await timed(joint, request));
      excluding.push(await timed(joint, { ...request, exclude: vectorOf(500 + question) }));
    }
    const medians = { all: median(all), excluding: median(excluding), slowest: median(slowest) };
    // The first round warms up.
    if (round > 0) rounds.push(medians);
  }
  return rounds;
}

/** The quietest round counts: the machine may have other work. */
function rowsOf(rounds: readonly Round[]): Row[] {
  const [best] = rounds.toSorted((a, b) => a.all - b.all) as [Round];
  const against = { name: 'the slowest of the three by itself, at the same time', value: best.slowest };
  const row = (name: string, value: number, isGoal: boolean): Row => ({
    ...{ question: 'cluster', name, value, unit: 'ms', against, ratio: best.slowest / value },
    goal: isGoal ? { of: 'ratio', at: 'least', than: 1 / MOST } : null,
  });
  const size = `${(100 * FRAMES).toLocaleString('en')} x ${DIMENSIONS} in three parts`;
  return [
    row(`top 50 scenes, ${size}`, best.all, true),
    row(`top 50 scenes, one thing excluded, ${size}`, best.excluding, false),
  ];
}

/** Grid frames of the shot whose takes are looked for. */
const SHOT = 10;

/** Every step of a comparison of a shot with everything, as a search for takes asks it; ms, the median. */
async function takesOf(ref: Index, cache_dir: string, only: string): Promise<number> {
  const same = Array.from({ length: DIMENSIONS }, (_, at) => at);
  const how = { cache_dir, model_key: model, only, from: 0, end: SHOT, step: 1, least: 0.9, above: 0.2 };
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const began = performance.now();
    let place: Place | null = null;
    do {
      const step: Request<typeof indexContract, 'takes'> = {
        ...how,
        mirror: same,
        blank: vectorOf(0),
        place,
      };
      ({ next: place } = await ref.ask('takes', step, { lane: 'now' }));
    } while (place !== null);
    // The first round warms up.
    if (round > 0) times.push(performance.now() - began);
  }
  return median(times);
}

async function takesRow(joint: Index, whole: Index, cacheDir: string, only: string): Promise<Row> {
  const value = await takesOf(joint, cacheDir, only);
  const against = { name: 'one engine with all of it', value: await takesOf(whole, cacheDir, only) };
  const name = `takes of a shot of 10 s, ${(100 * FRAMES).toLocaleString('en')} x ${DIMENSIONS} in three parts`;
  return { question: 'cluster', name, value, unit: 'ms', against, ratio: against.value / value, goal: null };
}
