import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { definition, embedder as embedderWith } from '../actors/embedder/actor.ts';
import { embedderContract } from '../actors/embedder/contract.ts';
import { preparation } from '../actors/embedder/prepare.ts';
import { pictureBytes } from '../actors/models/rewriting/picture-bytes.ts';
import { type ModelSession, openSession } from '../actors/models/session.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import { createSlotPool } from '../runtime/slots.ts';
import { createSupervisor } from '../runtime/supervisor.ts';
import { startInMemory } from '../test/runtime/memory.ts';
import { alternate, median, processorSeconds, type Question, type Row } from './row.ts';
import { vitB32, vitKey, writeVit } from './vit.ts';

const BATCHES = 3;
const threads = availableParallelism();

export const embed: Question = async (say, modelsDir) => {
  const rows = await measure(modelsDir, say);
  return [...rows, await besideCard(modelsDir, say, true), await besideCard(modelsDir, say, false)];
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

/** Estimated milliseconds of an RTX 4090 for 32 pictures of 256 px (ViT-B/16, half precision). */
const cardMs = 23;
const cardBatch = 32;
const cardSize = { side: 256, patch: 32, width: 64, layers: 1, heads: 1, dimensions: 768 };

/** In place of a graph: sleeps, and answers the same vectors for all pictures. */
function sleepingSession(asBytes: boolean): ModelSession {
  const { side, dimensions } = cardSize;
  const input = asBytes
    ? { name: pictureBytes, type: 'uint8', shape: ['n', side, side, 3] }
    : { name: 'pixel_values', type: 'float32', shape: ['n', 3, side, side] };
  const vectors = new Float32Array(cardBatch * dimensions);
  const lock = new Int32Array(new SharedArrayBuffer(4));
  return {
    device: 'cuda',
    refused: [],
    inputs: [input],
    outputs: [{ name: 'image_embeds', type: 'float32', shape: ['n', dimensions] }],
    run: async (feeds) => {
      const [count = 0] = feeds[input.name]!.dims;
      // It holds the thread up, as a run of the runtime does.
      Atomics.wait(lock, 0, 0, cardMs);
      const data = vectors.slice(0, count * dimensions).fill(1);
      return { image_embeds: { data, dims: [count, dimensions] } };
    },
    release: async () => {},
  };
}

/** How long the card would wait for the thread of the embedder: its processor time, which no card takes. */
async function besideCard(modelsDir: string, say: (text: string) => void, asBytes: boolean): Promise<Row> {
  const cardFolder = join(modelsDir, 'card');
  const { visual } = await writeVit(cardFolder, 8, cardSize);
  const { bytes } = preparation(visual!);
  const log = createLog('bench', () => {});
  const pool = createSlotPool(cardBatch, bytes);
  const pictures = await Promise.all(Array.from({ length: cardBatch }, () => pool.acquire(pool.holder())));
  const supervisor = createSupervisor({ clock: systemClock, log, pool });
  const settings = {
    modelsDir: cardFolder,
    device: 'cuda',
    threads,
    defaultModel: vitKey,
    sides: 'pictures',
  };
  const standIn = embedderWith(async () => sleepingSession(asBytes));
  const embedder = await supervisor.add({
    ...{ name: 'embedder', contract: embedderContract, capacity: 8, turnLimitMs: 600_000 },
    start: () => startInMemory(standIn, { settings, log, memory: pool.memory }),
  });
  const model = await embedder.ask('load', { model_key: vitKey });
  if (model.batch !== cardBatch) throw new Error(`${model.batch} pictures in a run`);
  const what = asBytes ? 'bytes' : 'floats';
  say(`a card of ${cardMs} ms for ${cardBatch} pictures, given ${what}`);
  const work = () => embedder.ask('pictures', { model_key: vitKey, pictures });
  const times: number[] = [];
  for (let round = 0; round < 25; round++) times.push((await processorSeconds(work)) * 1000);
  await supervisor.stop();
  const value = median(times.slice(5));
  return {
    question: 'embed',
    name: `processor time beside a card, ${cardBatch} pictures of 256 px as ${what}`,
    value,
    unit: 'ms',
    against: { name: 'a card, assumed', value: cardMs },
    ratio: cardMs / (cardMs + value),
    goal: asBytes ? { of: 'ratio', at: 'least', than: 0.9 } : null,
  };
}
