// An index that holds clusterings in memory: what the coordinator of people asks is checked against the
// contract, and so is every answer.
import assert from 'node:assert/strict';
import type { TSchema } from 'typebox';
import { Errors } from 'typebox/value';
import {
  type ClusterFaces,
  type ClusterJob,
  peopleErrors,
  peopleMessages,
} from '../../../../actors/index/people/contract.ts';
import type { PeopleParts } from '../../../../actors/library/people/parts.ts';
import type { AskOptions } from '../../../../runtime/ref.ts';

interface FakeCluster {
  readonly id: string;
  name: string;
  faces: string[];
}

export interface FakeJob {
  readonly name: string;
  readonly version: number;
  readonly clustered_ms: number;
  clusters: FakeCluster[];
  noise: string[];
  before: FakeCluster[] | null;
}

export interface FakeIndexOptions {
  /** Called with the folder of every message; throws what the store would. */
  look?(cache_dir: string): unknown;
  /** Of a face. */
  picture?(entry_id: string): Uint8Array<ArrayBuffer>;
}

export interface Asked {
  readonly name: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly options: AskOptions;
}

/** Faces are named after their cluster: `c1-0`, `c1-1`. */
export function fakeJob(
  name: string,
  sizes: Readonly<Record<string, number>>,
  more: Partial<FakeJob> = {},
): FakeJob {
  const clusters = Object.entries(sizes).map(([id, size]) => ({
    id,
    name: '',
    faces: Array.from({ length: size }, (_, i) => `${id}-${i}`),
  }));
  return {
    name,
    version: 2,
    clustered_ms: 1_700_000_000_500,
    clusters,
    noise: ['n-0', 'n-1'],
    before: null,
    ...more,
  };
}

export class FakeIndex {
  readonly asked: Asked[] = [];
  readonly unreadable: string[] = [];
  /** Of the faces of each deletion, so many are those of other clusterings, too. */
  shared = 0;
  /** Steps that compaction still takes. */
  garbage = 0;
  /** By folder. */
  readonly #jobs = new Map<string, FakeJob[]>();
  readonly #options: FakeIndexOptions;

  constructor(options: FakeIndexOptions = {}) {
    this.#options = options;
  }

  put(cache_dir: string, ...jobs: FakeJob[]): void {
    this.#jobs.set(cache_dir, jobs);
  }

  /** As the coordinator is handed it. */
  get ref(): PeopleParts['index'] {
    const ask = async (name: keyof typeof peopleMessages, request: never, options: AskOptions = {}) => {
      this.asked.push({ name, request, options });
      options.signal?.throwIfAborted();
      assertFits(peopleMessages[name].request, request, `the request ${name}`);
      await this.#options.look?.((request as { cache_dir: string }).cache_dir);
      const answer = this.#handle(name, request);
      assertFits(peopleMessages[name].reply, answer, `the answer of ${name}`);
      return answer;
    };
    return { ask } as unknown as PeopleParts['index'];
  }

  #handle(name: string, request: never): unknown {
    const handlers: Readonly<Record<string, (request: never) => unknown>> = {
      cluster_jobs: ({ cache_dir }: { cache_dir: string }) => ({
        jobs: (this.#jobs.get(cache_dir) ?? []).map(told),
        unreadable: this.unreadable,
      }),
      cluster_job: (named: Named) => {
        const job = this.#find(named);
        return { job: job ? told(job) : null };
      },
      cluster_faces: (input: FacesAsked) => this.#faces(input),
      name_clusters: (asked: Named & { assignments: { cluster_id: string; name: string }[] }) => {
        const job = this.#known(asked);
        for (const { cluster_id, name } of asked.assignments) clusterOf(job, cluster_id).name = name;
        return {
          changes: Object.fromEntries(asked.assignments.map(({ cluster_id, name }) => [cluster_id, name])),
        };
      },
      modify_clusters: (asked: Corrections) => modify(this.#known(asked), asked),
      undo_clusters: (named: Named) => {
        const job = this.#known(named);
        if (job.before === null) throw peopleErrors.NOTHING_TO_UNDO(job.name);
        [job.clusters, job.before] = [job.before, null];
        return { job: told(job) };
      },
      suggest_clusters: (asked: Named & { cluster_id: string | null }) => {
        const [one, other] = this.#known(asked).clusters.map(({ id }) => id);
        const pairs = one && other ? [{ cluster_ids: [one, other], cosine: 0.5 }] : [];
        return { done: true, comparison: 1, pairs, left_out: 0 };
      },
      delete_people: (asked: Named & { cluster_id: string | null }) => this.#delete(asked),
      compact_faces: () => ({ done: --this.garbage <= 0 }),
      appearances: (asked: Named & { clusters: string[] | null }) => {
        const { clusters } = this.#known(asked);
        const isMeant = ({ id, name }: FakeCluster) => asked.clusters?.includes(id) ?? name !== '';
        return { people: clusters.filter(isMeant).map(seen) };
      },
    };
    return handlers[name]!(request);
  }

  #find({ cache_dir, cluster_job_name }: Named): FakeJob | undefined {
    return this.#jobs.get(cache_dir)?.find(({ name }) => name === cluster_job_name);
  }

