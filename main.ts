// The composition root: starts the actors and hands them to the two coordinators. It sees everything, decides nothing.
import { randomUUID } from 'node:crypto';
import { type Analysis, createAnalysis } from './actors/analysis/analysis.ts';
import { openJournal, withoutJournal } from './actors/analysis/journal.ts';
import { folders, type SettingValues } from './actors/analysis/settings.ts';
import { decoderContract } from './actors/decoder/contract.ts';
import { embedderContract } from './actors/embedder/contract.ts';
import { indexContract } from './actors/index/contract.ts';
import { defaultModelKey } from './actors/models/rows.ts';
import { createSearch, type Search } from './actors/search/search.ts';
import { systemClock } from './runtime/clock.ts';
import type { Contract } from './runtime/contract.ts';
import type { Log } from './runtime/log.ts';
import { createSlotPool } from './runtime/slots.ts';
import { type ChildState, createSupervisor } from './runtime/supervisor.ts';
import { startThread } from './runtime/thread.ts';

export interface Engine {
  readonly analysis: Analysis;
  readonly search: Search;
  states(): ChildState[];
  /** Asks every actor to stop; resolves to the names of those that did not end in time. */
  stop(): Promise<string[]>;
}

/** The largest input of a visual model, 512×512 RGB; pages of a slot that nothing touches cost no memory. */
const SLOT_BYTES = 512 * 512 * 3;
const MODEL_LIMIT_MS = 300_000; // a cold start of a large model is the longest turn there is
const TURN_LIMIT_MS = 120_000;

/** `decoders`: films decoded at the same time; 0 for an engine that only searches. Rejects when an actor cannot start. */
export async function startEngine(values: SettingValues, decoders: number, log: Log): Promise<Engine> {
  const { models, journal: journalPath } = folders(values);
  const pool = createSlotPool(48 + 8 * decoders, SLOT_BYTES);
  const journal = decoders > 0 ? openJournal(journalPath) : withoutJournal;
  const supervisor = createSupervisor({ clock: systemClock, log, pool });
  const add = <C extends Contract>(
    contract: C,
    settings: unknown,
    turnLimitMs = TURN_LIMIT_MS,
    name = contract.name,
  ) => {
    const module = new URL(`./actors/${contract.name}/actor.ts`, import.meta.url);
    const start = () =>
      startThread({ name, module, concurrency: contract.concurrency, settings, memory: pool.memory, log });
    return supervisor.add({ name, contract, turnLimitMs, start, capacity: pool.count + 16 });
  };
  const decoding = { hardware: values.hardware_decoding };
  const embedding = {
    modelsDir: models,
    device: values.device,
    threads: values.model_threads,
    defaultModel: defaultModelKey,
  };
  try {
    // In start order: the index first, so that it stops last and flushed.
    const [index, embedder, surveyor, ...films] = await Promise.all([
      add(indexContract, {}),
      add(embedderContract, embedding, MODEL_LIMIT_MS),
      add(decoderContract, decoding, TURN_LIMIT_MS, 'surveyor'),
      ...Array.from({ length: decoders }, (_, i) =>
        add(decoderContract, decoding, TURN_LIMIT_MS, `decoder-${i}`),
      ),
    ]);
    const preview = { max_side: values.preview_side, quality: values.preview_quality };
    const parts = { surveyor, embedder, index, pool, journal, preview, clock: systemClock, log };
    return {
      analysis: createAnalysis({ ...parts, decoders: films, newTaskId: randomUUID }),
      search: createSearch({ decoder: surveyor, embedder, index, pool }),
      states: supervisor.states,
      stop: () => supervisor.stop().finally(journal.close),
    };
  } catch (error) {
    await supervisor.stop();
    journal.close();
    throw error;
  }
}
