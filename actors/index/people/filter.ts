// Who is meant by the people of a search, among the clusterings that are loaded.
import { suggestion } from '../../../runtime/nearest.ts';
import { filterErrors } from '../facets/contract.ts';
import { fold } from '../text/fold.ts';
import { type PersonRef, peopleErrors } from './contract.ts';
import type { LoadedJob } from './loaded-job.ts';
import type { Shown } from './moments.ts';

export interface Person extends Shown {
  /** The same for everything that means the same person. */
  readonly key: string;
  /** For people. */
  readonly label: string;
}

type Details = { readonly field: string };

/**
 * The person of `people_filter[at]`: a name exactly, else whatever its case where that is one name; of
 * whichever clustering has it where none is named. Errors naming the field: UNKNOWN_CLUSTERING,
 * UNKNOWN_PERSON, UNKNOWN_CLUSTER, WRONG_PEOPLE.
 */
export function personOf(jobs: readonly LoadedJob[], ref: PersonRef, at: number): Person {
  const item = `people_filter[${at}]`;
  const { cluster_job_name: of, person_name: name, cluster_id: id } = ref;
  if ((name === undefined) === (id === undefined))
    throw wrong(item, 'exactly one of person_name and cluster_id is required');
  const asked = of === undefined ? jobs : [jobNamed(jobs, of, item)];
  return name === undefined ? byCluster(asked, id!, of, item) : byName(asked, name, of, item);
}

function wrong(field: string, what: string): Error {
  return filterErrors.WRONG_PEOPLE(`${field}: ${what}`, { field });
}

function jobNamed(jobs: readonly LoadedJob[], personName: string, item: string): LoadedJob {
  const job = jobs.find(({ name }) => name === personName);
  if (job !== undefined) return job;
  const field = `${item}.cluster_job_name`;
  const names = jobs.map(({ name }) => name);
  const meant = names.length === 0 ? '; there are no face clusterings' : suggestion(personName, names);
  throw filterErrors.UNKNOWN_CLUSTERING(`${field}: there is no face clustering named ${personName}${meant}`, {
    field,
  });
}

function byName(
  jobs: readonly LoadedJob[],
  personName: string,
  of: string | undefined,
  item: string,
): Person {
  const field = `${item}.person_name`;
  const exactly = jobs.filter(({ names }) => names.includes(personName));
  const found =
    exactly.length > 0
      ? exactly.map((job) => ({ job, name: personName }))
      : jobs.flatMap((job) => inAnyCase(job, personName).map((name) => ({ job, name })));
  const [first, ...others] = found;
  if (first === undefined) {
    const names = new Set(jobs.flatMap((job) => job.names.filter((name) => name !== '')));
    const where = of === undefined ? 'in no face clustering' : `not in the face clustering ${of}`;
    const message = `${field}: ${personName} is ${where}${suggestion(personName, names)}`;
    throw peopleErrors.UNKNOWN_PERSON(message, { field } satisfies Details);
  }
  if (others.some(({ job }) => job !== first.job)) throw inSeveral(item, personName, found);
  if (others.length > 0)
    throw wrong(field, `${personName} may be ${found.map(({ name }) => name).join(' or ')}`);
  const { job, name } = first;
  const clusters = job.names.flatMap((one, cluster) => (one === name ? [cluster] : []));
  return { job, clusters, key: named(name), label: name };
}

function inSeveral(item: string, name: string, found: readonly { readonly job: LoadedJob }[]): Error {
  const names = [...new Set(found.map(({ job }) => job.name))].join(', ');
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

function byCluster(jobs: readonly LoadedJob[], id: string, of: string | undefined, item: string): Person {
  const field = `${item}.cluster_id`;
  const found = jobs.flatMap((job) => {
    const cluster = job.clusterIds.indexOf(id);
    return cluster < 0 ? [] : [{ job, cluster }];
  });
  const [first, ...others] = found;
  if (first === undefined) {
    const where = of === undefined ? 'no face clustering has a' : `the face clustering ${of} has no`;
    throw peopleErrors.UNKNOWN_CLUSTER(`${field}: ${where} cluster ${id}`, { field } satisfies Details);
  }
  if (others.length > 0) throw inSeveral(item, `cluster ${id}`, found);
  const { job, cluster } = first;
  const name = job.names[cluster]!;
  const key = name === '' ? JSON.stringify([job.name, id]) : named(name);
  return { job, clusters: [cluster], key, label: name || `cluster ${id}` };
}

/** A name is one person, in whichever clusterings it is. */
function named(name: string): string {
  return JSON.stringify([name]);
}

/** Labels of the people who are meant more than once. */
export function meantTwice(people: readonly Person[]): string[] {
  const groups = Map.groupBy(people, ({ key }) => key).values();
  return [...groups].flatMap((group) => (group.length > 1 ? [group[0]!.label] : []));
}
