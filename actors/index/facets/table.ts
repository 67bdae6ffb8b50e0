// What is known of the media of one folder, ready to be counted and filtered: a row a content, a column a
// facet.
import { atOnce, type Steps } from '../../../runtime/sync/steps.ts';
import type { MediaRecord } from '../store/contract.ts';
import { Column } from './column.ts';
import { filterErrors } from './contract.ts';
import type { ContentFacet, Facet } from './facet.ts';
import type { CheckedFilter } from './filter.ts';

/** Hashes between two looks at whether to stop. */
const stride = 4096;

export interface Rows {
  /** Ascending, each content once. */
  readonly rows: Uint32Array;
  /** Hashes that are known; the same content may be named more than once. */
  readonly indexed: number;
  /** Hashes whose record is damaged. */
  readonly unreadable: readonly string[];
}

export class FacetTable {
  readonly #own: readonly Column[];
  /** Columns that follow something else than the records of media. */
  #further: readonly { readonly of: ContentFacet; readonly column: Column }[] = [];
  readonly #rowOf = new Map<string, number>();
  /** By row: every path the content lies at. */
  readonly #paths: Set<string>[] = [];
  readonly #hashOf = new Map<string, string>();
  /** Hashes whose record is damaged. */
  readonly unreadable = new Set<string>();
  #placed = new WeakMap<readonly (string | null)[], Rows>();

  constructor(facets: readonly Facet[]) {
    this.#own = facets.map((facet) => new Column(facet));
  }

  /** Who and what media show comes first. */
  get columns(): readonly Column[] {
    return [...this.#further.map(({ column }) => column), ...this.#own];
  }

  /**
   * Facets whose values are known by hash, in the place of all earlier ones; the same object stays as it is.
   */
  setFurther(facets: readonly ContentFacet[]): void {
    atOnce(this.furtherInSteps(facets));
  }

  /** The same; nothing else is to be changed meanwhile. */
  *furtherInSteps(facets: readonly ContentFacet[]): Steps<void> {
    const known = new Map(this.#further.map(({ of, column }) => [of, column]));
    const further = facets.map((of) => ({ of, column: known.get(of) ?? new Column(of.facet) }));
    const made = further.filter(({ of }) => !known.has(of));
    for (const [hash, row] of made.length === 0 ? [] : this.#rowOf) {
      yield;
      for (const { of, column } of made) column.put(row, of.keyOf(hash));
    }
    this.#further = further;
  }

  get size(): number {
    return this.#rowOf.size;
  }

  row(hash: string): number | undefined {
    return this.unreadable.has(hash) ? undefined : this.#rowOf.get(hash);
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
    const known = this.#pathsOf(hash);
    this.#placed = new WeakMap();
    if (record === null) {
      this.unreadable.add(hash);
      return;
    }
    this.unreadable.delete(hash);
    const row = this.#rowOf.get(hash) as number;
    // A content that was replaced at its only path is still known by it.
    const paths = known.size > 0 ? [...known].sort() : [record.path];
    const media = { probe: record.probe, identity: record.identity, paths };
    for (const column of this.#own) column.set(row, media);
    for (const { of, column } of this.#further) column.put(row, of.keyOf(hash));
  }

  /** Where a list of hashes stands in the table; kept for the list itself, which does not change. */
  rowsOf(hashes: readonly (string | null)[], pause: () => void): Rows {
    const known = this.#placed.get(hashes);
    if (known !== undefined) return known;
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
      const own = filters.filter(({ facet }) => facet.id === column.facet.id);
      return own.length === 0 ? [] : [{ column, passing: column.passing(own.map(({ test }) => test)) }];
    });
  }
}
