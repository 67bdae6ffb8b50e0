// The text reader: reads words in pictures. Runs of its model block its thread.
import { type ActorEnv, actor, Sent } from '../../runtime/actor.ts';
import { pictureIn } from '../../runtime/picture.ts';
import { createCheckpoint } from '../../runtime/sync/checkpoint.ts';
import type { ModelRow } from '../models/contract.ts';
import { CurrentModel } from '../models/current.ts';
import { type DeviceChoice, refusalText } from '../models/device.ts';
import { chooseTextModel, fileOf } from '../models/registry.ts';
import { openSession } from '../models/session.ts';
import { textReaderContract } from './contract.ts';
import { PaddleReader } from './model.ts';
import { readPicture } from './reading.ts';

interface TextReaderSettings {
  /** Absolute path of the folder with a folder for each model. */
  readonly modelsDir: string;
  readonly device: DeviceChoice;
  /** Threads inside one run; 0 leaves it to the runtime. */
  readonly threads: number;
}

export const definition = actor({
  contract: textReaderContract,
  create: ({ settings, log, stopping }: ActorEnv<TextReaderSettings>) => {
    const { modelsDir, device, threads } = settings;
    const current = new CurrentModel<ModelRow, PaddleReader>({
      kind: 'text',
      defaultModel: null,
      log,
      find: () => chooseTextModel(modelsDir),
      open: (row, checkpoint) => {
        const files = {
          detector: fileOf(modelsDir, row, 'detection'),
          recognizer: fileOf(modelsDir, row, 'recognition'),
          dictionary: fileOf(modelsDir, row, 'keys'),
        };
        const session = (source: string | Uint8Array) =>
          openSession(source, { device, threads, log, convolutional: true, stopping, checkpoint });
        return PaddleReader.open(files, session, checkpoint);
      },
    });
    return {
      handlers: {
        load: async (_, turn) => {
          const { key } = await chooseTextModel(modelsDir);
          const { row, family } = await current.load(key, createCheckpoint(turn, { stopping }));
          const { device: on, refused } = family.runsOn;
          return { model_key: row.key, device: on, device_reason: refusalText(refused) };
        },
        unload: async () => {
          await current.unload();
          return {};
        },
        read: async ({ model_key: key, picture, width, height, side, before }, turn) => {
          const pixels = pictureIn(turn.slot(picture), width, height);
          const checkpoint = createCheckpoint(turn, { stopping });
          const run = <T>(work: (reader: PaddleReader) => Promise<T>) =>
            current.run(key, ({ family }) => work(family));
          const answer = await readPicture(pixels, { side, before, checkpoint, run });
          return new Sent(answer, { transfer: [answer.reading.blocks.buffer as ArrayBuffer] });
        },
      },
      close: () => current.close(),
    };
  },
});
