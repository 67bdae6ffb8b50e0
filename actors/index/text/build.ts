// Makes a shard of documents: of every three bytes that follow each other in a folded text, the list of rows
// they are in. A first pass over the texts sizes the lists and logs the trigrams of each row, a second pass
// over that log writes them.
import { foldedByte, startOf } from './fold.ts';
import { distanceBytes, type Lists, Shard, type TextDocument, writeDistance } from './shard.ts';

const gramSpace = 1 << 24;

/**
 * Reserves 64 MB of address space, of which only the pages of trigrams that occur take memory: one makes many
 * shards.
 */
export class ShardBuilder<T extends TextDocument> {
  /** By gram: its number plus 1. */
  readonly #numbers = new Uint32Array(gramSpace);
  #grams = new Uint32Array(1 << 12);
  #last = new Int32Array(1 << 12);
  #counts = new Uint32Array(1 << 12);
  #sizes = new Uint32Array(1 << 12);
  #found = 0;
  /** Numbers of the grams of each row, each once, row after row. */
  #log = new Uint32Array(1 << 16);
  #logged = 0;
  #logEnds: number[] = [];
  #documents: T[] = [];

  get rows(): number {
    return this.#logEnds.length;
  }

  /** Takes a document in after those before it, which has to be their order. */
  add(document: T): void {
    const { folded } = document;
    const { bytes, ends } = folded;
    this.#documents.push(document);
    for (let row = 0; row < ends.length; row++) {
      const from = startOf(folded, row);
      // A row has at most one gram for each of its bytes.
      if (this.#log.length - this.#logged < ends[row]! - from) {
        this.#log = grown(this.#log, this.#logged + ends[row]! - from);
      }
      this.#addRow(bytes, from, ends[row]!);
      this.#logEnds.push(this.#logged);
    }
  }

  /** The last two grams of a row are filled up with zeros, so that each byte begins one. */
  #addRow(bytes: Uint8Array, from: number, to: number): void {
    const row = this.#logEnds.length;
    const numbers = this.#numbers;
    const log = this.#log;
    let last = this.#last;
    let counts = this.#counts;
    let sizes = this.#sizes;
    let logged = this.#logged;
    let gram = 0;
    for (let at = from; at < to + 2; at++) {
      gram = ((gram << 8) | (at < to ? foldedByte[bytes[at]!]! : 0)) & 0xffffff;
      if (at < from + 2) continue;
      let number = numbers[gram]!;
      if (number === 0) {
        number = this.#newGram(gram);
        last = this.#last;
        counts = this.#counts;
        sizes = this.#sizes;
      }
      const distance = row - last[number]!;
      if (distance === 0) continue;
      last[number] = row;
      counts[number]!++;
      sizes[number]! += distance < 0x80 ? 1 : distanceBytes(distance);
      log[logged++] = number;
    }
    this.#logged = logged;
  }

  #newGram(gram: number): number {
    const number = ++this.#found;
    if (number >= this.#grams.length) {
      this.#grams = grown(this.#grams, number + 1);
      this.#last = grown(this.#last, number + 1);
      this.#counts = grown(this.#counts, number + 1);
      this.#sizes = grown(this.#sizes, number + 1);
    }
    this.#numbers[gram] = number;
    this.#grams[number] = gram;
    this.#last[number] = -1;
    this.#counts[number] = 0;
    this.#sizes[number] = 0;
    return number;
  }

  /** The shard of what was taken in; the builder is empty again. */
  finish(): Shard<T> {
    const shard = new Shard(this.#documents, this.#lists());
    for (let number = 1; number <= this.#found; number++) this.#numbers[this.#grams[number]!] = 0;
    this.#found = 0;
    this.#logged = 0;
    this.#logEnds = [];
    this.#documents = [];
    return shard;
  }

  #lists(): Lists {
    const grams = this.#grams.slice(1, this.#found + 1).sort();
    const starts = new Uint32Array(grams.length + 1);
    const counts = new Uint32Array(grams.length);
    const next = new Uint32Array(this.#found + 1);
    for (let i = 0; i < grams.length; i++) {
      const number = this.#numbers[grams[i]!]!;
      counts[i] = this.#counts[number]!;
      next[number] = starts[i]!;
      starts[i + 1] = starts[i]! + this.#sizes[number]!;
    }
    const bytes = new Uint8Array(starts[grams.length]!);
    this.#last.fill(-1, 0, this.#found + 1);
    const log = this.#log;
    const last = this.#last;
    for (let row = 0, at = 0; row < this.#logEnds.length; row++) {
      for (const end = this.#logEnds[row]!; at < end; at++) {
        const number = log[at]!;
        const distance = row - last[number]!;
        last[number] = row;
        const offset = next[number]!;
        if (distance < 0x80) {
          bytes[offset] = distance;
          next[number] = offset + 1;
        } else next[number] = writeDistance(bytes, offset, distance);
      }
    }
    return { grams, starts, counts, bytes };
  }
}

function grown<T extends Uint32Array | Int32Array>(list: T, least: number): T {
  const size = Math.max(least, list.length * 2);
  const larger = (list instanceof Int32Array ? new Int32Array(size) : new Uint32Array(size)) as T;
  larger.set(list);
  return larger;
}
