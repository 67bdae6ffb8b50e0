// What writes, deletes and compacts faces and clusterings in one analysis folder, with the lease that all of its writers
// share.
import { type Clock, systemClock } from '../../../../runtime/clock.ts';
import { clusterJob } from '../../people/clustering-state.ts';
import { faceStorageVersion } from '../../people/contract.ts';
import { type CompactionStep, usualStep } from '../compact.ts';
import { Compactor } from '../compactor.ts';
import { storeErrors } from '../contract.ts';
import { disk } from '../disk.ts';
import type { Environment, Writes } from '../environment.ts';
import { readable } from '../faults.ts';
import type { OpenWork } from '../open-work.ts';
import type { Spans } from '../spans.ts';
import { type Clusterings, stateOf } from './clusterings.ts';
import { faceCompactionDue } from './face-compaction.ts';
import { FaceWriter, type FaceWriterOptions } from './face-writer.ts';
import { JobWriter, requireCurrent, unknownJob } from './job-writer.ts';
import { PeopleRemoval, type RemovedFaces, removeFaces } from './people-removal.ts';
import { type Deleted, followed, withoutJob, withoutPerson } from './person-removal.ts';
import type { StoredFaces } from './stored-faces.ts';

export interface PeopleWriterParts {
  readonly folder: string;
  readonly environment: Environment;
  readonly work: OpenWork;
  readonly spans: Spans;
  readonly clusterings: Clusterings;
  readonly stored: StoredFaces;
}

export interface PeopleWriterOptions extends FaceWriterOptions {
  readonly clock?: Clock;
  readonly leastGarbageRows?: number;
  readonly compactionStep?: CompactionStep;
}

export interface DeletedPeople {
  readonly jobs: number;
  readonly clusters: number;
  readonly faces: number;
  readonly faces_removed: number;
}

export class PeopleWriter {
  readonly #parts: PeopleWriterParts;
  readonly faces: FaceWriter;
  readonly jobs: JobWriter;
  readonly #compactor: Compactor;
  readonly #warn: NonNullable<FaceWriterOptions['warn']>;

  constructor(parts: PeopleWriterParts, options: PeopleWriterOptions = {}) {
    this.#parts = parts;
    const { clusterings, stored, work, ...shared } = parts;
    this.#warn = options.warn ?? (() => {});
    this.#compactor = this.#newCompactor(options);
    const beforeAppend = (modelKey: string) => this.#compactor.end(modelKey);
    this.faces = new FaceWriter({ ...shared, work, beforeAppend }, options);
    const now = options.now ?? Date.now;
    this.jobs = new JobWriter({ ...shared, work, clusterings, faces: stored, on: options.on, now });
    const compactor = this.#compactor;
    work.add({
      get isBusy() {
        return compactor.isBusy;
      },
      idle: () => this.faces.tails.closeAll(),
    });
  }

