// How the camera moves in the films of an analysis folder. It is stored with the visual stage, by whatever
// model; films that were analysed before it was followed have none.
import { type Movement, movements, version } from '../visual/camera.ts';
import { unpackFrames } from '../visual/frames.ts';
import type { Environment, Writes } from './environment.ts';
import { cameraKey, cameraPrefix } from './names.ts';
import { Camera as CameraRow } from './records.ts';
import { seal, sealOf, unseal } from './table.ts';

/** Takes the place of what was stored, which stays where nobody followed it now: as from stored previews. */
export function putCamera(
  writes: Writes,
  hash_str: string,
  frame_runs: readonly number[],
  camera: Uint8Array,
): void {
  const key = cameraKey(hash_str);
  if (camera.length > 0)
    writes.put(key, seal(CameraRow, key, { hash_str, version, frame_runs, movements: camera }));
}

/** Grid frames `[start, end)` in which it moves so. */
export interface Moving {
  readonly movement: Movement;
  readonly start: number;
  readonly end: number;
}

export class Cameras {
  readonly #reading: () => Environment | null;
  /** What was read, by hash, with the checksum of its record. */
  readonly #read = new Map<string, { readonly seal: number; readonly all: readonly Moving[] }>();

  constructor(reading: () => Environment | null) {
    this.#reading = reading;
  }

  /** Films in which it was followed, ascending. */
  hashes(): string[] {
    const keys = this.#reading()?.keys(cameraPrefix) ?? [];
    if (this.#read.size > keys.length) this.#read.clear();
    return keys.map((key) => key.slice(cameraPrefix.length));
  }

  /** As they are stored, a number for each frame; empty where it was not followed. Throws STORE_DAMAGED. */
  movementsOf(hash: string): Uint8Array {
    const environment = this.#reading();
    const key = cameraKey(hash);
    const bytes = environment?.get(key);
    if (environment === null || bytes === undefined) return new Uint8Array();
    const row = unseal(CameraRow, key, bytes, environment.file);
    return row.version === version ? row.movements : new Uint8Array();
  }

  /** Ascending; none where it was not followed. Kept until the record changes. Throws STORE_DAMAGED. */
  of(hash: string): readonly Moving[] {
    const environment = this.#reading();
    const key = cameraKey(hash);
    const bytes = environment?.get(key);
    if (environment === null || bytes === undefined) return [];
    const own = sealOf(bytes);
    const known = this.#read.get(hash);
    if (known?.seal === own) return known.all;
    const all = movingIn(unseal(CameraRow, key, bytes, environment.file));
    this.#read.set(hash, { seal: own, all });
    return all;
  }
}

/** None of another version: its numbers mean something else. */
function movingIn(row: { version: number; frame_runs: readonly number[]; movements: Uint8Array }): Moving[] {
  if (row.version !== version) return [];
  const frames = unpackFrames(row.frame_runs);
  const all: { movement: Movement; start: number; end: number }[] = [];
  for (const [i, number] of row.movements.entries()) {
    const movement = movements[number - 1];
    const frame = frames[i];
    if (movement === undefined || frame === undefined) continue;
    const last = all.at(-1);
    if (last?.movement === movement && last.end === frame) last.end = frame + 1;
    else all.push({ movement, start: frame, end: frame + 1 });
  }
  return all;
}
