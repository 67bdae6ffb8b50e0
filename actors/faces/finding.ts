// The part of the face actor that finds faces: it chooses and loads the models, and looks at pictures.
import { type ActorEnv, type Handlers, Sent } from '../../runtime/actor.ts';
import { pictureIn } from '../../runtime/picture.ts';
import { createCheckpoint } from '../../runtime/sync/checkpoint.ts';
import { CurrentModel } from '../models/current.ts';
import type { DeviceChoice } from '../models/device.ts';
import { fileOf } from '../models/registry.ts';
import { openSession } from '../models/session.ts';
import type { facesContract } from './contract.ts';
import { FaceCrops } from './crops/crops.ts';
import {
  type CurrentPair,
  type FacePair,
  faceModel,
  findFaces,
  type OpenPair,
  openPair,
  type PairRow,
  pairRow,
} from './finder.ts';

export interface FacesSettings {
  /** Absolute path of the folder with a folder for each model. */
  readonly modelsDir: string;
  readonly device: DeviceChoice;
  /** Threads inside one run; 0 leaves it to the runtime. */
  readonly threads: number;
}

export interface FindingOptions extends ActorEnv<FacesSettings> {
  /** The models to use, of those that are there. Throws NO_FACE_MODEL. */
  choose(modelsDir: string): Promise<FacePair>;
}

type Finding = Pick<Handlers<typeof facesContract>, 'load' | 'unload' | 'loaded' | 'find'>;

export function findingHandlers({ settings, log, stopping, choose }: FindingOptions): {
  readonly handlers: Finding;
  close(): Promise<void>;
} {
  const { modelsDir, device, threads } = settings;
  const chosen = async () => pairRow(await choose(modelsDir));
  const current: CurrentPair = new CurrentModel<PairRow, OpenPair>({
    kind: 'face',
    defaultModel: null,
    log,
    find: chosen,
    open: ({ pair }, checkpoint) =>
      openPair(pair, {
        file: (row, role) => fileOf(modelsDir, row, role),
        session: (file) => openSession(file, { device, threads, log, stopping, checkpoint }),
        checkpoint,
      }),
  });
  const crops = new FaceCrops();
  return {
    handlers: {
      load: async (_, turn) => {
        const { key } = await chosen();
        const { row, family } = await current.load(key, createCheckpoint(turn, { stopping }));
        return faceModel(row, family.runsOn);
      },
      unload: async () => {
        await current.unload();
        return {};
      },
      loaded: () => {
        const { model_key: key } = current.state;
        if (key === null) return { model: null };
        const { row, family } = current.using(key);
        return { model: faceModel(row, family.runsOn) };
      },
      find: async ({ model_key: key, picture, width, height }, turn) => {
        const pixels = pictureIn(turn.slot(picture), width, height);
        const checkpoint = createCheckpoint(turn, { stopping });
        const found = await findFaces(current, pixels, { key, crops, checkpoint, log: turn.log });
        const pictures = [...found.aligned, ...found.displays];
        const transfer = [found.vectors, ...pictures].map(({ buffer }) => buffer as ArrayBuffer);
        return new Sent(found, { transfer });
      },
    },
    close: async () => {
      await current.close();
      crops.close();
    },
  };
}
