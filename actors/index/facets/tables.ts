// Keeps the facet tables of the folders in step with what is stored there, whoever writes it.
import type { Log } from '../../../runtime/log.ts';
import type { ClusteringsOf } from '../people/load.ts';
import { mediaRecord } from '../store/media.ts';
import type { Store } from '../store/store.ts';
import type { MetadataFilter } from './contract.ts';
import type { ContentFacet, Facet } from './facet.ts';
import { facets } from './list.ts';
import { PeopleFacets, peoplePrefix } from './people.ts';
import { FacetTable } from './table.ts';
import { thingFacets, thingsPrefix } from './things.ts';

/** Tables held at a time; 100,000 media take about 100 MB. */
const mostTables = 2;
/** Rounds between two looks at whether to stop. */
const stride = 256;

interface Kept {
  readonly table: FacetTable;
  readonly seen: number;
  /** Changes taken in since the table was made: what they replaced is still held. */
  readonly changes: number;
}

export class FacetTables {
  readonly #log: Log;
  readonly #clusteringsOf: ClusteringsOf;
  #kept = new Map<Store, Kept>();
  #people = new WeakMap<Store, PeopleFacets>();
  #things = new WeakMap<Store, readonly ContentFacet[]>();

  constructor(log: Log, clusteringsOf: ClusteringsOf) {
    this.#log = log;
    this.#clusteringsOf = clusteringsOf;
  }

  /** Every facet that these filters may name. */
  known(store: Store, filters: readonly MetadataFilter[]): readonly Facet[] {
    const has = (prefix: string) => filters.some(({ facet_id }) => facet_id.startsWith(prefix));
    const things = has(thingsPrefix) ? this.#thingsOf(store) : [];
    const people = has(peoplePrefix) ? this.#peopleOf(store).of(this.#clusteringsOf(store), () => {}) : [];
    return [...facets, ...[...things, ...people].map(({ facet }) => facet)];
  }

  /** Face clusterings of which nothing can be read, as the table of the folder was made. */
  unreadablePeople(store: Store): string[] {
    return [...this.#peopleOf(store).unreadable];
  }

  #peopleOf(store: Store): PeopleFacets {
    const known = this.#people.get(store);
    if (known !== undefined) return known;
    const made = new PeopleFacets();
    this.#people.set(store, made);
    return made;
  }

  #thingsOf(store: Store): readonly ContentFacet[] {
    const known = this.#things.get(store);
    if (known !== undefined) return known;
    const made = thingFacets(store);
    this.#things.set(store, made);
    return made;
  }

  /** The table of a folder as it is now. `pause` may throw to stop; then nothing of this call is kept. */
  of(store: Store, pause: () => void): FacetTable {
    const known = this.#kept.get(store);
    const changes = store.media.changes(known?.seen ?? null);
    const { seen, changed } = changes;
    const fragmented = known !== undefined && known.changes > Math.max(10_000, known.table.size);
    const fresh = known === undefined || changed === null || fragmented;
    const table = fresh ? this.#build(store, pause) : known.table;
    if (!fresh) for (const { path, hash } of changed) update(table, store, path, hash);
    const people = this.#peopleOf(store).of(this.#clusteringsOf(store), pause);
    table.setFurther([...this.#thingsOf(store), ...people], pause);
    this.#kept.delete(store);
    this.#kept.set(store, { table, seen, changes: fresh ? 0 : known.changes + changed.length });
    for (const oldest of [...this.#kept.keys()].slice(0, -mostTables)) this.#kept.delete(oldest);
    return table;
  }

  forget(store: Store): void {
    this.#kept.delete(store);
    this.#people.delete(store);
  }

  #build(store: Store, pause: () => void): FacetTable {
    const table = new FacetTable(facets);
    let rounds = 0;
    const round = () => {
      if (rounds++ % stride === 0) pause();
    };
    for (const { row } of store.media.remembered('path/')) {
      round();
      // The content is known by its hash all the same.
      if (row !== null) table.setPath(row.path, row.hash_str);
    }
    for (const { name: hash, row } of store.media.remembered('media/')) {
      round();
      table.set(hash, row && mediaRecord(row));
    }
    if (table.unreadable.size > 0) {
      this.#log.warn('Records of media cannot be read', {
        folder: store.folder,
        count: table.unreadable.size,
      });
    }
    return table;
  }
}

function update(table: FacetTable, store: Store, path: string, hash: string): void {
  const before = table.setPath(path, hash);
  table.set(hash, store.media.content(hash));
  if (before !== null) table.set(before, store.media.content(before));
}