  #newCompactor(options: PeopleWriterOptions): Compactor {
    const { folder, environment, work } = this.#parts;
    const compacted = {
      folder,
      environment,
      on: options.on ?? disk,
      size: options.compactionStep ?? usualStep,
      confirm: (writes: Writes) => work.confirmIn(writes),
    };
    return new Compactor({
      clock: options.clock ?? systemClock,
      due: (modelKey) => faceCompactionDue(compacted, modelKey, options.leastGarbageRows),
      givenUp: (fault) => {
        if (fault !== null) this.#warnOfCompaction(fault);
        work.settle();
      },
    });
  }

  /** Keys of the models whose packs are being compacted. */
  get compacting(): string[] {
    return this.#compactor.modelKeys;
  }

  /** One step; see `Writer.compact`. */
  compact(modelKey: string): boolean {
    if (this.faces.has(modelKey)) return true;
    let done = true;
    try {
      if (!this.#compactor.wants(modelKey)) return true;
      this.#parts.work.hold();
      this.faces.tails.close(modelKey);
      done = this.#compactor.step(modelKey);
    } catch (error) {
      this.#compactor.abandon(modelKey);
      this.#warnOfCompaction(error, modelKey);
    }
    if (done) this.#parts.work.settle();
    return done;
  }

  #warnOfCompaction(error: unknown, model?: string): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#warn('Packs of faces could not be compacted', { model, reason });
  }

  /** The faces of contents that are forgotten. For who holds the lease, and calls its parts. */
  removal(hashes: ReadonlySet<string>): PeopleRemoval {
    this.#compactor.endAll();
    const { environment, clusterings, work } = this.#parts;
    return new PeopleRemoval(environment, clusterings, this.jobs.files, hashes, work.token);
  }

  /** Rows of these belong to nobody now. */
  removed({ models }: RemovedFaces): void {
    for (const model of models) this.faces.modelChanged(model);
  }

  /** A clustering, or one cluster of it. *Flushed* on return. UNKNOWN_CLUSTER_JOB, UNKNOWN_CLUSTER, LEGACY_STORAGE. */
  delete(name: string, cluster: string | null): DeletedPeople {
    return this.#parts.work.exclusively(() => {
      const stored = cluster === null ? this.#readable(name) : this.jobs.current(name);
      if (stored === null) return this.#deleteBroken(name);
      requireCurrent(stored);
      const { clusterings } = this.#parts;
      const state = stateOf(stored);
      const columns = clusterings.columns(stored.file);
      const deleted =
        cluster === null
          ? withoutJob(clusterings, name, state, columns)
          : withoutPerson(clusterings, name, state, columns, cluster);
      const removed = this.#delete(name, deleted);
      const clusters = cluster === null ? clusterJob(name, faceStorageVersion, state).num_clusters : 1;
      return { jobs: cluster === null ? 1 : 0, clusters, faces: deleted.entries, faces_removed: removed };
    });
  }

  /** Null when its records cannot be read. UNKNOWN_CLUSTER_JOB, LEGACY_STORAGE. */
  #readable(name: string) {
    return readable(() => {
      const stored = this.jobs.current(name);
      requireCurrent(stored);
      this.#parts.clusterings.columns(stored.file);
      return stored;
    });
  }

  /** Nobody can tell any more whose faces it had: these stay with their media. */
  #deleteBroken(name: string): DeletedPeople {
    const { environment, work } = this.#parts;
    if (!this.#parts.clusterings.names().includes(name)) throw unknownJob(name);
    environment.transact((writes) => {
      work.confirmIn(writes);
      this.jobs.files.remove(writes, name);
    });
    this.jobs.files.tidy(name, []);
    return { jobs: 1, clusters: 0, faces: 0, faces_removed: 0 };
  }

  /** Answers how many faces lost their vectors and pictures. MEDIA_IN_WORK. */
  #delete(name: string, { gone, left, shared }: Deleted): number {
    const { environment, work, spans } = this.#parts;
    const open = this.faces.stageOf(gone);
    if (open !== undefined) {
      throw storeErrors.MEDIA_IN_WORK(`${open.modelKey} is currently finding the faces of ${open.hash}`);
    }
    this.#compactor.endAll();
    // What is kept of interrupted work has faces too. It costs time only.
    spans.forgetContents(new Set(gone.keys()), work.stagesOf(gone));
    const files = this.jobs.files;
    const file = left && files.write(name, left.columns, work.token);
    const removed = environment.transact((writes) => {
      work.confirmIn(writes);
      const went = removeFaces(writes, environment, gone);
      if (left === null) files.remove(writes, name);
      else files.put(writes, name, file as string, followed(left.state, shared, went));
      return went;
    });
    files.tidy(name, file === null ? [] : [file]);
    this.removed(removed);
    return [...removed.faces.values()].reduce((sum, count) => sum + count, 0);
  }

  close(): void {
    this.faces.close();
    if (!this.#compactor.isBusy) return;
    this.#compactor.abandonAll();
    this.#parts.work.settle();
  }
}
