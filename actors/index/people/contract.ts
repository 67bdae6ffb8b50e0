// Faces and people: the faces of media are stored with vectors and crops, clustered into people by jobs,
// named and corrected, and loaded for searching.

import { type Static, Type } from 'typebox';
import { ask, Bytes, Floats, Integers } from '../../../runtime/contract.ts';
import { errorTable } from '../../../runtime/errors.ts';
import { nullable } from '../../../runtime/schema.ts';
import { Folder, LoadNumber, LoadStep, MediaRecord, SpanKey } from '../store/contract.ts';
import { Face } from './face.ts';

export const peopleErrors = errorTable({
  UNKNOWN_CLUSTER_JOB: { meaning: 'Face clustering not found', status: 404 },
  UNKNOWN_CLUSTER: { meaning: 'Cluster not found in the clustering', status: 400 },
  UNKNOWN_PERSON: { meaning: 'Person not found in the clustering', status: 400 },
  UNKNOWN_FACE: { meaning: 'Face not found in the cluster', status: 400 },
  WRONG_CORRECTION: { meaning: 'The correction contradicts itself', status: 400 },
  NOTHING_TO_UNDO: { meaning: 'There is no change to undo', status: 409 },
  LEGACY_STORAGE: { meaning: 'The clustering has an older format and is read-only', status: 409 },
  CLUSTERING_CHANGED: {
    meaning: 'The faces changed while they were being clustered',
    status: 409,
    retryable: true,
  },
  OTHER_FACE_MODEL: { meaning: 'The faces of this clustering were found by other models', status: 400 },
});

/** The one format there is. */
export const faceStorageVersion = 2;

const Count = Type.Integer({ minimum: 0 });
const Job = { ...Folder, cluster_job_name: Type.String({ minLength: 1 }) };

/** "Cluster job" of the API, and how it came about. */
export const ClusterJob = Type.Object({
  name: Type.String(),
  total_entries: Count,
  num_clusters: Count,
  /** Faces in no cluster. */
  noise_entries: Count,
  cluster_ids: Type.Array(Type.String()),
  face_storage_version: Count,
  media_hashes: Type.Array(Type.String()),
  model_key: Type.String(),
  eps: Type.Number(),
  min_samples: Count,
  /** Names by cluster id. */
  names: Type.Record(Type.String(), Type.String()),
  can_undo: Type.Boolean(),
  /** Unix milliseconds. */
  clustered_ms: Type.Number(),
});
export type ClusterJob = Static<typeof ClusterJob>;

/** Names and corrections that a clustering kept. */
export const ClusteringReport = Type.Object({
  clusters: Count,
  faces: Count,
  noise: Count,
  /** Ids that were there before and are still. */
  kept_clusters: Count,
  /** Corrections that hold; those that contradict what is said later, by a sentence each. */
  kept_corrections: Count,
  conflicts: Type.Array(Type.String()),
  kept_names: Count,
  lost_names: Type.Array(Type.String()),
});
export type ClusteringReport = Static<typeof ClusteringReport>;

export const FrameFaces = Type.Object({ frame_index: Count, faces: Type.Array(Face) });
export type FrameFaces = Static<typeof FrameFaces>;

export const ClusterFaces = Type.Object({
  cluster_id: Type.String(),
  /** Empty when it has no name. */
  name: Type.String(),
  /** Faces of the cluster, and how many of them have a picture. */
  size: Count,
  available_faces: Count,
  /** JPEG for people, *moved*. */
  faces: Type.Array(Bytes),
  /** Aligned with `faces`. */
  entry_ids: Type.Array(Type.String()),
  /** Content, its path (null if it has none any more) and grid frame of each face, aligned with `faces`. */
  places: Type.Array(
    Type.Object({ hash_str: Type.String(), path: nullable(Type.String()), frame_index: Count }),
  ),
});
export type ClusterFaces = Static<typeof ClusterFaces>;

const ClusterPair = Type.Object({ cluster_ids: Type.Array(Type.String(), { minItems: 2, maxItems: 2 }) });

/** Half-open range of grid frames. */
const Range = Type.Tuple([Count, Type.Integer({ minimum: 1 })]);

