// Facts about the media of one folder, ready to be counted and filtered: a row for each content, a column for
// each facet.
import { atOnce, type Steps } from '../../../runtime/sync/checkpoint.ts';
import type { MediaRecord } from '../store/contract.ts';
import { filterErrors } from './contract.ts';
import type { ContentFacet, FacetDefinition, KeyReading, MediaFacts } from './facet.ts';
import type { CheckedFilter, Test } from './filter.ts';

// The values that all media have in one facet. Media with the same values share one entry, so that a filter
// tests an entry once and a count is one addition a media.

export class Column {
  readonly facet: FacetDefinition;
  /** Reading of each entry; entry 0 is for media without a value. */
  readonly #readings: (KeyReading | null)[] = [null];
  readonly #byKey = new Map<string, number>();
  /** Positions in `values` of the options that each entry belongs to. */
  readonly #options: (readonly number[])[] = [[]];
  readonly values: string[] = [];
  readonly #byValue = new Map<string, number>();
  #entryOf = new Uint32Array(1024);

  constructor(facet: FacetDefinition) {
    this.facet = facet;
  }

  set(row: number, media: MediaFacts): void {
    this.put(row, this.facet.key(media));
  }

  /** `key`: of the facet, for the media of the row. */
  put(row: number, key: string | null): void {
    if (row >= this.#entryOf.length) {
      const wider = new Uint32Array(2 ** Math.ceil(Math.log2(row + 1)));
      wider.set(this.#entryOf);
      this.#entryOf = wider;
    }
    this.#entryOf[row] = key === null ? 0 : this.#entry(key);
  }

  #entry(key: string): number {
    const knownEntry = this.#byKey.get(key);
    if (knownEntry !== undefined) return knownEntry;
    const reading = this.facet.read(key);
    const entry = reading === null ? 0 : this.#readings.length;
    this.#byKey.set(key, entry);
    if (reading === null) return entry;
    const options = reading.values.map((value) => this.#option(value));
    this.#options.push(options);
    // The same texts as the options', so that they are held once.
    this.#readings.push({ ...reading, values: options.map((option) => this.values[option] as string) });
    return entry;
  }

  #option(value: string): number {
    const knownOption = this.#byValue.get(value);
    if (knownOption !== undefined) return knownOption;
    const option = this.values.push(value) - 1;
    this.#byValue.set(value, option);
    return option;
  }

