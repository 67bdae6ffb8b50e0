// Faces: clusterings of them with pictures, names, corrections, removal, and where somebody is seen.
import { Type } from 'typebox';
import { TaskId } from '../../actors/analysis/schemas.ts';
import { mostNameLetters } from '../../actors/index/people/person-name.ts';
import { CacheDir } from '../../actors/index/store/contract.ts';
import {
  AppearancesAnswer,
  ClusterFacesAnswer,
  ClusterSamplesAnswer,
  DeletePeopleAnswer,
  FaceClusterJob,
  FaceClusterJobs,
  ModifyAnswer,
  NamesAnswer,
  SuggestedClusters,
} from '../../actors/library/people/contract.ts';
import {
  AppearancesRequest,
  ClusterFacesRequest,
  DeletePeopleRequest,
  JobRequest,
  ModifyRequest,
  NamesRequest,
  ReclusterRequest,
  SamplesRequest,
  SuggestClustersRequest,
} from '../../actors/library/people/requests/contract.ts';
import { Message } from '../../runtime/schema.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Faces';

const lasting =
  'Corrections are stored with the faces they concern. They remain in effect when the faces are ' +
  'clustered again, when media are added, and when a file is analysed again.';
const unknownJob = 'Returns 404 if the clustering does not exist, with a suggestion for the name.';
const bounded =
  'A response contains at most 256 MiB of pictures. Pictures that do not fit are omitted, starting ' +
  'with those of the last clusters, and `warning` says so.';

export const faceClusters = route({
  method: 'GET',
  path: '/api/v1/faces/clusters',
  id: 'faceClusters',
  tag,
  summary: 'List the face clusterings of an analysis folder',
  description:
    'The clusterings are sorted by name. A folder that does not exist yet has none. Clusterings with ' +
    'damaged records are omitted and listed in `warning`. A clustering with a `face_storage_version` ' +
    'below 2 can be read and named, but not changed in other ways.',
  query: Type.Object({ cache_dir: CacheDir }),
  answers: { 200: FaceClusterJobs },
  handle: async ({ query, signal }, { people }) => reply(200, await people.jobs(query.cache_dir, signal)),
});

export const clusterSamples = route({
  method: 'POST',
  path: '/api/v1/faces/clusters/samples',
  id: 'clusterSamples',
  tag,
  summary: 'List the clusters of a clustering with sample faces',
  description:
    'Clusters are sorted by size, largest first. Sharp, large and frontal faces come first, from ' +
    'different media if possible. Pictures are read from the analysis folder; the footage is not opened. ' +
    '`noise_size` and `noise_sample` are returned with `include_noise`. If there is no saved face data, ' +
    `the response contains only \`warning\`. ${bounded}`,
  body: SamplesRequest,
  answers: { 200: ClusterSamplesAnswer },
  handle: async ({ body, signal }, { people }) => reply(200, await people.samples(body, signal)),
});

export const clusterFaces = route({
  method: 'POST',
  path: '/api/v1/faces/clusters/faces',
  id: 'clusterFaces',
  tag,
  summary: 'List the faces of clusters, page by page',
  description:
    'One of `cluster_ids` and `cluster_id` is required; `cluster_ids` takes precedence unless it is ' +
    'empty. Pages apply to each cluster separately: `available_faces` is the number of pictures ' +
    'available for paging, and `size` is the number of faces. Clusters are returned in the order of ' +
    'their ids. `warning` lists unknown ids, and the other clusters are returned. If there is no saved ' +
    `cluster data, \`clusters\` is empty and \`warning\` says so. ${bounded}`,
  body: ClusterFacesRequest,
  answers: { 200: ClusterFacesAnswer },
  handle: async ({ body, signal }, { people }) => reply(200, await people.faces(body, signal)),
});

export const nameClusters = route({
  method: 'PUT',
  path: '/api/v1/faces/clusters/names',
  id: 'nameClusters',
  tag,
  summary: 'Name clusters',
  description:
    'Stores either all assignments or none: an unknown cluster id returns 400. An empty or null name ' +
    `removes the name. A name can have at most ${mostNameLetters} characters and no control characters. ` +
    'White space around it is removed, and white space inside it is replaced by single spaces. Clusters ' +
    'with the same name are the same person. When faces are clustered again, a name stays with the ' +
    'cluster that contains most of the faces it was given to. This works for clusterings of every ' +
    `format. ${unknownJob}`,
  body: NamesRequest,
  answers: { 200: NamesAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { people }) => reply(200, await people.name(body, signal)),
});

