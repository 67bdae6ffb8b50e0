// Which faces of a clustering other clusterings of the folder have too. Those of a content are mostly the same ones in the
// same order, so their ids are compared as bytes.
import type { ClusterColumns } from '../../people/cluster-columns.ts';
import { faceStorageVersion } from '../../people/contract.ts';
import { idText } from '../../people/entry-id.ts';
import { readable } from '../faults.ts';
import { type Clusterings, stateOf } from './clusterings.ts';
import { type EntryRange, isAligned, rangesOf } from './earlier-clusters.ts';

interface Other {
  /** Null where they are damaged: nobody can tell which faces it has. */
  readonly ids: Uint8Array | null;
  readonly byHash: ReadonlyMap<string, EntryRange>;
}

function readOther(clusterings: Clusterings, name: string): Other | null {
  const stored = readable(() => clusterings.get(name));
  if (stored === null || stored.format < faceStorageVersion) return null;
  const { media } = stateOf(stored);
  const columns = readable((): ClusterColumns => clusterings.columns(stored.file));
  const ranges = columns && rangesOf(columns.media, media.length);
  const none = { first: 0, count: 0 };
  return { ids: columns?.ids ?? null, byHash: new Map(media.map((hash, i) => [hash, ranges?.[i] ?? none])) };
}

export class OtherClusterings {
  readonly #others: readonly Other[];

  /** All but the one of this name. */
  constructor(clusterings: Clusterings, name: string) {
    const names = clusterings.names().filter((other) => other !== name);
    this.#others = names.flatMap((other) => readOther(clusterings, other) ?? []);
  }

  /** Whether the content is of one of them. */
  has(hash: string): boolean {
    return this.#others.some(({ byHash }) => byHash.has(hash));
  }

  /** Of the entries of a content at these positions the ids of those that none of them has. `range`: all of the content. */
  unheld(hash: string, ids: Uint8Array, range: EntryRange, positions: Iterable<number>): Set<string> {
    const held = new Set<string>();
    for (const other of this.#others) {
      const own = other.byHash.get(hash);
      if (own === undefined || other.ids === null || own.count === 0) continue;
      if (isAligned(ids, range, other.ids, own)) return new Set();
      for (let at = own.first; at < own.first + own.count; at++) held.add(idText(other.ids, at));
    }
    const left = new Set<string>();
    for (const at of positions) {
      const id = idText(ids, at);
      if (!held.has(id)) left.add(id);
    }
    return left;
  }
}
