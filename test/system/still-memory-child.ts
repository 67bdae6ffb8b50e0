// Decodes stills by decoders in threads that share a budget, and prints how much the memory of this process
// grew meanwhile.
import { readFileSync, writeFileSync } from 'node:fs';
import { decoderContract } from '../../actors/decoder/contract.ts';
import { Budget } from '../../runtime/budget.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { createSlotPool } from '../../runtime/slots.ts';
import { createSupervisor } from '../../runtime/supervisor.ts';
import { startThread } from '../../runtime/thread.ts';

export interface StillMemoryRun {
  /** Bytes. */
  readonly limit: number;
  /** One decoder each. */
  readonly paths: readonly string[];
  /** A small still that every decoder reads first, so that what libraries keep for ever is not counted. */
  readonly warm: string;
}

export interface StillMemoryResult {
  /** Bytes by which resident memory grew at most. */
  readonly grown: number;
  /** Bytes reserved, at most. */
  readonly reserved: number;
  readonly pictures: number;
}

/** Notes how much was reserved at most. */
class NotedBudget extends Budget {
  most = 0;

  override async reserve(...call: Parameters<Budget['reserve']>): Promise<void> {
    await super.reserve(...call);
    this.most = Math.max(this.most, this.limit - this.free);
  }
}

const { limit, paths, warm } = JSON.parse(process.argv[2]!) as StillMemoryRun;
const shape = { width: 224, height: 224, fit: 'cover', resample: 'bicubic' } as const;
const log = createLog('test', () => {});
const pool = createSlotPool(48, 224 * 224 * 3);
const budget = new NotedBudget(limit);
const supervisor = createSupervisor({ clock: systemClock, log, pool, budget });
const module = new URL('../../actors/decoder/actor.ts', import.meta.url);
const decoders = await Promise.all(
  paths.map((_, i) => {
    const settings = { hardware: 'off' };
    const thread = { name: `decoder-${i}`, module, calls: 1, settings, memory: pool.memory, log };
    return supervisor.add({ name: thread.name, contract: decoderContract, start: () => startThread(thread) });
  }),
);

async function decode(all: readonly string[]): Promise<number> {
  const counts = all.map(async (path, i) => {
    let count = 0;
    const preview = { max_side: 640, quality: 80 };
    const request = { path, shape, preview, mode: 'exact', from_frame: 0 } as const;
    for await (const _ of decoders[i]!.feed('frames', request)) count++;
    return count;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

const resident = (field: string) =>
  1024 * Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))![1]);

await decode(paths.map(() => warm));
budget.most = 0;
// The highest resident size so far is forgotten.
writeFileSync('/proc/self/clear_refs', '5');
const start = resident('VmRSS');
const pictures = await decode(paths);
const result: StillMemoryResult = { grown: resident('VmHWM') - start, reserved: budget.most, pictures };
process.stdout.write(JSON.stringify(result));
await supervisor.stop();
