// A clustering that is under way: which entries there are, in which order, and the way to their vectors. The
// entries of the clustering before come first while they are the same ones, so that what is known of them can
// be used.

import { createHash } from 'node:crypto';
import type { ClusterColumns } from '../../people/cluster-columns.ts';
import type { ClusteringState } from '../../people/clustering-state.ts';
import { idBytes } from '../../people/entry-id.ts';
import { type FaceColumns, quality } from '../../people/face-columns.ts';
import { stride16 } from '../../visual/quantize.ts';
import { readable } from '../faults.ts';
import type { FacePlacesRow } from '../records.ts';
import { checkRows, placeBytes, readVectors } from './face-rolls.ts';
import type { OpenRolls, StoredFaces } from './stored-faces.ts';

/** Bytes read in one step of some 10 ms. */
const stepBytes = 4 << 20;
/** Cost of reading a content, in bytes of its vectors. */
const contentBytes = 32 << 10;

export interface ClusteringRequest {
  readonly name: string;
  readonly model_key: string;
  readonly hashes: readonly string[];
  readonly eps: number | null;
  readonly min_samples: number;
}

/** The clustering that is stored; `columns` null where they are damaged. */
export interface EarlierClustering {
  readonly state: ClusteringState;
  readonly columns: ClusterColumns | null;
}

interface Content {
  readonly hash: string;
  /** The revision of its faces; 0 where there are none to cluster. */
  readonly mark: number;
  readonly stored_ms: number;
  readonly faces: OwnFaces | null;
}

interface OwnFaces {
  readonly ids: Uint8Array;
  readonly frames: Uint32Array;
  readonly weak: Uint8Array;
  readonly quality: Float32Array;
  readonly places: FacePlacesRow;
}

export class OpenClustering {
  readonly request: ClusteringRequest;
  readonly missing: string[] = [];
  readonly unreadable: string[] = [];
  before: { readonly labels: Int32Array; readonly neighbours: Int32Array } | null = null;
  /** Digest of its entries and of the clustering that it began with, once it is open. */
  digest = '';
  /** Shape of the clustering that it began with; null if there was none. */
  readonly shape: number | null;
  readonly seen: number | null;
  readonly media: string[] = [];
  readonly marks: number[] = [];
  ids = new Uint8Array(0);
  mediaOf = new Uint32Array(0);
  frames = new Uint32Array(0);
  weak = new Uint8Array(0);
  quality = new Float32Array(0);
  #places = new Uint8Array(0);
  /** Index in `#files` of each entry's roll. */
  #rollOf = new Uint32Array(0);
  readonly #files: string[] = [];
  readonly #faces: StoredFaces;
  #earlier: EarlierClustering | null;
  readonly #earlierMarks: ReadonlyMap<string, number>;
  readonly #hashes: readonly string[];
  readonly #stored: number[] = [];
  #contents: Content[] = [];
  #isOpen = false;
  readonly #rolls: OpenRolls;
  readonly #dimensions: number;

