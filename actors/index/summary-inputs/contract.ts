// Stored data of a file for its summary: vectors of its frames, a sample of the library's, people in view.
import { Type } from 'typebox';
import { ask, Floats, Integers } from '../../../runtime/contract.ts';
import { nullable } from '../../../runtime/schema.ts';
import { Folder } from '../store/contract.ts';
import { GridRange } from '../summaries/contract.ts';

const Count = Type.Integer({ minimum: 0 });

export const mostVectorsOfMessage = 8192;

export const summaryInputMessages = {
  /**
   * The visual models by which each content is analysed whole, in the order in which they came first to the
   * folder.
   */
  analysed_by: ask(
    Type.Object({ ...Folder, hashes: Type.Array(Type.String()) }),
    Type.Object({ models: Type.Array(Type.Array(Type.String())) }),
  ),
  /**
   * A page of the stored vectors of one content, from frame `from` on. `frames`: ascending; `vectors`: n×d,
   * L2-normalised, *moved*; `next`: where the next page begins, null when there is no more. A page may be
   * shorter than `most`: one turn reads some 2 MB. NOT_ANALYZED, STORE_DAMAGED naming the content.
   */
  stored_vectors: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      hash_str: Type.String(),
      from: Count,
      most: Type.Integer({ minimum: 1, maximum: mostVectorsOfMessage }),
    }),
    Type.Object({
      dimensions: Type.Integer({ minimum: 1 }),
      frames: Integers,
      vectors: Floats,
      /** Frames with which a scene begins. */
      cuts: Integers,
      next: nullable(Count),
    }),
  ),
  /**
   * At most `most` vectors of all that is stored by a model: the same number of each content, or all of one
   * that has fewer, evenly over its time; the same ones each time while nothing changes. `vectors`: n×d,
   * *moved*. What is damaged is left out. `dimensions` is 0 when there is none.
   */
  sample_vectors: ask(
    Type.Object({
      ...Folder,
      model_key: Type.String(),
      most: Type.Integer({ minimum: 1, maximum: mostVectorsOfMessage }),
    }),
    Type.Object({ dimensions: Count, vectors: Floats }),
  ),
  /**
   * People of every clustering that one content shows; `person`: the name, or the id of a cluster without
   * one.
   */
  people_in: ask(
    Type.Object({ ...Folder, hash_str: Type.String() }),
    Type.Object({
      people: Type.Array(
        Type.Object({
          cluster_job_name: Type.String(),
          cluster_id: Type.String(),
          person: Type.String(),
          is_named: Type.Boolean(),
          /** Half-open ranges of grid frames, ascending. */
          ranges: Type.Array(GridRange),
        }),
      ),
    }),
  ),
};
