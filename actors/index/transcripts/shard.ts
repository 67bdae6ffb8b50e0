// Some transcripts with the lists of where each three bytes of their folded texts occur. Never changes. Every byte of a
// row begins a gram, the last two filled up with zeros: so what has one or two bytes is found as the beginning of a gram.
import { lowerBound } from '../visual/frames.ts';
import { foldedByte, startOf } from './fold.ts';
import { type LoadedTranscript, pickOf, type TranscriptScope } from './loaded-transcript.ts';
import { markedRows, markRows, readRows } from './postings.ts';

export interface Lists {
  /** Three bytes as a number, ascending. */
  readonly grams: Uint32Array;
  /** Where the list of each begins in `bytes`, and the end of the last. */
  readonly starts: Uint32Array;
  /** Rows of each list. */
  readonly counts: Uint32Array;
  readonly bytes: Uint8Array;
}

export interface Hit {
  readonly transcript: LoadedTranscript;
  readonly segment: number;
}

export interface Hits {
  /** In the order of paths and segments, the first of all. */
  readonly first: Hit[];
  /** Also those beyond, as far as they were counted. */
  readonly total: number;
}

/** Checking the text of a row costs as much as reading this many entries of a list; few rows are checked anyway. */
const rowCost = 64;
const fewRows = 32;

export class Shard {
  readonly media: readonly LoadedTranscript[];
  readonly rows: number;
  readonly #lists: Lists;
  readonly #firstRows: Uint32Array;
  /** By byte: rows in the lists of the grams it begins. */
  readonly #byteRows = new Float64Array(256);

  constructor(media: readonly LoadedTranscript[], lists: Lists) {
    this.media = media;
    this.#lists = lists;
    this.#firstRows = new Uint32Array(media.length);
    let rows = 0;
    for (const [i, { folded }] of media.entries()) {
      this.#firstRows[i] = rows;
      rows += folded.ends.length;
    }
    this.rows = rows;
    for (const [i, gram] of lists.grams.entries()) this.#byteRows[gram >>> 16]! += lists.counts[i]!;
  }

  /** Bytes in memory, with the texts. */
  get bytes(): number {
    const { grams, starts, counts, bytes } = this.#lists;
    const own = [grams, starts, counts, bytes].reduce((sum, list) => sum + list.byteLength, 0);
    return this.media.reduce((sum, transcript) => sum + bytesOf(transcript), own);
  }

  /**
   * `needle`: folded, UTF-8, not empty. `most`: hits that are answered, `counted`: that are counted at most; no row is
   * looked at after that.
   */
  find(needle: Uint8Array, scope: TranscriptScope, most: number, counted: number): Hits {
    const picks = this.media.map((transcript) => pickOf(transcript, scope));
    const first: Hit[] = [];
    if (picks.every((pick) => pick === false)) return { first, total: 0 };
    const { rows, sure } = this.#candidates(needle);
    const wanted = { needle, anchor: sure ? 0 : this.#rarest(needle) };
    let total = 0;
    let [media, end]: [number, number] = [-1, 0];
    for (let i = 0; i < rows.length && total < counted; i++) {
      const row = rows[i]!;
      if (row >= end) {
        // Transcripts without segments share their first row with the one after them.
        media = lowerBound(this.#firstRows, row + 1, media + 1) - 1;
        end = this.#firstRows[media]! + this.media[media]!.folded.ends.length;
      }
      const pick = picks[media]!;
      if (pick === false) {
        i = lowerBound(rows, end, i + 1) - 1;
        continue;
      }
      const transcript = this.media[media]!;
      const segment = row - this.#firstRows[media]!;
      if (pick !== true && !pick(segment)) continue;
      if (!sure && !holds(transcript, segment, wanted)) continue;
      total++;
      if (first.length < most) first.push({ transcript, segment });
    }
    return { first, total };
  }

  /** Rows that may hold the needle, ascending; `sure`: that do. */
  #candidates(needle: Uint8Array): { rows: Uint32Array; sure: boolean } {
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
    for (const other of others.slice(0, 6)) {
      // Beyond that it is cheaper to look at the texts.
      if (rows.length <= fewRows || counts[other]! > rows.length * rowCost) break;
      rows = this.#both(rows, other);
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

function bytesOf({ columns, folded }: LoadedTranscript): number {
  const { starts_ms, ends_ms, text_ends, text, speakers } = columns;
  const own = [starts_ms, ends_ms, text_ends, text, speakers].reduce((sum, list) => sum + list.byteLength, 0);
  return folded.bytes === text ? own : own + folded.bytes.byteLength + folded.ends.byteLength;
}

/** A needle, and the byte in it that occurs least. */
interface Needle {
  readonly needle: Uint8Array;
  readonly anchor: number;
}

function holds({ folded }: LoadedTranscript, row: number, { needle, anchor }: Needle): boolean {
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
