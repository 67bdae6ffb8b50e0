// `framehound faces show JOB`: the clusters as a table.

import { parseArgs } from 'node:util';
import { clockTime } from '../../actors/decoder/contract.ts';
import { isStillName } from '../../actors/decoder/media-names.ts';
import type {
  ClusterFacesAnswer,
  ClusterSamplesAnswer,
  FaceClusterJob,
} from '../../actors/faces/people/contract.ts';
import { mostClusters, mostFacesOfPage } from '../../actors/faces/people/requests/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { counted } from '../../runtime/text.ts';
import { folders } from '../../settings.ts';
import { numberArgument } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, invocation, usageErrors } from '../context.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { newClustering } from './analyze.ts';
import { clusterRows, clustersMeant, jobLine, jobNamed, madeLine, shellWord } from './clusters.ts';

/** Pictures of many clusters in JSON; a few of each where there are more clusters. */
const PICTURES = 2400;
const PICTURES_EACH = 12;
/** Above any size of a cluster. */
const ANY = 1_000_000_000;
const anyCount = { type: 'integer' };
const anySize = { type: 'integer', minimum: 1 };

const parseOptions = (args: readonly string[]) => {
  const { options } = commandTable.faces.actions.show;
  return parseArgs({ args: [...args], allowPositionals: true, options });
};
type Values = ReturnType<typeof parseOptions>['values'];

export const show: Command = async (args, context) => {
  const { values, positionals } = parseOptions(args);
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) {
    throw usageErrors.USAGE('faces show needs the name of one clustering; see: framehound faces list');
  }
  const limits = limitsOf(values);
  const cache_dir = folders(context.values).cache;
  return withService(context, 0, async ({ client }) => {
    const job = jobNamed(await client.faceClusters({ cache_dir }), name);
    const jobKey = { cache_dir, cluster_job_name: job.name };
    const shown =
      values.cluster === undefined
        ? await allClusters(client, job, { ...jobKey, ...limits })
        : await oneByOne(client, { ...jobKey, ...limits }, clustersMeant(job, values.cluster));
    if (values.json) context.out(`${JSON.stringify(asJson(job, shown, values.previews))}\n`);
    else await tell(job, shown, values, context);
    return exit.ok;
  });
};

interface Shown {
  readonly cards: readonly Card[];
  /** Remarks about the answer. */
  readonly notes: readonly string[];
}

interface Limits {
  readonly max: number;
  readonly offset: number;
  readonly min_cluster_size: number;
  readonly max_cluster_size: number;
  readonly include_noise: boolean;
  /** True if answers contain pictures. */
  readonly previews: boolean;
}

function limitsOf(values: Values): Limits {
  const isSingle = values.cluster !== undefined;
  if (!isSingle && values.offset !== undefined) {
    throw usageErrors.USAGE('--offset can only be used with --cluster');
  }
  if (isSingle && (values.noise || values['min-faces'] !== undefined || values['max-faces'] !== undefined)) {
    throw usageErrors.USAGE('--noise, --min-faces and --max-faces cannot be combined with --cluster');
  }
  return {
    max: numberArgument('--max', values.max ?? '100', {
      type: 'integer',
      minimum: 1,
      maximum: isSingle ? mostFacesOfPage : mostClusters,
    }),
    offset: numberArgument('--offset', values.offset ?? '0', anyCount),
    min_cluster_size: numberArgument('--min-faces', values['min-faces'] ?? '1', anySize),
    max_cluster_size: numberArgument('--max-faces', values['max-faces'] ?? String(ANY), anySize),
    include_noise: values.noise,
    previews: values.previews,
  };
}

type PageRequest = Limits & { readonly cache_dir: string; readonly cluster_job_name: string };

async function allClusters(client: Client, job: FaceClusterJob, page: PageRequest): Promise<Shown> {
  const { max, offset: _, include_noise, previews, ...options } = page;
  const clusters = Math.max(1, Math.min(max, job.num_clusters));
  const each = Math.min(PICTURES_EACH, Math.max(1, Math.floor(PICTURES / clusters)));
  const answer: ClusterSamplesAnswer = await client.clusterSamples({
    ...options,
    max_clusters: max,
    limit_per_cluster: previews ? each : 1,
    include_noise: false,
  });
  if (!('clusters' in answer)) return { cards: [], notes: [answer.warning] };
  const cards = answer.clusters.map(({ sample_faces, ...cluster }): Card => {
    return { ...cluster, pictures: sample_faces, entry_ids: [], places: [] };
  });
  const more = answer.num_clusters_after_filter - cards.length;
  const warning = 'warning' in answer ? String(answer.warning) : undefined;
  const loose = include_noise ? await inNoCluster(client, page) : { cards: [], notes: [] };
  return {
    cards: [...cards, ...loose.cards],
    notes: [
      ...(more > 0 ? [`${counted(more, 'smaller cluster')} not shown: ${moreOf(cards, max)}`] : []),
      ...(warning === undefined ? [] : [warning]),
      ...loose.notes,
    ],
  };
}

/** Ids of faces, which moves take, and where each was found. */
const identified = { include_entry_ids: true, include_places: true };

