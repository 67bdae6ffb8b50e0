// The texts of all summaries of one folder in memory, brought into step with what is stored a step at a time,
// so that other work comes in between. What is written, replaced or removed, by whatever process, is seen by
// a count of changes.
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { StoredNodeText, TextsOf } from '../store/summaries/summaries.ts';
import { Shards } from '../text/build.ts';
import { type FoldedTexts, foldRows, rowsOf } from '../text/fold.ts';
import type { FoundRow, RowSearch, TextDocument } from '../text/shard.ts';
import type { FolderTexts } from '../text/text-cache.ts';
import type { SummaryName } from './contract.ts';

/** Limits of one step of some 10 ms: listed names, nodes read, and units of their texts. */
const stepNames = 500;
const stepNodes = 512;
const stepUnits = 1 << 17;
/** Most units of one part: a shard of a few of them takes some 10 ms to make. */
const partUnits = 1 << 18;

/** How far the changes of the folder are known. */
interface Seen {
  readonly summaries: number | null;
  readonly media: number;
}

interface Listing {
  readonly seen: Seen;
  /** Paths are looked up anew: too many changed to tell which. */
  readonly moved: boolean;
  after: SummaryName | null;
  readonly names: Set<string>;
  readonly queue: Located[];
}

interface Located {
  readonly name: SummaryName;
  readonly path: string;
}

interface Reading {
  readonly summary: LoadedSummary;
  after: string | null;
  nodes: StoredNodeText[];
  /** Units of their texts. */
  units: number;
  /** Nodes of the next page: fewer where texts are long. */
  page: number;
}

const keyOf = ({ hash_str, analysis_id }: SummaryName): string => `${hash_str}/${analysis_id}`;

export class SummaryTexts implements FolderTexts {
  /** Identity of the loaded records; a folder that was replaced has another. */
  readonly source: string;
  readonly #summaries = new Map<string, LoadedSummary>();
  /** Names of those that are damaged. */
  readonly #unreadable = new Map<string, SummaryName>();
  readonly #shards = new Shards<SummaryPart>();
  #seen: Seen | null = null;
  #listing: Listing | null = null;
  /** Summaries to read, the last one first. */
  #queue: Located[] = [];
  #reading: Reading | null = null;

  constructor({ identity }: Pick<Store, 'identity'>) {
    this.source = identity;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#shards.bytes;
  }

