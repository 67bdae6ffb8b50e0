import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { definition } from '../../../actors/embedder/actor.ts';
import { embedderContract } from '../../../actors/embedder/contract.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import { createSlotPool } from '../../../runtime/slots.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { startThread } from '../../../runtime/thread.ts';
import { DIMENSIONS, SIDE } from './graphs.ts';
import { siglipFiles, siglipRow, writeModel } from './tiny.ts';

test('two embedders in threads of their own load, embed and end cleanly while they are at work', async () => {
  const modelsDir = await mkdtemp(join(tmpdir(), 'embedder-thread-'));
  await writeModel(modelsDir, siglipRow('tiny'), siglipFiles);
  const log = createLog('test', () => {});
  const pool = createSlotPool(4, SIDE * SIDE * 3);
  const supervisor = createSupervisor({ clock: systemClock, log, pool });
  const { concurrency } = definition.contract;
  const module = new URL('../../../actors/embedder/actor.ts', import.meta.url);
  const settings = { modelsDir, device: 'cpu', threads: 1, defaultModel: 'tiny' };
  const start = (name: string) => () =>
    startThread({ name, module, concurrency, settings, memory: pool.memory, log });
  const add = (name: string) =>
    supervisor.add({
      name,
      contract: embedderContract,
      capacity: 16,
      turnLimitMs: 60_000,
      start: start(name),
    });
  const embedders = await Promise.all([add('one'), add('two')]);
  const handle = await pool.acquire(pool.holder());
  pool.view(handle).forEach((_, at, bytes) => {
    bytes[at] = at & 255;
  });
  const pictures = Array.from({ length: 40 }, () => handle);
  for (const embedder of embedders) {
    await embedder.ask('load', { model_key: 'tiny' });
    const { vectors } = await embedder.ask('pictures', { model_key: 'tiny', pictures });
    assert.equal(vectors.length, pictures.length * DIMENSIONS);
  }
  const running = embedders.map((embedder) => embedder.ask('pictures', { model_key: 'tiny', pictures }));
  const ended = Promise.allSettled(running);
  assert.deepEqual(await supervisor.stop(), []);
  await ended;
  await rm(modelsDir, { recursive: true, force: true });
});
