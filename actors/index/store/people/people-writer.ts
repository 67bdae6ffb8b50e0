// Writes, deletes and moves faces and clusterings in one analysis folder, under the lease that all of its
// writers share.
import type { ClusterColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { peopleErrors } from '../../people/contract.ts';
import { idText } from '../../people/entry-id.ts';
import type { Bundles } from '../bundles.ts';
import { storeErrors } from '../contract.ts';
import type { Environment } from '../environment.ts';
import { readable } from '../faults.ts';
import { encodeModelKey } from '../names.ts';
import type { OpenWork } from '../open-work.ts';
import type { Spans } from '../spans.ts';
import { type StoredClusterings, stateOf } from './clusterings.ts';
import { type EntryRange, isAligned, rangesOf } from './earlier-clusters.ts';
import { FaceWriter, type FaceWriterOptions } from './face-writer.ts';
import { JobWriter, unknownJob } from './job-writer.ts';
import {
  type GoneFaces,
  PeopleRemoval,
  type RemovedFaces,
  removeFaces,
  revisionName,
  withoutEntries,
} from './people-removal.ts';
import { leastDeadFaces, type MoveStep, RollMover, usualStep } from './roll-mover.ts';
import type { StoredFaces } from './stored-faces.ts';

export interface PeopleWriterParts {
  readonly folder: string;
  readonly environment: Environment;
  readonly work: OpenWork;
  readonly bundles: Bundles;
  readonly spans: Spans;
  readonly clusterings: StoredClusterings;
  readonly stored: StoredFaces;
}

export interface PeopleWriterOptions extends FaceWriterOptions {
  /** Rolls with fewer faces of nobody are left as they are. */
  readonly leastDeadFaces?: number;
  readonly moveStep?: MoveStep;
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
  readonly #mover: RollMover;
  readonly #warn: NonNullable<FaceWriterOptions['warn']>;

  constructor(parts: PeopleWriterParts, options: PeopleWriterOptions = {}) {
    this.#parts = parts;
    const { clusterings, stored, work, bundles, ...shared } = parts;
    this.#warn = options.warn ?? (() => {});
    this.faces = new FaceWriter({ ...shared, work }, options);
    const now = options.now ?? Date.now;
    this.jobs = new JobWriter({ ...shared, work, clusterings, faces: stored, on: options.on, now });
    const { tails } = this.faces;
    this.#mover = new RollMover({
      ...{ folder: parts.folder, environment: parts.environment, bundles, work, tails },
      size: options.moveStep ?? usualStep,
      least: options.leastDeadFaces ?? leastDeadFaces,
    });
    work.whenIdle(() => tails.closeAll());
  }

  /**
   * One step of moving faces out of rolls of which most is of nobody, while no stage of the model is open;
   * true when there is no more to do. A fault is told, and costs nothing: the next one tries again.
   */
  compact(modelKey: string): boolean {
    if (this.faces.has(modelKey)) return true;
    try {
      return !this.#mover.wants(modelKey) || this.#parts.work.exclusively(() => this.#mover.step(modelKey));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#warn('Rolls of faces could not be compacted', { model: modelKey, reason });
      return true;
    }
  }

  /** The faces of contents that are forgotten. For who holds the lease, and calls its parts. */
  removal(hashes: ReadonlySet<string>): PeopleRemoval {
    const { environment, clusterings, work } = this.#parts;
    return new PeopleRemoval(environment, clusterings, this.jobs.files, hashes, work.token);
  }

  /** A clustering, or one cluster of it. *Flushed* on return. UNKNOWN_CLUSTER_JOB, UNKNOWN_CLUSTER. */
  delete(name: string, cluster: string | null): DeletedPeople {
    return this.#parts.work.exclusively(() => {
      const stored = cluster === null ? this.#readable(name) : this.jobs.current(name);
      if (stored === null) return this.#deleteBroken(name);
      const { clusterings } = this.#parts;
      const state = stateOf(stored);
      const columns = clusterings.columns(stored.file);
      const deleted =
        cluster === null
          ? withoutJob(clusterings, name, state, columns)
          : withoutPerson(clusterings, name, state, columns, cluster);
      const removed = this.#delete(name, deleted);
      const clusters = cluster === null ? state.cluster_ids.length : 1;
      return { jobs: cluster === null ? 1 : 0, clusters, faces: deleted.entries, faces_removed: removed };
    });
  }

  /** Null when its records cannot be read. UNKNOWN_CLUSTER_JOB. */
  #readable(name: string) {
    return readable(() => {
      const stored = this.jobs.current(name);
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
  #delete(name: string, { goneFaces, remainder, shared }: Deleted): number {
    const { environment, work, spans } = this.#parts;
    const open = this.faces.stageOf(goneFaces);
    if (open !== undefined) {
      throw storeErrors.MEDIA_IN_WORK(`${open.modelKey} is currently finding the faces of ${open.hash}`);
    }
    // Spans of interrupted work have faces too. Removing them costs time only.
    spans.forgetContents(new Set(goneFaces.keys()), work.stagesOf(goneFaces));
    const files = this.jobs.files;
    const file = remainder && files.write(name, remainder.columns, work.token);
    const removed = environment.transact((writes) => {
      work.confirmIn(writes);
      const went = removeFaces(writes, environment, goneFaces);
      if (remainder === null) files.remove(writes, name);
      else files.put(writes, name, file as string, followed(remainder.state, shared, went));
      return went;
    });
    files.tidy(name, file === null ? [] : [file]);
    return [...removed.faces.values()].reduce((sum, count) => sum + count, 0);
  }

  close(): void {
    this.faces.close();
  }
}

