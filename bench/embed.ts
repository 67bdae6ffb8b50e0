// What does the embedder cost on top of the graph? The same pictures, batch and threads: a bare loop over the session
// against the actor with its slots, messages, preprocessing and normalisation. Rounds alternate; medians.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { definition } from '../actors/embedder/actor.ts';
import { embedderContract } from '../actors/embedder/contract.ts';
import { preparation } from '../actors/embedder/prepare.ts';
import { openSession } from '../actors/models/session.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import { startInMemory } from '../runtime/memory.ts';
import { createSlotPool } from '../runtime/slots.ts';
import { createSupervisor } from '../runtime/supervisor.ts';
import { vitB32, vitKey, writeVit } from './vit.ts';

export interface EmbedOptions {
  readonly batch: number;
  readonly batches: number;
  readonly rounds: number;
  readonly threads: number;
}

export interface EmbedResult extends EmbedOptions {
  /** Pictures a second. */
  readonly bare: number;
  readonly actor: number;
  readonly ratio: number;
  /** Microseconds to prepare one picture. */
  readonly prepareMicros: number;
}

export async function embed(options: EmbedOptions): Promise<EmbedResult> {
  const modelsDir = await mkdtemp(join(tmpdir(), 'bench-embed-'));
  try {
    return await measure(modelsDir, options);
  } finally {
    await rm(modelsDir, { recursive: true, force: true });
  }
}

async function measure(modelsDir: string, options: EmbedOptions): Promise<EmbedResult> {
  const { batch, batches, rounds, threads } = options;
  const { visual } = await writeVit(modelsDir, batch);
  const prepare = preparation(visual!);
  const log = createLog('bench', () => {});
  const pool = createSlotPool(batch, prepare.bytes);
  const handles = await Promise.all(Array.from({ length: batch }, () => pool.acquire(pool.holder())));
  for (const handle of handles) {
    const view = pool.view(handle);
    for (let at = 0; at < view.length; at += 1) view[at] = (at * 31) & 255;
  }

  const bare = await openSession(join(modelsDir, vitKey, 'vision.onnx'), { device: 'cpu', threads, log });
  const data = new Float32Array(batch * prepare.floats);
  const fill = () => handles.forEach((handle, at) => void prepare.fill(pool.view(handle), data, at));
  const feeds = { pixel_values: { data, dims: [batch, 3, vitB32.side, vitB32.side] } };
  const supervisor = createSupervisor({ clock: systemClock, log, pool });
  const settings = { modelsDir, device: 'cpu', threads, defaultModel: vitKey };
  const embedder = await supervisor.add({
    name: 'embedder',
    contract: embedderContract,
    concurrency: definition.concurrency,
    capacity: 8,
    turnLimitMs: 600_000,
    start: () => startInMemory(definition, { settings, log, memory: pool.memory }),
  });
  await embedder.ask('load', { model_key: vitKey });
  fill();
  const timings = { bare: [] as number[], actor: [] as number[], prepare: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    timings.bare.push(await timed(batches, () => bare.run(feeds)));
    timings.actor.push(
      await timed(batches, () => embedder.ask('pictures', { model_key: vitKey, pictures: handles })),
    );
    timings.prepare.push(await timed(batches, async () => fill()));
  }
  await bare.release();
  await supervisor.stop();
  const count = batch * batches;
  const rate = (times: number[]) => (count / median(times.slice(1))) * 1000;
  const result = { bare: rate(timings.bare), actor: rate(timings.actor) };
  const prepareMicros = (median(timings.prepare.slice(1)) / count) * 1000;
  return { ...options, ...result, ratio: result.actor / result.bare, prepareMicros };
}

async function timed(times: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < times; n += 1) await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

if (import.meta.main) {
  console.log(await embed({ batch: 8, batches: 3, rounds: 5, threads: availableParallelism() }));
}
