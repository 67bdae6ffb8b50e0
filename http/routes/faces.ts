// Faces: clusterings of them with pictures, names, corrections, clustering again, removal, and where somebody is seen.
import { Type } from 'typebox';
import { mostNameLetters } from '../../actors/index/people/person-name.ts';
import { epsMeaning, usualEps } from '../../actors/models/face-distance.ts';
import {
  AppearancesAnswer,
  ClusterFacesAnswer,
  ClusterSamplesAnswer,
  DeletePeopleAnswer,
  FaceClusterJob,
  FaceClusterJobs,
  ModifyAnswer,
  mostFacesOfPage,
  NamesAnswer,
  peopleRequestErrors,
  SuggestedClusters,
} from '../../actors/people/contract.ts';
import { defaulted, described, nullable, shown } from '../../runtime/schema.ts';
import { absolute, CacheDir } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Faces';

const Count = Type.Integer({ minimum: 0 });
const ClusterId = described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of a cluster.');
const EntryId = described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of a face.');
const FaceJob = {
  cache_dir: CacheDir,
  cluster_job_name: described(Type.String({ minLength: 1, maxLength: 1000 }), 'Name of the clustering.'),
};

/** The folder in its plain form. Throws PATH_NOT_ABSOLUTE. */
function inFolder<B extends { readonly cache_dir: string }>(body: B): B {
  return { ...body, cache_dir: absolute('cache_dir', body.cache_dir) };
}

const lasting =
  'Corrections are kept with the faces they speak of, so they hold when the faces are clustered again, when media are added and ' +
  'when a file is analysed again.';
const unknownJob = '404 when there is no such clustering, with the name that was probably meant.';
const bounded =
  'One answer holds at most 256 MiB of pictures; what does not fit is left out from the last clusters on, and `warning` says so.';

export const faceClusters = route({
  method: 'GET',
  path: '/api/v1/faces/clusters',
  id: 'faceClusters',
  tag,
  summary: 'All face clusterings of an analysis folder',
  description:
    'By name. A folder that is not there yet has none. Clusterings whose records are damaged are left out, and `warning` names ' +
    'them. One with a `face_storage_version` below 2 can be read and named, not changed otherwise.',
  query: Type.Object({ cache_dir: CacheDir }),
  answers: { 200: FaceClusterJobs },
  handle: async ({ query, signal }, { people }) =>
    reply(200, await people.jobs(absolute('cache_dir', query.cache_dir), signal)),
});

export const clusterSamples = route({
  method: 'POST',
  path: '/api/v1/faces/clusters/samples',
  id: 'clusterSamples',
  tag,
  summary: 'The clusters of a clustering with their best faces',
  description:
    'Largest clusters first; faces that are sharp, large and seen from the front first, of different media where there are. ' +
    'Pictures come from the analysis folder: the footage is not opened. `noise_size` and `noise_sample` are there with ' +
    `\`include_noise\`. Where there is no saved face data, the answer is \`warning\` alone. ${bounded}`,
  body: Type.Object({
    ...FaceJob,
    limit_per_cluster: defaulted(
      described(Type.Integer({ minimum: 0, maximum: mostFacesOfPage }), 'Faces of each cluster, at most.'),
      12,
    ),
    min_cluster_size: defaulted(described(Count, 'Only clusters of so many faces or more.'), 1),
    max_cluster_size: defaulted(described(Count, 'Only clusters of so many faces or fewer.'), 1_000_000_000),
    max_clusters: defaulted(
      described(Type.Integer({ minimum: 0, maximum: 100_000 }), 'Clusters to answer, at most.'),
      100,
    ),
    include_noise: defaulted(described(Type.Boolean(), 'Also faces that are in no cluster.'), false),
  }),
  answers: { 200: ClusterSamplesAnswer },
  handle: async ({ body, signal }, { people }) => reply(200, await people.samples(inFolder(body), signal)),
});

export const clusterFaces = route({
  method: 'POST',
  path: '/api/v1/faces/clusters/faces',
  id: 'clusterFaces',
  tag,
  summary: 'The faces of clusters, a page at a time',
  description:
    '`cluster_ids` goes before `cluster_id` unless it is empty; one of them is needed. The page counts for each cluster by ' +
    'itself: `available_faces` says how many pictures there are to page through, `size` how many faces. Clusters come in the order ' +
    'of their ids; ids that are no cluster are named by `warning`, and the others are answered. Where there is no saved ' +
    `cluster data, \`clusters\` is empty and \`warning\` says so. ${bounded}`,
  body: Type.Object({
    ...FaceJob,
    cluster_id: Type.Optional(shown(ClusterId, 'c1')),
    cluster_ids: defaulted(
      described(Type.Array(ClusterId, { maxItems: 10_000 }), 'Ids of several clusters.'),
      [],
    ),
    limit: defaulted(
      described(Type.Integer({ minimum: 0, maximum: mostFacesOfPage }), 'Faces of each cluster, at most.'),
      500,
    ),
    offset: defaulted(described(Count, 'Faces of each cluster to leave out.'), 0),
    include_entry_ids: defaulted(
      described(Type.Boolean(), 'Adds `entry_ids`, aligned with `faces`: what moves name.'),
      false,
    ),
  }),
  answers: { 200: ClusterFacesAnswer },
  handle: async ({ body, signal }, { people }) => {
    const { cluster_id, ...request } = inFolder(body);
    if (request.cluster_ids.length > 0) return reply(200, await people.faces(request, signal));
    if (cluster_id === undefined) {
      const what = 'cluster_id or cluster_ids is needed';
      throw peopleRequestErrors.WHICH_CLUSTER(what, { field: 'cluster_id' });
    }
    return reply(200, await people.faces({ ...request, cluster_ids: [cluster_id] }, signal));
  },
});

