// The people of the fake index: faces by content, and clusterings in plain maps that a test looks into.
import type { indexContract } from '../../../actors/index/contract.ts';
import { type ClusterJob, peopleErrors } from '../../../actors/index/people/contract.ts';
import type { Handlers } from '../../../runtime/actor.ts';
import { dimensions, type Entry, type FacesWorld, told } from './fake-faces.ts';

interface Kept {
  readonly entries: Entry[];
  readonly frames: number;
  readonly next: number;
  /** Under which it was kept. */
  readonly settings: string | undefined;
}

interface OpenStage {
  readonly settings: string | undefined;
  readonly key: string;
  readonly hash: string;
  readonly entries: Entry[];
  frames: number;
}

interface OpenClustering {
  readonly job: string;
  readonly model: string;
  readonly hashes: readonly string[];
  readonly entries: readonly Entry[];
  readonly min_samples: number;
}

type PeopleHandlers = Partial<Handlers<typeof indexContract>>;
const notFaked = () => {
  throw new Error('is not faked');
};

const keyOf = (model: string, hash: string) => `${model} ${hash}`;

export function peopleHandlers(world: FacesWorld) {
  return told(world, { ...stageHandlers(world), ...jobHandlers(world), ...otherHandlers(world) });
}

function stageHandlers(world: FacesWorld) {
  const stages = new Map<number, OpenStage>();
  const keptSpans = new Map<string, Kept>();
  let last = 0;
  return {
    faces_stored: ({ hashes, model_key }) => ({
      faces: hashes.map((hash) => world.stored.get(keyOf(model_key, hash))?.length ?? null),
      from_previews: hashes.map((hash) => world.fromPreviews.has(keyOf(model_key, hash))),
    }),
    begin_faces: ({ hash_str, model_key, span }) => {
      const key = keyOf(model_key, hash_str);
      const before = keptSpans.get(key);
      const kept = span && before?.settings === span.settings ? before : undefined;
      const { entries, frames, next } = kept ?? { entries: [], frames: 0, next: 0 };
      stages.set(++last, { key, hash: hash_str, entries: [...entries], frames, settings: span?.settings });
      world.stages.add(last);
      return { stage: last, stored_frames: frames, next_frame: next };
    },
    append_faces: ({ stage, frames, vectors, keep }) => {
      const { entries, hash, key, settings } = stages.get(stage)!;
      let at = 0;
      for (const { frame_index, faces } of frames) {
        for (const _ of faces) {
          entries.push({ hash, frame: frame_index, vector: vectors.slice(at, at + dimensions) });
          at += dimensions;
        }
      }
      stages.get(stage)!.frames += frames.length;
      const next = (frames.at(-1)?.frame_index ?? -1) + 1;
      const { frames: amount } = stages.get(stage)!;
      if (keep) keptSpans.set(key, { entries: [...entries], frames: amount, next, settings });
      return {};
    },
    commit_faces: ({ stage, from_previews }) => {
      const { key, entries, frames } = stages.get(stage)!;
      world.stored.set(key, entries);
      if (from_previews) world.fromPreviews.add(key);
      else world.fromPreviews.delete(key);
      world.frames.push(frames);
      world.stages.delete(stage);
      return { faces: entries.length, kept_ids: 0 };
    },
    abort_faces: ({ stage }) => {
      world.stages.delete(stage);
      return {};
    },
    compact_faces: () => ({ done: true }),
  } satisfies PeopleHandlers;
}

function jobHandlers(world: FacesWorld) {
  const open = new Map<number, OpenClustering>();
  let last = 0;
  return {
    cluster_job: ({ cluster_job_name }) => ({ job: world.jobs.get(cluster_job_name) ?? null }),
    begin_clustering: ({ cluster_job_name: job, model_key, hashes, eps, min_samples, begun }) => {
      const before = world.jobs.get(job);
      if (!before && hashes.length === 0) throw peopleErrors.UNKNOWN_CLUSTER_JOB(job);
      const nothing = { entries: 0, missing: [], unreadable: [], digest: '', before: null };
      if (begun === undefined) {
        world.clusterings.add(++last);
        return { done: false, clustering: last, ...nothing };
      }
      const all = [...new Set([...(before?.media_hashes ?? []), ...hashes])];
      const missing = all.filter((hash) => !world.stored.has(keyOf(model_key, hash)));
      const entries = all.flatMap((hash) => world.stored.get(keyOf(model_key, hash)) ?? []);
      const known = world.labels.get(job);
      const labels = known?.key === JSON.stringify([eps, min_samples, model_key]) ? known.labels : null;
      open.set(begun, { job, model: model_key, hashes: all, entries, min_samples });
      return {
        done: true,
        clustering: begun,
        entries: entries.length,
        missing,
        unreadable: [],
        digest: '',
        before: labels && { labels, neighbours: new Int32Array(labels.length) },
      };
    },
    clustering_vectors: ({ clustering, from, most }) => {
      const page = open.get(clustering)!.entries.slice(from, from + most);
      return {
        vectors: new Float32Array(page.flatMap(({ vector }) => [...vector])),
        weak: new Uint8Array(page.length),
      };
    },
    commit_clustering: ({ clustering, labels, eps, clear_names }) => {
      if (world.changes > 0 && world.changes-- > 0) throw peopleErrors.CLUSTERING_CHANGED('faces came');
      world.commits++;
      const { job, model, hashes, min_samples } = open.get(clustering)!;
      const before = world.jobs.get(job);
      const clusters = Math.max(0, ...labels.map((label) => label + 1));
      const cluster_ids = Array.from({ length: clusters }, (_, i) => `c${i}`);
      const names = clear_names ? {} : (before?.names ?? {});
      const noise = labels.filter((label) => label < 0).length;
      const made: ClusterJob = {
        ...{ name: job, total_entries: labels.length, num_clusters: clusters, noise_entries: noise },
        ...{ cluster_ids, face_storage_version: 2, media_hashes: [...hashes], model_key: model },
        ...{ eps, min_samples, names, can_undo: false, clustered_ms: world.commits },
      };
      world.jobs.set(job, made);
      world.labels.set(job, { key: JSON.stringify([eps, min_samples, model]), labels: labels.slice() });
      const kept = { kept_clusters: before?.num_clusters ?? 0, kept_corrections: 0, conflicts: [] };
      const report = { clusters, faces: labels.length, noise, ...kept, kept_names: 0, lost_names: [] };
      return { report, cluster_ids, clusters: labels, names: cluster_ids.map((id) => names[id] ?? '') };
    },
    end_clustering: ({ clustering }) => {
      open.delete(clustering);
      world.clusterings.delete(clustering);
      return {};
    },
    name_clusters: ({ cluster_job_name, assignments }) => {
      const job = world.jobs.get(cluster_job_name)!;
      const changes = Object.fromEntries(assignments.map(({ cluster_id, name }) => [cluster_id, name]));
      world.jobs.set(cluster_job_name, { ...job, names: { ...job.names, ...changes } });
      return { changes };
    },
  } satisfies PeopleHandlers;
}

function otherHandlers(world: FacesWorld) {
  return {
    cluster_jobs: () => ({ jobs: [...world.jobs.values()], unreadable: [] }),
    modify_clusters: notFaked,
    undo_clusters: notFaked,
    suggest_clusters: notFaked,
    delete_people: notFaked,
    cluster_faces: notFaked,
    appearances: notFaked,
  } satisfies PeopleHandlers;
}
