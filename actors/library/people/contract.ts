// People as clients ask for them: clusterings of faces, their clusters with pictures, names, corrections and
// where somebody is seen, with the fields of the API.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { described, field, named, nullable } from '../../../runtime/schema.ts';
import type {
  AppearancesRequest,
  ClusterFacesRequest,
  DeletePeopleRequest,
  JobRequest,
  ModifyRequest,
  NamesRequest,
  ReclusterRequest,
  SamplesRequest,
  SuggestClustersRequest,
} from './requests/contract.ts';

/** Errors of the request itself; the index has those about the clustering. */
export const peopleRequestErrors = errorTable({
  NAMED_TWICE: { meaning: 'The request gives one cluster two names', status: 400 },
  NO_CORRECTION: { meaning: 'The request contains no corrections', status: 400 },
  WHICH_PERSON: { meaning: 'The request must name one person only', status: 400 },
  WHICH_CLUSTER: { meaning: 'The request must name a cluster', status: 400 },
});

const Count = Type.Integer({ minimum: 0 });
const Jpeg = described(Type.String(), 'A base64 JPEG.');

export const FaceClusterJob = named(
  'FaceClusterJob',
  Type.Object({
    name: described(Type.String(), 'Name of the clustering.'),
    total_entries: described(Count, 'Number of faces found in its media.'),
    num_clusters: described(Count, 'Number of clusters.'),
    noise_entries: described(Count, 'Number of faces in no cluster.'),
    cluster_ids: described(
      Type.Array(Type.String()),
      'Ids of the clusters. A cluster keeps its id as long as most of its faces stay.',
    ),
    face_storage_version: described(
      Count,
      'Storage format: 2 is the current format; 1 can only be read and named.',
    ),
    media_hashes: described(
      Type.Array(Type.String()),
      'Hashes of the media whose faces belong to the clustering.',
    ),
    model_key: described(Type.String(), 'Detector and embedder that found the faces.'),
    eps: described(
      Type.Number(),
      '`eps` of the last clustering, as requested or determined. 0.48 is the usual value with every model.',
    ),
    used_eps: described(Type.Number(), 'The cosine distance that `eps` corresponds to with its model.'),
    min_samples: described(Count, 'Smallest number of similar faces that make a cluster.'),
    names: described(Type.Record(Type.String(), Type.String()), 'Names by cluster id.'),
    can_undo: described(Type.Boolean(), 'Whether the last correction can be undone.'),
    clustered: described(
      nullable(Type.Number()),
      'When the faces were clustered, as a Unix time in seconds; null if unknown.',
    ),
  }),
);
export type FaceClusterJob = Static<typeof FaceClusterJob>;

export const FaceClusterJobs = Type.Object({
  cluster_jobs: described(Type.Array(Type.String()), 'Names of the clusterings.'),
  jobs: described(Type.Array(FaceClusterJob), 'The clusterings, in the same order.'),
  warning: Type.Optional(described(Type.String(), 'Warning about clusterings that cannot be read.')),
});
export type FaceClusterJobs = Static<typeof FaceClusterJobs>;

const ClusterSample = Type.Object({
  cluster_id: described(Type.String(), 'Id of the cluster.'),
  name: described(Type.String(), 'Name of the person; empty if there is none.'),
  size: described(Count, 'Number of faces in the cluster.'),
  sample_faces: described(Type.Array(Jpeg), 'The best faces of the cluster.'),
});

export const ClusterSamplesAnswer = Type.Union([
  Type.Object({
    cluster_job_name: field('Name of the face clustering.', Type.String()),
    num_clusters: described(Count, 'Number of clusters in the clustering.'),
    num_clusters_after_filter: described(Count, 'Number of clusters of the requested size.'),
    total_entries: described(Count, 'Number of faces in the clustering.'),
    clusters: described(Type.Array(ClusterSample), 'Largest first.'),
    noise_size: Type.Optional(described(Count, 'Number of faces in no cluster.')),
    noise_sample: Type.Optional(described(Type.Array(Jpeg), 'Some of the faces in no cluster.')),
    warning: Type.Optional(
      described(Type.String(), 'Warning about pictures that did not fit in this response.'),
    ),
  }),
  Type.Object({ warning: described(Type.String(), 'Says that there is no saved face data.') }),
]);
export type ClusterSamplesAnswer = Static<typeof ClusterSamplesAnswer>;

const FacesMore = {
  entry_ids: Type.Optional(
    described(Type.Array(Type.String()), 'Ids of the faces, for moves. Returned if requested.'),
  ),
  places: Type.Optional(
    described(
      Type.Array(
        Type.Object({
          hash_str: described(Type.String(), 'Content hash of the file. Copies have the same hash.'),
          media_path: nullable(described(Type.String(), 'Its path; null if the library has none any more.')),
          seconds: described(Type.Number({ minimum: 0 }), 'Seconds from the beginning; 0 for a still.'),
        }),
      ),
      'Where each face was found, in the order of `faces`. Returned if requested.',
    ),
  ),
};

