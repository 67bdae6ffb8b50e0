// People as clients ask for them: clusterings of faces, their clusters with pictures, names, corrections and where somebody
// is seen, with the fields of the API.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { described, named, nullable } from '../../runtime/schema.ts';

/** What is wrong with a request itself; what does not fit to the clustering is in the table of the index. */
export const peopleRequestErrors = errorTable({
  NAMED_TWICE: { meaning: 'The request gives one cluster two names', status: 400, retryable: false },
  NO_CORRECTION: { meaning: 'The request contains no corrections', status: 400, retryable: false },
  WHICH_PERSON: { meaning: 'The request must name one person only', status: 400, retryable: false },
  WHICH_CLUSTER: { meaning: 'The request must name a cluster', status: 400, retryable: false },
});

/** Faces of a cluster in one answer. */
export const mostFacesOfPage = 2000;

const Count = Type.Integer({ minimum: 0 });
const Jpeg = described(Type.String(), 'JPEG as base64.');

/** "Cluster job" of the API. */
export const FaceClusterJob = named(
  'FaceClusterJob',
  Type.Object({
    name: described(Type.String(), 'Name of the clustering.'),
    total_entries: described(Count, 'Faces that were found in its media.'),
    num_clusters: described(Count, 'Clusters they make.'),
    noise_entries: described(Count, 'Faces in no cluster.'),
    cluster_ids: described(
      Type.Array(Type.String()),
      'Ids of the clusters; one keeps its id while most of its faces stay.',
    ),
    face_storage_version: described(
      Count,
      'Format on the disk: 2 is written now, 1 can only be read and named.',
    ),
    media_hashes: described(Type.Array(Type.String()), 'Contents whose faces belong to it.'),
    model_key: described(Type.String(), 'Detector and embedder that found the faces.'),
    eps: described(
      Type.Number(),
      'Of the last clustering, as it was asked for or found: 0.48 is usual with every model.',
    ),
    used_eps: described(Type.Number(), 'The cosine distance that it stands for with its model.'),
    min_samples: described(Count, 'Faces near each other that begin a cluster.'),
    names: described(Type.Record(Type.String(), Type.String()), 'Names by cluster id.'),
    can_undo: described(Type.Boolean(), 'Whether the last correction can be taken back.'),
    clustered: described(
      nullable(Type.Number()),
      'When it was clustered, in seconds since 1970; null where that is not known.',
    ),
  }),
);
export type FaceClusterJob = Static<typeof FaceClusterJob>;

export const FaceClusterJobs = Type.Object({
  cluster_jobs: described(Type.Array(Type.String()), 'Names of the clusterings.'),
  jobs: described(Type.Array(FaceClusterJob), 'The clusterings themselves, in the same order.'),
  warning: Type.Optional(described(Type.String(), 'Which of them cannot be read.')),
});
export type FaceClusterJobs = Static<typeof FaceClusterJobs>;

export const ClusterSample = Type.Object({
  cluster_id: described(Type.String(), 'Id of the cluster.'),
  name: described(Type.String(), 'Empty without a name.'),
  size: described(Count, 'Faces in the cluster.'),
  sample_faces: described(Type.Array(Jpeg), 'Its best faces.'),
});

export const ClusterSamplesAnswer = Type.Union([
  Type.Object({
    cluster_job_name: Type.String(),
    num_clusters: described(Count, 'Clusters of the clustering.'),
    num_clusters_after_filter: described(Count, 'Clusters of a size that was asked for.'),
    total_entries: described(Count, 'Faces of the clustering.'),
    clusters: described(Type.Array(ClusterSample), 'Largest first.'),
    noise_size: Type.Optional(described(Count, 'Faces in no cluster.')),
    noise_sample: Type.Optional(described(Type.Array(Jpeg), 'Some of them.')),
    warning: Type.Optional(described(Type.String(), 'Which pictures did not fit into this answer.')),
  }),
  Type.Object({ warning: described(Type.String(), 'There is no saved face data.') }),
]);
export type ClusterSamplesAnswer = Static<typeof ClusterSamplesAnswer>;

