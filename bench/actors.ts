// Starts the product's actors for a measurement, in threads as always.
import {
  type DecodeMode,
  decoderContract,
  type PictureShape,
  type PreviewShape,
} from '../actors/decoder/contract.ts';
import { embedderContract } from '../actors/embedder/contract.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Contract } from '../runtime/contract.ts';
import { createLog } from '../runtime/log.ts';
import { formatLine } from '../runtime/process/log-sink.ts';
import type { Ref } from '../runtime/ref.ts';
import { createSlotPool } from '../runtime/slots.ts';
import { createSupervisor } from '../runtime/supervisor.ts';
import { startThread } from '../runtime/thread.ts';

export type Decoder = Ref<typeof decoderContract>;

export interface Bench {
  /** `auto`: on a device. */
  decoders(count: number, hardware?: 'auto' | 'off'): Promise<Decoder[]>;
  embedder(settings: unknown): Promise<Ref<typeof embedderContract>>;
  /** Any other actor, by its contract. */
  actor<C extends Contract>(contract: C, settings: unknown): Promise<Ref<C>>;
  readonly pool: ReturnType<typeof createSlotPool>;
  stop(): Promise<void>;
}

export function startBench(slots: number, slotBytes: number): Bench {
  const log = createLog('bench', (line) => process.stderr.write(formatLine(line)), { level: 'warn' });
  const pool = createSlotPool(slots, slotBytes);
  const supervisor = createSupervisor({ clock: systemClock, log, pool });
  const add = <C extends Contract>(name: string, contract: C, settings: unknown) => {
    const module = new URL(`../actors/${contract.name}/actor.ts`, import.meta.url);
    const start = () =>
      startThread({ name, module, calls: contract.calls, settings, memory: pool.memory, log });
    return supervisor.add({ name, contract, turnLimitMs: 600_000, start });
  };
  return {
    decoders: (count, hardware = 'off') =>
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          add(`decoder-${hardware}-${i}`, decoderContract, { hardware }),
        ),
      ),
    embedder: (settings) => add('embedder', embedderContract, settings),
    actor: (contract, settings) => add(contract.name, contract, settings),
    pool,
    stop: async () => {
      await supervisor.stop();
    },
  };
}

export interface DecodeOptions {
  readonly shape: PictureShape;
  readonly preview: PreviewShape | null;
  readonly mode: DecodeMode;
}

/** Takes every grid frame of a film and drops it; answers how many there were. */
export async function drain(decoder: Decoder, path: string, options: DecodeOptions): Promise<number> {
  let frames = 0;
  for await (const _ of decoder.feed('frames', { path, ...options, from_frame: 0 }, { credit: 8 })) frames++;
  return frames;
}
