// Schemas of face models in their rows: detectors, and embedders.
import { type Static, Type } from 'typebox';
import { nullable } from '../../runtime/schema.ts';

/** Order of the channels that the graph takes. */
const ColorOrder = Type.Union([Type.Literal('rgb'), Type.Literal('bgr')]);

export const FaceDetectorSide = Type.Object({
  color: ColorOrder,
  /** For values 0 to 255: the graph gets (value - mean) / scale. */
  mean: Type.Number(),
  scale: Type.Number({ exclusiveMinimum: 0 }),
  /** Width and height of the picture are multiples of it, px. */
  multiple: Type.Integer({ minimum: 1, maximum: 256 }),
  /** Both sides of the picture of a graph that takes one size, px; null for a graph that takes any. */
  fixed_side: nullable(Type.Integer({ minimum: 32, maximum: 2048 })),
  /** Side of faces that the graph finds well, px of the picture it is given. */
  least_face: Type.Number({ exclusiveMinimum: 0 }),
  most_face: Type.Number({ exclusiveMinimum: 0 }),
  /** Score from which something is a face. */
  score: Type.Number({ minimum: 0, maximum: 1 }),
  /** Intersection over union from which two boxes are one face. */
  overlap: Type.Number({ minimum: 0, maximum: 1 }),
});
export type FaceDetectorSide = Static<typeof FaceDetectorSide>;

export const FaceEmbedderSide = Type.Object({
  color: ColorOrder,
  /** For values 0 to 255: the graph gets (value - mean) / scale. */
  mean: Type.Number(),
  scale: Type.Number({ exclusiveMinimum: 0 }),
  dimensions: Type.Integer({ minimum: 1, maximum: 4096 }),
  /**
   * Faces in one run. 1 for graphs that take one, or whose result depends on the other faces of the batch.
   */
  batch: Type.Integer({ minimum: 1, maximum: 256 }),
  /** True if the mirrored face is embedded too; the vector is then the mean of both. Left out: no. */
  mirrored: Type.Optional(Type.Boolean()),
  /**
   * Common part of all faces in vectors of length 1: it is subtracted, and the rest is scaled to length 1
   * again. Left out for a model whose vectors of strangers are about at right angles already.
   */
  centre: Type.Optional(Type.Array(Type.Number(), { minItems: 1, maxItems: 4096 })),
  /** Cosine distance for DBSCAN: what a request asks for by 0.48. */
  eps: Type.Number({ exclusiveMinimum: 0, maximum: 2 }),
  thresholds: Type.Object({
    /** Cosine of two faces from which they are one person. */
    same: Type.Number({ minimum: -1, maximum: 1 }),
    /** Least difference in similarity to the runner-up for a name that is given without a question. */
    margin: Type.Number({ minimum: 0, maximum: 2 }),
  }),
});
export type FaceEmbedderSide = Static<typeof FaceEmbedderSide>;