export const ClusterFacesAnswer = Type.Object({
  cluster_job_name: Type.String(),
  limit: Count,
  offset: Count,
  clusters: described(
    Type.Array(
      Type.Object({
        cluster_id: Type.String(),
        name: described(Type.String(), 'Empty without a name.'),
        size: described(Count, 'Faces in the cluster.'),
        available_faces: described(Count, 'Pictures there are for paging.'),
        faces: described(Type.Array(Jpeg), 'A page of its faces, best first.'),
        entry_ids: Type.Optional(
          described(Type.Array(Type.String()), 'Ids of the faces, for moves; when asked for.'),
        ),
      }),
    ),
    'In the order in which they were asked for.',
  ),
  warning: Type.Optional(
    described(
      Type.String(),
      'Clusters there are not, pictures that did not fit, or that there are no faces.',
    ),
  ),
});
export type ClusterFacesAnswer = Static<typeof ClusterFacesAnswer>;

export const SuggestedClusters = Type.Object({
  suggestions: described(
    Type.Array(
      Type.Object({
        cluster_ids: described(Type.Array(Type.String()), 'The two clusters.'),
        names: described(Type.Array(Type.String()), 'Their names, in the same order; empty without one.'),
        similarity: described(
          Type.Number({ minimum: 0, maximum: 1 }),
          'How alike their most alike faces are: 0.5 is where the face model takes two faces for one person.',
        ),
        samples: described(
          Type.Array(
            Type.Object({
              ...ClusterSample.properties,
              entry_ids: described(Type.Array(Type.String()), 'Ids of these faces, in the same order.'),
            }),
          ),
          'The two clusters with their best faces, in the same order.',
        ),
      }),
    ),
    'Most alike first.',
  ),
  warning: Type.Optional(
    described(
      Type.String(),
      'Clusters that were not compared, and pictures that did not fit into this answer.',
    ),
  ),
});
export type SuggestedClusters = Static<typeof SuggestedClusters>;

export const NamesAnswer = Type.Object({
  updated: described(Count, 'Clusters whose name is another one now.'),
  changes: described(
    Type.Record(Type.String(), Type.String()),
    'Their names by cluster id; empty for one without.',
  ),
});
export type NamesAnswer = Static<typeof NamesAnswer>;

export const ModifyAnswer = Type.Object({
  merges: described(
    Type.Array(
      Type.Object({
        target_cluster_id: described(Type.String(), 'The cluster that stays.'),
        cluster_ids: described(Type.Array(Type.String()), 'Those that were merged, it among them.'),
        size: described(Count, 'Faces it has now.'),
      }),
    ),
    'One for each merge that was asked for.',
  ),
  moves: described(
    Type.Array(
      Type.Object({
        from: described(Type.String(), 'The cluster they were in.'),
        to: described(Type.String(), 'The cluster they are in; of a new one its id.'),
        moved: described(Count, 'Faces that were moved.'),
      }),
    ),
    'One for each move that was asked for.',
  ),
  apart: described(
    Type.Array(
      Type.Object({ cluster_ids: described(Type.Array(Type.String()), 'The two that are held apart.') }),
    ),
    'One for each pair that was asked for.',
  ),
});
export type ModifyAnswer = Static<typeof ModifyAnswer>;

export const DeletePeopleAnswer = Type.Object({
  deleted_jobs: described(Count, '1 when the clustering itself was removed.'),
  deleted_clusters: described(Count, 'Clusters that were removed.'),
  deleted_faces: described(Count, 'Faces that were taken out of the clustering.'),
  removed_faces: described(
    Count,
    'Of these, faces whose vector and pictures are removed: no other clustering has them.',
  ),
  message: described(Type.String(), 'What that means, and when their bytes leave the disk.'),
});
export type DeletePeopleAnswer = Static<typeof DeletePeopleAnswer>;

const SeenIn = Type.Object({
  media_path: described(Type.String(), 'The path at which the file was seen last.'),
  hash_str: described(Type.String(), 'Content hash; copies have the same.'),
  faces: described(Count, 'Faces of the cluster in this file.'),
  ranges: described(
    Type.Array(Type.Tuple([Type.Number(), Type.Number()])),
    'Half-open, in seconds from the start; usable unchanged in `segments_to_frame_indices`.',
  ),
});

