// Makes a shard of documents: of every three bytes that follow each other in a folded text, the list of rows
// they are in. A first pass over the texts counts each gram, a second one puts its rows side by side, a third
// one packs them. So a byte costs three accesses to places that do not follow each other.
import { foldedByte } from './fold.ts';
import {
  distanceBytes,
  type FoundRow,
  firstRows,
  type GramLists,
  type RowSearch,
  Shard,
  type TextDocument,
  writeDistance,
} from './shard.ts';

const gramSpace = 1 << 24;

/**
 * Reserves 64 MB of address space, of which only the pages of grams that occur take memory: one makes many
 * shards.
 */
export class ShardBuilder<T extends TextDocument> {
  /** Occurrences of each gram; while its rows are arranged, the position of the next one. */
  readonly #places = new Uint32Array(gramSpace);
  #grams = new Uint32Array(1 << 12);
  #gramCount = 0;
  #documents: T[] = [];
  #rows = 0;
  /** Occurrences of all grams. */
  #size = 0;
  // Kept from shard to shard.
  #placed: Uint16Array | Uint32Array = new Uint16Array(0);
  #packed = new Uint8Array(0);

  get rows(): number {
    return this.#rows;
  }

  /** Takes a document in after those before it, which has to be their order. */
  add(document: T): void {
    const { bytes, ends } = document.folded;
    const places = this.#places;
    for (let row = 0, from = 0; row < ends.length; row++) {
      const to = ends[row]!;
      let gram = firstTwo(bytes, from, to);
      for (let at = from + 2; at < to; at++) {
        gram = ((gram << 8) | foldedByte[bytes[at]!]!) & 0xffffff;
        if (places[gram]!++ === 0) this.#enter(gram);
      }
      for (let padding = Math.min(2, to - from); padding > 0; padding--) {
        gram = (gram << 8) & 0xffffff;
        if (places[gram]!++ === 0) this.#enter(gram);
      }
      from = to;
    }
    this.#documents.push(document);
    this.#rows += ends.length;
  }

  #enter(gram: number): void {
    if (this.#gramCount === this.#grams.length) {
      const larger = new Uint32Array(this.#gramCount * 2);
      larger.set(this.#grams);
      this.#grams = larger;
    }
    this.#grams[this.#gramCount++] = gram;
  }

  /** The shard of what was taken in; the builder is empty again. */
  finish(): Shard<T> {
    const grams = this.#grams.slice(0, this.#gramCount).sort();
    const places = this.#places;
    let next = 0;
    for (const gram of grams) {
      const count = places[gram]!;
      places[gram] = next;
      next += count;
    }
    this.#size = next;
    this.#place();
    const shard = new Shard(this.#documents, this.#pack(grams));
    for (const gram of grams) places[gram] = 0;
    this.#documents = [];
    this.#gramCount = this.#rows = 0;
    return shard;
  }

  #place(): void {
    const Placed = this.#rows > 0x10000 ? Uint32Array : Uint16Array;
    if (this.#placed.length < this.#size || !(this.#placed instanceof Placed)) {
      this.#placed = new Placed(this.#size);
    }
    const places = this.#places;
    const placed = this.#placed;
    let number = 0;
    for (const { folded } of this.#documents) {
      const { bytes, ends } = folded;
      for (let row = 0, from = 0; row < ends.length; row++, number++) {
        const to = ends[row]!;
        let gram = firstTwo(bytes, from, to);
        for (let at = from + 2; at < to; at++) {
          gram = ((gram << 8) | foldedByte[bytes[at]!]!) & 0xffffff;
          placed[places[gram]!++] = number;
        }
        for (let padding = Math.min(2, to - from); padding > 0; padding--) {
          gram = (gram << 8) & 0xffffff;
          placed[places[gram]!++] = number;
        }
        from = to;
      }
    }
  }

  #pack(grams: Uint32Array): GramLists {
    const most = this.#size * distanceBytes(this.#rows);
    if (this.#packed.length < most) this.#packed = new Uint8Array(most);
    const places = this.#places;
    const placed = this.#placed;
    const packed = this.#packed;
    const starts = new Uint32Array(grams.length + 1);
    const counts = new Uint32Array(grams.length);
    let out = 0;
    let at = 0;
    for (let i = 0; i < grams.length; i++) {
      const end = places[grams[i]!]!;
      let count = 0;
      for (let last = -1; at < end; at++) {
        const distance = placed[at]! - last;
        if (distance === 0) continue;
        last += distance;
        count++;
        if (distance < 0x80) packed[out++] = distance;
        else out = writeDistance(packed, out, distance);
      }
      counts[i] = count;
      starts[i + 1] = out;
    }
    return { grams, starts, counts, bytes: packed.slice(0, out) };
  }
}

/** The first two bytes of a row, with zeros for what it lacks. */
function firstTwo(bytes: Uint8Array, from: number, to: number): number {
  const first = from < to ? foldedByte[bytes[from]!]! : 0;
  return (first << 8) | (from + 1 < to ? foldedByte[bytes[from + 1]!]! : 0);
}

// The shards of one folder. Documents are taken in until they fill one; shards that are small, or of which
// more than half is gone, are made fewer.

/** Limits of one shard, rows and bytes of text: making one takes some 10 ms. */
const shardRows = 1 << 14;
const shardBytes = 1 << 20;
/** Number of shards less than half full at which they are merged. */
const mostSmall = 8;

interface Sized extends TextDocument {
  /** In memory. */
  readonly bytes: number;
}

export class Shards<T extends Sized> {
  #shards: Shard<T>[] = [];
  /** While there is something to take in: it takes memory of its own. */
  #builder: ShardBuilder<T> | null = null;
  /** Bytes of the texts in the builder. */
  #bytes = 0;