export const nameClusters = route({
  method: 'PUT',
  path: '/api/v1/faces/clusters/names',
  id: 'nameClusters',
  tag,
  summary: 'Gives clusters the names of people',
  description:
    'Either all assignments are stored or none: an id that is no cluster is a 400. An empty name, or null, takes the name away. ' +
    `A name has at most ${mostNameLetters} letters and no control characters; white space around it is not kept, and that inside it becomes single spaces. Two clusters may have ` +
    'one name: they are one person then. A name stays with the cluster that holds most of the faces it was given to when they ' +
    `are clustered again. Works on clusterings of every format. ${unknownJob}`,
  body: Type.Object({
    ...FaceJob,
    assignments: described(
      Type.Array(
        Type.Object({
          cluster_id: ClusterId,
          name: nullable(
            described(
              Type.String({ maxLength: mostNameLetters }),
              'Name of the person; empty or null takes it away.',
            ),
          ),
        }),
        { maxItems: 10_000 },
      ),
      'Which cluster is who.',
    ),
  }),
  answers: { 200: NamesAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { people }) => reply(200, await people.name(inFolder(body), signal)),
});

const Merge = Type.Object({
  cluster_ids: described(
    Type.Array(ClusterId, { maxItems: 10_000 }),
    'Clusters that are one person: two or more.',
  ),
  target_cluster_id: Type.Optional(
    described(ClusterId, 'The one that stays, one of them; left out, one with a name, then the largest.'),
  ),
});
const Move = Type.Object({
  from_cluster_id: described(ClusterId, 'The cluster they are in.'),
  to_cluster_id: nullable(
    described(ClusterId, 'The cluster they belong to; null: a new one, which the answer names.'),
  ),
  entry_ids: described(
    Type.Array(EntryId, { maxItems: 100_000 }),
    'Faces, by the ids that POST /faces/clusters/faces answers with `include_entry_ids`.',
  ),
});

const Apart = Type.Object({
  cluster_ids: described(
    Type.Array(ClusterId, { minItems: 2, maxItems: 2 }),
    'Two clusters that are different people.',
  ),
});

export const modifyClusters = route({
  method: 'POST',
  path: '/api/v1/faces/clusters/modify',
  id: 'modifyClusters',
  tag,
  summary: 'Merges clusters, moves faces and holds clusters apart',
  description:
    'Merges first, then moves, then `apart`; all of them or none. 400 when there is none of them, and when one contradicts itself. ' +
    'A merge says that the clusters are one person, a move that the faces are not who they were taken for, but the other, or ' +
    'somebody who has no cluster yet, which is another one then, and ' +
    '`apart` that two clusters are different people: they are never suggested as one, and when they fall together they are taken in two again. ' +
    `${lasting} POST /faces/clusters/undo takes the last request back. ${unknownJob} ` +
    '409 for a clustering of an older format.',
  body: Type.Object({
    ...FaceJob,
    merges: defaulted(
      shown(described(Type.Array(Merge, { maxItems: 1000 }), 'Clusters to merge.'), [
        { cluster_ids: ['c1', 'c2'] },
      ]),
      [],
    ),
    moves: defaulted(described(Type.Array(Move, { maxItems: 1000 }), 'Faces to move.'), []),
    apart: defaulted(described(Type.Array(Apart, { maxItems: 1000 }), 'Clusters to hold apart.'), []),
  }),
  answers: { 200: ModifyAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { people }) => reply(200, await people.modify(inFolder(body), signal)),
});

export const undoClusters = route({
  method: 'POST',
  path: '/api/v1/faces/clusters/undo',
  id: 'undoClusters',
  tag,
  summary: 'Takes the last merges, moves and pairs held apart back',
  description:
    'Those of the last POST /faces/clusters/modify, while nothing was clustered since; the answer is the clustering as it is ' +
    `then. 409 when there is nothing to take back. ${unknownJob}`,
  body: Type.Object(FaceJob),
  answers: { 200: FaceClusterJob, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { people }) => reply(200, await people.undo(inFolder(body), signal)),
});

