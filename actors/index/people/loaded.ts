// The people of one folder in memory: its clusterings, in step with what is stored of them, and where those
// are seen whom a search asks for.
import { filterErrors } from '../facets/contract.ts';
import { readable } from '../store/faults.ts';
import type { StoredClusters } from './cluster-columns.ts';
import type { PeopleFilter, PersonRef } from './contract.ts';
import { indexedJob, type LoadedJob, peopleOf } from './loaded-job.ts';
import { allOf, anyOf, type FrameRanges, meantTwice, personOf, rangesOf } from './moments.ts';
import { namesInText } from './names-in-text.ts';

/** Clusterings of a folder. All methods throw STORE_DAMAGED for unreadable data. */
export interface LoadedClusterings {
  /** Names. */
  clusterings(): readonly string[];
  /** Another one whenever anything of it is stored again; null when it is not there. */
  version(name: string): number | null;
  readClusters(name: string): StoredClusters | null;
}

/** The frames that a search may look at. */
export interface PeopleFrames {
  readonly ranges: FrameRanges;
  /** People who are asked for together with themselves: nobody is two people. */
  readonly twice: readonly string[];
}

/** A name is one person, in whichever clusterings it is. */
export interface NamedPerson {
  readonly name: string;
  readonly clusters: { readonly cluster_job_name: string; readonly cluster_id: string }[];
}

/** See the message `people_named`. */
export interface PeopleInText {
  readonly people: NamedPerson[];
  readonly excluded: NamedPerson[];
  readonly parts: string[];
  readonly remainder: string;
}

/** Answers kept; one of people who are seen often takes some MB. */
const mostKept = 8;

export class LoadedPeople {
  readonly folder: string;
  /** Identity of the loaded records; a folder that was replaced has another. */
  readonly source: string;
  readonly #jobs = new Map<string, LoadedJob>();
  /** Names of clusterings that are damaged. */
  readonly #unreadable = new Set<string>();
  readonly #numbers = new Map<string, number>();
  /** Hashes by number of the media. */
  readonly #hashes: string[] = [];
  /** Answers by their question, the one used last at the end. */
  readonly #answers = new Map<string, PeopleFrames>();

  constructor({ folder, identity }: { readonly folder: string; readonly identity: string }) {
    this.folder = folder;
    this.source = identity;
  }

  readonly numberOf = (hash: string): number => {
    const knownNumber = this.#numbers.get(hash);
    if (knownNumber !== undefined) return knownNumber;
    const number = this.#hashes.push(hash) - 1;
    this.#numbers.set(hash, number);
    return number;
  };

