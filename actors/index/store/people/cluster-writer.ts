// Writes clusterings: the columns first, in a file of a name that was not there before, flushed; then one
// transaction puts the records that name it. Readers see the one before or this one.
import { closeSync, existsSync, openSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../../../runtime/files/make-folder.ts';
import { type ClusterColumns, writeColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { faceStorageVersion } from '../../people/contract.ts';
import { type Disk, disk, flush, flushFolder, writeAll } from '../disk.ts';
import type { Environment, Writes } from '../environment.ts';
import { storeFault } from '../faults.ts';
import { clusteringFiles, clusteringKey, clusteringStateKey, peopleFolder } from '../names.ts';
import { Clustering, ClusteringState as StateRecord } from '../records.ts';
import { randomRevision, revisionAfter } from '../revision.ts';
import { seal, unseal } from '../table.ts';

export class ClusterWriter {
  readonly #folder: string;
  readonly #environment: Environment;
  readonly #on: Disk;
  #count = 0;

  constructor(folder: string, environment: Environment, on: Disk = disk) {
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
  put(writes: Writes, name: string, file: string, state: ClusteringState): void {
    const [key, stateKey] = [clusteringKey(name), clusteringStateKey(name)];
    const before = writes.get(key);
    const read = () =>
      before === undefined ? null : unseal(Clustering, key, before, this.#environment.file);
    const revision = revisionAfter(read, randomRevision());
    writes.put(key, seal(Clustering, key, { name, format: faceStorageVersion, revision, file }));
    writes.put(stateKey, seal(StateRecord, stateKey, { state_json: JSON.stringify(state) }));
  }

  remove(writes: Writes, name: string): void {
    writes.remove(clusteringKey(name));
    writes.remove(clusteringStateKey(name));
  }

  /** Removes files of a clustering that its records do not name any more, or were left by a crash. */
  tidy(name: string, keep: readonly string[]): void {
    const within = peopleFolder(this.#folder);
    if (!existsSync(within)) return;
    for (const file of readdirSync(within)) {
      if (!file.startsWith(clusteringFiles(name)) || keep.includes(file)) continue;
      try {
        unlinkSync(join(within, file));
      } catch {
        // Open in another process on a system that keeps such names: the next change of it tries again.
      }
    }
  }
}