  /** 1 for each entry that passes all the tests, else 0. */
  passing(tests: readonly Test[]): Uint8Array {
    return Uint8Array.from(this.#readings, (reading) => (tests.every((test) => test(reading)) ? 1 : 0));
  }

  passes(passing: Uint8Array, row: number): boolean {
    return passing[this.#entryOf[row] as number] === 1;
  }

  /** The number or the beginning of the date that the media of the row has. */
  sizeAt(row: number): number | null {
    return this.#readings[this.#entryOf[row] as number]?.size ?? null;
  }

  /** Media by entry, among `rows`. */
  tally(rows: Uint32Array): Uint32Array {
    const counts = new Uint32Array(this.#readings.length);
    const entryOf = this.#entryOf;
    for (let i = 0; i < rows.length; i++) counts[entryOf[rows[i] as number] as number]!++;
    return counts;
  }

  /** Media by option, in the order of `values`. */
  optionCounts(tally: Uint32Array): Uint32Array {
    const counts = new Uint32Array(this.values.length);
    for (let entry = 1; entry < tally.length; entry++) {
      const count = tally[entry] as number;
      if (count > 0) for (const option of this.#options[entry] as readonly number[]) counts[option]! += count;
    }
    return counts;
  }

  countOf(tally: Uint32Array, test: Test): number {
    const passing = this.passing([test]);
    return tally.reduce((sum, count, entry) => sum + (passing[entry] === 1 ? count : 0), 0);
  }

  /** The least and the greatest that any media has, each with its first value; null when none has a size. */
  bounds(tally: Uint32Array): { least: SizeBound; greatest: SizeBound } | null {
    let [least, greatest]: [KeyReading | null, KeyReading | null] = [null, null];
    for (let entry = 1; entry < tally.length; entry++) {
      const reading = this.#readings[entry];
      if (tally[entry] === 0 || reading?.size == null) continue;
      if (least?.size == null || reading.size < least.size) least = reading;
      if (greatest?.size == null || reading.size > greatest.size) greatest = reading;
    }
    return least && greatest ? { least: boundOf(least), greatest: boundOf(greatest) } : null;
  }
}

export interface SizeBound {
  readonly size: number;
  readonly value: string;
}

function boundOf({ size, values }: KeyReading): SizeBound {
  return { size: size as number, value: values[0] as string };
}

/** Hashes between two looks at whether to stop. */
const stride = 4096;

export interface FacetRows {
  /** Ascending, each content once. */
  readonly rows: Uint32Array;
  /** Hashes that are known; the same content may be named more than once. */
  readonly indexed: number;
  /** Hashes whose record is damaged. */
  readonly unreadable: readonly string[];
}

export class FacetTable {
  readonly #mediaColumns: readonly Column[];
  /** Columns that follow something else than the records of media. */
  #further: readonly { readonly of: ContentFacet; readonly column: Column }[] = [];
  readonly #rowOf = new Map<string, number>();
  /** Paths of each row's content. */
  readonly #paths: Set<string>[] = [];
  readonly #hashOf = new Map<string, string>();
  /** Hashes whose record is damaged. */
  readonly unreadable = new Set<string>();
  #placed = new WeakMap<readonly (string | null)[], FacetRows>();

  constructor(facets: readonly FacetDefinition[]) {
    this.#mediaColumns = facets.map((facet) => new Column(facet));
  }

  /** Columns of people and things come first. */
  get columns(): readonly Column[] {
    return [...this.#further.map(({ column }) => column), ...this.#mediaColumns];
  }

  /**
   * Facets whose values are known by hash, in the place of all earlier ones; the same object stays as it is.
   */
  setFurther(facets: readonly ContentFacet[]): void {
    atOnce(this.furtherInSteps(facets));
  }

  /** The same; nothing else is to be changed meanwhile. */
  *furtherInSteps(facets: readonly ContentFacet[]): Steps<void> {
    const columnsByFacet = new Map(this.#further.map(({ of, column }) => [of, column]));
    const further = facets.map((of) => ({ of, column: columnsByFacet.get(of) ?? new Column(of.facet) }));
    const newColumns = further.filter(({ of }) => !columnsByFacet.has(of));
    for (const [hash, row] of newColumns.length === 0 ? [] : this.#rowOf) {
      yield;
      for (const { of, column } of newColumns) column.put(row, of.keyOf(hash));
    }
    this.#further = further;
  }

  get size(): number {
    return this.#rowOf.size;
  }

  row(hash: string): number | undefined {
    return this.unreadable.has(hash) ? undefined : this.#rowOf.get(hash);
  }

  /** The first path at which the content of the row lies; empty where none is known. */
  pathOf(row: number): string {
    let first: string | null = null;
    for (const path of this.#paths[row] as Set<string>) if (first === null || path < first) first = path;
    return first ?? '';
  }

  /** The content at a path is now this one. Answers the hash it was before, whose row has to be set again. */
  setPath(path: string, hash: string): string | null {
    const before = this.#hashOf.get(path);
    if (before === hash) return null;
    this.#hashOf.set(path, hash);
    if (before !== undefined) this.#pathsOf(before).delete(path);
    this.#pathsOf(hash).add(path);
    return before ?? null;
  }

  #pathsOf(hash: string): Set<string> {
    let row = this.#rowOf.get(hash);
    if (row === undefined) {
      row = this.#paths.push(new Set()) - 1;
      this.#rowOf.set(hash, row);
    }
    return this.#paths[row] as Set<string>;
  }

  /** Takes what is known of a content; null: its record is damaged. */
  set(hash: string, record: MediaRecord | null): void {
    const knownPaths = this.#pathsOf(hash);
    this.#placed = new WeakMap();
    if (record === null) {
      this.unreadable.add(hash);
      return;
    }
    this.unreadable.delete(hash);
    const row = this.#rowOf.get(hash) as number;
    // A content that was replaced at its only path is still known by it.
    const paths = knownPaths.size > 0 ? [...knownPaths].sort() : [record.path];
    const media = { probe: record.probe, identity: record.identity, paths };
    for (const column of this.#mediaColumns) column.set(row, media);
    for (const { of, column } of this.#further) column.put(row, of.keyOf(hash));
  }

  /** Where a list of hashes stands in the table; kept for the list itself, which does not change. */
  rowsOf(hashes: readonly (string | null)[], pause: () => void): FacetRows {
    const cachedRows = this.#placed.get(hashes);
    if (cachedRows !== undefined) return cachedRows;
    const marked = new Uint8Array(this.#paths.length);
    const unreadable = new Set<string>();
    let [indexed, distinct] = [0, 0];
    hashes.forEach((hash, i) => {
      if (i % stride === 0) pause();
      if (hash === null) return;
      const row = this.#rowOf.get(hash);
      if (row === undefined) return;
      if (this.unreadable.has(hash)) {
        unreadable.add(hash);
        return;
      }
      indexed++;
      if (marked[row] === 0) distinct++;
      marked[row] = 1;
    });
    const rows = new Uint32Array(distinct);
    // Ascending, as they lie in memory.
    for (let row = 0, at = 0; row < marked.length; row++) if (marked[row] === 1) rows[at++] = row;
    const placed = { rows, indexed, unreadable: [...unreadable] };
    this.#placed.set(hashes, placed);
    return placed;
  }

  /** A test of hashes: true when the folder knows the media and it passes every filter. */
  passing(filters: readonly CheckedFilter[]): (hash: string) => boolean {
    const masks = this.masks(filters);
    return (hash) => {
      const row = this.row(hash);
      return row !== undefined && masks.every(({ column, passing }) => column.passes(passing, row));
    };
  }

  /** One mask a facet that has filters. */
  masks(filters: readonly CheckedFilter[]): { column: Column; passing: Uint8Array }[] {
    const columns = this.columns;
    for (const { facet } of filters) {
      // It was there when the filters were checked: somebody else stores in this folder.
      if (!columns.some((column) => column.facet.id === facet.id))
        throw filterErrors.UNKNOWN_FACET(`There is no facet ${facet.id} any more`);
    }
    return columns.flatMap((column) => {
      const columnFilters = filters.filter(({ facet }) => facet.id === column.facet.id);
      return columnFilters.length === 0
        ? []
        : [{ column, passing: column.passing(columnFilters.map(({ test }) => test)) }];
    });
  }
}