// Deletes a clustering, or one person of it, with the faces that no other clustering has.

interface Deleted {
  /** Faces removed from their contents. */
  readonly goneFaces: GoneFaces;
  /** Entries that go from the clustering. */
  readonly entries: number;
  /** Contents of which some of these stay, because another clustering has them. */
  readonly shared: ReadonlySet<string>;
  /** The clustering without them; null: it goes itself. */
  readonly remainder: { readonly state: ClusteringState; readonly columns: ClusterColumns } | null;
}

/**
 * A content of which no other clustering has anything is forgotten as if nobody had looked: it can be
 * analysed again.
 */
function withoutJob(
  clusterings: StoredClusterings,
  name: string,
  state: ClusteringState,
  columns: ClusterColumns,
): Deleted {
  const others = new OtherClusterings(clusterings, name);
  const ranges = rangesOf(columns.media, state.media.length);
  const goneFaces = new Map<string, ReadonlySet<string> | null>();
  for (const [i, hash] of state.media.entries()) {
    const range = ranges[i]!;
    if (others.has(hash)) goneFaces.set(hash, others.unheld(hash, columns.ids, range, entriesIn(range)));
    else goneFaces.set(hash, null);
  }
  return { goneFaces, entries: state.entries, shared: new Set(), remainder: null };
}

function* entriesIn({ first, count }: EntryRange): Iterable<number> {
  for (let at = first; at < first + count; at++) yield at;
}

