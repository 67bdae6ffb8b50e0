// Finds the faces of one picture: where they are, how good they are, their vectors and their pictures.

import { type ActorEnv, type Handlers, Sent } from '../../runtime/actor.ts';
import type { Log } from '../../runtime/log.ts';
import { type Picture, pictureIn } from '../../runtime/picture.ts';
import { type Checkpoint, createCheckpoint } from '../../runtime/sync/checkpoint.ts';
import type { Face } from '../index/people/face.ts';
import type { FacePair } from '../models/advice.ts';
import type { FaceDetectorRow, FaceEmbedderRow } from '../models/contract.ts';
import { CurrentModel, type Openable } from '../models/current.ts';
import { type DeviceChoice, type RunsOn, refusalText } from '../models/device.ts';
import { fileOf } from '../models/registry.ts';
import { type ModelSession, openSession } from '../models/session.ts';
import { aligned, arcfaceChip, type Chip } from './alignment/align.ts';
import { type FaceModel, type FoundFaces, type facesContract, facesErrors } from './contract.ts';
import { displayRegion, FaceCrops } from './crops/crops.ts';
import { detectorFamilyOf } from './detection/families.ts';
import type { Candidate, FaceDetector } from './detection/family.ts';
import { embedderFamilyOf, FaceEmbedder } from './embedding/embedder.ts';
import { Pyramid } from './picture.ts';
import { covering, isCut, isUnreliable, isWeak, pose, sharpness } from './quality/quality.ts';

type CurrentPair = CurrentModel<PairRow, OpenPair>;

/** A face between its detection and its answer. */
interface Found {
  readonly candidate: Candidate;
  readonly face: Face;
  /** Pixels that are stored and measured. */
  readonly pixels: Uint8Array<ArrayBuffer>;
  /** Pixels for the embedder. */
  readonly chip: Uint8Array<ArrayBuffer>;
}

interface FindOptions {
  readonly key: string;
  readonly crops: FaceCrops;
  readonly checkpoint: Checkpoint;
  readonly log: Log;
}

/**
 * `picture` is *borrowed until the promise settles*. Throws MODEL_NOT_LOADED, MODEL_RUN_FAILED and CANCELLED.
 */
async function findFaces(
  current: CurrentPair,
  picture: Picture,
  { key, crops, checkpoint, log }: FindOptions,
): Promise<FoundFaces> {
  const pyramid = new Pyramid(picture);
  const candidates = await current.run(key, ({ family }) => family.detector.detect(pyramid, checkpoint));
  const { chip } = current.using(key).family.embedder;
  const measuredFaces = candidates.flatMap((candidate) => measured(candidate, pyramid, chip) ?? []);
  const { vectors, embeddedFaces } = await embedded(current, measuredFaces, { key, checkpoint, log });
  const displays: Uint8Array[] = [];
  const alignedFaces: Uint8Array[] = [];
  for (const { candidate, pixels } of embeddedFaces) {
    alignedFaces.push(crops.aligned(pixels));
    displays.push(crops.display(picture, displayRegion(candidate, picture)));
    await checkpoint();
  }
  return { faces: embeddedFaces.map(({ face }) => face), vectors, aligned: alignedFaces, displays };
}

/** Null where the landmarks are one point: that is no face. */
function measured(candidate: Candidate, pyramid: Pyramid, shape: Chip): Found | null {
  const { width, height } = pyramid.level(0);
  const pixels = aligned(pyramid, candidate.landmarks);
  const looks = pose(candidate.landmarks);
  const chip = shape === arcfaceChip ? pixels : aligned(pyramid, candidate.landmarks, shape);
  if (!pixels || !chip || !looks) return null;
  const left = share(candidate.left, width);
  const top = share(candidate.top, height);
  const right = share(candidate.left + candidate.width, width);
  const bottom = share(candidate.top + candidate.height, height);
  const face: Omit<Face, 'weak' | 'unreliable'> = {
    box: [left, top, right - left, bottom - top],
    landmarks: Array.from(candidate.landmarks, (value, at) => value / (at % 2 === 0 ? width : height)),
    score: candidate.score,
    size_px: Math.min(candidate.width, candidate.height),
    sharpness: sharpness(pixels),
    ...looks,
  };
  const unreliable = isUnreliable({
    yaw: face.yaw,
    isCut: isCut(candidate.landmarks, { width, height }),
    covering: covering(pixels),
  });
  return { candidate, face: { ...face, weak: isWeak(face), unreliable }, pixels, chip };
}

function share(value: number, length: number): number {
  return Math.min(1, Math.max(0, value / length));
}

/**
 * The vectors of the faces that have one. A face without is left out, with a line in the log: the others of
 * the picture stay. Its batch mates are run again one by one, because what is no number may have reached
 * them.
 */
