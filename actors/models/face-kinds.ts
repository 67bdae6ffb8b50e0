// The two kinds of face models: what they are called, and the families that run them.
import type { FaceDetectorRow, FaceEmbedderRow } from './contract.ts';

/** What code there is to run a model of each kind. */
export const faceFamilies = {
  'face-detector': ['yunet', 'scrfd', 'blazeface'],
  'face-embedder': ['sface', 'arcface', 'dlib'],
} as const;
export type FaceKind = keyof typeof faceFamilies;

export const faceKinds: readonly FaceKind[] = ['face-detector', 'face-embedder'];

export function isFaceKind(kind: string): kind is FaceKind {
  return faceKinds.some((one) => one === kind);
}

/** The models that find faces and tell them apart. */
export interface FacePair {
  readonly detector: FaceDetectorRow;
  readonly embedder: FaceEmbedderRow;
}

/** Brings what is missing of a pair. */
export const facesCommand = 'framehound models pull faces';
