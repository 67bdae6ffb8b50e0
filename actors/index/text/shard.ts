// Some documents with the lists of where each three bytes of their folded texts occur. Never changes. Every
// byte of a row begins a gram, the last two filled up with zeros: so what has one or two bytes is found as
// the beginning of a gram.
import { lowerBound } from '../visual/frames.ts';
import { type FoldedTexts, foldedByte, startOf } from './fold.ts';

export interface GramLists {
  /** Three bytes as a number, ascending. */
  readonly grams: Uint32Array;
  /** Where the list of each begins in `bytes`, and the end of the last. */
  readonly starts: Uint32Array;
  /** Rows of each list. */
  readonly counts: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Texts that are found together: the segments of a transcript, nodes of a summary. */
export interface TextDocument {
  readonly folded: FoldedTexts;
  /** Another one took its place: it is not searched any more, and leaves memory with its shard. */
  readonly gone: boolean;
}

/** Which rows of a document are in scope: all for true, none for false. */
export type Picked = boolean | ((row: number) => boolean);

/**
 * Checking the text of a row costs as much as reading this many entries of a list; few rows are checked
 * anyway.
 */
const rowCost = 64;
const fewRows = 32;

export class Shard<T extends TextDocument> {
  readonly documents: readonly T[];
  readonly rows: number;
  readonly #lists: GramLists;
  readonly #firstRows: Uint32Array;
  /** Number of rows in the lists of the grams that each byte begins. */
  readonly #byteRows = new Float64Array(256);

  constructor(documents: readonly T[], lists: GramLists) {
    this.documents = documents;
    this.#lists = lists;
    this.#firstRows = new Uint32Array(documents.length);
    let rows = 0;
    for (const [i, { folded }] of documents.entries()) {
      this.#firstRows[i] = rows;
      rows += folded.ends.length;
    }
    this.rows = rows;
    for (const [i, gram] of lists.grams.entries()) this.#byteRows[gram >>> 16]! += lists.counts[i]!;
  }

  /** Bytes in memory, without the documents. */
  get bytes(): number {
    const { grams, starts, counts, bytes } = this.#lists;
    return [grams, starts, counts, bytes].reduce((sum, list) => sum + list.byteLength, 0);
  }

