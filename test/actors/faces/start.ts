// A face actor in memory for tests, and real pictures to show it.
import type { TestContext } from 'node:test';
import sharp from 'sharp';
import { definition } from '../../../actors/faces/actor.ts';
import { type FoundFaces, facesContract } from '../../../actors/faces/contract.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import type { Picture } from '../../../runtime/picture.ts';
import { createSlotPool } from '../../../runtime/slots.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { startInMemory } from '../../runtime/memory.ts';
import { sharedPath } from '../../shared.ts';
import { askFrames } from '../decoder/ask-decoder.ts';

/** Stopped at the end of the test. `bytes`: of the slot that `find` puts its pictures into. */
export async function startFaces(
  t: TestContext,
  modelsDir: string,
  { threads = 1, bytes = 1920 * 1920 * 3 } = {},
) {
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const pool = createSlotPool(1, bytes);
  const supervisor = createSupervisor({ clock: manualClock(), log, pool });
  t.after(() => supervisor.stop());
  const faces = await supervisor.add({
    name: 'faces',
    contract: facesContract,
    capacity: 16,
    turnLimitMs: 60_000,
    start: () =>
      startInMemory(definition, {
        settings: { modelsDir, device: 'cpu', threads },
        log,
        memory: pool.memory,
      }),
  });
  const handle = await pool.acquire(pool.holder());
  const find = async ({ data, width, height }: Picture, model_key?: string): Promise<FoundFaces> => {
    const key = model_key ?? (await faces.ask('load', {})).model_key;
    pool.view(handle).set(data.subarray(0, Math.min(data.length, bytes)));
    return faces.ask('find', { model_key: key, picture: handle, width, height });
  };
  return { faces, find, lines };
}

/** A still of ../shared/media, its longest side at most that many px. */
export async function still(name: string, longest = 1920): Promise<Picture> {
  const { data, info } = await sharp(sharedPath(`media/${name}`))
    .removeAlpha()
    .toColourspace('srgb')
    .resize(longest, longest, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Who is in which clip of ../shared/media/faces/signers. */
export const signers: Readonly<Record<string, string>> = {
  again: 'A',
  brother: 'A',
  bird: 'B',
  milk: 'B',
  book: 'C',
  learn: 'C',
  eat: 'D',
  night: 'D',
};

export const signersFolder = 'media/faces/signers';

/** The pictures of a clip, one a second. */
export async function clip(name: string): Promise<Picture[]> {
  const shape = { width: 640, height: 480, fit: 'stretch', resample: 'area' } as const;
  const frames = await askFrames({ path: sharedPath(`${signersFolder}/${name}.mkv`), shape });
  return frames.map(({ rgb }) => ({ data: rgb, width: shape.width, height: shape.height }));
}
