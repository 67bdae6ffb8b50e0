// Keeps the facet tables of the folders in step with what is stored there, whoever writes it.
import type { Log } from '../../../runtime/log.ts';
import { runFor, type Steps } from '../../../runtime/sync/checkpoint.ts';
import { confidenceOf, isMeasured, isSure } from '../../things/confidence.ts';
import type { ThingTrack } from '../../things/tracks.ts';
import type { ClusteringsOf } from '../people/people-index.ts';
import type { MediaChange } from '../store/changes.ts';
import { readable } from '../store/faults.ts';
import { mediaRecord } from '../store/media.ts';
import type { Store } from '../store/store.ts';
import { type ShotSize, shotSizes } from '../things/contract.ts';
import { storedShots } from '../things/stored-shots.ts';
import type { MetadataFilter } from './contract.ts';
import { type ContentFacet, choices, type FacetDefinition, keyOfValues, multi } from './facet.ts';
import { facets } from './list.ts';
import { PeopleFacets, peoplePrefix } from './people.ts';
import { FacetTable } from './table.ts';

/** Tables held at a time; 100,000 media take about 100 MB. */
const mostTables = 2;
/** Rounds between two looks at whether to stop. */
const stride = 256;
/** One step, ms: other questions come in between. */
const stepMs = 10;

interface Kept {
  readonly table: FacetTable;
  readonly position: number;
  /** Changes taken in since the table was made: what they replaced is still held. */
  readonly changes: number;
}

/** A table that is being read; it is cached when it is complete. */
interface Job extends Omit<Kept, 'table'> {
  readonly steps: Steps<FacetTable>;
}

export class FacetTables {
  readonly #log: Log;
  readonly #clusteringsOf: ClusteringsOf;
  #tables = new Map<Store, Kept>();
  #jobs = new WeakMap<Store, Job>();
  #people = new WeakMap<Store, PeopleFacets>();
  #stored = new WeakMap<Store, readonly ContentFacet[]>();

  constructor(log: Log, clusteringsOf: ClusteringsOf) {
    this.#log = log;
    this.#clusteringsOf = clusteringsOf;
  }