  /**
   * Tells `hit` of the rows that hold every needle, in their order, and answers how many; no row is looked at
   * after `most` of them. `needles`: folded, UTF-8, none of them empty, at least one.
   */
  find(
    needles: readonly Uint8Array[],
    pickOf: (document: T) => Picked,
    most: number,
    hit: (document: T, row: number) => void,
  ): number {
    const picks = this.documents.map((document) => (document.gone ? false : pickOf(document)));
    if (picks.every((pick) => pick === false)) return 0;
    const { rows, unsure } = this.#candidates(needles);
    const checks = unsure.map((needle) => ({ needle, anchor: this.#rarest(needle) }));
    let total = 0;
    let [at, end]: [number, number] = [-1, 0];
    for (let i = 0; i < rows.length && total < most; i++) {
      const row = rows[i]!;
      if (row >= end) {
        // Documents without rows share their first row with the one after them.
        at = lowerBound(this.#firstRows, row + 1, at + 1) - 1;
        end = this.#firstRows[at]! + this.documents[at]!.folded.ends.length;
      }
      const pick = picks[at]!;
      if (pick === false) {
        i = lowerBound(rows, end, i + 1) - 1;
        continue;
      }
      const { folded } = this.documents[at]!;
      const documentRow = row - this.#firstRows[at]!;
      if (pick !== true && !pick(documentRow)) continue;
      if (!checks.every((check) => holds(folded, documentRow, check))) continue;
      total++;
      hit(this.documents[at]!, documentRow);
    }
    return total;
  }

  /**
   * Rows that may hold all needles, ascending, as the rarest one says; `unsure`: which of them have to be
   * looked for.
   */
  #candidates(needles: readonly Uint8Array[]): { rows: Uint32Array; unsure: readonly Uint8Array[] } {
    const nothing = { rows: new Uint32Array(0), unsure: [] };
    let best = needles[0]!;
    let fewest = Number.POSITIVE_INFINITY;
    for (const needle of needles) {
      // Needles of one or two bytes have many lists.
      const rows = needle.length < 3 ? Number.MAX_VALUE : this.#fewestRows(needle);
      if (rows === 0) return nothing;
      if (rows < fewest) [best, fewest] = [needle, rows];
    }
    const { rows, sure } = this.#candidatesOf(best);
    return { rows, unsure: sure ? needles.filter((needle) => needle !== best) : needles };
  }

  /** Rows of the shortest list of its grams. */
  #fewestRows(needle: Uint8Array): number {
    const { grams, counts } = this.#lists;
    let fewest = Number.POSITIVE_INFINITY;
    for (let at = 0; at + 3 <= needle.length && fewest > 0; at++) {
      const gram = (needle[at]! << 16) | (needle[at + 1]! << 8) | needle[at + 2]!;
      const list = lowerBound(grams, gram);
      fewest = Math.min(fewest, grams[list] === gram ? counts[list]! : 0);
    }
    return fewest;
  }

  /** Rows that may hold the needle, ascending; `sure`: that do. */
  #candidatesOf(needle: Uint8Array): { rows: Uint32Array; sure: boolean } {
    if (needle.length < 3) return { rows: this.#beginning(needle), sure: true };
    const lists = new Set<number>();
    for (let at = 0; at + 3 <= needle.length; at++) {
      const gram = (needle[at]! << 16) | (needle[at + 1]! << 8) | needle[at + 2]!;
      const list = lowerBound(this.#lists.grams, gram);
      if (this.#lists.grams[list] !== gram) return { rows: new Uint32Array(0), sure: true };
      lists.add(list);
    }
    const { counts } = this.#lists;
    const [rarest, ...others] = [...lists].sort((a, b) => counts[a]! - counts[b]!) as [number, ...number[]];
    let rows = this.#read(rarest);
    for (const list of others.slice(0, 6)) {
      // Beyond that it is cheaper to look at the texts.
      if (rows.length <= fewRows || counts[list]! > rows.length * rowCost) break;
      rows = this.#both(rows, list);
    }
    return { rows, sure: needle.length === 3 };
  }

  /** Position in the needle of the byte that the fewest grams begin with, counted by rows. */
  #rarest(needle: Uint8Array): number {
    let best = 0;
    for (let at = 1; at < needle.length; at++) {
      if (this.#byteRows[needle[at]!]! < this.#byteRows[needle[best]!]!) best = at;
    }
    return best;
  }

  #read(list: number): Uint32Array {
    const { counts, starts, bytes } = this.#lists;
    const rows = new Uint32Array(counts[list]!);
    readRows(bytes, starts[list]!, starts[list + 1]!, rows);
    return rows;
  }

  #both(rows: Uint32Array, list: number): Uint32Array {
    const marks = this.#marks(list, list + 1);
    let count = 0;
    for (const row of rows) {
      if (((marks[row >>> 5]! >>> (row & 31)) & 1) === 1) rows[count++] = row;
    }
    return rows.subarray(0, count);
  }

  #marks(from: number, to: number): Uint32Array {
    const { starts, bytes } = this.#lists;
    const marks = new Uint32Array(Math.ceil(this.rows / 32));
    for (let list = from; list < to; list++) markRows(bytes, starts[list]!, starts[list + 1]!, marks);
    return marks;
  }

  /** The rows of all grams that begin with one or two bytes. */
  #beginning(bytes: Uint8Array): Uint32Array {
    const { grams } = this.#lists;
    const [low, span] =
      bytes.length === 1 ? [bytes[0]! << 16, 1 << 16] : [(bytes[0]! << 16) | (bytes[1]! << 8), 256];
    const from = lowerBound(grams, low);
    const marks = this.#marks(from, lowerBound(grams, low + span, from));
    const rows = new Uint32Array(this.rows);
    return rows.subarray(0, markedRows(marks, rows));
  }
}

interface Needle {
  readonly needle: Uint8Array;
  readonly anchor: number;
}

function holds(folded: FoldedTexts, row: number, { needle, anchor }: Needle): boolean {
  const { bytes, ends } = folded;
  const length = needle.length;
  const rare = needle[anchor]!;
  const last = ends[row]! - length + anchor;
  for (let at = startOf(folded, row) + anchor; at <= last; at++) {
    if (foldedByte[bytes[at]!] !== rare) continue;
    const from = at - anchor;
    let same = 0;
    while (same < length && foldedByte[bytes[from + same]!] === needle[same]) same++;
    if (same === length) return true;
  }
  return false;
}

// Ascending lists of rows, each the distances to the row before as bytes of seven bits.

export function distanceBytes(distance: number): number {
  return distance < 0x80
    ? 1
    : distance < 0x4000
      ? 2
      : distance < 0x200000
        ? 3
        : distance < 0x10000000
          ? 4
          : 5;
}

/** Writes a distance and answers the offset after it. */
export function writeDistance(bytes: Uint8Array, at: number, distance: number): number {
  let remainder = distance;
  let next = at;
  while (remainder >= 0x80) {
    bytes[next++] = (remainder & 0x7f) | 0x80;
    remainder >>>= 7;
  }
  bytes[next++] = remainder;
  return next;
}

/** Reads the rows of `[from, to)` into `rows` and answers how many there are. */
function readRows(bytes: Uint8Array, from: number, to: number, rows: Uint32Array): number {
  let row = -1;
  let count = 0;
  for (let at = from; at < to; ) {
    let byte = bytes[at++]!;
    let distance = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++]!;
      distance |= (byte & 0x7f) << shift;
    }
    row += distance;
    rows[count++] = row;
  }
  return count;
}

