// Rewrites the packs of one model without what nobody refers to any more: new files first, flushed, then one
// transaction that moves every stage over. A crash before it leaves the old files, a crash after it the new ones.
import { rmSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Disk } from './disk.ts';
import type { Environment } from './environment.ts';
import type { HeldLease } from './held-lease.ts';
import { modelRecordKey, stagePrefix } from './names.ts';
import { Packs, removeOtherGenerations } from './packs.ts';
import { Model, Visual } from './records.ts';
import { type Extent, seal, unseal } from './table.ts';

/** Rows moved at a time: 4 MB at 512 dimensions. */
const blockRows = 4096;

/** Copies the rows of one extent and answers their checksum. */
function copyExtent(
  from: Packs,
  to: Packs,
  extent: Extent,
  row: number,
  crcBefore: number,
  pause: () => void,
): [number, number] {
  let [crc, own] = [crcBefore, 0];
  for (let done = 0; done < extent.count; done += blockRows) {
    pause();
    const rows = Math.min(blockRows, extent.count - done);
    const coarse = new Uint8Array(rows * from.coarse.stride);
    const fine = new Uint8Array(rows * from.fine.stride);
    from.coarse.read(extent.row + done, coarse);
    from.fine.read(extent.row + done, fine);
    to.coarse.write(row + done, coarse);
    to.fine.write(row + done, fine);
    crc = crc32(coarse, crc);
    own = crc32(coarse, own);
  }
  return [crc, own];
}

/**
 * True when the packs were rewritten; false when a stored row is damaged: then the old files are kept as they are,
 * since the damaged media is still known by them. Throws STORE_FULL and the like; nothing is lost then either.
 * `pause` is called between blocks; it may throw to stop, and renew the lease.
 */
export function compact(
  folder: string,
  environment: Environment,
  model: Model,
  lease: Pick<HeldLease, 'confirm'>,
  on: Disk,
  pause: () => void,
): boolean {
  const generation = model.next_generation;
  const shape = { modelKey: model.model_key, dimensions: model.dimensions };
  const from = Packs.open(folder, { ...shape, generation: model.generation });
  const to = Packs.create(folder, { ...shape, generation }, on);
  const moved = new Map<string, Visual>();
  let next = 0;
  let publishing = false;
  try {
    // Read at once: `pause` may write.
    for (const { key, value } of [...environment.entries(stagePrefix(model.model_key))]) {
      const visual = unseal(Visual, key, value, environment.file);
      if (visual.generation !== model.generation) continue;
      const extent = { row: next, count: 0, crc: 0 };
      for (const part of visual.extents) {
        const [crc, own] = copyExtent(from, to, part, next, extent.crc, pause);
        if (own !== part.crc) return false;
        extent.crc = crc;
        extent.count += part.count;
        next += part.count;
      }
      moved.set(key, { ...visual, generation, extents: [extent] });
    }
    to.flush();
    const now: Model = { ...model, generation, next_generation: generation + 1, rows: next, live: next };
    publishing = true;
    environment.transact((writes) => {
      lease.confirm(writes);
      for (const [key, visual] of moved) writes.put(key, seal(Visual, key, visual));
      const key = modelRecordKey(model.model_key);
      writes.put(key, seal(Model, key, now));
    });
  } finally {
    from.close();
    to.close();
    // Nobody refers to the new files before the transaction; a fault inside it leaves open whether it took place.
    if (!publishing) for (const { file } of [to.coarse, to.fine]) rmSync(file, { force: true });
  }
  removeOtherGenerations(folder, model.model_key, new Set([generation]));
  return true;
}