/** The faces in no cluster, with their ids. */
async function inNoCluster(client: Client, { cache_dir, cluster_job_name }: PageRequest): Promise<Shown> {
  const request = { cache_dir, cluster_job_name, include_noise: true, ...identified };
  const { noise, warning } = await client.clusterFaces({ ...request, limit: mostFacesOfPage });
  if (!noise || noise.size === 0) return { cards: [], notes: [] };
  const { size, faces, entry_ids = [], places = [] } = noise;
  const notes = warning === undefined ? [] : [warning];
  if (faces.length < size) {
    const are = faces.length === 1 ? 'is' : 'are';
    notes.push(`only ${faces.length} of the ${size} faces in no cluster ${are} shown`);
  }
  return { cards: [{ cluster_id: null, name: '', size, pictures: faces, entry_ids, places }], notes };
}

/** How to see the others: all together, or those that come next. */
function moreOf(cards: readonly Card[], max: number): string {
  const last = cards.at(-1);
  return `--max ${Math.min(mostClusters, max * 10)}${last ? `, or --max-faces ${last.size} for clusters of this size and smaller` : ''}`;
}

/** With the ids of the faces. */
async function oneByOne(client: Client, page: PageRequest, cluster_ids: readonly string[]): Promise<Shown> {
  const { cache_dir, cluster_job_name, max: limit, offset } = page;
  const request = { cache_dir, cluster_job_name, cluster_ids, limit, offset, ...identified };
  const { clusters, warning } = await client.clusterFaces(request);
  const cards = clusters.map(({ cluster_id, name, size, faces, entry_ids = [], places = [] }): Card => {
    return { cluster_id, name, size, pictures: faces, entry_ids, places };
  });
  const cut = clusters.filter(({ available_faces, faces }) => offset + faces.length < available_faces);
  const next = `there are more faces: use --max ${mostFacesOfPage}, or --offset ${offset + limit} for the next ones`;
  const notes = [...(cut.length > 0 ? [next] : []), ...(warning === undefined ? [] : [warning])];
  return { cards, notes };
}

function asJson(job: FaceClusterJob, { cards, notes }: Shown, previews: boolean) {
  const clusters = cards.map(({ pictures, entry_ids, places, ...card }) => ({
    ...card,
    ...(entry_ids.length > 0 && { entry_ids, places }),
    ...(previews && { faces: pictures }),
  }));
  const [groups, noise] = [
    clusters.filter((cluster) => cluster.cluster_id !== null),
    clusters.find((cluster) => cluster.cluster_id === null),
  ];
  return { job, clusters: groups, ...(noise && { noise }), warnings: notes };
}

async function tell(job: FaceClusterJob, shown: Shown, values: Values, context: Context): Promise<void> {
  const { out, screen } = context;
  const { cards, notes } = shown;
  out(`${jobLine(job)}\n  ${madeLine(job)}\n`);
  for (const note of notes) out(`  note: ${printable(note)}\n`);
  const known = cards.map((card) => ({ ...card, cluster_id: card.cluster_id ?? 'in no cluster' }));
  for (const row of clusterRows(known)) out(`${row}\n`);
  if (cards.length === 0) out('  no clusters\n');
  for (const { entry_ids, places } of cards) {
    for (const [i, id] of entry_ids.entries()) out(`    ${printable(id)}  ${placeText(places[i]!)}\n`);
  }
  screen.write(`${nextStep(job, cards, values.cluster)}\n`);
}

function placeText({ media_path, seconds }: FacePlace): string {
  if (media_path === null) return 'in a file that is no longer in the library';
  return isStillName(media_path) ? printable(media_path) : `${printable(media_path)} ${clockTime(seconds)}`;
}

/** Advice on the next step after looking at the groups. */
function nextStep(job: FaceClusterJob, cards: readonly Card[], cluster: string | undefined): string {
  const [name, framehound] = [shellWord(job.name), `${invocation} faces`];
  if (cluster !== undefined) {
    return `To move a face that is somebody else: ${framehound} move ${name} FACE... --from ${shellWord(cluster)} --to CLUSTER`;
  }
  if (cards.some((card) => card.cluster_id === null)) {
    return `To put faces into a cluster: ${framehound} move ${name} FACE... --to CLUSTER, or without --to for a new one`;
  }
  const clusters = cards.filter(({ cluster_id }) => cluster_id !== null);
  const unnamed = clusters.find((card) => card.name === '')?.cluster_id;
  if (unnamed) return `To name a cluster: ${framehound} name ${name} ${shellWord(unnamed)} NAME`;
  if (clusters.length > 0) return `To see where these people appear: ${framehound} appearances ${name}`;
  if (job.total_entries === 0) return `To find faces in more media: ${framehound} analyze ${name} PATH`;
  const { min_samples } = newClustering;
  return job.min_samples > min_samples
    ? `To allow smaller clusters: ${framehound} recluster ${name} --min-samples ${min_samples}`
    : `To see the faces in no cluster: ${framehound} show ${name} --noise`;
}

/** A cluster, or the faces in none. */
export interface Card {
  /** Null: the faces in no cluster. */
  readonly cluster_id: string | null;
  /** Empty without one. */
  readonly name: string;
  readonly size: number;
  /** JPEG as base64. */
  readonly pictures: readonly string[];
  /** Aligned with `pictures`; none where they are not requested. */
  readonly entry_ids: readonly string[];
  /** Where each face was found, alike. */
  readonly places: readonly FacePlace[];
}

type FacePlace = NonNullable<ClusterFacesAnswer['clusters'][number]['places']>[number];
