// Face clusterings of a folder that a test makes up, as whoever reads them sees them.
import { createHash } from 'node:crypto';
import type { StoredClusters } from '../../../../actors/index/people/cluster-columns.ts';
import { idBytes } from '../../../../actors/index/people/entry-id.ts';
import type { LoadedClusterings } from '../../../../actors/index/people/loaded.ts';
import { indexedJob, type LoadedJob } from '../../../../actors/index/people/loaded-job.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';

/**
 * Content, grid frame, and cluster or null for noise; a content's faces follow each other, ascending by
 * frame. The text says which face of its frame it is; left out, it is its place among those that are given.
 */
export type FakeFace = readonly [string, number, string | null, string?];

/** The same face has the same id in every clustering. */
function idsOf(faces: readonly FakeFace[]): Uint8Array {
  const ids = new Uint8Array(faces.length * idBytes);
  let place = 0;
  for (const [at, [hash, frame, , which]] of faces.entries()) {
    const before = faces[at - 1];
    place = before?.[0] === hash && before[1] === frame ? place + 1 : 0;
    const digest = createHash('sha256')
      .update(`${hash} ${frame} ${which ?? place}`)
      .digest();
    ids.set(digest.subarray(0, idBytes), at * idBytes);
  }
  return ids;
}

export function storedClusters(
  name: string,
  faces: readonly FakeFace[],
  names: Readonly<Record<string, string>> = {},
  { version = 1, more = [] as readonly string[] } = {},
): StoredClusters {
  const hashes = [...new Set([...faces.map(([hash]) => hash), ...more])];
  const cluster_ids = [...new Set(faces.flatMap(([, , cluster]) => cluster ?? []))];
  return {
    name,
    version,
    hashes,
    cluster_ids,
    names: cluster_ids.map((id) => names[id] ?? ''),
    ids: idsOf(faces),
    media: Uint32Array.from(faces, ([hash]) => hashes.indexOf(hash)),
    frames: Uint32Array.from(faces, ([, frame]) => frame),
    clusters: Int32Array.from(faces, ([, , cluster]) =>
      cluster === null ? -1 : cluster_ids.indexOf(cluster),
    ),
  };
}

/** Numbers contents as they come. */
export function numbering(): { numberOf(hash: string): number; readonly hashes: string[] } {
  const hashes: string[] = [];
  const numberOf = (hash: string) => {
    const known = hashes.indexOf(hash);
    return known < 0 ? hashes.push(hash) - 1 : known;
  };
  return { numberOf, hashes };
}

export function loadedJob(
  name: string,
  faces: readonly FakeFace[],
  names: Readonly<Record<string, string>> = {},
  numberOf = numbering().numberOf,
): LoadedJob {
  return indexedJob(storedClusters(name, faces, names), numberOf);
}

/** What a folder holds; a test stores, renames, damages and removes, and sees what was read. */
export class FakeClusterings implements LoadedClusterings {
  readonly #stored = new Map<string, StoredClusters>();
  readonly #damaged = new Set<string>();
  #version = 0;
  /** Names, in the order in which they were read. */
  readonly reads: string[] = [];

  store(
    name: string,
    faces: readonly FakeFace[],
    names: Readonly<Record<string, string>> = {},
    more: readonly string[] = [],
  ): void {
    this.put(storedClusters(name, faces, names, { version: ++this.#version, more }));
  }

  put(stored: StoredClusters): void {
    this.#damaged.delete(stored.name);
    this.#stored.set(stored.name, stored);
  }

  damage(name: string): void {
    this.#damaged.add(name);
  }

  remove(name: string): void {
    this.#stored.delete(name);
  }

  clusterings(): string[] {
    return [...this.#stored.keys()];
  }

  version(name: string): number | null {
    if (this.#damaged.has(name)) throw storeErrors.STORE_DAMAGED(`${name} is damaged`);
    return this.#stored.get(name)?.version ?? null;
  }

  readClusters(name: string): StoredClusters | null {
    this.reads.push(name);
    if (this.#damaged.has(name)) throw storeErrors.STORE_DAMAGED(`${name} is damaged`);
    return this.#stored.get(name) ?? null;
  }
}