/** A person as a search names it: by cluster id, or by name; exactly one of the two. */
export const PersonRef = Type.Object({
  /** Left out: whichever clustering has it. */
  cluster_job_name: Type.Optional(Type.String({ minLength: 1 })),
  person_name: Type.Optional(Type.String({ minLength: 1 })),
  cluster_id: Type.Optional(Type.String({ minLength: 1 })),
});
export type PersonRef = Static<typeof PersonRef>;

/** Only frames that show these people. `and`: each of them, as faces of different entries; `or`: any. */
export const PeopleFilter = Type.Object({
  mode: Type.Unsafe<'and' | 'or'>({ type: 'string', enum: ['and', 'or'] }),
  people: Type.Array(PersonRef, { minItems: 1 }),
});
export type PeopleFilter = Static<typeof PeopleFilter>;

export const PeopleLoadReport = Type.Object({
  ...LoadStep,
  /** Clusterings that are loaded, and faces in them. */
  jobs: Count,
  faces: Count,
  /** A name counts once in a clustering, each cluster without a name too; and those with a name. */
  people: Count,
  named: Count,
  /** Names of clusterings that are damaged. */
  unreadable: Type.Array(Type.String()),
});
export type PeopleLoadReport = Static<typeof PeopleLoadReport>;

export const peopleMessages = {
  /**
   * For each hash the number of faces that these models found, null where they have not looked; and whether
   * they looked at stored previews, since the file was gone.
   */
  faces_stored: ask(
    Type.Object({ ...Folder, model_key: Type.String(), hashes: Type.Array(Type.String()) }),
    Type.Object({ faces: Type.Array(nullable(Count)), from_previews: Type.Array(Type.Boolean()) }),
  ),
  /**
   * Begins the face stage of one file, as `begin` does for pictures: with `span` it goes on behind what was
   * kept under it, `stored_frames` frames, and the first one that is wanted is `next_frame`.
   */
  begin_faces: ask(
    Type.Object({
      ...Folder,
      hash_str: Type.String(),
      model_key: Type.String(),
      dimensions: Type.Integer({ minimum: 1 }),
      span: Type.Optional(SpanKey),
    }),
    Type.Object({ stage: Type.Integer(), stored_frames: Count, next_frame: Count }),
  ),
  /**
   * Adds the faces of frames, ascending; frames without faces too. `vectors`: n×d over all their faces,
   * L2-normalised, *moved*; `aligned`, `displays`: JPEG of each. *Accepted*, not stored, when answered.
   * `keep`: all that was appended is kept for the time when the stage is taken up, *flushed*.
   */
  append_faces: ask(
    Type.Object({
      stage: Type.Integer(),
      frames: Type.Array(FrameFaces),
      vectors: Floats,
      aligned: Type.Array(Bytes),
      displays: Type.Array(Bytes),
      keep: Type.Optional(Type.Boolean()),
    }),
    Type.Object({}),
  ),
  /**
   * Makes the stage visible in one atomic write, *flushed* when answered. A face that was there before at the
   * same place of the same frame, by whichever models, keeps its entry id; so corrections hold.
   */
  commit_faces: ask(
    Type.Object({
      stage: Type.Integer(),
      media: MediaRecord,
      /** They were found in stored previews. */
      from_previews: Type.Optional(Type.Boolean()),
    }),
    Type.Object({ faces: Count, kept_ids: Count }),
  ),
  /** Like `abort` of pictures. */
  abort_faces: ask(Type.Object({ stage: Type.Integer() }), Type.Object({})),
  /** One step of moving what is left of rolls that lost faces to others; sent again until `done`. */
  compact_faces: ask(
    Type.Object({ ...Folder, model_key: Type.String() }),
    Type.Object({ done: Type.Boolean() }),
  ),
  cluster_jobs: ask(
    Type.Object({ ...Folder }),
    Type.Object({ jobs: Type.Array(ClusterJob), unreadable: Type.Array(Type.String()) }),
  ),
  cluster_job: ask(Type.Object(Job), Type.Object({ job: nullable(ClusterJob) })),
  /**
   * Begins to cluster a job, which is made when there is none: the faces of its media and of `hashes` that
   * `model_key` found. In steps: while it is not `done` the same message is to be sent again, with `begun`,
   * and says nothing else of worth. Nothing is written before `commit_clustering`. `missing`: media of the
   * job that these models have not looked at. `before`: entries that come first and were clustered before by
   * the same `eps` and `min_samples`; null when anything differs. `digest`: of all entries and corrections,
   * the same in every replica. `hashes` empty: UNKNOWN_CLUSTER_JOB.
   */
  begin_clustering: ask(
    Type.Object({
      ...Job,
      model_key: Type.String(),
      hashes: Type.Array(Type.String()),
      /** Null: found from the distances, so nothing of before can be used. */
      eps: nullable(Type.Number()),
      min_samples: Type.Integer({ minimum: 1 }),
      /** The `clustering` of the answer before. CLUSTERING_CHANGED when it is not open any more. */
      begun: Type.Optional(Type.Integer()),
    }),
    Type.Object({
      done: Type.Boolean(),
      clustering: Type.Integer(),
      entries: Count,
      missing: Type.Array(Type.String()),
      /** Hashes whose stored faces are damaged: they are left out. */
      unreadable: Type.Array(Type.String()),
      before: nullable(Type.Object({ labels: Integers, neighbours: Integers })),
      digest: Type.String(),
    }),
  ),
  /**
   * Vectors of at most `most` entries from `from` on, *moved*, with a byte each: 1 for a weak face, 2 for an
   * unreliable one.
   */
  clustering_vectors: ask(
    Type.Object({ clustering: Type.Integer(), from: Count, most: Type.Integer({ minimum: 1 }) }),
    Type.Object({ vectors: Floats, weak: Bytes }),
  ),
  /**
   * Stores the clusters in one atomic write, *flushed*: ids stay with the cluster that holds most of the
   * faces they had, corrections are applied again, and names follow most of the named faces. `clusters`: one
   * an entry, its cluster by position in `cluster_ids`, -1 for noise; *moved*. CLUSTERING_CHANGED when the
   * faces or the corrections changed since it was begun, or are not those of `digest`, where it is given.
   */
  commit_clustering: ask(
    Type.Object({
      clustering: Type.Integer(),
      labels: Integers,
      neighbours: Integers,
      /** The distance that was used. */
      eps: Type.Number(),
      clear_names: Type.Boolean(),
      digest: Type.Optional(Type.String()),
    }),
    Type.Object({
      report: ClusteringReport,
      cluster_ids: Type.Array(Type.String()),
      clusters: Integers,
      /** Aligned with `cluster_ids`; empty without a name. */
      names: Type.Array(Type.String()),
    }),
  ),
  /** Forgets it; one that is not there is forgotten already. */
  end_clustering: ask(Type.Object({ clustering: Type.Integer() }), Type.Object({})),

  /**
   * An empty name takes the name away. All or none, *flushed*. UNKNOWN_CLUSTER_JOB, UNKNOWN_CLUSTER,
   * BAD_NAME. Works on every format.
   */
  name_clusters: ask(
    Type.Object({
      ...Job,
      assignments: Type.Array(Type.Object({ cluster_id: Type.String(), name: Type.String() })),
    }),
    Type.Object({ changes: Type.Record(Type.String(), Type.String()) }),
  ),
  /**
   * Merges clusters, then moves faces, then holds pairs of clusters apart; all or none, *flushed*. Kept for
   * later clusterings: a merge joins, a move joins with the new and keeps apart from the old, which a new
   * cluster is held apart from. UNKNOWN_CLUSTER, UNKNOWN_FACE, WRONG_CORRECTION.
   */
  modify_clusters: ask(
    Type.Object({
      ...Job,
      merges: Type.Array(
        Type.Object({
          cluster_ids: Type.Array(Type.String(), { minItems: 2 }),
          target_cluster_id: Type.Optional(Type.String()),
        }),
      ),
      moves: Type.Array(
        Type.Object({
          /** Null: the faces are in no cluster. */
          from_cluster_id: nullable(Type.String()),
          /** Null: a new cluster. */
          to_cluster_id: nullable(Type.String()),
          entry_ids: Type.Array(Type.String(), { minItems: 1 }),
        }),
      ),
      apart: Type.Optional(Type.Array(ClusterPair)),
    }),
    Type.Object({
      merges: Type.Array(
        Type.Object({
          target_cluster_id: Type.String(),
          cluster_ids: Type.Array(Type.String()),
          size: Count,
        }),
      ),
      moves: Type.Array(Type.Object({ from: nullable(Type.String()), to: Type.String(), moved: Count })),
      apart: Type.Array(ClusterPair),
    }),
  ),
  /** Takes the last `modify_clusters` back, while nothing was clustered since. NOTHING_TO_UNDO. */
  undo_clusters: ask(Type.Object(Job), Type.Object({ job: ClusterJob })),
  /**
   * Pairs of clusters that may be one person, most alike first: nobody's that are held apart, or have one
   * name; those of two names only with `other_names`. In steps: while it is not `done` the same message is to
   * be sent again, with `begun`. `least`: cosine from which a pair is worth a question. `left_out`: smaller
   * clusters, where there are too many to compare them all. UNKNOWN_CLUSTER_JOB, UNKNOWN_CLUSTER.
   */
  suggest_clusters: ask(
    Type.Object({
      ...Job,
      /** Only pairs with this one; null: any. */
      cluster_id: nullable(Type.String()),
      other_names: Type.Boolean(),
      least: Type.Number({ minimum: -1, maximum: 1 }),
      limit: Type.Integer({ minimum: 1 }),
      /** The `comparison` of the answer before. */
      begun: Type.Optional(Type.Integer()),
    }),
    Type.Object({
      done: Type.Boolean(),
      comparison: Type.Integer(),
      pairs: Type.Array(
        Type.Object({ cluster_ids: Type.Tuple([Type.String(), Type.String()]), cosine: Type.Number() }),
      ),
      left_out: Count,
    }),
  ),
  /**
   * Removes a whole job, or one person's entries of it, *flushed*. Faces that belong to no job any more lose
   * vector and crops: nothing reads them from then on, and their bytes leave the disk with the next
   * compaction. `cluster_id` null: the job.
   */
  delete_people: ask(
    Type.Object({ ...Job, cluster_id: nullable(Type.String()) }),
    Type.Object({ jobs: Count, clusters: Count, faces: Count, faces_removed: Count }),
  ),
  /**
   * Faces of clusters, best first: sharp, large, seen from the front, and spread over the media. `clusters`
   * null: every cluster of a size from `min_size` to `max_size`, largest first, at most `max_clusters`.
   * `noise`: the faces in no cluster.
   */
  cluster_faces: ask(
    Type.Object({
      ...Job,
      clusters: nullable(Type.Array(Type.String())),
      min_size: Type.Integer({ minimum: 1 }),
      max_size: Type.Integer({ minimum: 1 }),
      max_clusters: Count,
      /** Page within each cluster. */
      offset: Count,
      limit: Count,
      noise: Type.Boolean(),
    }),
    Type.Object({
      /** Null: there is no such job. */
      job: nullable(ClusterJob),
      /** Clusters of such a size. */
      matching: Count,
      clusters: Type.Array(ClusterFaces),
      noise: nullable(ClusterFaces),
      /** Names that are no cluster. */
      unknown: Type.Array(Type.String()),
    }),
  ),
  /**
   * Where people are seen: ranges of grid frames by content, with the path seen last. `clusters` null:
   * everybody who has a name.
   */
  appearances: ask(
    Type.Object({ ...Job, clusters: nullable(Type.Array(Type.String())) }),
    Type.Object({
      people: Type.Array(
        Type.Object({
          cluster_id: Type.String(),
          name: Type.String(),
          media: Type.Array(
            Type.Object({
              hash_str: Type.String(),
              media_path: Type.String(),
              faces: Count,
              ranges: Type.Array(Range),
            }),
          ),
        }),
      ),
    }),
  ),
  /**
   * Loads the people of a folder for searches, a part in each turn: to be sent again, with the number of the
   * answer, until `done`.
   */
  load_people: ask(Type.Object({ ...Folder, ...LoadNumber }), PeopleLoadReport),
};
