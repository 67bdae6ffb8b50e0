// Moments at which people are seen, as ascending numbers: the number of the media and the grid frame in one.

import { suggestion } from '../../../runtime/text.ts';
import { filterErrors } from '../facets/contract.ts';
import { fold } from '../text/fold.ts';
import { lowerBound } from '../visual/frames.ts';
import { type PersonRef, peopleErrors } from './contract.ts';
import type { LoadedJob } from './loaded-job.ts';
import { hasNamePart } from './names-in-text.ts';

/** Frames of one media in front of the next; both together fit into the whole numbers of a double. */
const perMedia = 2 ** 32;

const momentOf = ({ media, frames }: LoadedJob, face: number): number =>
  media[face]! * perMedia + frames[face]!;

/** Clusters of one clustering that stand for somebody. */
export interface Shown {
  readonly job: LoadedJob;
  readonly clusters: readonly number[];
}

/** Where the faces of one cluster are: ascending, each moment once. */
function ofCluster(job: LoadedJob, cluster: number): Float64Array {
  const [first, end] = [job.starts[cluster]!, job.starts[cluster + 1]!];
  const moments = new Float64Array(end - first);
  let [ascends, last] = [true, -1];
  for (let face = first; face < end; face++) {
    const moment = momentOf(job, face);
    if (moment < last) ascends = false;
    last = moment;
    moments[face - first] = moment;
  }
  if (!ascends) moments.sort();
  let count = 0;
  for (const moment of moments) if (count === 0 || moments[count - 1] !== moment) moments[count++] = moment;
  return moments.subarray(0, count);
}

/** All of several lists, halves first, so that each value is moved a few times only. */
function union(lists: readonly Float64Array[]): Float64Array {
  if (lists.length <= 1) return lists[0] ?? new Float64Array(0);
  const middle = lists.length >> 1;
  const [a, b] = [union(lists.slice(0, middle)), union(lists.slice(middle))];
  const all = new Float64Array(a.length + b.length);
  let [count, i, j] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const left = i < a.length ? a[i]! : Number.POSITIVE_INFINITY;
    const right = j < b.length ? b[j]! : Number.POSITIVE_INFINITY;
    all[count++] = Math.min(left, right);
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return all.subarray(0, count);
}

/** Where somebody is seen: ascending, each moment once. */
export function momentsOf({ job, clusters }: Shown): Float64Array {
  return union(clusters.map((cluster) => ofCluster(job, cluster)));
}

/** Where any of them is seen. */
export function anyOf(shown: readonly Shown[]): Float64Array {
  return union(shown.map(momentsOf));
}

/** Where all of them are seen at once, each by a face of their own. */
export function allOf(shown: readonly Shown[]): Float64Array {
  const [fewest = new Float64Array(0), ...others] = shown.map(momentsOf).sort((a, b) => a.length - b.length);
  const together = others.reduce(intersection, fewest);
  // Within one clustering a face belongs to one cluster, so different people are different faces.
  const isOne = shown.every(({ job }) => job === shown[0]?.job);
  return isOne ? together : byOwnFaces(together, shown);
}

function intersection(a: Float64Array, b: Float64Array): Float64Array {
  const both = new Float64Array(Math.min(a.length, b.length));
  let [count, at] = [0, 0];
  for (const moment of a) {
    while (at < b.length && b[at]! < moment) at++;
    if (b[at] === moment) both[count++] = moment;
  }
  return both.subarray(0, count);
}

/** One face may be one person in one clustering and another in the next: it still is one face. */
function byOwnFaces(moments: Float64Array, shown: readonly Shown[]): Float64Array {
  const faces = shown.map((person) => facesAt(moments, person));
  return moments.filter((_, at) => eachHasOwn(faces.map((facesOfPerson) => facesOfPerson[at]!)));
}

function facesAt(moments: Float64Array, { job, clusters }: Shown): number[][] {
  const faces = Array.from(moments, (): number[] => []);
  for (const cluster of clusters) {
    let at = 0;
    for (let face = job.starts[cluster]!; face < job.starts[cluster + 1]!; face++) {
      const moment = momentOf(job, face);
      if (at > 0 && moments[at - 1]! >= moment) at = lowerBound(moments, moment);
      while (at < moments.length && moments[at]! < moment) at++;
      if (moments[at] === moment) faces[at]!.push(job.ids[face]!);
    }
  }
  return faces;
}

/** Half-open ranges of grid frames by content: start, end, start, end..., ascending and apart. */
export type FrameRanges = ReadonlyMap<string, Uint32Array>;

export function rangesOf(moments: Float64Array, hashes: readonly string[]): FrameRanges {
  const ranges = new Map<string, Uint32Array>();
  const pairs = new Uint32Array(moments.length * 2);
  for (let at = 0; at < moments.length; ) {
    const media = Math.floor(moments[at]! / perMedia);
    const begin = media * perMedia;
    let used = 0;
    for (; at < moments.length && moments[at]! < begin + perMedia; at++) {
      const frame = moments[at]! - begin;
      if (used > 0 && pairs[used - 1] === frame) pairs[used - 1] = frame + 1;
      else {
        pairs[used++] = frame;
        pairs[used++] = frame + 1;
      }
    }
    ranges.set(hashes[media]!, pairs.slice(0, used));
  }
  return ranges;
}

// Decides whether everybody can have a separate thing: a maximum matching by augmenting paths, for a handful
// of each.