  /** In memory. */
  get bytes(): number {
    const documents = (shard: Shard<T>) => shard.documents.reduce((sum, document) => sum + document.bytes, 0);
    return this.#shards.reduce((sum, shard) => sum + shard.bytes + documents(shard), 0);
  }

  /** True if there is enough for a shard. */
  get isFull(): boolean {
    return (this.#builder?.rows ?? 0) >= shardRows || this.#bytes >= shardBytes;
  }

  take(document: T): void {
    this.#builder ??= new ShardBuilder();
    this.#builder.add(document);
    this.#bytes += document.folded.bytes.byteLength;
  }

  /** Makes a shard of what was taken in. False where that is nothing. */
  seal(): boolean {
    if (this.#builder === null || this.#builder.rows === 0) return false;
    this.#shards.push(this.#builder.finish());
    this.#bytes = 0;
    return true;
  }

  /**
   * Makes small shards one, and those anew of which more than half is gone. False when there is nothing to
   * do.
   */
  tidy(): boolean {
    this.#shards = this.#shards.filter((shard) => liveRows(shard) > 0);
    const small = this.#shards.filter((shard) => fullness(shard) * 2 < 1);
    const sparse = this.#shards.filter((shard) => liveRows(shard) * 2 < shard.rows);
    const candidates = small.length > mostSmall ? small : sparse;
    if (candidates.length === 0) {
      this.#builder = null;
      return false;
    }
    const mergedShards = new Set<Shard<T>>();
    let full = 0;
    for (const shard of candidates) {
      if (mergedShards.size > 1 && full + fullness(shard) > 1) break;
      mergedShards.add(shard);
      full += fullness(shard);
    }
    this.#shards = this.#shards.filter((shard) => !mergedShards.has(shard));
    for (const { documents } of mergedShards)
      for (const document of documents) if (!document.gone) this.take(document);
    this.seal();
    return true;
  }

  /** In `order`, which needs not be that in which they were taken in. */
  first(order: (a: T, b: T) => number, search: RowSearch<T>): FoundRow<T>[] {
    return firstRows(this.#shards, order, search);
  }
}

/** Live share of a shard's capacity. */
function fullness(shard: Shard<TextDocument>): number {
  const live = shard.documents.filter(({ gone }) => !gone);
  const bytes = live.reduce((sum, { folded }) => sum + folded.bytes.byteLength, 0);
  return Math.max(liveRows(shard) / shardRows, bytes / shardBytes);
}

function liveRows({ documents }: Shard<TextDocument>): number {
  return documents.reduce((sum, { gone, folded }) => sum + (gone ? 0 : folded.ends.length), 0);
}
