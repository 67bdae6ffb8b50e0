// The things actor: finds things in pictures. Runs of its model block its thread.
import { type ActorEnv, actor } from '../../runtime/actor.ts';
import { blocksOf, changedBlocks } from '../../runtime/blocks.ts';
import { type Picture, pictureIn } from '../../runtime/picture.ts';
import { createCheckpoint } from '../../runtime/sync/checkpoint.ts';
import { CurrentModel } from '../models/current.ts';
import { type DeviceChoice, refusalText } from '../models/device.ts';
import { chooseObjectDetector, fileOf } from '../models/registry.ts';
import { openSession } from '../models/session.ts';
import { type Sight, type Thing, thingsContract } from './contract.ts';
import { openDetector } from './detector.ts';

// Detection in pictures of a film: only the part that has changed since the last picture is searched.

/** `picture` is *borrowed until the promise settles*. */
export async function sightOf(
  picture: Picture,
  before: Sight | null,
  look: () => Promise<Thing[]>,
): Promise<Sight> {
  const { values: blocks, columns } = blocksOf(picture);
  const then = before && { values: new Uint8Array(before.blocks), columns: before.columns };
  const changed = then && changedBlocks(then, { values: blocks, columns });
  // The blocks stay those that were looked at, so that slow changes add up.
  if (before && changed?.includes(1) === false) return before;
  return { things: await look(), blocks, columns };
}

interface ThingsSettings {
  /** Absolute path of the folder with a folder for each model. */
  readonly modelsDir: string;
  readonly device: DeviceChoice;
  /** Threads inside one run; 0 leaves it to the runtime. */
  readonly threads: number;
}

export const definition = actor({
  contract: thingsContract,
  create: ({ settings: { modelsDir, device, threads }, log, stopping }: ActorEnv<ThingsSettings>) => {
    const chosen = () => chooseObjectDetector(modelsDir);
    const current = new CurrentModel({
      kind: 'things',
      defaultModel: null,
      log,
      find: chosen,
      open: async (row, checkpoint) => {
        const options = { device, threads, log, stopping, checkpoint };
        const file = fileOf(modelsDir, row, 'graph');
        const { detector, eightBits } = await openDetector(
          row,
          (more) => openSession(file, { ...options, ...more }),
          { file },
        );
        if (eightBits === 'refused')
          log.warn('eight bits give other results on this processor', { model: row.key });
        await detector.look({ data: new Uint8Array(64 * 64 * 3).fill(128), width: 64, height: 64 });
        return detector;
      },
    });
    return {
      handlers: {
        load: async (_, turn) => {
          const { key } = await chosen();
          const { row, family } = await current.load(key, createCheckpoint(turn, { stopping }));
          const { device: runsOn, refused } = family.runsOn;
          const { side, fit } = family.family;
          return { model_key: row.key, device: runsOn, device_reason: refusalText(refused), side, fit };
        },
        unload: async () => {
          await current.unload();
          return {};
        },
        find: async ({ model_key, picture, width, height, before }, turn) => {
          const pixels = pictureIn(turn.slot(picture), width, height);
          const run = () => current.run(model_key, ({ family }) => family.look(pixels));
          return sightOf(pixels, before, run);
        },
      },
      close: () => current.close(),
    };
  },
});
