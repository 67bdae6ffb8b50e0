// The texts of all summaries of one folder in memory, brought into step with what is stored a step at a time,
// so that other work comes in between. What is written, replaced or removed, by whatever process, is seen by
// a count of changes.
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { NodeText, TextsOf } from '../store/summaries/summaries.ts';
import { ShardBuilder } from '../text/build.ts';
import { foldRows, type Rows } from '../text/fold.ts';
import { type FoundRow, firstRows, type RowSearch, type Shard, type TextDocument } from '../text/shard.ts';
import type { FolderTexts } from '../text/text-cache.ts';
import type { SummaryName } from './contract.ts';

/**
 * Of one step, which takes some 10 ms: names that are listed, nodes that are read and units of their texts.
 */
const stepNames = 500;
const stepNodes = 512;
const stepUnits = 1 << 17;
/** Of one shard, rows and units of text, and units of one part: to make a shard takes some 10 ms. */
const shardRows = 1 << 14;
const shardUnits = 1 << 20;
const partUnits = 1 << 18;
/** So many shards that are less than half full are made fewer. */
const mostSmall = 8;

type SummaryShard = Shard<SummaryPart>;

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
  nodes: NodeText[];
  /** Of their texts. */
  units: number;
  /** Nodes of the next page: fewer where texts are long. */
  page: number;
}

const keyOf = ({ hash_str, analysis_id }: SummaryName): string => `${hash_str}/${analysis_id}`;

export class SummaryTexts implements FolderTexts {
  /** Of the records that name what is loaded: a folder that was replaced has others. */
  readonly source: string;
  readonly #summaries = new Map<string, LoadedSummary>();
  /** Names of those that are damaged. */
  readonly #unreadable = new Map<string, SummaryName>();
  #shards: SummaryShard[] = [];
  /** While there is something to take in: it takes memory of its own. */
  #builder: ShardBuilder<SummaryPart> | null = null;
  /** Of the texts in the builder. */
  #units = 0;
  #seen: Seen | null = null;
  #listing: Listing | null = null;
  /** What has to be read, the last first. */
  #queue: Located[] = [];
  #reading: Reading | null = null;

  constructor({ identity }: Pick<Store, 'identity'>) {
    this.source = identity;
  }

