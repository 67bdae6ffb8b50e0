// Which clusters a text means: an id, or a name that one or more of them have.
import { suggestion } from '../../runtime/nearest.ts';
import { quoted } from '../../runtime/quoted.ts';
import { type ClusterJob, peopleErrors } from '../index/people/contract.ts';
import { plainName } from '../index/people/person-name.ts';

type Known = Pick<ClusterJob, 'name' | 'cluster_ids' | 'names'>;

/** Ids by name, with those of a job that has tens of thousands of them found at once. */
interface Lookup {
  readonly ids: ReadonlySet<string>;
  /** By plain name; clusters without one are left out. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  /** By plain name in lower case: the plain names. */
  readonly byCase: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A job is what one request was answered, so its lookup goes with it. */
const lookups = new WeakMap<Known, Lookup>();

function lookupOf(job: Known): Lookup {
  const known = lookups.get(job);
  if (known !== undefined) return known;
  const byName = new Map<string, string[]>();
  const byCase = new Map<string, Set<string>>();
  for (const id of job.cluster_ids) {
    const name = plainName(Object.hasOwn(job.names, id) ? job.names[id]! : '');
    if (name === '') continue;
    const [own, alike] = [byName.get(name), byCase.get(name.toLowerCase())];
    if (own === undefined) byName.set(name, [id]);
    else own.push(id);
    if (alike === undefined) byCase.set(name.toLowerCase(), new Set([name]));
    else alike.add(name);
  }
  const made = { ids: new Set(job.cluster_ids), byName, byCase };
  lookups.set(job, made);
  return made;
}

/** Throws UNKNOWN_CLUSTER naming the field. */
export function knownCluster(job: Known, cluster_id: string, field: string): string {
  if (lookupOf(job).ids.has(cluster_id)) return cluster_id;
  const what = `${field}: ${quoted(job.name)} has no cluster ${quoted(cluster_id)}`;
  throw peopleErrors.UNKNOWN_CLUSTER(what, { field });
}

/** Every cluster of this name: two clusters may be one person. Throws UNKNOWN_PERSON naming the field. */
export function clustersNamed(job: Known, person_name: string, field: string): string[] {
  const found = withName(job, person_name);
  if (found.length > 0) return [...found];
  throw unknownPerson(job, person_name, field);
}

/**
 * Ids go before names, and the exact case before any, where that is one name. Each cluster once, in the order in which it
 * is named. Throws UNKNOWN_PERSON naming the field.
 */
export function clustersMeant(job: Known, people: readonly string[], field: string): string[] {
  const found = people.flatMap((text, i) => {
    if (lookupOf(job).ids.has(text)) return [text];
    const exactly = withName(job, text);
    const clusters = exactly.length > 0 ? exactly : inAnyCase(job, text);
    if (clusters.length === 0) throw unknownPerson(job, text, `${field}[${i}]`);
    return clusters;
  });
  return [...new Set(found)];
}

function withName(job: Known, name: string): readonly string[] {
  return lookupOf(job).byName.get(plainName(name)) ?? [];
}

/** Empty also when it may be several names. */
function inAnyCase(job: Known, name: string): readonly string[] {
  const alike = lookupOf(job).byCase.get(plainName(name).toLowerCase()) ?? [];
  const [only, ...others] = alike;
  return only === undefined || others.length > 0 ? [] : withName(job, only);
}

function unknownPerson({ name, names }: Known, text: string, field: string) {
  const meant = suggestion(text, Object.values(names));
  const what = `${field}: ${quoted(name)} has no person named ${quoted(text)}${meant}`;
  return peopleErrors.UNKNOWN_PERSON(what, { field });
}
