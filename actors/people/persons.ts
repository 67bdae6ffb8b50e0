// Which clusters a text means: an id, or a name that one or more of them have. Pure.
import { suggestion } from '../../runtime/nearest.ts';
import { type ClusterJob, peopleErrors } from '../index/people/contract.ts';

type Known = Pick<ClusterJob, 'name' | 'cluster_ids' | 'names'>;

/** Throws UNKNOWN_CLUSTER naming the field. */
export function knownCluster(job: Known, cluster_id: string, field: string): string {
  if (job.cluster_ids.includes(cluster_id)) return cluster_id;
  const what = `${field}: ${JSON.stringify(job.name)} has no cluster ${JSON.stringify(cluster_id)}`;
  throw peopleErrors.UNKNOWN_CLUSTER(what, { field });
}

/** Every cluster of this name: two clusters may be one person. Throws UNKNOWN_PERSON naming the field. */
export function clustersNamed(job: Known, person_name: string, field: string): string[] {
  const found = withName(job, person_name);
  if (found.length > 0) return found;
  throw unknownPerson(job, person_name, field);
}

/**
 * Ids go before names, and the exact case before any, where that is one name. Each cluster once, in the order in which it
 * is named. Throws UNKNOWN_PERSON naming the field.
 */
export function clustersMeant(job: Known, people: readonly string[], field: string): string[] {
  const found = people.flatMap((text, i) => {
    if (job.cluster_ids.includes(text)) return [text];
    const exactly = withName(job, text);
    const clusters = exactly.length > 0 ? exactly : inAnyCase(job, text);
    if (clusters.length === 0) throw unknownPerson(job, text, `${field}[${i}]`);
    return clusters;
  });
  return [...new Set(found)];
}

function withName({ cluster_ids, names }: Known, name: string): string[] {
  const wanted = plain(name);
  return wanted === '' ? [] : cluster_ids.filter((id) => plain(names[id] ?? '') === wanted);
}

/** Empty also when it may be several names. */
function inAnyCase(job: Known, name: string): string[] {
  const wanted = plain(name).toLowerCase();
  const alike = new Set(
    Object.values(job.names)
      .map(plain)
      .filter((one) => one.toLowerCase() === wanted),
  );
  const [only, ...others] = alike;
  return only === undefined || others.length > 0 ? [] : withName(job, only);
}

/** Without white space around it, and accents written one way: keyboards differ in both. */
function plain(name: string): string {
  return name.trim().normalize('NFC');
}

function unknownPerson({ name, names }: Known, text: string, field: string) {
  const meant = suggestion(text, Object.values(names));
  const what = `${field}: ${JSON.stringify(name)} knows nobody named ${JSON.stringify(text)}${meant}`;
  return peopleErrors.UNKNOWN_PERSON(what, { field });
}
