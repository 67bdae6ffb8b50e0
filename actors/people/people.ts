// The coordinator of people: shows clusterings of faces, takes names and corrections, and says where somebody is seen.
import { Semaphore } from '../../runtime/sync/semaphore.ts';
import { ownEpsOf } from '../models/face-distance.ts';
import { appearances } from './appearances.ts';
import { checkedAssignments, realChanges } from './assignments.ts';
import type { People } from './contract.ts';
import { checkedCorrections } from './corrections.ts';
import { changeableJob, jobOf, now, type PeopleParts } from './parts.ts';
import { recluster } from './recluster.ts';
import { removePeople } from './remove.ts';
import { clusterFaces, clusterSamples } from './samples.ts';
import { shownJob } from './shown-job.ts';
import { suggestClusters } from './suggestions.ts';

/** Fewer than the index keeps open: with more each would end another one before its next step, and none would get done. */
const mostComparisons = 4;

export function createPeople(given: PeopleParts): People {
  const parts = { pictures: new Semaphore(1), comparisons: new Semaphore(mostComparisons), ...given };
  const { index } = parts;
  return {
    jobs: async (cache_dir, signal) => {
      const { jobs, unreadable } = await index.ask('cluster_jobs', { cache_dir }, now(signal));
      const ownEps = await ownEpsOf(parts.modelLibrary);
      return {
        cluster_jobs: jobs.map(({ name }) => name),
        jobs: jobs.map((job) => shownJob(job, ownEps(job.model_key))),
        ...(unreadable.length > 0 && { warning: `Damaged and skipped: ${unreadable.join(', ')}` }),
      };
    },
    samples: (request, signal) => clusterSamples(parts, request, signal),
    faces: (request, signal) => clusterFaces(parts, request, signal),
    name: async (request, signal) => {
      const { cache_dir, cluster_job_name } = request;
      const job = await jobOf(parts, request, signal);
      const assignments = checkedAssignments(job, request.assignments);
      const asked = { cache_dir, cluster_job_name, assignments };
      const changes = realChanges(job, (await index.ask('name_clusters', asked, now(signal))).changes);
      return { updated: Object.keys(changes).length, changes };
    },
    modify: async (request, signal) => {
      const { cache_dir, cluster_job_name } = request;
      const corrections = checkedCorrections(await changeableJob(parts, request, signal), request);
      return index.ask('modify_clusters', { cache_dir, cluster_job_name, ...corrections }, now(signal));
    },
    undo: async ({ cache_dir, cluster_job_name }, signal) => {
      await jobOf(parts, { cache_dir, cluster_job_name }, signal);
      const { job } = await index.ask('undo_clusters', { cache_dir, cluster_job_name }, now(signal));
      return shownJob(job, (await ownEpsOf(parts.modelLibrary))(job.model_key));
    },
    recluster: (request, signal) => recluster(parts, request, signal),
    suggest: (request, signal) => suggestClusters(parts, request, signal),
    remove: (request, signal) => removePeople(parts, request, signal),
    appearances: (request, signal) => appearances(parts, request, signal),
  };
}