const Appearance = Type.Object({
  cluster_id: Type.String(),
  name: described(Type.String(), 'Empty without a name.'),
  media: described(Type.Array(SeenIn), 'Files in which the person is seen.'),
});

export const AppearancesAnswer = Type.Object({
  cluster_job_name: Type.String(),
  people: described(Type.Array(Appearance), 'One for each cluster.'),
});
export type AppearancesAnswer = Static<typeof AppearancesAnswer>;

interface JobRequest {
  readonly cache_dir: string;
  readonly cluster_job_name: string;
}
export interface SamplesRequest extends JobRequest {
  readonly limit_per_cluster: number;
  readonly min_cluster_size: number;
  readonly max_cluster_size: number;
  readonly max_clusters: number;
  readonly include_noise: boolean;
}
export interface ClusterFacesRequest extends JobRequest {
  readonly cluster_ids: readonly string[];
  readonly limit: number;
  readonly offset: number;
  readonly include_entry_ids: boolean;
}
export interface NamesRequest extends JobRequest {
  readonly assignments: readonly { readonly cluster_id: string; readonly name: string | null }[];
}
export interface ModifyRequest extends JobRequest {
  readonly merges: readonly {
    readonly cluster_ids: readonly string[];
    readonly target_cluster_id?: string;
  }[];
  readonly moves: readonly {
    readonly from_cluster_id: string;
    /** Null: they are somebody else, a new cluster. */
    readonly to_cluster_id: string | null;
    readonly entry_ids: readonly string[];
  }[];
  readonly apart?: readonly { readonly cluster_ids: readonly string[] }[];
}
export interface SuggestClustersRequest extends JobRequest {
  /** Left out: any pair. */
  readonly cluster_id?: string;
  /** Also pairs of clusters that have two names. */
  readonly other_names: boolean;
  readonly limit: number;
  readonly limit_per_cluster: number;
}
export interface ReclusterRequest extends JobRequest {
  readonly eps: number;
  readonly min_samples: number;
  readonly auto_detect_params: boolean;
  readonly clear_names: boolean;
}
export interface DeletePeopleRequest extends JobRequest {
  /** Null, and no `person_name`: the whole clustering. */
  readonly cluster_id: string | null;
  /** Every cluster of this name. */
  readonly person_name?: string | null;
}
export interface AppearancesRequest extends JobRequest {
  /** Names or ids; empty: everybody who has a name. */
  readonly people: readonly string[];
}

/** The coordinator of people. Whatever it is asked goes before analysis work. */
export interface People {
  jobs(cacheDir: string, signal?: AbortSignal): Promise<FaceClusterJobs>;
  samples(request: SamplesRequest, signal?: AbortSignal): Promise<ClusterSamplesAnswer>;
  faces(request: ClusterFacesRequest, signal?: AbortSignal): Promise<ClusterFacesAnswer>;
  name(request: NamesRequest, signal?: AbortSignal): Promise<NamesAnswer>;
  modify(request: ModifyRequest, signal?: AbortSignal): Promise<ModifyAnswer>;
  /** Takes the last `modify` back. */
  undo(request: JobRequest, signal?: AbortSignal): Promise<FaceClusterJob>;
  /** Pairs of clusters that may be one person. LEGACY_STORAGE, UNKNOWN_CLUSTER_JOB, UNKNOWN_CLUSTER. */
  suggest(request: SuggestClustersRequest, signal?: AbortSignal): Promise<SuggestedClusters>;
  /** Starts a task. ANOTHER_TASK while one runs, LEGACY_STORAGE, UNKNOWN_CLUSTER_JOB. */
  recluster(request: ReclusterRequest, signal?: AbortSignal): Promise<{ readonly task_id: string }>;
  remove(request: DeletePeopleRequest, signal?: AbortSignal): Promise<DeletePeopleAnswer>;
  appearances(request: AppearancesRequest, signal?: AbortSignal): Promise<AppearancesAnswer>;
}
