// Starts a transcriber in memory, and plays sound to it block by block as the decoder does.
import { definition } from '../../../actors/transcriber/actor.ts';
import { type DetectedSpeech, transcriberContract } from '../../../actors/transcriber/contract.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { createSlotPool, type SlotPool } from '../../../runtime/slots.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { startInMemory } from '../../runtime/memory.ts';

export type Transcriber = Ref<typeof transcriberContract>;

const running = new Set<() => Promise<unknown>>();

/** For `afterEach`: stops also what a failed test left running. */
export async function stopAll(): Promise<void> {
  for (const stop of running) await stop();
  running.clear();
}

export async function startTranscriber(modelsDir: string, slotBytes = 64_000) {
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const pool = createSlotPool(8, slotBytes);
  const supervisor = createSupervisor({ clock: manualClock(), log, pool });
  const settings = { modelsDir, device: 'cpu', threads: 1 };
  const transcriber = await supervisor.add({
    name: 'transcriber',
    contract: transcriberContract,
    capacity: 32,
    turnLimitMs: 60_000,
    start: () => startInMemory(definition, { settings, log, memory: pool.memory }),
  });
  running.add(supervisor.stop);
  return { transcriber, pool, lines, stop: supervisor.stop };
}

/** Plays a channel from its first sample to its end. Answers the detected speech. */
export async function play(
  transcriber: Transcriber,
  pool: SlotPool,
  session: number,
  channel: number,
  sound: Float32Array,
  signal?: AbortSignal,
): Promise<DetectedSpeech[]> {
  const holder = pool.holder();
  const detected: DetectedSpeech[] = [];
  const block = pool.memory.slotBytes / 4;
  const options = signal ? { signal } : {};
  try {
    for (let first = 0; first < sound.length; first += block) {
      const samples = await pool.acquire(holder);
      const part = sound.subarray(first, first + block);
      const view = pool.view(samples);
      new Float32Array(view.buffer, view.byteOffset, part.length).set(part);
      const request = { session, channel, first_sample: first, count: part.length, samples };
      detected.push(await transcriber.ask('append', request, options));
      pool.release(samples, holder);
    }
    detected.push(await transcriber.ask('end', { session, channel }, options));
    return detected;
  } finally {
    pool.releaseAll(holder);
  }
}