  #known(named: Named): FakeJob {
    const job = this.#find(named);
    if (!job) throw peopleErrors.UNKNOWN_CLUSTER_JOB(named.cluster_job_name);
    return job;
  }

  #faces(request: FacesAsked) {
    const job = this.#find(request);
    if (!job) return { job: null, matching: 0, clusters: [], noise: null, unknown: [] };
    const fits = job.clusters
      .filter(({ faces: { length } }) => length >= request.min_size && length <= request.max_size)
      .toSorted((a, b) => b.faces.length - a.faces.length);
    const wanted = request.clusters;
    const meant = wanted ? fits.filter(({ id }) => wanted.includes(id)) : fits.slice(0, request.max_clusters);
    const page = (cluster: FakeCluster) => this.#page(cluster, request);
    return {
      job: told(job),
      matching: fits.length,
      clusters: meant.map(page),
      noise: request.noise ? page({ id: '', name: '', faces: job.noise }) : null,
      unknown: (wanted ?? []).filter((id) => job.clusters.every((one) => one.id !== id)),
    };
  }

  #page({ id, name, faces }: FakeCluster, { offset, limit }: FacesAsked): ClusterFaces {
    const entry_ids = faces.slice(offset, offset + limit);
    const places = entry_ids.map((_, at) => ({ hash_str: 'aa', path: '/aa.jpg', frame_index: offset + at }));
    const picture = this.#options.picture ?? ((entry: string) => new TextEncoder().encode(entry));
    const cluster = { cluster_id: id, name, size: faces.length, available_faces: faces.length };
    return { ...cluster, faces: entry_ids.map(picture), entry_ids, places };
  }

  #delete(asked: Named & { cluster_id: string | null }) {
    const job = this.#known(asked);
    const { cluster_id } = asked;
    const gone = cluster_id === null ? job.clusters : [clusterOf(job, cluster_id)];
    const faces = gone.flatMap((one) => one.faces).length + (cluster_id === null ? job.noise.length : 0);
    job.clusters = job.clusters.filter((one) => !gone.includes(one));
    const kept = this.#jobs.get(asked.cache_dir)!.filter((one) => one !== job);
    if (cluster_id === null) this.#jobs.set(asked.cache_dir, kept);
    this.garbage = 3;
    return {
      jobs: cluster_id === null ? 1 : 0,
      clusters: gone.length,
      faces,
      faces_removed: faces - Math.min(faces, this.shared),
    };
  }
}

interface Named {
  readonly cache_dir: string;
  readonly cluster_job_name: string;
}
interface FacesAsked extends Named {
  readonly clusters: readonly string[] | null;
  readonly min_size: number;
  readonly max_size: number;
  readonly max_clusters: number;
  readonly offset: number;
  readonly limit: number;
  readonly noise: boolean;
}
interface Corrections extends Named {
  readonly merges: readonly { cluster_ids: string[]; target_cluster_id?: string }[];
  readonly moves: readonly {
    from_cluster_id: string | null;
    to_cluster_id: string | null;
    entry_ids: string[];
  }[];
  readonly apart?: readonly { cluster_ids: string[] }[];
}

function modify(job: FakeJob, { merges, moves, apart = [] }: Corrections) {
  if (job.version < 2) throw peopleErrors.LEGACY_STORAGE(job.name);
  job.before = structuredClone(job.clusters);
  const merged = merges.map(({ cluster_ids, target_cluster_id = cluster_ids[0]! }) => {
    const target = clusterOf(job, target_cluster_id);
    const others = cluster_ids.filter((id) => id !== target_cluster_id).map((id) => clusterOf(job, id));
    target.faces = [target, ...others].flatMap(({ faces }) => faces);
    job.clusters = job.clusters.filter((one) => !others.includes(one));
    return { target_cluster_id, cluster_ids, size: target.faces.length };
  });
  const moved = moves.map(({ from_cluster_id: from, to_cluster_id: to, entry_ids }) => {
    assert.ok(to !== null, 'clusters that are there');
    const target = clusterOf(job, to);
    const source = from === null ? job.noise : clusterOf(job, from).faces;
    const unknown = entry_ids.find((id) => !source.includes(id));
    if (unknown !== undefined) throw peopleErrors.UNKNOWN_FACE(unknown);
    const stay = source.filter((id) => !entry_ids.includes(id));
    if (from === null) job.noise = stay;
    else clusterOf(job, from).faces = stay;
    target.faces.push(...entry_ids);
    return { from, to, moved: entry_ids.length };
  });
  return { merges: merged, moves: moved, apart };
}

function clusterOf({ clusters }: FakeJob, wanted: string): FakeCluster {
  const found = clusters.find(({ id }) => id === wanted);
  if (!found) throw peopleErrors.UNKNOWN_CLUSTER(wanted);
  return found;
}

function told({ name, version, clusters, noise, clustered_ms, before }: FakeJob): ClusterJob {
  const faces = clusters.reduce((sum, one) => sum + one.faces.length, 0);
  return {
    name,
    total_entries: faces + noise.length,
    num_clusters: clusters.length,
    noise_entries: noise.length,
    cluster_ids: clusters.map(({ id }) => id),
    face_storage_version: version,
    media_hashes: ['aa'],
    model_key: 'faces',
    eps: 0.48,
    min_samples: 5,
    names: Object.fromEntries(clusters.flatMap(({ id, name }) => (name === '' ? [] : [[id, name]]))),
    can_undo: before !== null,
    clustered_ms,
  };
}

function seen({ id, name, faces }: FakeCluster) {
  const media = { hash_str: 'aa', media_path: '/f/a.mp4', faces: faces.length, ranges: [[0, faces.length]] };
  return { cluster_id: id, name, media: [media] };
}

function assertFits(schema: TSchema, value: unknown, what: string): void {
  const wrong = Errors(schema, value).map(({ instancePath, message }) => `${instancePath} ${message}`);
  assert.deepEqual(wrong, [], `${what} is not as the contract says`);
}