/** `choices`: for each one what it could have. True when all can have different things at once. */
export function eachHasOwn(choices: readonly (readonly number[])[]): boolean {
  const holder = new Map<number, number>();
  const give = (to: number, tried: Set<number>): boolean =>
    choices[to]!.some((thing) => {
      if (tried.has(thing)) return false;
      tried.add(thing);
      const currentHolder = holder.get(thing);
      if (currentHolder !== undefined && !give(currentHolder, tried)) return false;
      holder.set(thing, to);
      return true;
    });
  return choices.every((_, seeker) => give(seeker, new Set()));
}

// Finds the people of a search in the loaded clusterings.

export interface SightedPerson extends Shown {
  /** The same for everything that means the same person. */
  readonly key: string;
  /** For people. */
  readonly label: string;
}

type Details = { readonly field: string };

/**
 * The person of `people_filter[at]`: a name exactly, else whatever its case, else some words of it, where
 * that is one name; of whichever clustering has it where none is named. Errors naming the field:
 * UNKNOWN_CLUSTERING, UNKNOWN_PERSON, UNKNOWN_CLUSTER, WRONG_PEOPLE.
 */
export function personOf(jobs: readonly LoadedJob[], ref: PersonRef, at: number): SightedPerson {
  const item = `people_filter[${at}]`;
  const { cluster_job_name: of, person_name: name, cluster_id: id } = ref;
  if ((name === undefined) === (id === undefined))
    throw wrong(item, 'exactly one of person_name and cluster_id is required');
  const candidateJobs = of === undefined ? jobs : [jobNamed(jobs, of, item)];
  return name === undefined ? byCluster(candidateJobs, id!, of, item) : byName(candidateJobs, name, of, item);
}

function wrong(field: string, what: string): Error {
  return filterErrors.WRONG_PEOPLE(`${field}: ${what}`, { field });
}

function jobNamed(jobs: readonly LoadedJob[], personName: string, item: string): LoadedJob {
  const job = jobs.find(({ name }) => name === personName);
  if (job !== undefined) return job;
  const field = `${item}.cluster_job_name`;
  const names = jobs.map(({ name }) => name);
  const hint = names.length === 0 ? '; there are no face clusterings' : suggestion(personName, names);
  throw filterErrors.UNKNOWN_CLUSTERING(`${field}: there is no face clustering named ${personName}${hint}`, {
    field,
  });
}

function byName(
  jobs: readonly LoadedJob[],
  personName: string,
  of: string | undefined,
  item: string,
): SightedPerson {
  const field = `${item}.person_name`;
  const exactly = jobs.filter(({ names }) => names.includes(personName));
  const fitting = (namesOf: (job: LoadedJob) => string[]) =>
    jobs.flatMap((job) => namesOf(job).map((name) => ({ job, name })));
  const alike = exactly.length > 0 ? [] : fitting((job) => inAnyCase(job, personName));
  const matches =
    exactly.length > 0
      ? exactly.map((job) => ({ job, name: personName }))
      : alike.length > 0
        ? alike
        : fitting(({ names }) => [...new Set(names.filter((name) => hasNamePart(name, personName)))]);
  const [first, ...others] = matches;
  if (first === undefined) {
    const names = new Set(jobs.flatMap((job) => job.names.filter((name) => name !== '')));
    const where = of === undefined ? 'in no face clustering' : `not in the face clustering ${of}`;
    const message = `${field}: ${personName} is ${where}${suggestion(personName, names)}`;
    throw peopleErrors.UNKNOWN_PERSON(message, { field } satisfies Details);
  }
  const names = new Set(matches.map(({ name }) => name));
  const isOneJob = others.every(({ job }) => job === first.job);
  if (names.size > 1 && (isOneJob || alike.length + exactly.length === 0))
    throw wrong(field, `${personName} may be ${[...names].join(' or ')}`);
  if (!isOneJob) throw inSeveral(item, personName, matches);
  const { job, name } = first;
  const clusters = job.names.flatMap((clusterName, cluster) => (clusterName === name ? [cluster] : []));
  return { job, clusters, key: named(name), label: name };
}

function inSeveral(item: string, name: string, matches: readonly { readonly job: LoadedJob }[]): Error {
  const names = [...new Set(matches.map(({ job }) => job.name))].join(', ');
  return wrong(
    `${item}.cluster_job_name`,
    `${name} is in several face clusterings (${names}): give the cluster_job_name`,
  );
}

/** The different names that differ from a text in nothing but case. */
function inAnyCase({ names }: LoadedJob, name: string): string[] {
  const folded = fold(name.trim());
  return [...new Set(names.filter((name) => name !== '' && fold(name.trim()) === folded))];
}

function byCluster(
  jobs: readonly LoadedJob[],
  id: string,
  of: string | undefined,
  item: string,
): SightedPerson {
  const field = `${item}.cluster_id`;
  const matches = jobs.flatMap((job) => {
    const cluster = job.clusterIds.indexOf(id);
    return cluster < 0 ? [] : [{ job, cluster }];
  });
  const [first, ...others] = matches;
  if (first === undefined) {
    const where = of === undefined ? 'no face clustering has a' : `the face clustering ${of} has no`;
    throw peopleErrors.UNKNOWN_CLUSTER(`${field}: ${where} cluster ${id}`, { field } satisfies Details);
  }
  if (others.length > 0) throw inSeveral(item, `cluster ${id}`, matches);
  const { job, cluster } = first;
  const name = job.names[cluster]!;
  const key = name === '' ? JSON.stringify([job.name, id]) : named(name);
  return { job, clusters: [cluster], key, label: name || `cluster ${id}` };
}

/** A name is one person, in whichever clusterings it is. */
function named(name: string): string {
  return JSON.stringify([name]);
}

export function meantTwice(people: readonly SightedPerson[]): string[] {
  const groups = Map.groupBy(people, ({ key }) => key).values();
  return [...groups].flatMap((group) => (group.length > 1 ? [group[0]!.label] : []));
}
