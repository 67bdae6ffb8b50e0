// How the graphs of one family of object detectors take a picture, and where they say that things are.
import type { Box, Picture } from '../../runtime/picture.ts';
import type { Ranges } from '../models/rewriting/for-processor.ts';
import type { ObjectDetector } from './contract.ts';

export interface Detection {
  /** Position in `classNames`. */
  readonly label: number;
  /** 0 to 1. */
  readonly score: number;
  /** In shares of the width and height of the picture. */
  readonly box: Box;
}

export type Outputs = Readonly<Record<string, { readonly data: ArrayLike<number | bigint> }>>;

export interface ObjectDetectorFamily extends Pick<ObjectDetector, 'side' | 'fit'> {
  /** Names of each output that is read: exporters differ. */
  readonly outputs: readonly (readonly string[])[];
  /** True for graphs that the processor runs faster after a rewriting of their convolutions. */
  readonly isConvolutional: boolean;
  /**
   * How the graph computes in eight bits; null if it never does. `compared`: the outputs that have to be
   * nearly the same as in single precision.
   */
  readonly eightBits: { readonly ranges: Ranges; readonly compared: readonly string[] } | null;
  /** Writes the pixels of a picture into `planes`, 3×side×side floats. */
  fillInput(picture: Picture, planes: Float32Array): void;
  /** Best first. Throws MODEL_RUN_FAILED for outputs of another shape. */
  detectionsOf(outputs: Outputs, picture: Pick<Picture, 'width' | 'height'>): Detection[];
}

/** Detections with a lower score are dropped; which of the others are sure is decided in confidence.ts. */
export const leastScore = 0.4;
