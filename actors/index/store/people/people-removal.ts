// Takes faces out of the records: those of contents that are forgotten, and those of people who are deleted.
// Within the transaction of whoever removes; what is to be written as files is written before it.

import { type ClusterColumns, someColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState, Correction, Then } from '../../people/clustering-state.ts';
import { idBytes, idText, positionsOf } from '../../people/entry-id.ts';
import { noteUpheaval, randomRevision } from '../changes.ts';
import type { Environment, Transaction } from '../environment.ts';
import { readable } from '../faults.ts';
import { faceModelPrefix } from '../names.ts';
import { type StoredClusterings, stateOf } from './clusterings.ts';
import { placeBytes, takeFaces } from './face-rolls.ts';
import type { ClusterWriter } from './job-writer.ts';
import { FaceRecords } from './stored-faces.ts';

// A clustering without some of its entries: of people who are deleted, or media that are forgotten. Nothing
// of them stays, also not in corrections and names.

export interface Removal {
  /** 1 for an entry that goes. */
  readonly entries: Uint8Array;
  /** That are not of the clustering any more. */
  readonly media: ReadonlySet<string>;
}

export function entriesOf(
  state: ClusteringState,
  { media }: ClusterColumns,
  hashes: ReadonlySet<string>,
): Uint8Array {
  const goes = state.media.map((hash) => (hashes.has(hash) ? 1 : 0));
  const entries = new Uint8Array(media.length);
  for (let at = 0; at < media.length; at++) entries[at] = goes[media[at]!]!;
  return entries;
}

export function withoutEntries(
  state: ClusteringState,
  columns: ClusterColumns,
  { entries, media: goneMedia }: Removal,
): { state: ClusteringState; columns: ClusterColumns } {
  const removedIds = new Set<string>();
  const positionsLeft = new Uint32Array(entries.length);
  let count = 0;
  for (let at = 0; at < entries.length; at++) {
    if (entries[at] === 1) removedIds.add(idText(columns.ids, at));
    else positionsLeft[count++] = at;
  }
  const remainingColumns = someColumns(columns, positionsLeft.subarray(0, count));
  const sizes = state.cluster_ids.map(() => 0);
  for (let at = 0; at < count; at++)
    if (remainingColumns.clusters[at]! >= 0) sizes[remainingColumns.clusters[at]!]!++;
  const remainingClusters = sizes.flatMap((size, at) => (size > 0 ? [at] : []));
  const clusterAt = positions(sizes.length, remainingClusters);
  const media = state.media.flatMap((hash, at) => (goneMedia.has(hash) ? [] : [at]));
  const mediaAt = positions(state.media.length, media);
  const ids = remainingClusters.map((at) => state.cluster_ids[at]!);
  const named = ids.flatMap((id) => (state.names[id] === undefined ? [] : [[id, state.names[id]!] as const]));
  const isLeft = (id: string) => !removedIds.has(id);
  return {
    state: {
      ...state,
      cluster_ids: ids,
      sizes: remainingClusters.map((at) => sizes[at]!),
      names: Object.fromEntries(named),
      media: media.map((at) => state.media[at]!),
      marks: media.map((at) => state.marks[at]!),
      entries: count,
      corrections: state.corrections.flatMap((correction) => correctionOf(correction, isLeft)),
      lost: state.lost.flatMap(({ name, anchors }) => {
        const remainingAnchors = anchors.filter(isLeft);
        return remainingAnchors.length === 0 ? [] : [{ name, anchors: remainingAnchors }];
      }),
      shape: state.shape + 1,
      is_whole: false,
      undo: null,
    },
    columns: {
      ...remainingColumns,
      clusters: remainingColumns.clusters.map((cluster) => (cluster < 0 ? -1 : clusterAt[cluster]!)),
      media: remainingColumns.media.map((mediaIndex) => mediaAt[mediaIndex]!),
    },
  };
}

/** Where those at `keptPositions` are when the others are gone. */
function positions(count: number, keptPositions: readonly number[]): Int32Array {
  const at = new Int32Array(count).fill(-1);
  for (const [now, before] of keptPositions.entries()) at[before] = now;
  return at;
}

