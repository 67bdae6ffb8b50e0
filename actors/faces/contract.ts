// The face actor finds the faces in a picture, with a vector of each, and groups vectors into people. It
// keeps only its models and the open clusterings.

import { type Static, Type } from 'typebox';
import { ask, Bytes, contract, Floats, Integers, SlotHandle } from '../../runtime/contract.ts';
import { errorTable } from '../../runtime/errors.ts';
import { nullable } from '../../runtime/schema.ts';
import { Face } from '../index/people/face.ts';

export const facesErrors = errorTable({
  CLUSTERING_LOST: {
    meaning: 'The clustering was lost when the face actor restarted',
    status: 503,
    retryable: true,
  },
  BAD_FACE_VECTOR: { meaning: 'The face model returned a vector without direction', status: 500 },
  BAD_PICTURE: { meaning: 'The picture cannot be read', status: 400 },
});

export const FaceModel = Type.Object({
  /** `<detector>+<embedder>`: what is stored under another one is not compared with it. */
  model_key: Type.String(),
  detector_key: Type.String(),
  embedder_key: Type.String(),
  dimensions: Type.Integer({ minimum: 1 }),
  /** Cosine similarity from which a face shows a person of whom a reference picture is there. */
  same: Type.Number({ minimum: -1, maximum: 1 }),
  /** Least difference in similarity to the runner-up. */
  margin: Type.Number({ minimum: 0, maximum: 2 }),
  /** Cosine distance for DBSCAN that suits the embedder. */
  eps: Type.Number({ minimum: 0, maximum: 2 }),
  /** Device of the embedder: cpu, cuda, webgpu, dml, coreml; null before it is loaded. */
  device: nullable(Type.String()),
  /** Why no better device is in use; null where none was refused. */
  device_reason: nullable(Type.String()),
});
export type FaceModel = Static<typeof FaceModel>;

export const FoundFaces = Type.Object({
  /** From the top left to the bottom right. */
  faces: Type.Array(Face),
  /** n×d, L2-normalised, *moved*. */
  vectors: Floats,
  /** JPEG of each face, upright, 112×112, *moved*. */
  aligned: Type.Array(Bytes),
  /** JPEG of each face for people, 160 px with a margin, *moved*. */
  displays: Type.Array(Bytes),
});
export type FoundFaces = Static<typeof FoundFaces>;

/** Clusters and the entries they were made of are numbered by position. */
export const ClusterLabels = Type.Object({
  /**
   * One an entry: its cluster, counted from 0 in the order of the first entry of each; -1 for noise. *Moved*.
   */
  labels: Integers,
  /**
   * One an entry: entries within `eps` of it, itself included; the next clustering goes on from there.
   * *Moved*.
   */
  neighbours: Integers,
  clusters: Type.Integer({ minimum: 0 }),
  eps: Type.Number(),
});
export type ClusterLabels = Static<typeof ClusterLabels>;

export const facesContract = contract(
  'faces',
  {
    /**
     * Loads the models that are chosen of the files that are there; answers at once when they are loaded.
     * NO_FACE_MODEL naming the command that brings them, and what opening a model throws.
     */
    load: ask(Type.Object({}), FaceModel),
    unload: ask(Type.Object({}), Type.Object({})),
    loaded: ask(Type.Object({}), Type.Object({ model: nullable(FaceModel) })),
    /**
     * The faces of a picture whose slot holds width×height RGB. The same picture gives the same faces,
     * whatever came before. `picture` is *borrowed until answered*.
     */
    find: ask(
      Type.Object({
        model_key: Type.String(),
        picture: SlotHandle,
        width: Type.Integer({ minimum: 1 }),
        height: Type.Integer({ minimum: 1 }),
      }),
      FoundFaces,
    ),
    /**
     * Begins a clustering. `before`: labels and neighbour counts of the entries that are added first, by the
     * same `eps` and `min_samples`: only what comes behind them is compared. `own_eps`: the distance that
     * suits the model of the vectors.
     */
    cluster_open: ask(
      Type.Object({
        dimensions: Type.Integer({ minimum: 1 }),
        own_eps: Type.Number({ exclusiveMinimum: 0, maximum: 2 }),
        before: nullable(Type.Object({ labels: Integers, neighbours: Integers })),
      }),
      Type.Object({ clustering: Type.Integer() }),
    ),
    /**
     * Adds entries. `vectors`: n×d, L2-normalised, *moved*. `weak`: n bytes, 1 for an entry that never joins
     * two others, 2 for one that joins nobody.
     */
    cluster_add: ask(
      Type.Object({ clustering: Type.Integer(), vectors: Floats, weak: Bytes }),
      Type.Object({}),
    ),
    /**
     * DBSCAN by cosine distance, a part of the work in each turn: to be sent again until `done`. `eps` null:
     * found from the distances. `fraction`: 0 to 1.
     */
    cluster_step: ask(
      Type.Object({
        clustering: Type.Integer(),
        eps: nullable(Type.Number({ minimum: 0, maximum: 2 })),
        min_samples: Type.Integer({ minimum: 1 }),
      }),
      Type.Object({ done: Type.Boolean(), fraction: Type.Number() }),
    ),
    /** Labels of a clustering whose last step is done. */
    cluster_labels: ask(Type.Object({ clustering: Type.Integer() }), ClusterLabels),
    /**
     * How similar each reference is to every group of entries. `groups`: one an entry, -1 for none.
     * `references`: m×d, L2-normalised. `similarities`: m×groups, *moved*: mean cosine of the entries of a
     * group that are most like it.
     */
    cluster_similarities: ask(
      Type.Object({ clustering: Type.Integer(), groups: Integers, references: Floats }),
      Type.Object({ groups: Type.Integer({ minimum: 0 }), similarities: Floats }),
    ),
    /** One that is not there is forgotten already. */
    cluster_close: ask(Type.Object({ clustering: Type.Integer() }), Type.Object({})),
  },
  // Faces are found between two steps of a clustering.
  { concurrency: 4, turnLimitMs: 300_000 },
);