/** UNKNOWN_CLUSTER. */
function withoutPerson(
  clusterings: StoredClusterings,
  name: string,
  state: ClusteringState,
  columns: ClusterColumns,
  cluster: string,
): Deleted {
  const position = state.cluster_ids.indexOf(cluster);
  if (position < 0) {
    const field = 'cluster_id';
    throw peopleErrors.UNKNOWN_CLUSTER(`${field}: there is no cluster ${cluster}`, { field });
  }
  const others = new OtherClusterings(clusterings, name);
  const ranges = rangesOf(columns.media, state.media.length);
  const entries = new Uint8Array(columns.media.length);
  const byMedia = new Map<number, number[]>();
  let count = 0;
  for (let at = 0; at < entries.length; at++) {
    if (columns.clusters[at] !== position) continue;
    entries[at] = 1;
    count++;
    const positions = byMedia.get(columns.media[at]!);
    if (positions) positions.push(at);
    else byMedia.set(columns.media[at]!, [at]);
  }
  const goneFaces = new Map<string, ReadonlySet<string>>();
  const shared = new Set<string>();
  for (const [media, positions] of byMedia) {
    const hash = state.media[media]!;
    const unheld = others.unheld(hash, columns.ids, ranges[media]!, positions);
    goneFaces.set(hash, unheld);
    if (unheld.size < positions.length) shared.add(hash);
  }
  const remainder = withoutEntries(state, columns, { entries, media: new Set() });
  return { goneFaces, entries: count, shared, remainder };
}

/**
 * The clustering as it is after the faces went: where nothing else changed, its entries are the faces there
 * are.
 */
function followed(
  state: ClusteringState,
  shared: ReadonlySet<string>,
  { revisions, changes }: RemovedFaces,
): ClusteringState {
  if (shared.size > 0) {
    // Some of the faces are still there: the entries are not the faces any more, whatever their revision.
    const marks = state.media.map((hash, i) => (shared.has(hash) ? 0 : state.marks[i]!));
    return { ...state, marks, seen: null };
  }
  const model = encodeModelKey(state.model_key);
  const marks = state.media.map((hash, i) => {
    const revision = revisions.get(revisionName(model, hash));
    return revision?.before === state.marks[i] ? revision!.now : state.marks[i]!;
  });
  const isKnown = changes.before !== null && state.seen === changes.before;
  return { ...state, marks, seen: isKnown ? changes.now : state.seen };
}

// Which faces of a clustering other clusterings of the folder have too. Those of a content are mostly the
// same ones in the same order, so their ids are compared as bytes.

interface Other {
  /** Null where they are damaged: nobody can tell which faces it has. */
  readonly ids: Uint8Array | null;
  readonly byHash: ReadonlyMap<string, EntryRange>;
}

function readOther(clusterings: StoredClusterings, name: string): Other | null {
  const stored = readable(() => clusterings.get(name));
  if (stored === null) return null;
  const { media } = stateOf(stored);
  const columns = readable((): ClusterColumns => clusterings.columns(stored.file));
  const ranges = columns && rangesOf(columns.media, media.length);
  const none = { first: 0, count: 0 };
  return { ids: columns?.ids ?? null, byHash: new Map(media.map((hash, i) => [hash, ranges?.[i] ?? none])) };
}

class OtherClusterings {
  readonly #others: readonly Other[];

  /** All but the one of this name. */
  constructor(clusterings: StoredClusterings, name: string) {
    const names = clusterings.names().filter((otherName) => otherName !== name);
    this.#others = names.flatMap((otherName) => readOther(clusterings, otherName) ?? []);
  }

  /** True if one of them has the content. */
  has(hash: string): boolean {
    return this.#others.some(({ byHash }) => byHash.has(hash));
  }

  /**
   * Ids of the entries at these positions of a content that none of them has. `range`: all of the content.
   */
  unheld(hash: string, ids: Uint8Array, range: EntryRange, positions: Iterable<number>): Set<string> {
    const heldIds = new Set<string>();
    for (const otherClustering of this.#others) {
      const otherRange = otherClustering.byHash.get(hash);
      if (otherRange === undefined || otherClustering.ids === null || otherRange.count === 0) continue;
      if (isAligned(ids, range, otherClustering.ids, otherRange)) return new Set();
      for (let at = otherRange.first; at < otherRange.first + otherRange.count; at++)
        heldIds.add(idText(otherClustering.ids, at));
    }
    const unheldIds = new Set<string>();
    for (const at of positions) {
      const id = idText(ids, at);
      if (!heldIds.has(id)) unheldIds.add(id);
    }
    return unheldIds;
  }
}
