// The clusterings of an analysis folder: a small record that names the file of its columns, and one with
// everything else.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { joinRanges } from '../../../../runtime/ranges.ts';
import {
  type ClusterColumns,
  membersOf,
  readColumns,
  type StoredClusters,
  sampleOrder,
} from '../../people/cluster-columns.ts';
import { type ClusteringState, clusterNumber } from '../../people/clustering-state.ts';
import type { ClusterFaces } from '../../people/contract.ts';
import { idText } from '../../people/entry-id.ts';
import { storeErrors } from '../contract.ts';
import type { Environment, Transaction } from '../environment.ts';
import { damaged, readAgain, readable, storeFault } from '../faults.ts';
import { clusteringKey, clusteringPrefix, clusteringStateKey, peopleFolder } from '../names.ts';
import { ClusteringRow, ClusteringStateRow, type FacePlacesRow } from '../records.ts';
import { unseal } from '../table.ts';
import { EntryPositions } from './entry-positions.ts';
import { placeBytes, readDisplay } from './face-rolls.ts';
import type { StoredFaces } from './stored-faces.ts';

/** Columns kept of those read last, bytes: those of two clusterings of 600,000 faces. */
const mostKept = 48 << 20;

export interface StoredClustering {
  readonly name: string;
  readonly revision: number;
  /** File of its columns. */
  readonly file: string;
  readonly json: string;
}

export class StoredClusterings {
  readonly #folder: string;
  readonly #reading: () => Environment | null;
  readonly #columns = new Map<string, { columns: ClusterColumns; bytes: number }>();

  constructor(folder: string, reading: () => Environment | null) {
    this.#folder = folder;
    this.#reading = reading;
  }

  /** Every name, ascending; also where the clustering is damaged. */
  names(): string[] {
    const environment = this.#reading();
    return (environment?.keys(clusteringPrefix) ?? []).map((key) => this.#nameOf(environment!, key)).sort();
  }

  #nameOf(environment: Environment, key: string): string {
    const bytes = environment.get(key);
    const row = bytes && readable(() => unseal(ClusteringRow, key, bytes, environment.file));
    if (row) return row.name;
    const encoded = key.slice(clusteringPrefix.length);
    return encoded.startsWith('~') ? encoded : decodeURIComponent(encoded);
  }

  /** Null when there is none. Another one whenever anything of it was stored. Throws STORE_DAMAGED. */
  version(name: string): number | null {
    const environment = this.#reading();
    return environment && (headIn(environment, name, environment.file)?.revision ?? null);
  }

  get(name: string): StoredClustering | null {
    const environment = this.#reading();
    return environment && clusteringIn(environment, name, environment.file);
  }

