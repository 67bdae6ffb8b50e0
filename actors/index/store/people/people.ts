// People of an analysis folder: faces that are stored, clusterings of them, and what people said about these.

import type { ClusterColumns, StoredClusters } from '../../people/cluster-columns.ts';
import { clusterJob, named } from '../../people/clustering-state.ts';
import type { SuggestionOptions } from '../../people/comparison.ts';
import type { ClusterJob, PeopleLoadReport } from '../../people/contract.ts';
import { type Corrections, type Modified, modify, undone } from '../../people/modify.ts';
import type { Reconciled } from '../../people/reconcile.ts';
import type { Environment } from '../environment.ts';
import { readAgain, readable } from '../faults.ts';
import { ClusterView, type StoredClustering, StoredClusterings, stateOf } from './clusterings.ts';
import { unknownJob } from './job-writer.ts';
import { type ClusteringRequest, OpenClustering } from './open-clustering.ts';
import { OpenComparison } from './open-comparison.ts';
import type { DeletedPeople, PeopleWriter } from './people-writer.ts';
import { StoredFaces } from './stored-faces.ts';

type Assignments = readonly { readonly cluster_id: string; readonly name: string }[];

export class StoredPeople {
  readonly faces: StoredFaces;
  readonly stored: StoredClusterings;
  readonly #writing: () => PeopleWriter;
  readonly #warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  #view: { readonly name: string; readonly revision: number; readonly view: ClusterView } | null = null;

  constructor(
    folder: string,
    reading: () => Environment | null,
    writing: () => PeopleWriter,
    warn: (message: string, fields: Readonly<Record<string, unknown>>) => void = () => {},
  ) {
    this.faces = new StoredFaces(folder, reading);
    this.stored = new StoredClusterings(folder, reading);
    this.#writing = writing;
    this.#warn = warn;
  }

  /** The name of every clustering, ascending; also of damaged ones. */
  clusterings(): string[] {
    return this.stored.names();
  }

  /**
   * Cheap. Null when there is none; another number whenever anything of it was stored. Throws STORE_DAMAGED.
   */
  version(name: string): number | null {
    return this.stored.version(name);
  }

  /** All of one, *copied*; null when there is none. Throws STORE_DAMAGED naming the file. */
  readClusters(name: string): StoredClusters | null {
    return this.stored.read(name);
  }

  /** Null when there is none. Throws STORE_DAMAGED. */
  job(name: string): ClusterJob | null {
    const stored = this.stored.get(name);
    return stored && jobOf(stored);
  }

  jobs(): { jobs: ClusterJob[]; unreadable: PeopleLoadReport['unreadable'] } {
    const unreadable: string[] = [];
    const jobs = this.clusterings().flatMap((name) => {
      const job = readable(
        () => this.job(name),
        () => unreadable.push(name),
      );
      return job === null ? [] : [job];
    });
    return { jobs, unreadable };
  }

  /** A clustering to look at; null when there is none. */
  view(name: string): ClusterView | null {
    return readAgain(() => {
      const stored = this.stored.get(name);
      if (stored === null) return null;
      if (this.#view?.name === name && this.#view.revision === stored.revision) return this.#view.view;
      const columns = this.stored.columns(stored.file);
      const view = new ClusterView(stateOf(stored), columns, this.faces);
      this.#view = { name, revision: stored.revision, view };
      return view;
    });
  }

  /** The caller closes it. UNKNOWN_CLUSTER_JOB. */
  begin(request: ClusteringRequest): OpenClustering {
    const { name, hashes } = request;
    const stored = this.#current(request);
    if (stored === null && hashes.length === 0) throw unknownJob(name);
    if (stored === null) return new OpenClustering(this.faces, request, null);
    const columns = readable(
      (): ClusterColumns => this.stored.columns(stored.file),
      (error) =>
        this.#warn('The entries of a face clustering cannot be read', { name, reason: error.message }),
    );
    return new OpenClustering(this.faces, request, { state: stateOf(stored), columns });
  }

  /** A damaged one is made anew where media are given. */
  #current({ name, hashes }: ClusteringRequest): StoredClustering | null {
    const read = () => this.stored.get(name);
    if (hashes.length === 0) return read();
    return readable(read, (error) =>
      this.#warn('A face clustering cannot be read and is replaced', { name, reason: error.message }),
    );
  }

  commit(
    open: OpenClustering,
    labels: Int32Array,
    neighbours: Int32Array,
    eps: number,
    clearNames: boolean,
  ): Reconciled {
    return this.#writing().jobs.commit(open, labels, neighbours, eps, clearNames);
  }

  /** Names by cluster id that are others now; empty for one that was taken away. */
  name(name: string, assignments: Assignments): Record<string, string> {
    const stored = this.stored.get(name);
    if (stored === null) throw unknownJob(name);
    const changes: Record<string, string> = {};
    this.#writing().jobs.change(name, (state) => ({ state: named(state, assignments, changes) }));
    return changes;
  }

  /** Merges, then moves, then what is held apart; all or none. */
  modify(name: string, corrections: Corrections): Pick<Modified, 'merges' | 'moves' | 'apart'> {
    this.#requireThere(name);
    let answer: Pick<Modified, 'merges' | 'moves' | 'apart'> = { merges: [], moves: [], apart: [] };
    this.#writing().jobs.change(name, (state, columns, file) => {
      const modified = modify(state, columns(), file, corrections);
      const { merges, moves, apart } = modified;
      answer = { merges, moves, apart };
      return modified;
    });
    return answer;
  }

  /** Begins to compare the clusters of one with each other; null when there is none. UNKNOWN_CLUSTER. */
  compare(name: string, options: SuggestionOptions): OpenComparison | null {
    const clustering = this.stored.whole(name);
    if (clustering === null) return null;
    const whole = { state: stateOf(clustering.stored), columns: clustering.columns };
    return new OpenComparison(clustering.stored, whole, this.faces, options);
  }

  /** True if the compared state is still the stored one. */
  isStill(name: string, { name: compared, revision, faceChanges, faces }: OpenComparison): boolean {
    return (
      faces === this.faces &&
      name === compared &&
      revision === this.version(name) &&
      faceChanges === faces.changes()
    );
  }

  delete(name: string, cluster: string | null): DeletedPeople {
    this.#requireThere(name);
    return this.#writing().delete(name, cluster);
  }

  /** To change what is not there makes no folder. */
  #requireThere(name: string): void {
    if (!this.clusterings().includes(name)) throw unknownJob(name);
  }

  /** Takes the last `modify` back. */
  undo(name: string): ClusterJob {
    this.#requireThere(name);
    const state = this.#writing().jobs.change(name, undone);
    return clusterJob(name, state);
  }
}

export function jobOf(stored: StoredClustering): ClusterJob {
  return clusterJob(stored.name, stateOf(stored));
}