/** Marks the rows of `[from, to)`, one bit each. */
function markRows(bytes: Uint8Array, from: number, to: number, marks: Uint32Array): void {
  let row = -1;
  for (let at = from; at < to; ) {
    let byte = bytes[at++]!;
    let distance = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++]!;
      distance |= (byte & 0x7f) << shift;
    }
    row += distance;
    marks[row >>> 5]! |= 1 << (row & 31);
  }
}

/** The marked rows, ascending, into `rows`; answers how many there are. */
function markedRows(marks: Uint32Array, rows: Uint32Array): number {
  let count = 0;
  for (let word = 0; word < marks.length; word++) {
    for (let bits = marks[word]!; bits !== 0; bits &= bits - 1) {
      rows[count++] = word * 32 + 31 - Math.clz32(bits & -bits);
    }
  }
  return count;
}

// The rows of several shards that hold what is looked for. Of too many it takes the first ones by an order of
// the documents, so that which these are does not depend on how documents lie in shards.

export interface FoundRow<T> {
  readonly document: T;
  readonly row: number;
}

export interface RowSearch<T> {
  readonly needles: readonly Uint8Array[];
  pickOf(document: T): Picked;
  readonly most: number;
  /** Called between shards; may throw to stop. */
  pause(): void;
}

/** In the order of `order` and of rows. It is fastest where the documents of earlier shards come first. */
export function firstRows<T extends TextDocument>(
  shards: readonly Shard<T>[],
  order: (a: T, b: T) => number,
  { needles, pickOf, most, pause }: RowSearch<T>,
): FoundRow<T>[] {
  const foundRows: FoundRow<T>[] = [];
  let last: T | null = null;
  const cut = () => {
    foundRows.sort((a, b) => order(a.document, b.document) || a.row - b.row);
    if (foundRows.length < most) return;
    foundRows.length = most;
    last = foundRows.at(-1)!.document;
  };
  const pick = (document: T) => (last !== null && order(last, document) < 0 ? false : pickOf(document));
  for (const shard of shards) {
    pause();
    shard.find(needles, pick, Number.POSITIVE_INFINITY, (document, row) => foundRows.push({ document, row }));
    // To put them in order takes longer than to look at some that are too many.
    if (foundRows.length >= (last === null ? most : 1.5 * most)) cut();
  }
  cut();
  return foundRows;
}