async function embedded(
  current: CurrentPair,
  faces: readonly Found[],
  { key, checkpoint, log }: Omit<FindOptions, 'crops'>,
): Promise<{ vectors: Float32Array<ArrayBuffer>; embeddedFaces: Found[] }> {
  const parts: Float32Array[] = [];
  const embeddedFaces: Found[] = [];
  const take = (face: Found, vector: Float32Array) => {
    embeddedFaces.push(face);
    parts.push(vector);
  };
  const run = (some: readonly Found[]) =>
    current.run(key, async ({ family }) => {
      await checkpoint();
      const { vectors, bad } = await family.embedder.embed(some.map(({ chip }) => chip));
      const size = family.embedder.dimensions;
      return { bad, vector: (at: number) => vectors.subarray(at * size, (at + 1) * size) };
    });
  const { batch } = current.using(key).family.embedder;
  for (let start = 0; start < faces.length; start += batch) {
    const some = faces.slice(start, start + batch);
    const { bad, vector } = await run(some);
    if (bad.length === 0) {
      some.forEach((face, at) => void take(face, vector(at)));
      continue;
    }
    for (const face of some) {
      const alone = some.length === 1 ? { bad, vector } : await run([face]);
      if (alone.bad.length === 0) take(face, alone.vector(0));
      else log.warn('face left out', { error: withoutDirection(face.face, key) });
    }
  }
  const size = current.using(key).family.embedder.dimensions;
  const vectors = new Float32Array(embeddedFaces.length * size);
  parts.forEach((vector, at) => void vectors.set(vector, at * size));
  return { vectors, embeddedFaces };
}

function withoutDirection({ box }: Face, key: string) {
  const place = box.map((value) => value.toFixed(3)).join(', ');
  return facesErrors.BAD_FACE_VECTOR(`The face at ${place} has no vector that "${key}" could tell`, { key });
}

// The two models in use as one that is opened, used and freed together.

/** The embedder's row under the key of the pair, with what it works with. */
type PairRow = FaceEmbedderRow & { readonly pair: FacePair };

export interface OpenPair extends Openable {
  readonly detector: FaceDetector;
  readonly embedder: FaceEmbedder;
}

function pairRow(pair: FacePair): PairRow {
  return { ...pair.embedder, key: `${pair.detector.key}+${pair.embedder.key}`, pair };
}

/** `on`: null before it is loaded. */
export function faceModel({ key, pair }: PairRow, on: RunsOn | null): FaceModel {
  const { dimensions, eps, thresholds } = pair.embedder.embedder;
  return {
    model_key: key,
    detector_key: pair.detector.key,
    embedder_key: pair.embedder.key,
    dimensions,
    same: thresholds.same,
    margin: thresholds.margin,
    eps,
    device: on?.device ?? null,
    device_reason: on && refusalText(on.refused),
  };
}

interface PairOptions {
  file(row: FaceDetectorRow | FaceEmbedderRow, role: string): string;
  session(file: string): Promise<ModelSession>;
  readonly checkpoint: Checkpoint;
}

/**
 * Opens both and runs each once; what was opened is freed when one fails. Throws what opening and running
 * throw.
 */
export async function openPair({ detector, embedder }: FacePair, options: PairOptions): Promise<OpenPair> {
  const sessions: ModelSession[] = [];
  const close = async () => {
    for (const session of sessions) await session.release();
  };
  const open = async (row: FaceDetectorRow | FaceEmbedderRow, role: string) => {
    const file = options.file(row, role);
    const session = await options.session(file);
    sessions.push(session);
    return { file, session };
  };
  try {
    const faces = await detectorFamilyOf(detector).open(detector, (role) => open(detector, role));
    await faces.detect(new Pyramid(grey), options.checkpoint);
    const knows = await open(embedder, 'graph');
    const vectors = embedderFamilyOf(embedder).open(embedder, knows.session, knows.file);
    const embeds = new FaceEmbedder(embedder, knows.session, vectors);
    await options.checkpoint();
    await embeds.warmUp();
    return { detector: faces, embedder: embeds, runsOn: knows.session, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const grey = { data: new Uint8Array(64 * 64 * 3).fill(128), width: 64, height: 64 };

// The part of the face actor that finds faces: it chooses and loads the models, and looks at pictures.

export interface FacesSettings {
  /** Absolute path of the folder with a folder for each model. */
  readonly modelsDir: string;
  readonly device: DeviceChoice;
  /** Threads inside one run; 0 leaves it to the runtime. */
  readonly threads: number;
}

interface FindingOptions extends ActorEnv<FacesSettings> {
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
        const result = await findFaces(current, pixels, { key, crops, checkpoint, log: turn.log });
        const pictures = [...result.aligned, ...result.displays];
        const transfer = [result.vectors, ...pictures].map(({ buffer }) => buffer as ArrayBuffer);
        return new Sent(result, { transfer });
      },
    },
    close: async () => {
      await current.close();
      crops.close();
    },
  };
}
