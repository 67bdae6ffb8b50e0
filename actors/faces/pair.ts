// The two models in use as one that is opened, used and freed together.
import type { Checkpoint } from '../../runtime/sync/checkpoint.ts';
import type { FaceDetectorRow, FaceEmbedderRow } from '../models/contract.ts';
import type { Openable } from '../models/current.ts';
import { type RunsOn, refusalText } from '../models/device.ts';
import type { ModelSession } from '../models/session.ts';
import type { FaceModel } from './contract.ts';
import { detectorFamilyOf } from './detection/families.ts';
import type { FaceDetector } from './detection/family.ts';
import { FaceEmbedder } from './embedding/embedder.ts';
import { embedderFamilyOf } from './embedding/families.ts';
import { Pyramid } from './picture.ts';

export interface FacePair {
  readonly detector: FaceDetectorRow;
  readonly embedder: FaceEmbedderRow;
}

/** The embedder's row under the key of the pair, with what it works with. */
export type PairRow = FaceEmbedderRow & { readonly pair: FacePair };

export interface OpenPair extends Openable {
  readonly detector: FaceDetector;
  readonly embedder: FaceEmbedder;
}

export function pairRow(pair: FacePair): PairRow {
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

export interface PairOptions {
  /** Path of a file of a row. */
  file(row: FaceDetectorRow | FaceEmbedderRow, role: string): string;
  session(file: string): Promise<ModelSession>;
  readonly checkpoint: Checkpoint;
}

/** Opens both and runs each once; what was opened is freed when one fails. Throws what opening and running throw. */
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
