// Clusterings of faces: which of them and which clusters the words of a command mean, and lines about them.
import { clockTime } from '../../actors/decoder/contract.ts';
import { isStillName } from '../../actors/decoder/media-names.ts';
import type {
  AppearancesAnswer,
  FaceClusterJob,
  FaceClusterJobs,
  ModifyAnswer,
} from '../../actors/faces/people/contract.ts';
import { peopleErrors } from '../../actors/index/people/contract.ts';
import { counted, plainApostrophes, suggestion } from '../../runtime/text.ts';
import { fitted, padded, printable, widthOf } from '../terminal.ts';

// Finds clusters by id or by name.

/** Throws UNKNOWN_CLUSTER_JOB with what was probably meant. */
export function jobNamed({ jobs }: FaceClusterJobs, name: string): FaceClusterJob {
  const job = jobs.find((candidate) => candidate.name === name);
  if (job) return job;
  const names = jobs.map((candidate) => candidate.name);
  const meant = names.length === 0 ? '' : suggestion(name, names) || '; see: framehound faces list';
  const first = names.length === 0 ? '; to make one: framehound faces analyze JOB PATH' : '';
  throw peopleErrors.UNKNOWN_CLUSTER_JOB(
    `there is no face clustering named ${printable(name)}${printable(meant)}${first}`,
  );
}

type ClusterNames = Pick<FaceClusterJob, 'name' | 'cluster_ids' | 'names'>;

/**
 * Ids go before names, and a name means every cluster that has it. Throws UNKNOWN_CLUSTER with what was
 * probably meant.
 */
export function clustersMeant(job: ClusterNames, word: string): readonly string[] {
  if (job.cluster_ids.includes(word)) return [word];
  const name = word.trim();
  const alike = namesakes(job, name);
  const exact = alike.filter((id) => job.names[id] === name);
  const matches = exact.length > 0 ? exact : alike;
  if (matches.length > 0 && name !== '') return matches;
  const knownNames = [...new Set(Object.values(job.names).filter((name) => name !== ''))];
  const few = job.cluster_ids.length <= 1000 ? job.cluster_ids : [];
  const meant =
    suggestion(word, [...knownNames, ...few]) || `; see: framehound faces show ${shellWord(job.name)}`;
  throw peopleErrors.UNKNOWN_CLUSTER(
    `${printable(job.name)} has no cluster with the id or name ${printable(word)}${printable(meant)}`,
  );
}

/** The clusters of a name, whether its letters are large or small. */
export function namesakes({ cluster_ids, names }: ClusterNames, name: string): readonly string[] {
  return cluster_ids.filter((id) => names[id] !== undefined && folded(names[id]) === folded(name));
}

/** Throws UNKNOWN_CLUSTER, also for a name that several clusters have. */
export function clusterMeant(job: ClusterNames, word: string): string {
  const [id = '', ...others] = clustersMeant(job, word);
  if (others.length === 0) return id;
  throw peopleErrors.UNKNOWN_CLUSTER(
    `${others.length + 1} clusters are named ${printable(word)}; use one of their ids: ${[id, ...others].join(', ')}`,
  );
}

function folded(name: string): string {
  return plainApostrophes(name).normalize('NFKC').toLowerCase();
}

/** A word as a person types it into a shell. */
export function shellWord(text: string): string {
  const shown = printable(text);
  return /^[\p{L}\p{N}_.,:@%+=/][\p{L}\p{N}_.,:@%+=/-]*$/u.test(shown)
    ? shown
    : `'${shown.replaceAll("'", "'\\''")}'`;
}

// Clusterings of faces as lines for a person.

export interface Sample {
  readonly cluster_id: string;
  readonly name: string;
  readonly size: number;
}

/** Columns of a name; a longer one is cut. */
const MOST_NAME = 40;
/** Ranges of one medium before the rest is counted. */
const MOST_RANGES = 12;

export function faces(count: number): string {
  return counted(count, 'face');
}

/** `family: 14 clusters of 812 faces in 32 files, 31 in no cluster, 5 named`. */
export function jobLine(job: FaceClusterJob): string {
  const { name, num_clusters, total_entries, noise_entries, media_hashes, names, face_storage_version } = job;
  const named = Object.values(names).filter((clusterName) => clusterName !== '').length;
  const facts = [
    `${counted(num_clusters, 'cluster')} of ${faces(total_entries)} in ${counted(media_hashes.length, 'file')}`,
    `${noise_entries} in no cluster`,
    ...(named > 0 ? [`${named} named`] : []),
    ...(face_storage_version < 2 ? ['in an older format that can only be read and named'] : []),
  ];
  return `${printable(name)}: ${facts.join(', ')}`;
}

/** How it came about, and in which direction its eps works. */
export function madeLine({ model_key, eps, min_samples }: FaceClusterJob): string {
  return `by ${printable(model_key)}, eps ${shortNumber(eps)} (lower is stricter), at least ${faces(min_samples)} for a cluster`;
}

export function shortNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}

/** A row each: name, id, faces. Where nobody has a name there is no column for it. */
export function clusterRows(clusters: readonly Sample[]): string[] {
  const named = clusters.map(({ name }) => fitted(printable(name), MOST_NAME));
  const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
  const [nameWidth, idWidth, sizeWidth] = [
    widest(named),
    widest(clusters.map(({ cluster_id }) => printable(cluster_id))),
    widest(clusters.map(({ size }) => String(size))),
  ];
  return clusters.map(({ cluster_id, size }, i) => {
    const name = nameWidth === 0 ? '' : `${padded(named[i]!, nameWidth)}  `;
    const id = padded(printable(cluster_id), idWidth);
    return `  ${name}${id}  ${String(size).padStart(sizeWidth)} ${size === 1 ? 'face' : 'faces'}`;
  });
}

/** Which person is seen where; `ranges` half-open, in seconds. */
export function appearanceLines({ people }: AppearancesAnswer): string[] {
  return people.flatMap(({ cluster_id, name, media }) => [
    whoIs(cluster_id, name),
    ...(media.length === 0 ? ['  nowhere'] : []),
    ...media.flatMap(({ media_path, faces: count, ranges }) => [
      `  ${printable(media_path)}  (${faces(count)})`,
      ...(isStillName(media_path) ? [] : [`    ${times(ranges)}`]),
    ]),
  ]);
}

function times(ranges: readonly (readonly [number, number])[]): string {
  const shown = ranges.slice(0, MOST_RANGES).map(([start, end]) => {
    return end - start <= 1 ? clockTime(start) : `${clockTime(start)}–${clockTime(end)}`;
  });
  const more = ranges.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

export function whoIs(cluster_id: string, name: string | undefined): string {
  return name ? `${printable(name)} (${printable(cluster_id)})` : printable(cluster_id);
}

/** Effect of merges and moves. `names`: by cluster id. */
export function correctionLines(
  { merges, moves }: ModifyAnswer,
  names: Readonly<Record<string, string>>,
): string[] {
  return [
    ...merges.map(({ target_cluster_id: id, cluster_ids, size }) => {
      const others = cluster_ids.filter((clusterId) => clusterId !== id).map((one) => whoIs(one, names[one]));
      return `${whoIs(id, names[id])} now has ${faces(size)}, including those of ${others.join(', ')}`;
    }),
    ...moves.map(({ from, to, moved }) => {
      const origin = from === null ? '' : ` from ${whoIs(from, names[from])}`;
      return `${faces(moved)} moved${origin} to ${whoIs(to, names[to])}`;
    }),
  ];
}
