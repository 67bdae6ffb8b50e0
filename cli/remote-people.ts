// The faces and people of a running service, asked over its API.
import type { Client } from '../http/client/client.ts';
import type { PeopleBackend } from './backend.ts';
import type { Context } from './context.ts';
import { followTask } from './remote-task.ts';

/** The same work with errors that a person can do something about. */
export type Explained = <A extends readonly unknown[], T>(
  work: (...args: A) => Promise<T>,
) => (...args: A) => Promise<T>;

export function remotePeople(client: Client, explained: Explained, context: Context): PeopleBackend {
  // Asked once: what a task works on is told at once, not waited for.
  const call = { signal: context.signal };
  return {
    jobs: explained((cache_dir: string) => client.faceClusters({ cache_dir }, call)),
    samples: explained((request) => client.clusterSamples(request, call)),
    faces: explained((request) => client.clusterFaces(request, call)),
    name: explained((request) => client.nameClusters(request, call)),
    modify: explained((request) => client.modifyClusters(request, call)),
    undo: explained((request) => client.undoClusters(request, call)),
    recluster: explained(async (request, view) => {
      const { task_id } = await client.recluster(request, call);
      return followTask(client, task_id, view, context);
    }),
    remove: explained(({ cluster_id, person_name: _, ...request }) =>
      client.deletePeople({ ...request, ...(cluster_id !== null && { cluster_id }) }, call),
    ),
    appearances: explained((request) => client.appearances(request, call)),
  };
}
