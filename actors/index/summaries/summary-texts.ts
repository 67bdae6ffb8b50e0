// The texts of all summaries of one folder in memory, brought into step with what is stored a step at a time, so that other
// work comes in between. What is written, replaced or removed, by whatever process, is seen by a count of changes.
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { NodeText } from '../store/summaries/summaries.ts';
import { ShardBuilder } from '../text/build.ts';
import type { Picked, Shard } from '../text/shard.ts';
import type { SummaryName } from './contract.ts';
import { type LoadedSummary, partNodes, SummaryPart } from './loaded-summary.ts';

/** Of one step, which takes some 10 ms: names that are listed, nodes that are read and units of their texts. */
const stepNames = 1000;
const stepNodes = 512;
const stepUnits = 1 << 17;
/** Of one shard, rows and units of text, and units of one part. */
const shardRows = 1 << 14;
const shardUnits = 1 << 22;
const partUnits = 1 << 20;
/** Shards with fewer rows are made one when there are so many of them. */
const smallRows = shardRows / 2;
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

export class SummaryTexts {
  readonly folder: string;
  /** Of the records that name what is loaded: a folder that was replaced has others. */
  readonly source: string;
  readonly #summaries = new Map<string, LoadedSummary>();
  /** Names of those that are damaged. */
  readonly #unreadable = new Map<string, SummaryName>();
  #shards: SummaryShard[] = [];
  readonly #builder = new ShardBuilder<SummaryPart>();
  /** Of the texts in the builder. */
  #units = 0;
  #seen: Seen | null = null;
  #listing: Listing | null = null;
  readonly #queue: SummaryName[] = [];
  #reading: Reading | null = null;

  constructor({ folder, identity }: Pick<Store, 'folder' | 'identity'>) {
    this.folder = folder;
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

  /** Goes on for some 10 ms. True when everything that is stored can be searched. */
  step(store: Store): boolean {
    if (this.#listing === null) this.#look(store);
    if (this.#listing !== null) this.#list(store, this.#listing);
    else if (this.#builder.rows >= shardRows || this.#units >= shardUnits) this.#add();
    else if (this.#reading !== null) this.#read(store, this.#reading);
    else if (this.#queue.length > 0) this.#begin(store, this.#queue.pop()!);
    else if (this.#builder.rows > 0) this.#add();
    else return !this.#tidy();
    return false;
  }

  /** Begins a listing when something changed. */
  #look(store: Store): void {
    const { seen: media, changed } = store.media.changes(this.#seen?.media ?? null);
    const seen = { summaries: store.summaries.changes(), media };
    const moved = changed === null && media !== this.#seen?.media;
    // A count that cannot be read stays so until the next change writes it anew.
    const isSame = this.#seen !== null && seen.summaries === this.#seen.summaries;
    if (!isSame || moved) this.#listing = { seen, moved, after: null, names: new Set() };
    else if (media !== this.#seen?.media) {
      const paths = new Map(changed?.map(({ hash, path }) => [hash, path]));
      for (const one of this.#summaries.values()) one.path = paths.get(one.hash_str) ?? one.path;
      this.#seen = seen;
    }
  }

  #list(store: Store, listing: Listing): void {
    const page = store.summaries.names(listing.after, stepNames);
    for (const name of page) {
      const key = keyOf(name);
      listing.names.add(key);
      const known = this.#summaries.get(key);
      if (known === undefined) this.#queue.push(name);
      else if (listing.moved) known.path = this.#pathOf(store, name.hash_str) ?? known.path;
    }
    listing.after = page.at(-1) ?? null;
    if (page.length === stepNames) return;
    for (const [key, one] of this.#summaries) {
      if (listing.names.has(key)) continue;
      one.gone = true;
      this.#summaries.delete(key);
    }
    for (const key of this.#unreadable.keys()) if (!listing.names.has(key)) this.#unreadable.delete(key);
    this.#queue.reverse();
    // What changed since the listing began is listed with the next.
    this.#seen = listing.seen;
    this.#listing = null;
  }

  #pathOf(store: Store, hash: string): string | null {
    return readable(() => store.media.pathOf(hash));
  }

  #begin(store: Store, name: SummaryName): void {
    const key = keyOf(name);
    if (this.#summaries.has(key)) return;
    const path = this.#pathOf(store, name.hash_str);
    const read = readable(() => ({ texts: store.summaries.textsOf(name) }));
    if (read === null) this.#unreadable.set(key, name);
    // Of a content that the folder does not know any more nothing is told.
    if (!read?.texts || path === null) return;
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
      this.#builder.add(new SummaryPart(summary, reading.nodes));
      this.#units += reading.units;
    }
    reading.nodes = [];
    reading.units = 0;
    if (isLast) this.#reading = null;
  }

  #add(): void {
    this.#shards.push(this.#builder.finish());
    this.#units = 0;
  }

  /** Makes small shards one, and those anew of which more than half is gone. False when there is nothing to do. */
  #tidy(): boolean {
    this.#shards = this.#shards.filter((shard) => liveRows(shard) > 0);
    const small = this.#shards.filter((shard) => shard.rows < smallRows);
    const sparse = this.#shards.filter((shard) => liveRows(shard) * 2 < shard.rows);
    const wanted = small.length > mostSmall ? small : sparse;
    if (wanted.length === 0) return false;
    const taken = new Set<SummaryShard>();
    let rows = 0;
    for (const shard of wanted) {
      if (taken.size > 1 && rows + liveRows(shard) > shardRows) break;
      taken.add(shard);
      rows += liveRows(shard);
    }
    this.#shards = this.#shards.filter((shard) => !taken.has(shard));
    for (const shard of taken) for (const part of shard.documents) if (!part.gone) this.#builder.add(part);
    this.#add();
    return true;
  }

  /** `needles` as `Shard.find` wants them. `pause` is called between shards and may throw to stop. */
  find(
    needles: readonly Uint8Array[],
    pickOf: (part: SummaryPart) => Picked,
    most: number,
    hit: (part: SummaryPart, row: number) => void,
    pause: () => void,
  ): number {
    let total = 0;
    for (const shard of this.#shards) {
      pause();
      if (total >= most) break;
      total += shard.find(needles, pickOf, most - total, hit);
    }
    return total;
  }
}

function liveRows({ documents }: SummaryShard): number {
  return documents.reduce((sum, part) => sum + (part.gone ? 0 : part.rows), 0);
}