export const modifyClusters = route({
  method: 'POST',
  path: '/api/v1/faces/clusters/modify',
  id: 'modifyClusters',
  tag,
  summary: 'Merge clusters, move faces, and mark clusters as different people',
  description:
    'Applies merges first, then moves, then `apart`, and either all of them or none. Returns 400 if ' +
    'there are none or if they contradict each other. A merge says that the clusters are the same ' +
    'person. A move says that faces belong to another cluster, or to a person who has no cluster yet, ' +
    'which creates a new cluster. `apart` says that two clusters are different people: they are not ' +
    `suggested again, and if a later clustering joins them, they are split. ${lasting} POST ` +
    `/faces/clusters/undo undoes the last request. ${unknownJob} Returns 409 for a clustering of an ` +
    'older format.',
  body: ModifyRequest,
  answers: { 200: ModifyAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { people }) => reply(200, await people.modify(body, signal)),
});

export const undoClusters = route({
  method: 'POST',
  path: '/api/v1/faces/clusters/undo',
  id: 'undoClusters',
  tag,
  summary: 'Undo the last corrections of a clustering',
  description:
    'Undoes the last POST /faces/clusters/modify, unless faces have been clustered since, and returns ' +
    `the resulting clustering. Returns 409 if there is nothing to undo. ${unknownJob}`,
  body: JobRequest,
  answers: { 200: FaceClusterJob, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { people }) => reply(200, await people.undo(body, signal)),
});

export const recluster = route({
  method: 'POST',
  path: '/api/v1/faces/recluster',
  id: 'recluster',
  tag,
  summary: 'Cluster the faces of a clustering again',
  description:
    'Starts a task like POST /analyze: join the event room `task_id`, or poll GET /tasks/{task_id}. No ' +
    `media is opened. Clusters keep their ids as long as most of their faces stay. ${lasting} Names stay ` +
    'with the cluster that contains most of the named faces, unless `clear_names` is set. The last event ' +
    `reports what was kept and which corrections contradict each other. ${unknownJob} Returns 409 if ` +
    'another task is running, which is not stopped, and for a clustering of an older format.',
  body: ReclusterRequest,
  answers: {
    202: Type.Object({ message: Message, task_id: TaskId }),
    404: ErrorBody,
    409: ErrorBody,
    503: ErrorBody,
  },
  handle: async ({ body, signal }, { people }) => {
    const { task_id } = await people.recluster(body, signal);
    return reply(202, { message: 'Clustering started', task_id });
  },
});

export const suggestClusters = route({
  method: 'POST',
  path: '/api/v1/faces/suggest',
  id: 'suggestClusters',
  tag,
  summary: 'Suggest clusters that may be the same person',
  description:
    'Pairs are sorted by similarity, most similar first. The similarity is that of the best pairs among ' +
    'a few good faces of each cluster, not a mean of all faces. Pairs that a correction marked as ' +
    'different are omitted, as are clusters with the same name, which are already the same person, and ' +
    'clusters with two different names unless `other_names` is set. To answer a suggestion, send a merge ' +
    'or `apart` to POST /faces/clusters/modify; it is then not suggested again. No media is opened. ' +
    `${unknownJob} Returns 409 for a clustering of an older format. ${bounded}`,
  body: SuggestClustersRequest,
  answers: { 200: SuggestedClusters, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { people }) => reply(200, await people.suggest(body, signal)),
});

export const deletePeople = route({
  method: 'POST',
  path: '/api/v1/faces/clusters/delete',
  id: 'deletePeople',
  tag,
  summary: 'Delete a clustering, or a person from it',
  description:
    'Deletes the whole clustering if neither `cluster_id` nor `person_name` is given. A name selects all ' +
    'clusters with this name. The vectors and pictures of faces that are in no other clustering are no ' +
    'longer used, and the next compaction deletes them from the disk. Other faces stay stored and come ' +
    'back when this clustering is clustered again. The footage itself is not changed. A deletion cannot ' +
    'be undone, but an analysis with `force` finds the faces again. Returns 400 for an unknown person, ' +
    `with a suggestion for the name. ${unknownJob}`,
  body: DeletePeopleRequest,
  answers: { 200: DeletePeopleAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { people }) => reply(200, await people.remove(body, signal)),
});

export const appearances = route({
  method: 'POST',
  path: '/api/v1/faces/appearances',
  id: 'appearances',
  tag,
  summary: 'List where and when people appear',
  description:
    'Returns the media in which each of these clusters has faces, with ranges of seconds. A still has ' +
    'the range `[0, 1]`. A name that several clusters have yields an entry for each. Returns 400 for an ' +
    'unknown person, with a suggestion for the name. ' +
    unknownJob,
  body: AppearancesRequest,
  answers: { 200: AppearancesAnswer, 404: ErrorBody },
  handle: async ({ body, signal }, { people }) => reply(200, await people.appearances(body, signal)),
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
