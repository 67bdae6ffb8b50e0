// What does the embedder cost on top of the graph? The same pictures, batch and threads: a bare loop over the
// session against the actor with its slots, messages, preprocessing and normalisation. Rounds alternate;
// medians.
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
import { alternate, type Question, type Row } from './row.ts';
import { vitB32, vitKey, writeVit } from './vit.ts';

const BATCHES = 3;
const threads = availableParallelism();

export const embed: Question = async (say) => {
  const modelsDir = await mkdtemp(join(tmpdir(), 'bench-embed-'));
  try {
    return await measure(modelsDir, say);
  } finally {
    await rm(modelsDir, { recursive: true, force: true });
  }
};

async function measure(modelsDir: string, say: (text: string) => void): Promise<Row[]> {
  const { visual } = await writeVit(modelsDir);
  const { batch } = visual!;
  say(`a graph of the size of ViT-B/32 with random weights, ${threads} threads, batch ${batch}`);
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
    capacity: 8,
    turnLimitMs: 600_000,
    start: () => startInMemory(definition, { settings, log, memory: pool.memory }),
  });
  await embedder.ask('load', { model_key: vitKey });
  fill();
  const count = batch * BATCHES;
  const speed = await alternate(5, {
    bare: () => perSecond(count, () => bare.run(feeds)),
    actor: () => perSecond(count, () => embedder.ask('pictures', { model_key: vitKey, pictures: handles })),
    prepared: () => perSecond(count, async () => fill()),
  });
  await bare.release();
  await supervisor.stop();
  const question = 'embed';
  return [
    {
      question,
      name: 'embedding alone',
      value: speed.actor,
      unit: 'pictures/s',
      against: { name: 'bare loop over the graph', value: speed.bare },
      ratio: speed.actor / speed.bare,
      goal: { of: 'ratio', at: 'least', than: 0.95 },
    },
    {
      question,
      name: 'preparing one picture',
      value: 1e6 / speed.prepared,
      unit: 'µs',
      against: { name: 'µs of embedding it', value: 1e6 / speed.actor },
      ratio: speed.prepared / speed.actor,
      goal: null,
    },
  ];
}

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < BATCHES; n++) await work();
  return (count / (performance.now() - start)) * 1000;
}