  /** Every facet that these filters may name. */
  known(store: Store, filters: readonly MetadataFilter[]): readonly FacetDefinition[] {
    const has = (prefix: string) => filters.some(({ facet_id }) => facet_id.startsWith(prefix));
    const people = has(peoplePrefix) ? this.#peopleOf(store).of(this.#clusteringsOf(store), () => {}) : [];
    return [...facets, ...[...this.#storedOf(store), ...people].map(({ facet }) => facet)];
  }

  /** Face clusterings of which nothing can be read, as the table of the folder was made. */
  unreadablePeople(store: Store): string[] {
    return [...this.#peopleOf(store).unreadable];
  }

  #peopleOf(store: Store): PeopleFacets {
    const cachedFacets = this.#people.get(store);
    if (cachedFacets !== undefined) return cachedFacets;
    const facets = new PeopleFacets();
    this.#people.set(store, facets);
    return facets;
  }

  /** Facets of what is stored of each content, apart from the records of media. */
  #storedOf(store: Store): readonly ContentFacet[] {
    const cachedFacets = this.#stored.get(store);
    if (cachedFacets !== undefined) return cachedFacets;
    const facets = [...thingFacets(store), soundFacet(store)];
    this.#stored.set(store, facets);
    return facets;
  }

  /** The table of a folder as it is now. `pause` may throw to stop. */
  of(store: Store, pause: () => void): FacetTable {
    while (!this.step(store, pause)) pause();
    const entry = this.#tables.get(store)!;
    const people = this.#peopleOf(store).of(this.#clusteringsOf(store), pause);
    entry.table.setFurther([...this.#storedOf(store), ...people]);
    this.#tables.delete(store);
    this.#tables.set(store, entry);
    for (const oldest of [...this.#tables.keys()].slice(0, -mostTables)) this.#tables.delete(oldest);
    return entry.table;
  }

  /** Goes on for some 10 ms with what `of` reads of the things of each content. True when that is done. */
  step(store: Store, pause: () => void): boolean {
    const going = this.#jobs.get(store);
    const job = going ?? this.#begin(store, pause);
    if (job === null) return true;
    // One that throws is not gone on with.
    this.#jobs.delete(store);
    const table = runFor(stepMs, job.steps);
    if (table === null) {
      this.#jobs.set(store, job);
      return false;
    }
    const { position, changes } = job;
    this.#tables.set(store, { table, position, changes });
    // Media changed while the table was read.
    return !going || store.media.changes(position).position === position || this.step(store, pause);
  }

  /** Null when nothing changed. */
  #begin(store: Store, pause: () => void): Job | null {
    const entry = this.#tables.get(store);
    const { position, changed } = store.media.changes(entry?.position ?? null);
    const fragmented = entry !== undefined && entry.changes > Math.max(10_000, entry.table.size);
    if (entry === undefined || changed === null || fragmented)
      return { position, changes: 0, steps: this.#build(store, pause) };
    if (changed.length === 0) return null;
    return { position, changes: entry.changes + changed.length, steps: updated(entry.table, store, changed) };
  }

  forget(store: Store): void {
    this.#tables.delete(store);
    this.#jobs.delete(store);
    this.#people.delete(store);
  }

  *#build(store: Store, pause: () => void): Steps<FacetTable> {
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
    yield* table.furtherInSteps(this.#storedOf(store));
    return table;
  }
}

function* updated(table: FacetTable, store: Store, changed: readonly MediaChange[]): Steps<FacetTable> {
  for (const { path, hash } of changed) {
    const before = table.setPath(path, hash);
    table.set(hash, store.media.content(hash));
    if (before !== null) table.set(before, store.media.content(before));
    yield;
  }
  return table;
}

// Facets of what detectors have seen in pictures: things, and how large people are; and of what is heard.

const group = ['Things'] as const;

const shotLabels: Readonly<Record<ShotSize, string>> = {
  close_up: 'Close-up',
  medium: 'Medium shot',
  wide: 'Wide shot',
};

const named = { labelOf: (value: string) => value.charAt(0).toUpperCase() + value.slice(1) };

/** How surely each class is seen where it is seen best in the library, for searches that are proposed. */
class BestScores {
  readonly #isStored: (hash: string) => boolean;
  /** Scores by class, then by content; only those that count as certain. */
  readonly #byClass = new Map<string, Map<string, number>>();

  constructor(isStored: (hash: string) => boolean) {
    this.#isStored = isStored;
  }

  set(hash: string, tracks: readonly ThingTrack[], gridFrames: number): void {
    for (const scores of this.#byClass.values()) scores.delete(hash);
    for (const track of tracks) {
      if (confidenceOf(track, gridFrames) !== 'strong') continue;
      const { class: name, score } = track;
      const scores = this.#byClass.get(name) ?? new Map<string, number>();
      scores.set(hash, Math.max(score, scores.get(hash) ?? 0));
      this.#byClass.set(name, scores);
    }
  }

  /** Null for a class that is nowhere seen surely enough. */
  of(name: string): number | null {
    let best: number | null = null;
    const scores = this.#byClass.get(name) ?? new Map<string, number>();
    for (const [hash, score] of scores) {
      if (score <= (best ?? 0)) continue;
      if (this.#isStored(hash)) best = score;
      else scores.delete(hash);
    }
    return best;
  }
}

/** Facets of one content. */
interface Sights {
  readonly seen: readonly string[];
  readonly unmeasured: readonly string[];
  readonly shots: readonly string[];
}

function thingFacets(store: Store): readonly ContentFacet[] {
  // They are asked one after the other of the same content, whose record is long.
  let last: { readonly version: string; readonly sights: Sights } | null = null;
  const versionOf = (hash: string) => store.results('things').lookUp(hash)?.version ?? null;
  const best = new BestScores((hash) => versionOf(hash) !== null);
  const sightsOf = (hash: string): Sights => {
    const version = `${hash} ${versionOf(hash)} ${store.people.faces.changes()}`;
    if (last?.version !== version) last = { version, sights: readSights(store, hash, best) };
    return last.sights;
  };
  const sizes = choices(shotSizes.map((value) => ({ value, label: shotLabels[value] })));
  return [
    contentFacet('things.seen', 'Things', (hash) => sightsOf(hash).seen, {
      ...named,
      meta: (value) => ({ suggested: best.of(value) }),
    }),
    contentFacet('things.unmeasured', 'Other things, uncertain', (hash) => sightsOf(hash).unmeasured, named),
    contentFacet('things.shot_size', 'Shot size of people', (hash) => sightsOf(hash).shots, sizes),
  ];
}

function readSights(store: Store, hash: string, best: BestScores): Sights {
  const tracks = readable(() => store.results('things').of(hash))?.items ?? [];
  const gridFrames = store.media.byHash(hash)?.probe.grid_frames ?? 0;
  best.set(hash, tracks, gridFrames);
  const classes = tracks.filter((track) => isSure(track, gridFrames)).map((track) => track.class);
  const shots = readable(() => storedShots(store, hash, tracks)) ?? [];
  return {
    seen: classes.filter(isMeasured),
    unmeasured: classes.filter((name) => !isMeasured(name)),
    shots: shots.map(({ size }) => size),
  };
}

function soundFacet(store: Store): ContentFacet {
  const valuesOf = (hash: string) =>
    (readable(() => store.results('sounds').of(hash))?.items ?? []).map(({ sound }) => sound);
  return contentFacet('sounds.heard', 'Music and singing', valuesOf, named, ['Sounds']);
}

function contentFacet(
  id: string,
  label: string,
  valuesOf: (hash: string) => readonly string[],
  options: Parameters<typeof multi>[2],
  path: readonly string[] = group,
): ContentFacet {
  const facet = multi({ id, label, path }, ({ identity }) => valuesOf(identity.hash_str), options);
  return { facet, keyOf: (hash) => keyOfValues(valuesOf(hash)) };
}