export const ClusterFacesAnswer = Type.Object({
  cluster_job_name: field('Name of the face clustering.', Type.String()),
  limit: field('Maximum number of results on this page.', Count),
  offset: field('Number of results before this page.', Count),
  clusters: described(
    Type.Array(
      Type.Object({
        cluster_id: field('Id of a cluster: faces that belong to one person.', Type.String()),
        name: described(Type.String(), 'Name of the person; empty if there is none.'),
        size: described(Count, 'Number of faces in the cluster.'),
        available_faces: described(Count, 'Number of pictures available for paging.'),
        faces: described(Type.Array(Jpeg), 'A page of the faces of the cluster, best first.'),
        ...FacesMore,
      }),
    ),
    'Clusters in the requested order.',
  ),
  noise: Type.Optional(
    described(
      Type.Object({
        size: described(Count, 'Number of faces in no cluster.'),
        available_faces: described(Count, 'Number of pictures available for paging.'),
        faces: described(Type.Array(Jpeg), 'A page of the faces in no cluster, best first.'),
        ...FacesMore,
      }),
      'The faces in no cluster. Returned with `include_noise`.',
    ),
  ),
  warning: Type.Optional(
    described(
      Type.String(),
      'Warning about unknown clusters, pictures that did not fit, or missing face data.',
    ),
  ),
});
export type ClusterFacesAnswer = Static<typeof ClusterFacesAnswer>;

export const SuggestedClusters = Type.Object({
  suggestions: described(
    Type.Array(
      Type.Object({
        cluster_ids: described(Type.Array(Type.String()), 'Ids of the two clusters.'),
        names: described(
          Type.Array(Type.String()),
          'Names of the clusters in the same order; empty if there is none.',
        ),
        similarity: described(
          Type.Number({ minimum: 0, maximum: 1 }),
          'Similarity of their most similar faces. 0.5 is where the face model considers two faces to be the ' +
            'same person.',
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
    'Pairs sorted by similarity, most similar first.',
  ),
  warning: Type.Optional(
    described(
      Type.String(),
      'Warning about clusters that were not compared, or pictures that did not fit in this response.',
    ),
  ),
});
export type SuggestedClusters = Static<typeof SuggestedClusters>;

export const NamesAnswer = Type.Object({
  updated: described(Count, 'Number of clusters whose name changed.'),
  changes: described(
    Type.Record(Type.String(), Type.String()),
    'The new names by cluster id; empty if the name was removed.',
  ),
});
export type NamesAnswer = Static<typeof NamesAnswer>;

export const ModifyAnswer = Type.Object({
  merges: described(
    Type.Array(
      Type.Object({
        target_cluster_id: described(Type.String(), 'Id of the cluster that remains.'),
        cluster_ids: described(
          Type.Array(Type.String()),
          'Ids of the merged clusters, including the one that remains.',
        ),
        size: described(Count, 'Number of faces it now has.'),
      }),
    ),
    'One result for each requested merge.',
  ),
  moves: described(
    Type.Array(
      Type.Object({
        from: described(
          nullable(Type.String()),
          'Id of the previous cluster; null for faces that were in no cluster.',
        ),
        to: described(Type.String(), 'Id of the current cluster, which may be new.'),
        moved: described(Count, 'Number of moved faces.'),
      }),
    ),
    'One result for each requested move.',
  ),
  apart: described(
    Type.Array(
      Type.Object({
        cluster_ids: described(
          Type.Array(Type.String()),
          'The two clusters that are now marked as different people.',
        ),
      }),
    ),
    'One result for each requested pair.',
  ),
});
export type ModifyAnswer = Static<typeof ModifyAnswer>;

export const DeletePeopleAnswer = Type.Object({
  deleted_jobs: described(Count, '1 if the clustering itself was deleted, otherwise 0.'),
  deleted_clusters: described(Count, 'Number of deleted clusters.'),
  deleted_faces: described(Count, 'Number of faces removed from the clustering.'),
  removed_faces: described(
    Count,
    'Number of these faces whose vectors and pictures are deleted, because no other clustering contains ' +
      'them.',
  ),
  message: described(
    Type.String(),
    'A sentence that describes the result and says when the disk space is freed.',
  ),
});
export type DeletePeopleAnswer = Static<typeof DeletePeopleAnswer>;

const SeenIn = Type.Object({
  media_path: described(Type.String(), 'The path at which the file was last seen.'),
  hash_str: described(Type.String(), 'Content hash. Copies have the same hash.'),
  faces: described(Count, 'Number of faces of the cluster in this file.'),
  ranges: described(
    Type.Array(Type.Tuple([Type.Number(), Type.Number()])),
    'Half-open ranges in seconds from the beginning, for use in `segments_to_frame_indices`.',
  ),
});

const Appearance = Type.Object({
  cluster_id: field('Id of a cluster: faces that belong to one person.', Type.String()),
  name: described(Type.String(), 'Name of the person; empty if there is none.'),
  media: described(Type.Array(SeenIn), 'Files in which the person appears.'),
});

export const AppearancesAnswer = Type.Object({
  cluster_job_name: field('Name of the face clustering.', Type.String()),
  people: described(Type.Array(Appearance), 'One entry for each cluster.'),
});
export type AppearancesAnswer = Static<typeof AppearancesAnswer>;

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
