// Changes clusterings, one transaction each. What is decided about them is pure and lies in
// actors/index/people/.

import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../../../runtime/files/folder.ts';
import { discardSync } from '../../../../runtime/files/names.ts';
import { type ClusterColumns, writeColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { faceStorageVersion, peopleErrors } from '../../people/contract.ts';
import { type Reconciled, reconcile } from '../../people/reconcile.ts';
import { randomRevision, revisionAfter } from '../changes.ts';
import { disk, flush, flushFolder, type StoreDisk, writeAll } from '../disk.ts';
import type { Environment, Transaction } from '../environment.ts';
import { readable, storeFault } from '../faults.ts';
import { clusteringFiles, clusteringKey, clusteringStateKey, peopleFolder } from '../names.ts';
import type { OpenWork } from '../open-work.ts';
import { ClusteringRow, ClusteringStateRow } from '../records.ts';
import { seal, unseal } from '../table.ts';
import { clusteringIn, type StoredClustering, type StoredClusterings, stateOf } from './clusterings.ts';
import { earlierClusters } from './earlier-clusters.ts';
import type { OpenClustering } from './open-clustering.ts';
import type { StoredFaces } from './stored-faces.ts';

// Writes clusterings: the columns first, in a file of a name that was not there before, flushed; then one
// transaction puts the records that name it. Readers see the one before or this one.

export class ClusterWriter {
  readonly #folder: string;
  readonly #environment: Environment;
  readonly #on: StoreDisk;
  #count = 0;

  constructor(folder: string, environment: Environment, on: StoreDisk = disk) {
    this.#folder = folder;
    this.#environment = environment;
    this.#on = on;
  }

  /** The name of a new file, *flushed*; no record speaks of it yet. `token`: of who holds the lease. */
  write(name: string, columns: ClusterColumns, token: string): string {
    const within = peopleFolder(this.#folder);
    const file = `${clusteringFiles(name)}${token}-${++this.#count}.columns`;
    const path = join(within, file);
    let fd: number;
    try {
      makeFolder(within);
      fd = openSync(path, 'wx');
    } catch (error) {
      throw storeFault(error, path, 'write');
    }
    try {
      writeAll(this.#on, fd, path, writeColumns(columns), 0);
      flush(this.#on, fd, path);
    } finally {
      closeSync(fd);
    }
    flushFolder(within);
    return file;
  }

  /** Within a transaction. */
  put(writes: Transaction, name: string, file: string, state: ClusteringState): void {
    const [key, stateKey] = [clusteringKey(name), clusteringStateKey(name)];
    const before = writes.get(key);
    const read = () =>
      before === undefined ? null : unseal(ClusteringRow, key, before, this.#environment.file);
    const revision = revisionAfter(read, randomRevision());
    writes.put(key, seal(ClusteringRow, key, { name, format: faceStorageVersion, revision, file }));
    writes.put(stateKey, seal(ClusteringStateRow, stateKey, { state_json: JSON.stringify(state) }));
  }

  remove(writes: Transaction, name: string): void {
    writes.remove(clusteringKey(name));
    writes.remove(clusteringStateKey(name));
  }

  /** Removes files of a clustering that its records do not name any more, or were left by a crash. */
  tidy(name: string, keep: readonly string[]): void {
    const within = peopleFolder(this.#folder);
    if (!existsSync(within)) return;
    for (const file of readdirSync(within)) {
      if (!file.startsWith(clusteringFiles(name)) || keep.includes(file)) continue;
      // Where another process has it open, on a system that keeps such names, the next change tries again.
      discardSync(join(within, file));
    }
  }
}

export interface JobWriterParts {
  readonly folder: string;
  readonly environment: Environment;
  readonly work: OpenWork;
  readonly on: StoreDisk | undefined;
  readonly clusterings: StoredClusterings;
  readonly faces: StoredFaces;
  readonly now: () => number;
}

export interface JobChange {
  readonly state: ClusteringState;
  /** Left out: they stay. */
  readonly columns?: ClusterColumns;
  /** The file of earlier ones. */
  readonly file?: string;
}

export class JobWriter {
  readonly #parts: JobWriterParts;
  readonly files: ClusterWriter;

  constructor(parts: JobWriterParts) {
    this.#parts = parts;
    this.files = new ClusterWriter(parts.folder, parts.environment, parts.on);
  }

  /** The current state for the holder of the lease. UNKNOWN_CLUSTER_JOB. */
  current(name: string): StoredClustering {
    const { environment, work } = this.#parts;
    work.confirm();
    const stored = clusteringIn(environment, name, environment.file);
    if (stored === null) throw unknownJob(name);
    return stored;
  }

  /** *Flushed* on return. UNKNOWN_CLUSTER_JOB. */
  change(
    name: string,
    act: (state: ClusteringState, columns: () => ClusterColumns, file: string) => JobChange,
  ) {
    const { work, clusterings } = this.#parts;
    return work.exclusively(() => {
      const stored = this.current(name);
      const done = act(stateOf(stored), () => clusterings.columns(stored.file), stored.file);
      const { state, columns } = done;
      const file =
        columns === undefined ? (done.file ?? stored.file) : this.files.write(name, columns, work.token);
      this.#put(name, file, state, () => {});
      return state;
    });
  }

  #put(name: string, file: string, state: ClusteringState, along: (writes: Transaction) => void): void {
    const { work, environment } = this.#parts;
    environment.transact((writes) => {
      work.confirmIn(writes);
      along(writes);
      this.files.put(writes, name, file, state);
    });
    this.files.tidy(name, [file, ...(state.undo === null ? [] : [state.undo.file])]);
  }

  /** CLUSTERING_CHANGED. *Flushed* on return. */
  commit(
    open: OpenClustering,
    labels: Int32Array,
    neighbours: Int32Array,
    eps: number,
    clearNames: boolean,
  ): Reconciled {
    const { work } = this.#parts;
    return work.exclusively(() => {
      const { name } = open.request;
      const stored = this.#unchanged(open);
      const earlier = stored && stateOf(stored);
      const columns = stored && readable(() => this.#parts.clusterings.columns(stored.file));
      const before = earlierClusters(open, earlier, columns, clearNames);
      const corrections = earlier?.corrections ?? [];
      const result = reconcile(open.ids, labels, before, corrections);
      const file = this.files.write(
        name,
        {
          ids: open.ids,
          media: open.mediaOf,
          frames: open.frames,
          clusters: result.clusters,
          raw: labels,
          neighbours,
          quality: open.quality,
        },
        work.token,
      );
      const { cluster_ids, sizes, names, lost, next } = result;
      const state: ClusteringState = {
        model_key: open.request.model_key,
        eps,
        min_samples: open.request.min_samples,
        media: open.media,
        marks: open.marks,
        entries: open.entries,
        cluster_ids,
        sizes,
        names,
        lost,
        next,
        corrections,
        // One that was deleted and made again meanwhile is another one.
        shape: (earlier?.shape ?? randomRevision()) + 1,
        is_whole: true,
        seen: open.seen,
        clustered_ms: this.#parts.now(),
        undo: null,
      };
      this.#put(name, file, state, () => {});
      return result;
    });
  }

  /** The stored clustering, if nothing has changed since the new one was begun. */
  #unchanged(open: OpenClustering): StoredClustering | null {
    const { environment, work, faces } = this.#parts;
    const { name, model_key } = open.request;
    work.confirm();
    const stored = readable(() => clusteringIn(environment, name, environment.file));
    const shape = stored === null ? null : stateOf(stored).shape;
    if (shape !== open.shape) throw changed(name, 'it was corrected or clustered again');
    if (open.seen !== null && faces.changes() === open.seen) return stored;
    const differs = open.media.find((hash, i) => {
      if (open.unreadable.includes(hash)) return false;
      return (readable(() => ({ head: faces.head(model_key, hash) }))?.head?.revision ?? 0) !== open.marks[i];
    });
    if (differs !== undefined) throw changed(name, `the faces of ${differs} changed`);
    return stored;
  }
}

export function unknownJob(name: string) {
  return peopleErrors.UNKNOWN_CLUSTER_JOB(`cluster_job_name: there is no face clustering named ${name}`, {
    field: 'cluster_job_name',
  });
}

function changed(name: string, what: string) {
  return peopleErrors.CLUSTERING_CHANGED(`${name}: ${what} in the meantime; cluster it again`);
}
