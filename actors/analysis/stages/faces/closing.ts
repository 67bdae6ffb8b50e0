// The closing step of a job of faces: its faces are clustered into people, and those of whom there are
// samples are named.
import { createHash } from 'node:crypto';
import type { Reply } from '../../../../runtime/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import type { indexContract } from '../../../index/contract.ts';
import { type ClusterJob, peopleErrors } from '../../../index/people/contract.ts';
import { distanceOf, epsOf, ownEpsOf } from '../../../models/face-distance.ts';
import { analysisErrors, type WorkResult } from '../../contract.ts';
import type { StageJob } from '../kind.ts';
import type { FacesActor } from '../parts.ts';
import type { ClosingStep, ResultFacts } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import type { FaceFinder } from './file-faces.ts';
import type { ClusteringFacts } from './kind.ts';
import type { FaceJob } from './request.ts';
import { Clusterer, nameFromSamples } from './sample-naming.ts';

/** Paths named in a warning. */
const NAMED = 3;
/** Share of the clustering in the closing step; the rest is naming. */
const CLUSTERING = 0.9;

type Begun = Reply<typeof indexContract, 'begin_clustering'>;
/** `distance`: what was used. */
type Committed = Reply<typeof indexContract, 'commit_clustering'> & { readonly distance: number };

/** A job that stands as it is stored. */
interface Standing {
  readonly stored: ClusterJob;
  readonly modelEps: number;
}

export class FaceClosing implements ClosingStep {
  readonly #task: TaskContext;
  readonly #faces: FacesActor;
  /** Null where no file is looked at. */
  readonly #finder: FaceFinder | null;
  readonly #standing = new Map<string, Standing>();

  constructor(task: TaskContext, faces: FacesActor, finder: FaceFinder | null) {
    this.#task = task;
    this.#faces = faces;
    this.#finder = finder;
  }