export const recluster = route({
  method: 'POST',
  path: '/api/v1/faces/recluster',
  id: 'recluster',
  tag,
  summary: 'Clusters the faces of a clustering again',
  description:
    'A task like those of POST /analyze: join the event room `task_id`, or ask GET /tasks/{task_id}. No media is opened. ' +
    'Clusters keep their ids while most of their faces stay. ' +
    `${lasting} Names follow the cluster that holds most of the named faces, unless \`clear_names\`. The last event says what was kept and which ` +
    `corrections contradict each other. ${unknownJob} 409 while another task runs, which is not stopped, and for a clustering of an older format.`,
  body: Type.Object({
    ...FaceJob,
    eps: defaulted(described(Type.Number({ minimum: 0, maximum: 2 }), epsMeaning), usualEps),
    min_samples: defaulted(
      described(Type.Integer({ minimum: 1 }), 'Faces near each other that begin a cluster.'),
      5,
    ),
    auto_detect_params: defaulted(
      described(
        Type.Boolean(),
        'Finds `eps` from the distances between the faces; the one that is given counts for nothing.',
      ),
      false,
    ),
    clear_names: defaulted(described(Type.Boolean(), 'Takes all names away.'), false),
  }),
  answers: {
    202: Type.Object({ message: Type.String(), task_id: Type.String() }),
    404: ErrorBody,
    409: ErrorBody,
    503: ErrorBody,
  },
  handle: async ({ body, signal }, { people }) => {
    const { task_id } = await people.recluster(inFolder(body), signal);
    return reply(202, { message: 'Clustering started', task_id });
  },
});

export const suggestClusters = route({
  method: 'POST',
  path: '/api/v1/faces/suggest',
  id: 'suggestClusters',
  tag,
  summary: 'Pairs of clusters that may be one person',
  description:
    'Most alike first. What counts are the best pairs of a few good faces of each, not a mean of all. Left out are pairs that ' +
    'a correction holds apart, clusters of one name, which are one person already, and clusters of two names unless ' +
    '`other_names`. Say that they are one person with a merge of POST /faces/clusters/modify, and that they are not with its ' +
    '`apart`: then nobody is asked again. No media is opened. ' +
    `${unknownJob} 409 for a clustering of an older format. ${bounded}`,
  body: Type.Object({
    ...FaceJob,
    cluster_id: Type.Optional(described(ClusterId, 'Only pairs with this cluster; left out, any.')),
    other_names: defaulted(described(Type.Boolean(), 'Also pairs of clusters that have two names.'), false),
    limit: defaulted(described(Type.Integer({ minimum: 1, maximum: 200 }), 'Pairs to answer, at most.'), 20),
    limit_per_cluster: defaulted(
      described(Type.Integer({ minimum: 0, maximum: 24 }), 'Faces of each cluster, at most.'),
      3,
    ),
  }),
  answers: { 200: SuggestedClusters, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { people }) => reply(200, await people.suggest(inFolder(body), signal)),
});

export const deletePeople = route({
  method: 'POST',
  path: '/api/v1/faces/clusters/delete',
  id: 'deletePeople',
  tag,
  summary: 'Removes a clustering, or one person of it',
  description:
    'With neither `cluster_id` nor `person_name` the whole clustering. A name that several clusters have means them all. ' +
    'Faces that no other clustering has lose vector and pictures: nothing reads them any more, and their bytes leave the disk with the ' +
    'next compaction. Others stay stored, and come back when this clustering is clustered again. Nothing of the footage itself is touched, and nobody can undo it: an analysis with `force` finds the faces again. ' +
    `400 for an unknown person, with the name that was probably meant. ${unknownJob}`,
  body: Type.Object({
    ...FaceJob,
    cluster_id: Type.Optional(ClusterId),
    person_name: Type.Optional(
      shown(described(Type.String({ minLength: 1, maxLength: mostNameLetters }), 'Name of a person.'), 'Ann'),
    ),
  }),
  answers: { 200: DeletePeopleAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { people }) => {
    const { cluster_id = null, person_name = null, ...request } = inFolder(body);
    return reply(200, await people.remove({ ...request, cluster_id, person_name }, signal));
  },
});

export const appearances = route({
  method: 'POST',
  path: '/api/v1/faces/appearances',
  id: 'appearances',
  tag,
  summary: 'In which media, and when, people are seen',
  description:
    'For each cluster that is meant the media in which it has faces, with ranges of seconds. A still is `[0, 1]`. A name that ' +
    'several clusters have gives an entry for each. 400 for an unknown person, with the name that was probably meant. ' +
    unknownJob,
  body: Type.Object({
    ...FaceJob,
    people: defaulted(
      described(
        Type.Array(
          described(
            Type.String({ minLength: 1, maxLength: mostNameLetters }),
            'A name, or the id of a cluster.',
          ),
          {
            maxItems: 1000,
          },
        ),
        'Who; empty: everybody who has a name.',
      ),
      [],
    ),
  }),
  answers: { 200: AppearancesAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { people }) =>
    reply(200, await people.appearances(inFolder(body), signal)),
});

export const faceRoutes: readonly Route[] = [
  faceClusters,
  clusterSamples,
  clusterFaces,
  nameClusters,
  modifyClusters,
  undoClusters,
  suggestClusters,
  recluster,
  deletePeople,
  appearances,
];