  /** *Borrowed*, kept for the next time. Throws STORE_DAMAGED naming the file. */
  columns(file: string): ClusterColumns {
    const cachedEntry = this.#columns.get(file);
    if (cachedEntry) this.#columns.delete(file);
    const bytes = cachedEntry ? null : readFile(join(peopleFolder(this.#folder), file));
    const entry = cachedEntry ?? { columns: columnsOf(bytes!, file), bytes: bytes!.byteLength };
    this.#columns.set(file, entry);
    let total = 0;
    for (const cacheEntry of this.#columns.values()) total += cacheEntry.bytes;
    for (const [oldest, cacheEntry] of this.#columns) {
      if (total <= mostKept || oldest === file) break;
      this.#columns.delete(oldest);
      total -= cacheEntry.bytes;
    }
    return entry.columns;
  }

  /** The whole of one, and nothing of another version of it. Null when there is none. */
  whole(name: string): { stored: StoredClustering; columns: ClusterColumns } | null {
    return readAgain(() => {
      const stored = this.get(name);
      return stored && { stored, columns: this.columns(stored.file) };
    });
  }

  /** The part that searches need; null if there is none. *Copied*. */
  read(name: string): StoredClusters | null {
    const storedClusters = this.#borrowed(name, null);
    if (storedClusters === null) return null;
    const { ids, media, frames, clusters } = storedClusters;
    return {
      ...storedClusters,
      ids: ids.slice(),
      media: media.slice(),
      frames: frames.slice(),
      clusters: clusters.slice(),
    };
  }

  /** The same, *borrowed until the end of the turn*, where a content is part of it; null where it is not. */
  readWith(name: string, hash: string): StoredClusters | null {
    return this.#borrowed(name, hash);
  }

  #borrowed(name: string, hash: string | null): StoredClusters | null {
    return readAgain(() => {
      const stored = this.get(name);
      if (stored === null) return null;
      const state = stateOf(stored);
      if (hash !== null && !state.media.includes(hash)) return null;
      const columns = this.columns(stored.file);
      return {
        name,
        version: stored.revision,
        hashes: state.media,
        cluster_ids: state.cluster_ids,
        names: state.cluster_ids.map((id) => state.names[id] ?? ''),
        ids: columns.ids,
        media: columns.media,
        frames: columns.frames,
        clusters: columns.clusters,
      };
    });
  }
}

type Reader = Pick<Transaction, 'get'>;

function headIn(reader: Reader, name: string, file: string): ClusteringRow | null {
  const key = clusteringKey(name);
  const bytes = reader.get(key);
  return bytes === undefined ? null : unseal(ClusteringRow, key, bytes, file);
}

/** Throws STORE_DAMAGED. */
export function clusteringIn(reader: Reader, name: string, file: string): StoredClustering | null {
  const head = headIn(reader, name, file);
  if (head === null) return null;
  const key = clusteringStateKey(name);
  const { state_json } = unseal(ClusteringStateRow, key, reader.get(key) ?? new Uint8Array(0), file);
  return { name: head.name, revision: head.revision, file: head.file, json: state_json };
}

/** Written by this program under a checksum, so the text is a state. */
export const stateOf = ({ json }: StoredClustering): ClusteringState => JSON.parse(json) as ClusteringState;

function readFile(file: string): Uint8Array<ArrayBuffer> {
  let fd: number | null = null;
  try {
    fd = openSync(file, 'r');
    const bytes = new Uint8Array(fstatSync(fd).size);
    let done = 0;
    while (done < bytes.byteLength) {
      const got = readSync(fd, bytes, done, bytes.byteLength - done, done);
      if (got === 0) throw damaged(file, 'it is cut off');
      done += got;
    }
    return bytes;
  } catch (error) {
    throw storeFault(error, file, 'read');
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function columnsOf(bytes: Uint8Array<ArrayBuffer>, file: string): ClusterColumns {
  const columns = readColumns(bytes);
  if (columns === 'newer') throw storeErrors.STORE_TOO_NEW(`${file} has a newer format`, { file });
  if (typeof columns === 'string') throw damaged(file, columns);
  return columns;
}

// A clustering as people look at it: pages of the faces of its clusters, and where somebody is seen.

export interface ClusterPage {
  readonly offset: number;
  readonly limit: number;
}

export interface ClusterAppearance {
  readonly hash_str: string;
  readonly faces: number;
  readonly ranges: [number, number][];
}

export class ClusterView {
  readonly state: ClusteringState;
  readonly #columns: ClusterColumns;
  readonly #faces: StoredFaces;
  /** Entries by cluster, ascending; noise is the last. */
  readonly #members: readonly Int32Array[];
  #shown: FacePictures | null = null;

  constructor(state: ClusteringState, columns: ClusterColumns, faces: StoredFaces) {
    this.state = state;
    this.#columns = columns;
    this.#faces = faces;
    this.#members = membersOf(columns.clusters, state.cluster_ids.length);
  }

  get #pictures(): FacePictures {
    const changes = this.#faces.changes();
    if (this.#shown === null || changes === null || this.#shown.seen !== changes) {
      this.#shown = new FacePictures(this.#faces, this.state, this.#columns);
    }
    return this.#shown;
  }

  /** Positions of the clusters of such a size, largest first. */
  ofSize(least: number, most: number): number[] {
    const { sizes, cluster_ids } = this.state;
    const positions = [...sizes.keys()].filter((at) => sizes[at]! >= least && sizes[at]! <= most);
    return positions.sort(
      (a, b) => sizes[b]! - sizes[a]! || clusterNumber(cluster_ids[a]!) - clusterNumber(cluster_ids[b]!),
    );
  }

  /**
   * A page of each cluster, best first; -1 is the noise. `pathOf`: path of a content. `broken` receives media
   * whose pictures are damaged.
   */
  pages(
    clusters: readonly number[],
    { offset, limit }: ClusterPage,
    pathOf: (hash: string) => string | null,
    broken: (hash: string, error: Error) => void,
  ): ClusterFaces[] {
    const pictures = this.#pictures;
    const { media, frames, quality, ids } = this.#columns;
    const chosen = clusters.map((cluster) => {
      const members = this.#members.at(cluster) ?? new Int32Array(0);
      const available = pictures.available(members);
      const order = sampleOrder(available, media, quality, offset + limit).subarray(offset);
      return { cluster, size: members.length, available: available.length, entries: [...order] };
    });
    const all = pictures.read(
      chosen.flatMap(({ entries }) => entries),
      broken,
    );
    let at = 0;
    return chosen.map(({ cluster, size, available, entries }) => {
      const faceEntries = entries.flatMap((entry) => {
        const picture = all[at++];
        return picture ? [{ entry, picture }] : [];
      });
      const id = cluster < 0 ? '' : this.state.cluster_ids[cluster]!;
      return {
        cluster_id: id,
        name: this.state.names[id] ?? '',
        size,
        available_faces: available,
        faces: faceEntries.map(({ picture }) => picture),
        entry_ids: faceEntries.map(({ entry }) => idText(ids, entry)),
        places: faceEntries.map(({ entry }) => {
          const hash_str = this.state.media[media[entry]!]!;
          return { hash_str, path: pathOf(hash_str), frame_index: frames[entry]! };
        }),
      };
    });
  }

  /** Half-open ranges of grid frames of a cluster, by content. */
  appearances(cluster: number): ClusterAppearance[] {
    const { media, frames } = this.#columns;
    const members = this.#members[cluster] ?? new Int32Array(0);
    const appearances: ClusterAppearance[] = [];
    for (let from = 0; from < members.length; ) {
      let to = from;
      const mediaIndex = media[members[from]!]!;
      while (to < members.length && media[members[to]!] === mediaIndex) to++;
      const frameIndexes = Array.from(members.subarray(from, to), (entry) => frames[entry]!);
      const ranges = joinRanges(frameIndexes.map((frame) => [frame, frame + 1] as const));
      appearances.push({ hash_str: this.state.media[mediaIndex]!, faces: to - from, ranges });
      from = to;
    }
    return appearances;
  }
}

// The pictures of the faces of a clustering; an entry that is not there any more has none.

class FacePictures {
  readonly #faces: StoredFaces;
  readonly #state: ClusteringState;
  readonly #columns: ClusterColumns;
  readonly #positions: EntryPositions;

  constructor(faces: StoredFaces, state: ClusteringState, columns: ClusterColumns) {
    this.#faces = faces;
    this.#state = state;
    this.#columns = columns;
    this.#positions = new EntryPositions(faces, state, columns);
  }

  /** How far the changes of faces were known. */
  get seen(): number | null {
    return this.#positions.seen;
  }

  /** Members that have a picture. */
  available(members: Int32Array): Int32Array {
    return this.#positions.there(members);
  }

  /** JPEG for people of each, *copied*; null for one that is damaged, of whose media `broken` is told. */
  read(
    entries: readonly number[],
    broken: (hash: string, error: Error) => void,
  ): (Uint8Array<ArrayBuffer> | null)[] {
    const rolls = this.#faces.rolls();
    const places = new Map<number, FacePlacesRow | null>();
    const placesOf = (media: number, report: (error: Error) => void) => {
      const { model_key } = this.#state;
      const hash = this.#state.media[media]!;
      if (!places.has(media))
        places.set(
          media,
          readable(() => this.#faces.places(model_key, hash), report),
        );
      return places.get(media) ?? null;
    };
    try {
      return entries.map((entry) => {
        const media = this.#columns.media[entry]!;
        const reportBroken = (error: Error) => broken(this.#state.media[media]!, error);
        const of = placesOf(media, reportBroken);
        const at = this.#positions.of(entry);
        const roll = of && of.file !== '' ? rolls.of(of.file, reportBroken) : null;
        if (of === null || roll === null || at < 0 || (at + 1) * placeBytes > of.places.length) return null;
        return readable(() => readDisplay(roll, of.places, at), reportBroken);
      });
    } finally {
      rolls.close();
    }
  }
}