  async keyOf({ name }: StageJob, results: readonly WorkResult[]): Promise<string> {
    const job = this.#jobOf(name);
    const { eps, min_samples, samples } = job;
    const model = this.#finder?.model.model_key ?? null;
    const before = (await this.#stored(job))?.media_hashes ?? [];
    const hashes = [...new Set([...before, ...hashesOf(results)])].sort();
    const whole = JSON.stringify([this.#task.request.cache_dir, model, eps, min_samples, samples, hashes]);
    const digest = createHash('sha256').update(whole).digest('hex').slice(0, 16);
    return `people of ${name} ${digest}`;
  }

  /** Requested repetitions and samples are done once in a task; the rest when anything has changed. */
  async isStored({ name }: StageJob, results: readonly WorkResult[]): Promise<boolean> {
    const job = this.#jobOf(name);
    const stored = await this.#stored(job);
    if (!stored) return false;
    const once = job.paths.length === 0 || job.samples.length > 0;
    if (once && !this.#task.run.earlier?.finished('faces', job.name)) return false;
    const modelEps = await this.#ownEps(stored.model_key);
    if (stored.min_samples !== job.min_samples) return false;
    if (job.eps !== null && stored.eps !== distanceOf(job.eps, modelEps)) return false;
    const hashes = hashesOf(results);
    const storedHashes = new Set(stored.media_hashes);
    if (hashes.some((hash) => !storedHashes.has(hash))) return false;
    if (job.paths.length > 0 && stored.model_key !== this.#finder?.model.model_key) return false;
    const { clustering, before, entries } = await this.#begin(job, hashes, stored.eps);
    await this.#end(clustering);
    const stands = entries === 0 || before?.labels.length === entries;
    if (stands) this.#standing.set(job.name, { stored, modelEps });
    return stands;
  }

  storedFacts({ name }: StageJob): ResultFacts {
    const standing = this.#standing.get(name ?? '');
    if (!standing) throw engineErrors.INTERNAL(`${name}: is not stored`);
    const { stored, modelEps } = standing;
    const { num_clusters: clusters, names, cluster_ids: _, ...details } = stored;
    const { model_key, eps: used_eps, min_samples, total_entries, noise_entries, media_hashes } = details;
    const clustering: ClusteringFacts = {
      ...{
        model_key,
        eps: epsOf(used_eps, modelEps),
        used_eps,
        min_samples,
        clusters,
        total_entries,
        noise_entries,
        media_hashes,
      },
      ...{ kept_clusters: clusters, kept_corrections: 0, conflicts: [], lost_names: [] },
      kept_names: Object.values(names).filter((clusterName) => clusterName !== '').length,
      sample_face_naming: null,
    };
    return { faces: null, clustering };
  }

  async work(
    { name }: StageJob,
    results: readonly WorkResult[],
    signal: AbortSignal,
    progress: (fraction: number) => void,
  ): Promise<ResultFacts> {
    const job = this.#jobOf(name);
    const hashes = hashesOf(results);
    if (job.paths.length > 0 && hashes.length === 0) {
      throw analysisErrors.NO_MEDIA(`${job.name}: none of its files has been searched for faces`);
    }
    progress(0);
    const ownEps = await this.#ownEps(await this.#modelOf(job));
    const distance = job.eps === null ? null : distanceOf(job.eps, ownEps);
    const opened = await this.#begin(job, hashes, distance);
    const clusterer = new Clusterer({
      index: this.#task.parts.index,
      faces: this.#faces,
      signal,
      ownEps,
      progress: (fraction) => progress(CLUSTERING * fraction),
    });
    try {
      const warnings = await this.#warnings(job, opened, results);
      const committed = await this.#cluster(job, opened, clusterer, distance);
      const finder = this.#finder;
      const named =
        finder && job.samples.length > 0
          ? await nameFromSamples(this.#task, job, committed, { finder, clusterer, signal })
          : null;
      progress(1);
      const clustering = await this.#facts(job, committed, ownEps);
      const warning = [...warnings, ...(named?.complaints ?? [])].join('; ');
      const sample_face_naming = named?.result ?? null;
      const facts = { ...clustering, sample_face_naming, ...(warning !== '' && { warning }) };
      return { faces: null, clustering: facts };
    } finally {
      await clusterer.close();
      await this.#end(opened.clustering);
    }
  }

  async #modelOf(job: FaceJob): Promise<string> {
    // Faces that are there are clustered again, whether the models that found them are still there or not.
    const looks = job.paths.length > 0;
    const model_key = looks ? this.#finder?.model.model_key : (await this.#stored(job))?.model_key;
    if (model_key !== undefined) return model_key;
    throw peopleErrors.UNKNOWN_CLUSTER_JOB(`There is no face clustering named ${job.name}`);
  }

  async #ownEps(model_key: string): Promise<number> {
    return (await ownEpsOf(this.#task.parts.modelLibrary))(model_key);
  }

  /** `eps`: the cosine distance. */
  async #begin(job: FaceJob, hashes: string[], eps: number | null): Promise<Begun> {
    const { parts, signal } = this.#task;
    const model_key = await this.#modelOf(job);
    const { cache_dir } = this.#task.request;
    const query = { cache_dir, cluster_job_name: job.name, model_key, hashes, eps };
    const request = { ...query, min_samples: job.min_samples };
    // Not cancellable: what was begun has to be known here, or nobody would end it.
    let clustering: Begun = await parts.index.ask('begin_clustering', request);
    try {
      while (!clustering.done) {
        if (signal.aborted) throw signal.reason;
        const next = { ...request, begun: clustering.clustering };
        clustering = await parts.index.ask('begin_clustering', next);
      }
      return clustering;
    } catch (error) {
      await this.#end(clustering.clustering);
      throw error;
    }
  }

  /** An index that is down keeps nothing. */
  async #end(clustering: number): Promise<void> {
    await this.#task.parts.index.ask('end_clustering', { clustering }).catch(() => {});
  }

  async #cluster(
    { min_samples, clear_names }: FaceJob,
    opened: Begun,
    clusterer: Clusterer,
    eps: number | null,
  ): Promise<Committed> {
    const result = await clusterer.labels(opened, { eps, min_samples });
    const none = new Int32Array(0);
    const { labels, neighbours } = result ?? { labels: none, neighbours: none };
    const distance = result?.eps ?? eps ?? this.#finder?.model.eps ?? 0;
    const { clustering } = opened;
    const request = { clustering, labels, neighbours, eps: distance, clear_names };
    // Not cancellable: what is finished stays.
    return { ...(await this.#task.parts.index.ask('commit_clustering', request)), distance };
  }

  async #facts(
    job: FaceJob,
    { report, distance }: Committed,
    modelEps: number,
  ): Promise<Omit<ClusteringFacts, 'sample_face_naming'>> {
    const { faces: total_entries, noise: noise_entries, ...outcome } = report;
    const stored = await this.#stored(job);
    const { model_key = '', media_hashes = [] } = stored ?? {};
    return {
      model_key,
      eps: epsOf(distance, modelEps),
      used_eps: distance,
      min_samples: job.min_samples,
      total_entries,
      noise_entries,
      ...outcome,
      media_hashes,
    };
  }

  /** Throws OTHER_FACE_MODEL when the job would lose media. */
  async #warnings(
    job: FaceJob,
    { missing, unreadable }: Begun,
    results: readonly WorkResult[],
  ): Promise<string[]> {
    const said: string[] = [];
    if (missing.length > 0) {
      const media = await this.#mediaOf(missing);
      const model = this.#finder?.model.model_key;
      const before = (await this.#stored(job))?.model_key;
      if (job.paths.length > 0 && before !== model) {
        throw peopleErrors.OTHER_FACE_MODEL(
          `${job.name}: its faces were found by ${before}, but ${model} has not searched ${media}; list all of its media in the job, or choose another name`,
        );
      }
      said.push(`skipped, because no faces are stored for them: ${media}`);
    }
    if (unreadable.length > 0) {
      said.push(`skipped, because the stored faces are damaged: ${await this.#mediaOf(unreadable)}`);
    }
    const failed = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'cancelled').length;
    if (failed > 0) said.push(`${failed} of ${results.length} files could not be searched for faces`);
    return said;
  }

  /** Paths of contents, for people. */
  async #mediaOf(hashes: readonly string[]): Promise<string> {
    const { parts, request, signal } = this.#task;
    const first = hashes.slice(0, NAMED);
    const query = { cache_dir: request.cache_dir, paths: [], hashes: first };
    const { by_hash } = await parts.index.ask('find', query, { signal });
    const names = first.map((hash, i) => by_hash[i]?.path ?? hash);
    return `${names.join(', ')}${hashes.length > NAMED ? ` and ${hashes.length - NAMED} more` : ''}`;
  }

  async #stored({ name }: FaceJob): Promise<ClusterJob | null> {
    const { parts, request, signal } = this.#task;
    const query = { cache_dir: request.cache_dir, cluster_job_name: name };
    return (await parts.index.ask('cluster_job', query, { signal })).job;
  }

  #jobOf(name: string | null): FaceJob {
    const job = this.#task.request.face_jobs.find((faceJob) => faceJob.name === name);
    if (!job) throw engineErrors.INTERNAL(`${name}: is not a job of the task`);
    return job;
  }
}

/** Contents whose faces are stored. */
function hashesOf(results: readonly WorkResult[]): string[] {
  const stored = results.filter(({ outcome }) => outcome === 'analyzed' || outcome === 'stored');
  return [...new Set(stored.flatMap(({ hash_str }) => hash_str ?? []))];
}
