// The embedder: loads one visual model and turns pictures in slots and texts into its vectors.
import { type ActorEnv, type ActorInstance, actor, Sent, type Turn } from '../../runtime/actor.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { createCheckpoint } from '../../runtime/sync/checkpoint.ts';
import { openAgreeing } from '../models/agreement.ts';
import { modelErrors, type VisualRow } from '../models/contract.ts';
import { CurrentModel, type Loaded, type OpenedModel } from '../models/current.ts';
import { type DeviceChoice, onProcessor } from '../models/device.ts';
import { familyIn, fileOf, findVisualRow, readRegistry, requireFiles } from '../models/registry.ts';
import { openSession, type SessionOpener } from '../models/session.ts';
import { buildStarterVisual } from '../models/starter/graph/graph.ts';
import { DIMENSIONS, mirrorOrder } from '../models/starter/layout.ts';
import { PICTURE_SIDE } from '../models/starter/maps.ts';
import { queryVector } from '../models/starter/query/vector.ts';
import { embedderContract, type PictureReading, type TextPart, type VisualModel } from './contract.ts';
import type { EmbedderFamily, Sides, TextVectors, VisualFamily } from './family.ts';
import { readAs } from './readings.ts';
import { towers } from './towers.ts';

// Which code runs which family of visual models, by the row's `family`.

// CLIP with its projections: the towers answer `image_embeds` and `text_embeds`. The text vector is taken at
// the first end token; exports that declare an attention mask are given one.

const clip = towers({
  pictureOutputs: ['image_embeds'],
  textOutputs: ['text_embeds'],
  mask: true,
});

// SigLIP and SigLIP 2 with a fixed picture size: both towers answer `pooler_output`. The text vector is taken
// at the last position, so a text is always padded to the full length, and the graph takes no mask.

const siglip = towers({
  pictureOutputs: ['pooler_output', 'image_embeds'],
  textOutputs: ['pooler_output', 'text_embeds'],
  mask: false,
});

// The family of starter-visual: its picture graph is built by code when it is opened; texts need no graph.

const PICTURE_BYTES = PICTURE_SIDE * PICTURE_SIDE * 3;

export const starterFamily: EmbedderFamily = {
  open: async (row, _file, openSession, _checkpoint, sides = 'both'): Promise<VisualFamily> => {
    const { shape, dimensions, batch } = row.visual;
    if (shape.width !== PICTURE_SIDE || shape.height !== PICTURE_SIDE || dimensions !== DIMENSIONS) {
      throw modelErrors.MODEL_INVALID(
        `${row.key}: the starter graph takes ${PICTURE_SIDE}x${PICTURE_SIDE} and gives ${DIMENSIONS} dimensions`,
      );
    }
    const session = sides === 'texts' ? null : await openSession(buildStarterVisual());
    // One buffer for all batches: a run reads it before the next one fills it.
    const pixels = new Uint8Array(batch * PICTURE_BYTES);
    return {
      dimensions: DIMENSIONS,
      batch,
      // It knows where in the frame things are, so a part of a picture is another picture to it.
      readings: ['plain', 'mirrored', 'middle', 'top_left', 'top_right', 'bottom_left', 'bottom_right'],
      mirror: mirrorOrder(),
      runsOn: session ?? onProcessor,
      pictures: async (pictures) => {
        if (!session) throw modelErrors.MODEL_RUN_FAILED(`${row.key}: is not open for pictures`);
        pictures.forEach((picture, i) => {
          if (picture.length !== PICTURE_BYTES) {
            throw modelErrors.MODEL_RUN_FAILED(`${row.key}: a picture of ${picture.length} bytes`);
          }
          pixels.set(picture, i * PICTURE_BYTES);
        });
        const data = pixels.subarray(0, pictures.length * PICTURE_BYTES);
        const dims = [pictures.length, PICTURE_SIDE, PICTURE_SIDE, 3];
        const { vector } = await session.run({ pixels: { data, dims } }, ['vector']);
        if (!(vector?.data instanceof Float32Array))
          throw modelErrors.MODEL_RUN_FAILED(`${row.key}: no vector`);
        return vector.data;
      },
      texts: async (texts) => textVectors(texts),
      close: async () => session?.release(),
    };
  },
};

function textVectors(texts: readonly string[]): TextVectors {
  const vectors = new Float32Array(texts.length * DIMENSIONS);
  const unknown: (readonly string[])[] = [];
  const areUnderstood: boolean[] = [];
  const readings: (readonly string[])[] = [];
  const weak: (readonly string[])[] = [];
  const parts: TextPart[][] = [];
  texts.forEach((text, i) => {
    const { vector, knownWords, unknownWords, weakWords, understood, parts: queryParts } = queryVector(text);
    areUnderstood.push(understood);
    readings.push(knownWords);
    vectors.set(vector, i * DIMENSIONS);
    unknown.push(unknownWords);
    weak.push(weakWords);
    parts.push(
      queryParts.map((part) => ({
        vector: part.vector,
        negated: part.negated,
        is_sure: part.isSure,
        is_weak: part.isWeak,
      })),
    );
  });
  return {
    ...{ vectors, knownWords: readings, unknownWords: unknown, weakWords: weak, parts },
    understood: areUnderstood,
  };
}

const families: ReadonlyMap<string, EmbedderFamily> = new Map([
  ['starter', starterFamily],
  ['siglip', siglip],
  ['clip', clip],
]);

export const familyOf = (row: VisualRow): EmbedderFamily => familyIn(families, row);

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
          pictures: async ({ model_key, pictures, readings = ['plain'], urgent }, turn) => {
            const requests = pictures.flatMap((handle) =>
              readings.map((reading) => ({ slot: turn.slot(handle), reading })),
            );
            const vectors = await embedPictures(current, model_key, requests, turn, urgent);
            return new Sent({ vectors }, { transfer: [vectors.buffer] });
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
  requests: readonly AskedPicture[],
  turn: Turn,
  urgent = false,
): Promise<Float32Array<ArrayBuffer>> {
  return inBatches(
    (work) => current.run(key, work, urgent),
    requests,
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