  /** Contents with something damaged, which is left out. */
  unreadable(): SummaryName[] {
    const cut = [...this.#summaries.values()].filter(({ isCut }) => isCut);
    return [...this.#unreadable.values(), ...cut];
  }

  damaged(): string[] {
    return this.unreadable().map(keyOf);
  }

  /** Goes on for some 10 ms. True when everything that is stored can be searched. */
  step(store: Store): boolean {
    if (this.#listing === null) this.#look(store);
    if (this.#listing !== null) this.#list(store, this.#listing);
    else if (this.#shards.isFull) this.#shards.seal();
    else if (this.#reading !== null) this.#read(store, this.#reading);
    else if (this.#queue.length > 0) this.#begin(store, this.#queue.pop()!);
    else return !this.#shards.seal() && !this.#shards.tidy();
    return false;
  }

  /** Begins a listing when something changed. */
  #look(store: Store): void {
    const { position: media, changed } = store.media.changes(this.#seen?.media ?? null);
    const state = { summaries: store.summaries.changes(), media };
    const moved = changed === null && media !== this.#seen?.media;
    // A count that cannot be read stays so until the next change writes it anew.
    const isSame = this.#seen !== null && state.summaries === this.#seen.summaries;
    if (!isSame || moved) this.#listing = { seen: state, moved, after: null, names: new Set(), queue: [] };
    else if (media !== this.#seen?.media) {
      const paths = new Map(changed?.map(({ hash, path }) => [hash, path]));
      for (const summary of this.#summaries.values())
        summary.path = paths.get(summary.hash_str) ?? summary.path;
      this.#queue = this.#queue.map(({ name, path }) => ({ name, path: paths.get(name.hash_str) ?? path }));
      this.#seen = state;
    }
  }

  #list(store: Store, listing: Listing): void {
    const page = store.summaries.names(listing.after, stepNames);
    for (const name of page) {
      const key = keyOf(name);
      listing.names.add(key);
      const knownSummary = this.#summaries.get(key);
      if (knownSummary !== undefined && !listing.moved) continue;
      const path = readable(() => store.media.pathOf(name.hash_str));
      if (knownSummary !== undefined) knownSummary.path = path ?? knownSummary.path;
      // Contents that the folder does not know any more are left out.
      else if (path !== null) listing.queue.push({ name, path });
    }
    listing.after = page.at(-1) ?? null;
    if (page.length === stepNames) return;
    for (const [key, summary] of this.#summaries) {
      if (listing.names.has(key)) continue;
      summary.gone = true;
      this.#summaries.delete(key);
    }
    for (const key of this.#unreadable.keys()) if (!listing.names.has(key)) this.#unreadable.delete(key);
    // Where there are so many matches that not all are looked at, it is those that come first.
    this.#queue = listing.queue.sort((a, b) => (a.path < b.path ? 1 : a.path > b.path ? -1 : 0));
    // Changes since the listing began come with the next one.
    this.#seen = listing.seen;
    this.#listing = null;
  }

  #begin(store: Store, { name, path }: Located): void {
    const key = keyOf(name);
    const read = readable(() => ({ texts: store.summaries.textsOf(name) }));
    if (read === null) this.#unreadable.set(key, name);
    if (!read?.texts) return;
    const summary = { ...read.texts, path, gone: false, isCut: false };
    this.#unreadable.delete(key);
    this.#summaries.set(key, summary);
    this.#reading = { summary, after: null, nodes: [], units: 0, page: stepNodes };
  }

  #read(store: Store, reading: Reading): void {
    const { summary } = reading;
    const { nodes, next, isCut } = store.summaries.texts(summary, reading.after, reading.page);
    const units = nodes.reduce((sum, { text }) => sum + text.length, 0);
    const fitting = Math.floor((stepUnits * reading.page) / Math.max(1, units));
    reading.page = Math.min(stepNodes, Math.max(1, fitting));
    reading.units += units;
    reading.nodes.push(...nodes);
    reading.after = next;
    summary.isCut ||= isCut;
    const isLast = next === null || summary.gone;
    if (!isLast && reading.nodes.length < partNodes && reading.units < partUnits) return;
    if (reading.nodes.length > 0 && !summary.gone) this.#shards.take(new SummaryPart(summary, reading.nodes));
    reading.nodes = [];
    reading.units = 0;
    if (isLast) this.#reading = null;
  }

  first(search: RowSearch<SummaryPart>): FoundRow<SummaryPart>[] {
    return this.#shards.first(byName, search);
  }
}

/** Order in which they are read. */
function byName(a: SummaryPart, b: SummaryPart): number {
  const [keyA, keyB] = [keyOf(a.summary), keyOf(b.summary)];
  if (keyA !== keyB) return keyA < keyB ? -1 : 1;
  return a === b ? 0 : a.idOf(0) < b.idOf(0) ? -1 : 1;
}

// The texts of one summary in memory: folded, in parts of bounded size, with what is needed to put matches in
// order.

/** Nodes of one part. */
const partNodes = 1024;

interface LoadedSummary extends TextsOf {
  /** Where the file was seen last. */
  path: string;
  /** It was removed, or another one took its place. */
  gone: boolean;
  /** Nodes whose records are damaged are left out. */
  isCut: boolean;
}

/** Some nodes of a summary; a row is one of them. */
export class SummaryPart implements TextDocument {
  readonly summary: LoadedSummary;
  readonly folded: FoldedTexts;
  readonly #ids: FoldedTexts;
  readonly starts: Uint32Array;
  readonly levels: Uint16Array;

  constructor(summary: LoadedSummary, nodes: readonly StoredNodeText[]) {
    this.summary = summary;
    const texts = rowsOf(nodes.map(({ text }) => text));
    this.folded = foldRows(texts.bytes, texts.ends);
    this.#ids = rowsOf(nodes.map(({ node_id }) => node_id));
    this.starts = Uint32Array.from(nodes, ({ start }) => start);
    this.levels = Uint16Array.from(nodes, ({ level }) => Math.min(level, 0xffff));
  }

  get gone(): boolean {
    return this.summary.gone;
  }

  get rows(): number {
    return this.starts.length;
  }

  /** Bytes in memory. */
  get bytes(): number {
    const { folded, starts, levels } = this;
    const lists = [folded.bytes, folded.ends, this.#ids.bytes, this.#ids.ends, starts, levels];
    return lists.reduce((sum, list) => sum + list.byteLength, 0);
  }

  idOf(row: number): string {
    const { bytes, ends } = this.#ids;
    const start = row === 0 ? 0 : ends[row - 1];
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', start, ends[row]);
  }
}
