// The embedder: loads one visual model and turns pictures in slots and texts into its vectors.
import { type ActorEnv, type ActorInstance, actor, Sent, type Turn } from '../../runtime/actor.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { createCheckpoint } from '../../runtime/sync/checkpoint.ts';
import { openAgreeing } from '../models/agreement.ts';
import type { VisualRow } from '../models/contract.ts';
import { CurrentModel, type Loaded, type OpenedModel } from '../models/current.ts';
import type { DeviceChoice } from '../models/device.ts';
import { fileOf, findVisualRow, readRegistry, requireFiles } from '../models/registry.ts';
import { openSession, type SessionOpener } from '../models/session.ts';
import { embedderContract, type PictureReading, type TextPart, type VisualModel } from './contract.ts';
import { familyOf } from './families.ts';
import type { Sides, VisualFamily } from './family.ts';
import { blockBytes, paintBlocks, readAs } from './readings.ts';

interface EmbedderSettings {
  /** Absolute path of the folder with a folder for each model. */
  readonly modelsDir: string;
  readonly device: DeviceChoice;
  /** Threads inside one run; 0 leaves it to the runtime. */
  readonly threads: number;
  /** Loaded in place of a model that cannot be loaded. */
  readonly defaultModel: string;
  /** The sides that this actor opens; both by default. */
  readonly sides?: Sides;
}

/** `openGraph`: opens a graph; another one is given by measurements of what is beside it. */
export const embedder = (openGraph: typeof openSession) =>
  actor({
    contract: embedderContract,
    create: ({
      settings,
      log,
      stopping,
    }: ActorEnv<EmbedderSettings>): ActorInstance<typeof embedderContract> => {
      const { modelsDir, device, threads, defaultModel, sides = 'both' } = settings;
      const current = new CurrentModel<VisualRow, VisualFamily>({
        kind: 'visual',
        defaultModel,
        log,
        find: async (key) => {
          const row = findVisualRow(await readRegistry(modelsDir), key);
          await requireFiles(modelsDir, row);
          return row;
        },
        open: async (row, checkpoint) => {
          const file = (role: string) => fileOf(modelsDir, row, role);
          const options = { device, threads, log, stopping, checkpoint };
          const open: SessionOpener = (source, { sample, ...more } = {}) =>
            sample
              ? openAgreeing(openGraph, source, { ...options, ...more }, sample)
              : openGraph(source, { ...options, ...more });
          return familyOf(row).open(row, file, open, checkpoint, sides);
        },
      });
      return {
        handlers: {
          load: async ({ model_key }, turn) =>
            answer(await current.load(model_key, createCheckpoint(turn, { stopping }))),
          state: () => current.state,
          pictures: async (
            { model_key, pictures, readings = ['plain'], blocks: wantsBlocks, urgent },
            turn,
          ) => {
            const asked = pictures.flatMap((handle) =>
              readings.map((reading) => ({ slot: turn.slot(handle), reading })),
            );
            const vectors = await embedPictures(current, model_key, asked, turn, urgent);
            if (!wantsBlocks) return new Sent({ vectors }, { transfer: [vectors.buffer] });
            const { shape } = current.using(model_key).row.visual;
            const blocks = new Uint8Array(pictures.length * blockBytes);
            for (const [i, handle] of pictures.entries())
              paintBlocks(turn.slot(handle), shape, blocks, i * blockBytes);
            return new Sent({ vectors, blocks }, { transfer: [vectors.buffer, blocks.buffer] });
          },
          texts: async ({ model_key, texts }, turn) => {
            const answer = await embedTexts(current, model_key, texts, turn);
            return new Sent(answer, { transfer: [answer.vectors.buffer] });
          },
        },
        close: () => current.close(),
      };
    },
  });

export const definition = embedder(openSession);

type Current = CurrentModel<VisualRow, VisualFamily>;

function answer({ row, family, state }: Loaded<VisualRow, VisualFamily>): VisualModel {
  const { shape } = row.visual;
  // Bars say nothing of a picture, whatever model looks at it, and take room from what does.
  const trimmed = { ...shape, trim_bars: true };
  const readings = [...family.readings];
  const mirror = family.mirror && [...family.mirror];
  const { dimensions, batch } = family;
  return { model_key: row.key, dimensions, shape: trimmed, batch, readings, mirror, state };
}

interface AskedPicture {
  readonly slot: Uint8Array;
  readonly reading: PictureReading;
}

/** n×d, in memory of its own. Throws INVALID_MESSAGE when a slot is smaller than the model's picture. */
async function embedPictures(
  current: Current,
  key: string,
  asked: readonly AskedPicture[],
  turn: Turn,
  urgent = false,
): Promise<Float32Array<ArrayBuffer>> {
  return inBatches(
    (work) => current.run(key, work, urgent),
    asked,
    turn,
    ({ family }) => family.batch,
    async ({ family, row }, batch) => {
      const { width, height } = row.visual.shape;
      const bytes = width * height * 3;
      const small = batch.find(({ slot }) => slot.length < bytes)?.slot;
      if (small) {
        throw engineErrors.INVALID_MESSAGE(
          `a slot of ${small.length} bytes, a picture of "${key}" has ${bytes}`,
        );
      }
      // Slots fit the largest model; the picture of this one is at the start.
      return family.pictures(
        batch.map(({ slot, reading }) => readAs(reading, slot.subarray(0, bytes), row.visual.shape)),
      );
    },
  );
}

async function embedTexts(current: Current, key: string, texts: readonly string[], turn: Turn) {
  const unknown_words: string[][] = [];
  const understood: boolean[] = [];
  const known_words: string[][] = [];
  const weak_words: string[][] = [];
  const parts: TextPart[][] = [];
  const urgent: Run = (work) => current.run(key, work, true);
  const most = ({ row }: Opened) => row.visual.batch;
  const vectors = await inBatches(urgent, texts, turn, most, async ({ family }, batch) => {
    const answer = await family.texts(batch);
    unknown_words.push(...answer.unknownWords.map((words) => [...words]));
    understood.push(...answer.understood);
    weak_words.push(...batch.map((_, i) => [...(answer.weakWords?.[i] ?? [])]));
    parts.push(...batch.map((_, i) => [...(answer.parts?.[i] ?? [])]));
    known_words.push(...answer.knownWords.map((words) => [...words]));
    return answer.vectors;
  });
  return { vectors, known_words, unknown_words, weak_words, parts, understood };
}

type Opened = OpenedModel<VisualRow, VisualFamily>;
type Run = (work: (opened: Opened) => Promise<number>) => Promise<number>;

/** Cuts `items` into runs of at most `most` and puts the vectors together, in order. */
async function inBatches<T>(
  run: Run,
  items: readonly T[],
  turn: Turn,
  most: (opened: Opened) => number,
  embed: (opened: Opened, batch: readonly T[]) => Promise<Float32Array>,
): Promise<Float32Array<ArrayBuffer>> {
  let vectors = new Float32Array(0);
  for (let start = 0; start < items.length; ) {
    start = await run(async (opened) => {
      turn.throwIfCancelled();
      const batch = items.slice(start, start + most(opened));
      const part = await embed(opened, batch);
      if (start === 0) vectors = new Float32Array(items.length * opened.family.dimensions);
      vectors.set(part, start * opened.family.dimensions);
      return start + batch.length;
    });
  }
  return vectors;
}