  get jobs(): readonly LoadedJob[] {
    return [...this.#jobs.values()];
  }

  get unreadable(): string[] {
    return [...this.#unreadable].sort();
  }

  get counts(): { jobs: number; faces: number; people: number; named: number } {
    const counts = { jobs: this.#jobs.size, faces: 0, people: 0, named: 0 };
    for (const job of this.#jobs.values()) {
      const { people, named } = peopleOf(job);
      counts.faces += job.faces;
      counts.people += people;
      counts.named += named;
    }
    return counts;
  }

  /** True if the stored version is in memory. */
  isCurrent(clusterings: LoadedClusterings, name: string): boolean {
    const job = this.#jobs.get(name);
    return job !== undefined && readable(() => clusterings.version(name)) === job.version;
  }

  put(job: LoadedJob): void {
    this.#unreadable.delete(job.name);
    this.#jobs.set(job.name, job);
  }

  /** `isDamaged`: it is there, and cannot be read. */
  remove(name: string, isDamaged: boolean): void {
    this.#jobs.delete(name);
    if (isDamaged) this.#unreadable.add(name);
    else this.#unreadable.delete(name);
  }

  /** The version in memory is out of date. */
  changed(name: string): void {
    this.#jobs.delete(name);
  }

  /** Takes out what the folder does not list any more. */
  keepOnly(names: readonly string[]): void {
    const listed = new Set(names);
    for (const name of [...this.#jobs.keys(), ...this.#unreadable])
      if (!listed.has(name)) this.remove(name, false);
  }

  /** Reads a clustering that is not in memory as it is stored, all of it at once. */
  refresh(clusterings: LoadedClusterings, name: string): void {
    if (this.isCurrent(clusterings, name)) return;
    const read = readable(() => {
      const stored = clusterings.readClusters(name);
      return { job: stored && indexedJob(stored, this.numberOf) };
    });
    if (read?.job) this.put(read.job);
    else this.remove(name, read === null);
  }

  /** Where the people of a search are seen, as they are stored now. Errors: those of personOf. */
  seen(clusterings: LoadedClusterings, { mode, people }: PeopleFilter): PeopleFrames {
    const names = [...clusterings.clusterings()].sort();
    this.keepOnly(names);
    const requestedPeople = people.map((ref, at) => {
      for (const name of namedBy(ref, names)) this.refresh(clusterings, name);
      this.#requireReadable(ref, at);
      return personOf(this.jobs, ref, at);
    });
    const key = JSON.stringify([
      mode,
      requestedPeople.map(({ job, clusters }) => [job.name, job.version, clusters]),
    ]);
    const cachedAnswer = this.#answers.get(key);
    const twice = mode === 'and' ? meantTwice(requestedPeople) : [];
    const together = mode === 'and' ? allOf : anyOf;
    const answer = cachedAnswer ?? {
      ranges: twice.length > 0 ? new Map() : rangesOf(together(requestedPeople), this.#hashes),
      twice,
    };
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    for (const oldest of [...this.#answers.keys()].slice(0, -mostKept)) this.#answers.delete(oldest);
    return answer;
  }

  /** The people with a name that a text names, as they are stored now; see the message `people_named`. */
  namedIn(clusterings: LoadedClusterings, text: string, wholeOnly: readonly string[]): PeopleInText {
    const listed = [...clusterings.clusterings()].sort();
    this.keepOnly(listed);
    for (const name of listed) this.refresh(clusterings, name);
    const all = new Set(this.jobs.flatMap(({ names }) => names.filter((name) => name !== '')));
    const { names, excluded, parts, remainder } = namesInText(text, [...all], new Set(wholeOnly));
    const peopleOf = (some: readonly string[]) =>
      some.map((name) => ({ name, clusters: this.#clustersOf(name) }));
    return { people: peopleOf(names), excluded: peopleOf(excluded), parts: [...parts], remainder };
  }

  /** The clusters of a name in all clusterings, the largest first. */
  #clustersOf(name: string): NamedPerson['clusters'] {
    const clusters = this.jobs.flatMap((job) =>
      job.names.flatMap((clusterName, at) => {
        const faces = job.starts[at + 1]! - job.starts[at]!;
        return clusterName === name
          ? [{ cluster_job_name: job.name, cluster_id: job.clusterIds[at]!, faces }]
          : [];
      }),
    );
    clusters.sort((a, b) => b.faces - a.faces || (a.cluster_job_name < b.cluster_job_name ? -1 : 1));
    return clusters.map(({ faces: _, ...cluster }) => cluster);
  }

  #requireReadable({ cluster_job_name: name }: PersonRef, at: number): void {
    if (name === undefined || !this.#unreadable.has(name)) return;
    const field = `people_filter[${at}].cluster_job_name`;
    throw filterErrors.UNKNOWN_CLUSTERING(
      `${field}: the stored face clustering ${name} is damaged; cluster its media again`,
      { field },
    );
  }
}

/** The clusterings a person is looked for in. */
function namedBy({ cluster_job_name: name }: PersonRef, names: readonly string[]): readonly string[] {
  return name === undefined ? names : names.filter((clusterName) => clusterName === name);
}