/** Without ids that are gone; none when it says nothing any more. */
function correctionOf(correction: Correction, isLeft: (id: string) => boolean): Correction[] {
  if (correction.kind === 'merge') {
    const clusters = correction.clusters.flatMap(({ id, anchors }) => {
      const remainingAnchors = anchors.filter(isLeft);
      return remainingAnchors.length === 0 ? [] : [{ id, anchors: remainingAnchors }];
    });
    return clusters.length < 2 ? [] : [{ kind: 'merge', clusters }];
  }
  const withoutRemoved = ({ id, anchors }: Then) => ({
    id,
    anchors: anchors.filter(isLeft),
  });
  if (correction.kind === 'apart') {
    const [first, second] = [withoutRemoved(correction.clusters[0]), withoutRemoved(correction.clusters[1])];
    return first.anchors.length === 0 || second.anchors.length === 0
      ? []
      : [{ kind: 'apart', clusters: [first, second] }];
  }
  const faces = correction.faces.filter(isLeft);
  if (faces.length === 0) return [];
  return [{ kind: 'move', faces, from: withoutRemoved(correction.from), to: withoutRemoved(correction.to) }];
}

/** Removed faces of each content: null for all of them, as if the content had never been analysed. */
export type GoneFaces = ReadonlyMap<string, ReadonlySet<string> | null>;

export interface RemovedFaces {
  /** Removed entries of each content, each counted once whichever models found it. */
  readonly faces: ReadonlyMap<string, number>;
  /** Revisions before and now of contents that keep faces, by encoded model and content. */
  readonly revisions: ReadonlyMap<string, { readonly before: number; readonly now: number }>;
  /** How many times faces of the folder changed, before and now; null where that could not be read. */
  readonly changes: { readonly before: number | null; readonly now: number | null };
}

export const revisionName = (model: string, hash: string): string => `${model}/${hash}`;

export function removeFaces(
  writes: Transaction,
  environment: Environment,
  goneFaces: GoneFaces,
): RemovedFaces {
  const { file } = environment;
  const records = new FaceRecords(environment);
  const models = environment.keys(faceModelPrefix).map((key) => key.slice(faceModelPrefix.length));
  const faces = new Map<string, number>();
  const revisions = new Map<string, { before: number; now: number }>();
  const before = records.changes(writes);
  // Faces that several pairs of models found count once, which only their ids can tell.
  const isOne = models.length === 1;
  const removed = new Map([...goneFaces.keys()].map((hash) => [hash, new Set<string>()]));
  let isChanged = false;
  for (const model of models) {
    for (const [hash, ids] of goneFaces) {
      const of = { writes, records, model, hash, file };
      const freed = removeOf(of, ids, isOne ? null : (removed.get(hash) ?? null));
      if (freed === null) continue;
      isChanged = true;
      faces.set(hash, freed.faces);
      if (freed.revision !== null) revisions.set(revisionName(model, hash), freed.revision);
    }
  }
  if (!isOne) for (const [hash, ids] of removed) faces.set(hash, ids.size);
  const now = isChanged ? records.noteChange(writes) : before;
  // Facets follow what is known of media.
  if (isChanged) noteUpheaval(writes, file);
  return { faces, revisions, changes: { before, now } };
}

interface Freed {
  readonly faces: number;
  /** Null when nothing of the content stays. */
  readonly revision: { readonly before: number; readonly now: number } | null;
}

interface OfContent {
  readonly writes: Transaction;
  readonly records: FaceRecords;
  readonly model: string;
  readonly hash: string;
  readonly file: string;
}

