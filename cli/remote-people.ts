// The faces and people of a running service, asked over its API.
import type {
  AppearancesAnswer,
  AppearancesRequest,
  ClusterFacesAnswer,
  ClusterFacesRequest,
  ClusterSamplesAnswer,
  DeletePeopleAnswer,
  DeletePeopleRequest,
  FaceClusterJob,
  FaceClusterJobs,
  ModifyAnswer,
  ModifyRequest,
  NamesAnswer,
  NamesRequest,
  ReclusterRequest,
  SamplesRequest,
} from '../actors/people/contract.ts';
import type { CallOptions, Client } from '../http/client/client.ts';
import type { PeopleBackend } from './backend.ts';
import type { Context } from './context.ts';
import { followTask } from './remote-task.ts';

/** The same work with errors that a person can do something about. */
export type Explained = <A extends readonly unknown[], T>(
  work: (...args: A) => Promise<T>,
) => (...args: A) => Promise<T>;

type Call<I, O> = (input: I, options: CallOptions) => Promise<O>;

/** The methods of the client that are asked here. */
interface PeopleRoutes {
  readonly faceClusters: Call<{ readonly cache_dir: string }, FaceClusterJobs>;
  readonly clusterSamples: Call<SamplesRequest, ClusterSamplesAnswer>;
  readonly clusterFaces: Call<ClusterFacesRequest, ClusterFacesAnswer>;
  readonly nameClusters: Call<NamesRequest, NamesAnswer>;
  readonly modifyClusters: Call<ModifyRequest, ModifyAnswer>;
  readonly undoClusters: Call<Pick<NamesRequest, 'cache_dir' | 'cluster_job_name'>, FaceClusterJob>;
  readonly recluster: Call<ReclusterRequest, { readonly task_id: string }>;
  readonly deletePeople: Call<
    Omit<DeletePeopleRequest, 'cluster_id'> & { readonly cluster_id?: string },
    DeletePeopleAnswer
  >;
  readonly appearances: Call<AppearancesRequest, AppearancesAnswer>;
}

export function remotePeople(client: Client, explained: Explained, context: Context): PeopleBackend {
  const routes = client as unknown as PeopleRoutes;
  const { signal } = context;
  // Asked once: what a task works on is told at once, not waited for.
  const asked = { signal };
  return {
    jobs: explained((cache_dir: string) => routes.faceClusters({ cache_dir }, asked)),
    samples: explained((request) => routes.clusterSamples(request, asked)),
    faces: explained((request) => routes.clusterFaces(request, asked)),
    name: explained((request) => routes.nameClusters(request, asked)),
    modify: explained((request) => routes.modifyClusters(request, asked)),
    undo: explained((request) => routes.undoClusters(request, asked)),
    recluster: explained(async (request, view) => {
      const { task_id } = await routes.recluster(request, asked);
      return followTask(client, task_id, view, context);
    }),
    remove: explained(({ cluster_id, ...request }) =>
      routes.deletePeople({ ...request, ...(cluster_id !== null && { cluster_id }) }, asked),
    ),
    appearances: explained((request) => routes.appearances(request, asked)),
  };
}
