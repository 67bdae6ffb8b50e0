// Facets of who is seen: one a face clustering, whose options are the people with a name, and how many faces
// a picture shows at most. They follow the clusterings, apart from the records of media.

import type { StoredClusters } from '../people/cluster-columns.ts';
import type { LoadedClusterings } from '../people/loaded.ts';
import { readable } from '../store/faults.ts';
import {
  type ClassStep,
  type ContentFacet,
  classOf,
  type FacetDefinition,
  multi,
  single,
  stepChoices,
} from './facet.ts';

const group = ['People'] as const;
export const peoplePrefix = 'people.';
const countId = `${peoplePrefix}face_count`;

/** Separator of the positions of several people. */
const between = ',';

const counts: readonly ClassStep[] = [
  { value: 'none', label: 'No face', from: 0 },
  { value: 'one', label: 'One face', from: 1 },
  { value: 'two', label: 'Two faces', from: 2 },
  { value: 'three_to_five', label: '3 to 5 faces', from: 3 },
  { value: 'more', label: 'More than 5 faces', from: 6 },
];

/**
 * Id of a clustering's facet: its name in letters that every client can write, distinct from every other
 * facet.
 */
export function clusteringFacetId(name: string): string {
  const id = peoplePrefix + encodeURIComponent(name.toWellFormed());
  return id === countId ? id.replace('_', '%5F') : id;
}

interface ClusteringFacts {
  readonly version: number;
  readonly names: readonly string[];
  /** Position of its media by hash. */
  readonly places: ReadonlyMap<string, number>;
  /** Positions in `names` of the people in each media. */
  readonly shown: readonly (readonly number[] | undefined)[];
  /** Most faces of one frame in each media. */
  readonly most: Uint32Array;
}

function factsOf(stored: StoredClusters): ClusteringFacts {
  const { hashes, media, frames, clusters, version } = stored;
  const names = [...new Set(stored.names.filter((name) => name !== ''))].sort();
  const place = new Map(names.map((name, i) => [name, i]));
  const personOf = Int32Array.from(stored.names, (name) => place.get(name) ?? -1);
  /** The last media in which each person was seen. */
  const seenIn = new Int32Array(names.length).fill(-1);
  const shown = hashes.map((): number[] | undefined => undefined);
  const most = new Uint32Array(hashes.length);
  let together = 0;
  for (let at = 0; at < media.length; at++) {
    const mediaIndex = media[at]!;
    together = at > 0 && mediaIndex === media[at - 1] && frames[at] === frames[at - 1] ? together + 1 : 1;
    if (together > most[mediaIndex]!) most[mediaIndex] = together;
    const cluster = clusters[at]!;
    const person = cluster < 0 ? -1 : personOf[cluster]!;
    if (person < 0 || seenIn[person] === mediaIndex) continue;
    seenIn[person] = mediaIndex;
    const people = shown[mediaIndex];
    if (people === undefined) shown[mediaIndex] = [person];
    else people.push(person);
  }
  const places = new Map(hashes.map((hash, i) => [hash, i]));
  return { version, names, places, shown, most };
}

function facetOf(name: string, { names, places, shown }: ClusteringFacts): ContentFacet {
  const keyOf = (hash: string) => shown[places.get(hash) ?? -1]?.join(between) ?? null;
  const facet: FacetDefinition = {
    ...multi({ id: clusteringFacetId(name), label: name, path: group }, () => []),
    key: (media) => keyOf(media.identity.hash_str),
    // A name may hold any sign, a place in the list does not.
    read: (key) => ({
      values: key.split(between).map((place) => names[Number(place)]!),
      size: null,
      moment: null,
    }),
  };
  return { facet, keyOf };
}

function countFacet(all: readonly ClusteringFacts[]): ContentFacet {
  const keyOf = (hash: string) => {
    const mostTogether = all.flatMap(({ most, places }) => most[places.get(hash) ?? -1] ?? []);
    return mostTogether.length === 0 ? null : classOf(counts, Math.max(...mostTogether));
  };
  const name = { id: countId, label: 'Faces in a picture', path: group };
  const facet = single(name, (media) => keyOf(media.identity.hash_str), stepChoices(counts, 'faces'));
  return { facet, keyOf };
}

export class PeopleFacets {
  readonly #entries = new Map<string, { readonly facts: ClusteringFacts; readonly facet: ContentFacet }>();
  #listed: readonly ContentFacet[] = [countFacet([])];
  #unreadable: readonly string[] = [];

  /** Clusterings that are damaged. */
  get unreadable(): readonly string[] {
    return this.#unreadable;
  }

  /**
   * Stored facets of people; a facet that is the same object has the same values. `pause` may throw to stop.
   */
  of(source: LoadedClusterings, pause: () => void): readonly ContentFacet[] {
    const names = [...source.clusterings()].sort();
    const unreadable: string[] = [];
    let isNews = false;
    for (const name of [...this.#entries.keys()]) {
      if (!names.includes(name)) isNews = this.#entries.delete(name);
    }
    for (const name of names) {
      const entry = this.#entries.get(name);
      const version = readable(() => source.version(name));
      if (entry !== undefined && entry.facts.version === version) continue;
      pause();
      const stored = version === null ? null : readable(() => source.readClusters(name));
      if (stored === null) unreadable.push(name);
      isNews = true;
      this.#entries.delete(name);
      if (stored === null) continue;
      const facts = factsOf(stored);
      this.#entries.set(name, { facts, facet: facetOf(name, facts) });
    }
    this.#unreadable = unreadable;
    if (isNews) this.#list(names);
    return this.#listed;
  }

  #list(names: readonly string[]): void {
    const entries = names.flatMap((name) => this.#entries.get(name) ?? []);
    this.#listed = [countFacet(entries.map(({ facts }) => facts)), ...entries.map(({ facet }) => facet)];
  }
}
