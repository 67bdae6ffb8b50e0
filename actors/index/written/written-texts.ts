// The printed words of one folder in memory, brought into step with what is stored a step at a time, so that
// other work comes in between. What is stored or removed, by whatever process, is seen by a count of changes.

import { shownScore } from '../../text-reader/contract.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import { Shards } from '../text/build.ts';
import { type FoldedTexts, rowsOf, withoutAccents } from '../text/fold.ts';
import type { FoundRow, RowSearch, TextDocument } from '../text/shard.ts';
import type { FolderTexts } from '../text/text-cache.ts';
import type { WrittenLine } from './contract.ts';

/** Limits of one step of some 10 ms: records, and lines. */
const stepRecords = 256;
const stepLines = 4096;

export class WrittenTexts implements FolderTexts {
  /** Identity of the loaded records; a folder that was replaced has another. */
  readonly source: string;
  readonly #documents = new Map<string, LoadedWritten>();
  readonly #unreadable = new Set<string>();
  readonly #shards = new Shards<LoadedWritten>();
  /** Changes of the folder that are known, or being taken in; null before the first. */
  #seen: number | null = null;
  /** Hashes to look up, the last one first. */
  #queue: string[] = [];

  constructor({ identity }: Pick<Store, 'identity'>) {
    this.source = identity;
  }

  get media(): number {
    return this.#documents.size;
  }

  /** The same order whenever the same is stored. */
  hashes(): string[] {
    return [...this.#documents.keys()].sort();
  }

  get bytes(): number {
    return this.#shards.bytes;
  }

  damaged(): string[] {
    return [...this.#unreadable].sort();
  }

  /** Goes on for some 10 ms. True when everything that is stored can be searched. */
  step(store: Store): boolean {
    this.#look(store);
    if (this.#shards.isFull) this.#shards.seal();
    else if (this.#queue.length > 0) this.#read(store);
    else return !this.#shards.seal() && !this.#shards.tidy();
    return false;
  }

  /** Everything is looked up again when something changed. */
  #look(store: Store): void {
    // A count that cannot be read is one until the next change writes it anew.
    const revision = store.results('text').changes() ?? -1;
    if (revision === this.#seen) return;
    this.#seen = revision;
    const hashes = store.results('text').hashes();
    const there = new Set(hashes);
    for (const [hash, document] of this.#documents) if (!there.has(hash)) this.#drop(hash, document);
    for (const hash of this.#unreadable) if (!there.has(hash)) this.#unreadable.delete(hash);
    this.#queue = hashes.reverse();
  }

  #drop(hash: string, document: LoadedWritten): void {
    document.gone = true;
    this.#documents.delete(hash);
  }

  #read(store: Store): void {
    for (let [records, lines] = [0, 0]; records < stepRecords && lines < stepLines; records++) {
      const hash = this.#queue.pop();
      if (hash === undefined) return;
      const record = store.results('text').lookUp(hash);
      const before = this.#documents.get(hash);
      if (record !== null && before?.version === record.version) continue;
      if (before) this.#drop(hash, before);
      const read = record && readable(() => record.read().items);
      if (record !== null && read === null) this.#unreadable.add(hash);
      else this.#unreadable.delete(hash);
      if (record === null || read === null) continue;
      const document = new LoadedWritten(hash, record.version, read);
      this.#documents.set(hash, document);
      this.#shards.take(document);
      lines += document.rows;
    }
  }

  first(search: RowSearch<LoadedWritten>): FoundRow<LoadedWritten>[] {
    return this.#shards.first(byHash, search);
  }
}

function byHash(a: LoadedWritten, b: LoadedWritten): number {
  return a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0;
}

// The text of one media in memory, as it is searched: once as it is read and once without spaces.

export class LoadedWritten implements TextDocument {
  readonly hash: string;
  /** Changes when the media is read again. */
  readonly version: number;
  /** Without spaces. */
  readonly folded: FoldedTexts;
  readonly spaced: FoldedTexts;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** 1 for a line that is read well. */
  readonly shown: Uint8Array;
  /** Another reading took its place, or the media was forgotten. */
  gone = false;

  constructor(hash: string, version: number, lines: readonly WrittenLine[]) {
    this.hash = hash;
    this.version = version;
    const texts = lines.map(({ text }) => withoutAccents(text));
    this.spaced = rowsOf(lines.map(({ text }) => withoutAccents(wordsApart(text))));
    this.folded = rowsOf(texts.map((text) => text.replace(/\s+/g, '')));
    this.starts = Uint32Array.from(lines, ({ start }) => start);
    this.ends = Uint32Array.from(lines, ({ end }) => end);
    this.shown = Uint8Array.from(lines, ({ score }) => (score >= shownScore ? 1 : 0));
  }

  get rows(): number {
    return this.starts.length;
  }

  /** Bytes in memory. */
  get bytes(): number {
    const { folded, spaced } = this;
    return folded.bytes.byteLength + spaced.bytes.byteLength + 17 * this.rows;
  }
}

// The form in which printed words are compared. Whoever reads them drops spaces and accents, so both are
// dropped here.

/** Spaces that were not read are put back before capitals and digits: `NutritionFacts`, `Calories190`. */
function wordsApart(text: string): string {
  return text.replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu, ' ');
}

/** Case, width, accents and spaces do not count. */
export function foldWritten(text: string): string {
  return withoutAccents(text).replace(/\s+/g, '');
}

/**
 * Forms that a query may have in a picture, each once: an `ß` is read as a `B`. Empty for a query of spaces
 * alone.
 */
export function writtenForms(query: string): string[] {
  const forms = [query, query.replace(/[ßẞ]/g, 'b')].map(withoutAccents);
  return [...new Set(forms.map((form) => form.replace(/\s+/g, ' ').trim()))].filter((form) => form !== '');
}