  /** Nothing is read before the first step. The caller closes it. */
  constructor(faces: StoredFaces, request: ClusteringRequest, earlier: EarlierClustering | null) {
    this.request = request;
    this.shape = earlier?.state.shape ?? null;
    this.seen = faces.changes();
    this.#dimensions = faces.dimensions(request.model_key) ?? 1;
    this.#faces = faces;
    this.#rolls = faces.rolls();
    this.#earlier = earlier;
    this.#earlierMarks = new Map(earlier?.state.media.map((hash, i) => [hash, earlier.state.marks[i]!]));
    this.#hashes = [...new Set([...this.#earlierMarks.keys(), ...request.hashes])];
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** True if it reads these faces; a folder that was opened again has others. */
  isOf(faces: StoredFaces): boolean {
    return this.#faces === faces;
  }

  /** Reads and checks some contents, `most` bytes, but keeps no vector. True when it is open. */
  step(most: number = stepBytes): boolean {
    if (this.#isOpen) return true;
    let bytes = 0;
    while (bytes < most && this.#contents.length < this.#hashes.length) {
      const content = this.#content(this.#hashes[this.#contents.length]!);
      this.#contents.push(content);
      bytes += contentBytes + (content.faces?.frames.length ?? 0) * stride16(this.#dimensions);
    }
    if (this.#contents.length < this.#hashes.length) return false;
    this.#fill(this.#inOrder());
    this.before = this.#before(this.#earlier);
    this.digest = this.#digestOf(this.#earlier);
    this.#contents = [];
    this.#earlier = null;
    this.#isOpen = true;
    return true;
  }

  get entries(): number {
    return this.mediaOf.length;
  }

  /** Media of the clustering before whose faces are the same first, in their order. */
  #inOrder(): Content[] {
    const isSame = ({ hash, mark }: Content) => mark !== 0 && this.#earlierMarks.get(hash) === mark;
    return [...this.#contents.filter(isSame), ...this.#contents.filter((content) => !isSame(content))];
  }

  #content(hash: string): Content {
    const { model_key } = this.request;
    const read = readable(() => {
      const contentFaces = this.#faces.content(model_key, hash);
      if (contentFaces === null || contentFaces.head.dimensions !== this.#dimensions)
        return { content: null };
      const { head, places, facts } = contentFaces;
      if (head.count > 0) {
        checkRows(this.#rolls.get(places.file), head.dimensions, places.places, facts.frames);
      }
      const { ids, frames, weak } = facts;
      const entries = { ids, frames, weak, quality: qualities(facts), places };
      return { content: { mark: head.revision, stored_ms: head.stored_ms, faces: entries } };
    });
    if (read === null) this.unreadable.push(hash);
    else if (read.content === null) this.missing.push(hash);
    const { mark = 0, stored_ms = 0, faces = null } = read?.content ?? {};
    return { hash, mark, stored_ms, faces };
  }

  #fill(contents: readonly Content[]): void {
    const count = contents.reduce((sum, { faces }) => sum + (faces?.frames.length ?? 0), 0);
    this.ids = new Uint8Array(count * idBytes);
    this.mediaOf = new Uint32Array(count);
    this.frames = new Uint32Array(count);
    this.weak = new Uint8Array(count);
    this.quality = new Float32Array(count);
    this.#places = new Uint8Array(count * placeBytes);
    this.#rollOf = new Uint32Array(count);
    const rolls = new Map<string, number>();
    let at = 0;
    for (const { hash, mark, faces, stored_ms } of contents) {
      const position = this.media.push(hash) - 1;
      this.#stored.push(stored_ms);
      this.marks.push(mark);
      if (faces === null) continue;
      const end = at + faces.frames.length;
      this.ids.set(faces.ids, at * idBytes);
      this.frames.set(faces.frames, at);
      this.weak.set(faces.weak, at);
      this.quality.set(faces.quality, at);
      this.#places.set(faces.places.places, at * placeBytes);
      this.mediaOf.fill(position, at, end);
      const { file } = faces.places;
      if (!rolls.has(file)) rolls.set(file, this.#files.push(file) - 1);
      this.#rollOf.fill(rolls.get(file)!, at, end);
      at = end;
    }
  }

  /** Without revisions, of which each replica has its own. */
  #digestOf(earlier: EarlierClustering | null): string {
    const { clustered_ms, cluster_ids, sizes, corrections } = earlier?.state ?? {};
    const said = [this.media, clustered_ms, cluster_ids, sizes, corrections, this.#stored];
    return createHash('sha256').update(JSON.stringify(said)).update(this.ids).digest('hex');
  }

  #before(earlier: EarlierClustering | null): OpenClustering['before'] {
    const { eps, min_samples, model_key } = this.request;
    if (earlier === null || earlier.columns === null) return null;
    const { state, columns } = earlier;
    const isAlike =
      state.is_whole &&
      state.eps === eps &&
      state.min_samples === min_samples &&
      state.model_key === model_key;
    const { ids, raw, neighbours } = columns;
    // The same ids in the same order, by the same revisions: the same vectors.
    const marks = new Map(this.media.map((hash, i) => [hash, this.marks[i]!]));
    const isSame = state.media.every((hash, i) => state.marks[i] === 0 || state.marks[i] === marks.get(hash));
    if (!isAlike || !isSame || ids.length > this.ids.length) return null;
    if (Buffer.compare(ids, this.ids.subarray(0, ids.length)) !== 0) return null;
    return { labels: raw.slice(), neighbours: neighbours.slice() };
  }

  /**
   * n×d, L2-normalised, *copied*, with a byte each: 1 for a weak face, 2 for an unreliable one. Throws
   * STORE_DAMAGED.
   */
  vectors(from: number, most: number): { vectors: Float32Array<ArrayBuffer>; weak: Uint8Array<ArrayBuffer> } {
    const to = Math.min(this.entries, from + most);
    const count = Math.max(0, to - from);
    const vectors = new Float32Array(count * this.#dimensions);
    for (let at = from; at < to; ) {
      const roll = this.#rollOf[at]!;
      let end = at + 1;
      while (end < to && this.#rollOf[end] === roll) end++;
      const places = this.#places.subarray(at * placeBytes, end * placeBytes);
      const frames = this.frames.subarray(at, end);
      const opened = this.#rolls.get(this.#files[roll]!);
      readVectors(opened, this.#dimensions, places, frames, vectors, (at - from) * this.#dimensions);
      at = end;
    }
    return { vectors, weak: Uint8Array.from(this.weak.subarray(from, to)) };
  }

  close(): void {
    this.#rolls.close();
  }
}

function qualities(facts: FaceColumns): Float32Array {
  const all = new Float32Array(facts.frames.length);
  for (let at = 0; at < all.length; at++) all[at] = quality(facts, at);
  return all;
}