  /** Bytes in memory. */
  get bytes(): number {
    const parts = (shard: SummaryShard) => shard.documents.reduce((sum, one) => sum + one.bytes, 0);
    return this.#shards.reduce((sum, shard) => sum + shard.bytes + parts(shard), 0);
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
    const rows = this.#builder?.rows ?? 0;
    if (this.#listing !== null) this.#list(store, this.#listing);
    else if (rows >= shardRows || this.#units >= shardUnits) this.#add();
    else if (this.#reading !== null) this.#read(store, this.#reading);
    else if (this.#queue.length > 0) this.#begin(store, this.#queue.pop()!);
    else if (rows > 0) this.#add();
    else if (!this.#tidy()) {
      this.#builder = null;
      return true;
    }
    return false;
  }

  #take(part: SummaryPart): void {
    this.#builder ??= new ShardBuilder();
    this.#builder.add(part);
  }

  /** Begins a listing when something changed. */
  #look(store: Store): void {
    const { seen: media, changed } = store.media.changes(this.#seen?.media ?? null);
    const seen = { summaries: store.summaries.changes(), media };
    const moved = changed === null && media !== this.#seen?.media;
    // A count that cannot be read stays so until the next change writes it anew.
    const isSame = this.#seen !== null && seen.summaries === this.#seen.summaries;
    if (!isSame || moved) this.#listing = { seen, moved, after: null, names: new Set(), queue: [] };
    else if (media !== this.#seen?.media) {
      const paths = new Map(changed?.map(({ hash, path }) => [hash, path]));
      for (const one of this.#summaries.values()) one.path = paths.get(one.hash_str) ?? one.path;
      this.#queue = this.#queue.map(({ name, path }) => ({ name, path: paths.get(name.hash_str) ?? path }));
      this.#seen = seen;
    }
  }

  #list(store: Store, listing: Listing): void {
    const page = store.summaries.names(listing.after, stepNames);
    for (const name of page) {
      const key = keyOf(name);
      listing.names.add(key);
      const known = this.#summaries.get(key);
      if (known !== undefined && !listing.moved) continue;
      const path = readable(() => store.media.pathOf(name.hash_str));
      if (known !== undefined) known.path = path ?? known.path;
      // Of a content that the folder does not know any more nothing is told.
      else if (path !== null) listing.queue.push({ name, path });
    }
    listing.after = page.at(-1) ?? null;
    if (page.length === stepNames) return;
    for (const [key, one] of this.#summaries) {
      if (listing.names.has(key)) continue;
      one.gone = true;
      this.#summaries.delete(key);
    }
    for (const key of this.#unreadable.keys()) if (!listing.names.has(key)) this.#unreadable.delete(key);
    // Where there are so many matches that not all are looked at, it is those that come first.
    this.#queue = listing.queue.sort((a, b) => (a.path < b.path ? 1 : a.path > b.path ? -1 : 0));
    // What changed since the listing began is listed with the next.
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
    if (reading.nodes.length > 0 && !summary.gone) {
      this.#take(new SummaryPart(summary, reading.nodes));
      this.#units += reading.units;
    }
    reading.nodes = [];
    reading.units = 0;
    if (isLast) this.#reading = null;
  }

  #add(): void {
    if (this.#builder !== null) this.#shards.push(this.#builder.finish());
    this.#units = 0;
  }

  /**
   * Makes small shards one, and those anew of which more than half is gone. False when there is nothing to
   * do.
   */
  #tidy(): boolean {
    this.#shards = this.#shards.filter((shard) => liveRows(shard) > 0);
    const small = this.#shards.filter((shard) => fullness(shard) * 2 < 1);
    const sparse = this.#shards.filter((shard) => liveRows(shard) * 2 < shard.rows);
    const wanted = small.length > mostSmall ? small : sparse;
    if (wanted.length === 0) return false;
    const taken = new Set<SummaryShard>();
    let full = 0;
    for (const shard of wanted) {
      if (taken.size > 1 && full + fullness(shard) > 1) break;
      taken.add(shard);
      full += fullness(shard);
    }
    this.#shards = this.#shards.filter((shard) => !taken.has(shard));
    for (const shard of taken) for (const part of shard.documents) if (!part.gone) this.#take(part);
    this.#add();
    return true;
  }

  first(search: RowSearch<SummaryPart>): FoundRow<SummaryPart>[] {
    return firstRows(this.#shards, byName, search);
  }
}

/** As they are read. */
function byName(a: SummaryPart, b: SummaryPart): number {
  const [one, other] = [keyOf(a.summary), keyOf(b.summary)];
  if (one !== other) return one < other ? -1 : 1;
  return a === b ? 0 : a.idOf(0) < b.idOf(0) ? -1 : 1;
}

/** What is not gone of a shard, as a part of what one may hold. */
function fullness({ documents }: SummaryShard): number {
  const live = documents.filter(({ gone }) => !gone);
  const rows = live.reduce((sum, part) => sum + part.rows, 0);
  const bytes = live.reduce((sum, part) => sum + part.folded.bytes.byteLength, 0);
  return Math.max(rows / shardRows, bytes / shardUnits);
}

function liveRows({ documents }: SummaryShard): number {
  return documents.reduce((sum, part) => sum + (part.gone ? 0 : part.rows), 0);
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
  readonly folded: Rows;
  readonly #ids: Rows;
  readonly starts: Uint32Array;
  readonly levels: Uint16Array;

  constructor(summary: LoadedSummary, nodes: readonly NodeText[]) {
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

  /** The id of a node. */
  idOf(row: number): string {
    const { bytes, ends } = this.#ids;
    const start = row === 0 ? 0 : ends[row - 1];
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', start, ends[row]);
  }
}

function rowsOf(texts: readonly string[]): Rows {
  const ends = new Uint32Array(texts.length);
  let length = 0;
  for (const [i, text] of texts.entries()) ends[i] = length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafeSlow(length);
  for (const [i, text] of texts.entries()) bytes.write(text, i === 0 ? 0 : ends[i - 1]!);
  return { bytes, ends };
}