/** Null when nothing of the content is there by these models. */
function removeOf(
  { writes, records, model, hash, file }: OfContent,
  ids: ReadonlySet<string> | null,
  removed: Set<string> | null,
): Freed | null {
  const read = readable(() => {
    const head = records.head(writes, model, hash);
    if (head === null) return { head };
    return { head, facts: records.facts(writes, model, hash), places: records.places(writes, model, hash) };
  });
  if (read !== null && read.head === null) return null;
  const places = records.readablePlaces(writes, model, hash);
  const faceSource = { model, place: places?.file ?? '', hash };
  const stored = (places?.places.length ?? 0) / placeBytes;
  if (read === null || read.facts === undefined || ids === null) {
    // A damaged record is removed whole, because the owners of its faces are unknown.
    records.remove(writes, model, hash);
    takeFaces(writes, { ...faceSource, faces: stored }, { isWhole: true, isErased: true }, file);
    const count = read?.facts?.frames.length ?? 0;
    for (let at = 0; read?.facts && at < count; at++) removed?.add(idText(read.facts.ids, at));
    return { faces: count, revision: null };
  }
  const { head, facts } = read;
  const going = positionsOf(facts.ids, ids);
  for (const id of going.keys()) removed?.add(id);
  const goes = new Set(going.values());
  const stay: number[] = [];
  for (let at = 0; at < facts.frames.length; at++) if (!goes.has(at)) stay.push(at);
  if (stay.length === facts.frames.length) return null;
  const revision = head.revision + 1 < 2 ** 32 ? head.revision + 1 : randomRevision();
  records.put(
    writes,
    model,
    { ...head, revision, count: stay.length },
    {
      ids: pick(facts.ids, stay, idBytes),
      frames: Uint32Array.from(stay, (at) => facts.frames[at]!),
      numbers: pick(facts.numbers, stay, facts.numbers.length / facts.frames.length),
      weak: Uint8Array.from(stay, (at) => facts.weak[at]!),
    },
    {
      file: stay.length === 0 ? '' : read.places.file,
      places: pick(read.places.places, stay, placeBytes),
    },
  );
  const isWhole = stay.length === 0;
  takeFaces(writes, { ...faceSource, faces: stored - stay.length }, { isWhole, isErased: true }, file);
  return { faces: going.size, revision: { before: head.revision, now: revision } };
}

function pick<A extends Uint8Array | Float32Array>(values: A, at: readonly number[], width: number): A {
  const picked = values.slice(0, at.length * width) as A;
  for (let i = 0; i < at.length; ) {
    const from = at[i]!;
    let count = 1;
    while (at[i + count] === from + count) count++;
    picked.set(values.subarray(from * width, (from + count) * width), i * width);
    i += count;
  }
  return picked;
}

/** A clustering that loses media, with its columns written already. Null: nothing is left of it. */
interface ChangedJob {
  readonly name: string;
  readonly put: ((writes: Transaction) => void) | null;
  readonly files: readonly string[];
}

/** Contents that are forgotten: their faces, and their entries in every clustering. */
export class PeopleRemoval {
  readonly #environment: Environment;
  readonly #files: ClusterWriter;
  readonly #gone: GoneFaces;
  readonly #jobs: ChangedJob[];

  /** Writes the columns of clusterings without these contents. For who holds the lease. */
  constructor(
    environment: Environment,
    clusterings: StoredClusterings,
    files: ClusterWriter,
    hashes: ReadonlySet<string>,
    token: string,
  ) {
    this.#environment = environment;
    this.#files = files;
    this.#gone = new Map([...hashes].map((hash) => [hash, null]));
    // One that is damaged cannot be changed; its records name faces that are gone then.
    this.#jobs = clusterings.names().flatMap((name) => {
      const changed = readable(() => changedJob(clusterings, files, name, hashes, token));
      return changed ?? [];
    });
  }

  /** Clusterings of which nothing is left. */
  get lost(): string[] {
    return this.#jobs.filter(({ put }) => put === null).map(({ name }) => name);
  }

  within(writes: Transaction): RemovedFaces {
    for (const { name, put } of this.#jobs) {
      if (put === null) this.#files.remove(writes, name);
      else put(writes);
    }
    return removeFaces(writes, this.#environment, this.#gone);
  }

  /** After the transaction. */
  tidy(): void {
    for (const { name, files } of this.#jobs) this.#files.tidy(name, files);
  }
}

function changedJob(
  clusterings: StoredClusterings,
  files: ClusterWriter,
  name: string,
  hashes: ReadonlySet<string>,
  token: string,
): ChangedJob[] {
  const stored = clusterings.get(name);
  if (stored === null) return [];
  const state = stateOf(stored);
  if (!state.media.some((hash) => hashes.has(hash))) return [];
  if (state.media.every((hash) => hashes.has(hash))) return [{ name, put: null, files: [] }];
  const columns = clusterings.columns(stored.file);
  const remainder = withoutEntries(state, columns, {
    entries: entriesOf(state, columns, hashes),
    media: hashes,
  });
  const file = files.write(name, remainder.columns, token);
  return [{ name, put: (writes) => files.put(writes, name, file, remainder.state), files: [file] }];
}
