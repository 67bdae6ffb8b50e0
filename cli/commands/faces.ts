// `framehound faces`: finds faces, clusters them into people, and lets a person look at them, name and
// correct them.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { TaskRequest, WorkResult } from '../../actors/analysis/contract.ts';
import { clockTime } from '../../actors/decoder/contract.ts';
import { isStillName } from '../../actors/decoder/media-names.ts';
import { peopleErrors } from '../../actors/index/people/contract.ts';
import { storeErrors } from '../../actors/index/store/contract.ts';
import type {
  AppearancesAnswer,
  ClusterFacesAnswer,
  ClusterSamplesAnswer,
  DeletePeopleAnswer,
  FaceClusterJob,
  FaceClusterJobs,
  ModifyAnswer,
} from '../../actors/library/people/contract.ts';
import { mostClusters, mostFacesOfPage } from '../../actors/library/people/requests/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { isOf } from '../../http/client/error.ts';
import { rm } from '../../runtime/files/names.ts';
import { nullable } from '../../runtime/schema.ts';
import { counted, plainApostrophes, suggestion } from '../../runtime/text.ts';
import { folders } from '../../settings.ts';
import { epsOf, minSamplesOf, newClustering, numberArgument } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import {
  agreed,
  argumentsOf,
  type Command,
  type Context,
  exit,
  flagsOf,
  invocation,
  only,
  requireConsent,
  usageErrors,
} from '../context.ts';
import { byAction } from '../help.ts';
import { followTask, type MediaTask, type More, runMediaTask, runTask } from '../media-task.ts';
import { type CommandService, withService } from '../service.ts';
import { fitted, padded, printable, shellWord, widthOf } from '../terminal.ts';

const table = commandTable.faces.actions;

const list: Command = async (args, context) => {
  const values = flagsOf(table.list, args);
  const cache_dir = folders(context.values).cache;
  return withService(context, 0, async ({ client }) => {
    const answer = await client.faceClusters({ cache_dir });
    if (values.json) context.out(`${JSON.stringify(answer)}\n`);
    else for (const job of answer.jobs) context.out(`${jobLine(job)}\n`);
    if (answer.warning !== undefined) context.screen.write(`✗ ${printable(answer.warning)}\n`);
    if (answer.jobs.length === 0 && !values.json) {
      context.screen.write(
        `There are no face clusterings in ${cache_dir}. To make one: framehound faces analyze JOB PATH\n`,
      );
    }
    return answer.warning === undefined ? exit.ok : exit.someFailed;
  });
};

const recluster: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.recluster, args);
  const name = only(
    positionals,
    'faces recluster needs the name of one clustering; see: framehound faces list',
  );
  const parameters = { eps: epsOf(values.eps), min_samples: minSamplesOf(values['min-samples']) };
  const cache_dir = folders(context.values).cache;
  return withService(context, 1, async (service) => {
    const job = jobNamed(await service.client.faceClusters({ cache_dir }), name);
    const request = {
      cache_dir,
      cluster_job_name: job.name,
      eps: parameters.eps ?? job.eps,
      min_samples: parameters.min_samples ?? job.min_samples,
      clear_names: values['clear-names'],
    };
    const ending = tellsClusters(service, cache_dir, job.name);
    const start: Parameters<typeof runTask>[0] = async (view) => {
      const { task_id } = await service.client.recluster(request);
      return followTask(service, task_id, view, context);
    };
    return runTask(start, { ...ending, json: values.json, unreadable: [] }, context);
  });
};

const appearances: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.appearances, args);
  const [name, ...words] = positionals;
  if (name === undefined) {
    throw usageErrors.USAGE('faces appearances needs the name of a clustering; see: framehound faces list');
  }
  const cache_dir = folders(context.values).cache;
  return withService(context, 0, async ({ client }) => {
    const job = jobNamed(await client.faceClusters({ cache_dir }), name);
    const who = [...new Set(words.flatMap((word) => clustersMeant(job, word)))];
    const answer = await client.appearances({ cache_dir, cluster_job_name: job.name, people: who });
    if (values.json) context.out(`${JSON.stringify(answer)}\n`);
    else for (const line of appearanceLines(answer)) context.out(`${line}\n`);
    if (answer.people.length === 0 && !values.json) {
      context.screen.write(
        'No cluster has a name yet. To name one: framehound faces name JOB CLUSTER NAME\n',
      );
    }
    return exit.ok;
  });
};

// `framehound faces analyze JOB PATH...`: finds the faces of films and stills, and clusters them into people.

type FaceJob = NonNullable<TaskRequest['face_clustering_jobs']>[number];

const MOST_PICTURES = 3;

export const analyze: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.analyze, args);
  const [name, ...paths] = positionals;
  if (name === undefined || name.trim() === '' || paths.length === 0) {
    throw usageErrors.USAGE('faces analyze needs the name of a clustering, and the path of a file or folder');
  }
  const parameters = { eps: epsOf(values.eps), min_samples: minSamplesOf(values['min-samples']) };
  const sample_faces = samplesOf(values.sample);
  const { cache: cacheDir } = folders(context.values);
  return withService(context, Math.max(1, context.values.decoders), async (service) => {
    // New media join a clustering as it is.
    const { eps, min_samples } = (await jobBefore(service, cacheDir, name)) ?? newClustering;
    const requestOf = (face_media_paths: string[]): TaskRequest => {
      const job: FaceJob = {
        cluster_job_name: name,
        face_media_paths,
        face_eps: parameters.eps ?? eps,
        face_min_samples: parameters.min_samples ?? min_samples,
        ...(sample_faces.length > 0 && { sample_faces }),
      };
      return { cache_dir: cacheDir, face_clustering_jobs: [job], force: values.force };
    };
    const ending = tellsClusters(service, cacheDir, name);
    const task = { paths, cacheDir, json: values.json, takesMissing: true, requestOf, ...ending };
    return runMediaTask(service, task, context);
  });
};

/** Null where there is none of this name, or no analysis folder yet. */
async function jobBefore({ client }: CommandService, cacheDir: string, name: string) {
  const { jobs } = await client.faceClusters({ cache_dir: cacheDir }).catch((error: unknown) => {
    if (isOf(storeErrors.STORE_UNAVAILABLE, error)) return { jobs: [] };
    throw error;
  });
  return jobs.find((job) => job.name === name) ?? null;
}

/** `NAME=FILE`; several of one name are pictures of one person. The file may hold a = itself. */
function samplesOf(texts: readonly string[]): { name: string; face_paths: string[] }[] {
  const people = new Map<string, string[]>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = text.slice(0, Math.max(0, at)).trim();
    const file = text.slice(at + 1);
    if (name === '' || file.trim() === '') {
      throw usageErrors.USAGE(`--sample must be NAME=FILE, not ${printable(text)}`);
    }
    const path = resolve(file);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
      throw usageErrors.USAGE(`--sample ${printable(name)}: file not found: ${printable(path)}`);
    }
    people.set(name, [...(people.get(name) ?? []), path]);
  }
  for (const [name, { length }] of people) {
    if (length <= MOST_PICTURES) continue;
    throw usageErrors.USAGE(
      `--sample takes at most ${MOST_PICTURES} pictures of each person, and ${printable(name)} has ${length}`,
    );
  }
  return [...people].map(([name, face_paths]) => ({ name, face_paths }));
}

// The end of a task that clusters faces: the clusters there are now, who has a name, and what to do next.

/** Clusters that are named before the rest is counted. */
const SHOWN = 5;

/** Hears the closing step of the job, and tells of it once the task has ended. */
function tellsClusters(
  { client }: CommandService,
  cache_dir: string,
  name: string,
): Required<Pick<MediaTask, 'listener' | 'more'>> {
  let outcome: Outcome | null = null;
  const hear = ({ path, facts }: WorkResult) => {
    if (path === name) outcome = outcomeOf(facts);
  };
  return {
    listener: (event) => {
      if (event.type === 'result') hear(event.result);
    },
    more: async ({ cancelled, error }) => {
      if (cancelled || error) return null;
      const job = (await client.faceClusters({ cache_dir })).jobs.find(
        (candidate) => candidate.name === name,
      );
      // Its closing step failed, and the report has said why.
      if (!job) return null;
      const answer = await client.clusterSamples({ ...largest, cache_dir, cluster_job_name: name });
      const clusters: readonly Sample[] = 'clusters' in answer ? answer.clusters : [];
      return told(job, clusters, outcome);
    },
  };
}

/** Only their names and sizes are told. */
const largest = {
  limit_per_cluster: 0,
  min_cluster_size: 1,
  max_cluster_size: 1_000_000_000,
  max_clusters: SHOWN,
  include_noise: false,
} as const;

function told(
  job: Parameters<typeof jobLine>[0],
  clusters: readonly Sample[],
  outcome: Outcome | null,
): More {
  const more = job.num_clusters - clusters.length;
  const lines = [
    jobLine(job),
    `  ${madeLine(job)}`,
    ...clusterRows(clusters),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(job.noise_entries > 0 ? [inNone(job.noise_entries, job.min_samples)] : []),
    ...(outcome ? outcomeLines(outcome) : []).map((line) => `  ${line}`),
    ...(job.total_entries > 0 ? [`To see them: ${invocation} open`] : ['No faces were found.']),
  ];
  const largest_clusters = clusters.map(({ cluster_id, name, size }) => ({ cluster_id, name, size }));
  const fields = { job, largest_clusters, sample_face_naming: outcome?.sample_face_naming ?? null };
  return { text: `${lines.join('\n')}\n`, event: 'clusters', fields };
}

function inNone(count: number, least: number): string {
  const are = count === 1 ? '1 face is' : `${count} faces are`;
  return `  ${are} in no cluster: fewer than ${least} similar faces, or too small, blurred, turned away, cut off or covered`;
}

// Result of a clustering: sample faces that gave their name, and the fate of names and corrections.

const Naming = Type.Object({
  assignments: Type.Array(
    Type.Object({
      name: Type.String(),
      cluster_id: Type.String(),
      similarity: Type.Number(),
      runner_up: nullable(Type.Number()),
    }),
  ),
  unassigned: Type.Array(Type.Object({ name: Type.String(), reason: Type.String() })),
});

const Outcome = Type.Object({
  /** Corrections that do not hold any more, by a sentence each. */
  conflicts: Type.Array(Type.String()),
  lost_names: Type.Array(Type.String()),
  /** How many names and corrections hold as before. */
  kept_names: Type.Integer(),
  kept_corrections: Type.Integer(),
  /** Null where no samples were given. */
  sample_face_naming: nullable(Naming),
  warning: Type.Optional(Type.String()),
});
type Outcome = Static<typeof Outcome>;

/** `facts`: of the result of the closing step. Null where it tells nothing. */
function outcomeOf(facts: Readonly<Record<string, unknown>>): Outcome | null {
  return Object.values(facts).find((fact): fact is Outcome => Check(Outcome, fact)) ?? null;
}

const reasons: Readonly<Record<string, string>> = {
  no_match: 'no cluster is similar enough to the pictures',
  ambiguous: 'two clusters match the pictures about equally well',
  no_face: 'a picture shows no face',
  multiple_faces: 'a picture shows more than one face',
  unreadable_image: 'a picture cannot be read',
  cluster_already_named: 'the cluster already has a name',
};

function outcomeLines({
  sample_face_naming: naming,
  conflicts,
  lost_names,
  kept_names,
  kept_corrections,
  warning,
}: Outcome): string[] {
  const given = naming?.assignments.map(({ name, cluster_id, similarity, runner_up }) => {
    const next = runner_up === null ? '' : `, next best cluster ${runner_up.toFixed(2)}`;
    return `✓ ${whoIs(cluster_id, name)}: similarity ${similarity.toFixed(2)}${next}`;
  });
  const missing = naming?.unassigned.map(({ name, reason }) => {
    return `✗ ${printable(name)} is not assigned: ${reasons[reason] ?? printable(reason)}`;
  });
  const keptTexts = [
    ...(kept_names > 0 ? [counted(kept_names, 'name')] : []),
    ...(kept_corrections > 0 ? [counted(kept_corrections, 'correction')] : []),
  ];
  return [
    ...(keptTexts.length > 0 ? [`kept: ${keptTexts.join(' and ')}`] : []),
    ...(given ?? []),
    ...(missing ?? []),
    ...conflicts.map((conflict) => `– not kept: ${printable(conflict)}`),
    ...lost_names.map((name) => `– no cluster has the name ${printable(name)} any more`),
    ...(warning === undefined ? [] : [`– ${printable(warning)}`]),
  ];
}

// `framehound faces show JOB`: the clusters as a table.

/** Pictures of many clusters in JSON; a few of each where there are more clusters. */
const PICTURES = 2400;
const PICTURES_EACH = 12;
/** Above any size of a cluster. */
const ANY = 1_000_000_000;
const anyCount = { type: 'integer' };
const anySize = { type: 'integer', minimum: 1 };

const parseOptions = (args: readonly string[]) => argumentsOf(table.show, args);
type Values = ReturnType<typeof parseOptions>['values'];

const show: Command = async (args, context) => {
  const { values, positionals } = parseOptions(args);
  const name = only(positionals, 'faces show needs the name of one clustering; see: framehound faces list');
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
  readonly notes: readonly string[];
}

interface Limits {
  readonly max: number;
  readonly offset: number;
  readonly min_cluster_size: number;
  readonly max_cluster_size: number;
  readonly include_noise: boolean;
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
  const rows = cards.map((card) => ({ ...card, cluster_id: card.cluster_id ?? 'in no cluster' }));
  for (const row of clusterRows(rows)) out(`${row}\n`);
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
interface Card {
  /** Null: the faces in no cluster. */
  readonly cluster_id: string | null;
  /** Empty without one. */
  readonly name: string;
  readonly size: number;
  /** JPEG as base64. */
  readonly pictures: readonly string[];
  /** Aligned with `pictures`; none where they are not requested. */
  readonly entry_ids: readonly string[];
  /** Where each face was found; aligned with `entry_ids`. */
  readonly places: readonly FacePlace[];
}

type FacePlace = NonNullable<ClusterFacesAnswer['clusters'][number]['places']>[number];

// `framehound faces name|merge|move|undo`: what a person knows better than the clustering. Corrections hold
// when the faces are clustered again.

const LONGEST_NAME = 200;

interface Named {
  readonly client: Client;
  readonly job: FaceClusterJob;
  readonly jobKey: { readonly cache_dir: string; readonly cluster_job_name: string };
}

function withJob(context: Context, name: string, work: (named: Named) => Promise<number>): Promise<number> {
  const cache_dir = folders(context.values).cache;
  return withService(context, 0, async ({ client }) => {
    const job = jobNamed(await client.faceClusters({ cache_dir }), name);
    return work({ client, job, jobKey: { cache_dir, cluster_job_name: job.name } });
  });
}

export const name: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.name, args);
  const [job, cluster, ...words] = positionals;
  if (job === undefined || cluster === undefined || words.length === 0) {
    throw usageErrors.USAGE("faces name needs JOB CLUSTER NAME; use '' as NAME to remove the name");
  }
  const given = words.join(' ').trim();
  if ([...given].length > LONGEST_NAME) {
    throw usageErrors.USAGE(
      `a name can have at most ${LONGEST_NAME} characters, and this one has ${[...given].length}`,
    );
  }
  return withJob(context, job, async ({ client, job, jobKey }) => {
    const cluster_id = clusterMeant(job, cluster);
    const answer = await client.nameClusters({ ...jobKey, assignments: [{ cluster_id, name: given }] });
    if (values.json) context.out(`${JSON.stringify(answer)}\n`);
    else context.out(`${given === '' ? `${whoIs(cluster_id, '')} has no name` : whoIs(cluster_id, given)}\n`);
    const twin = given === '' ? undefined : namesakes(job, given).find((id) => id !== cluster_id);
    if (twin !== undefined) {
      const command = `${invocation} faces merge ${shellWord(job.name)} ${cluster_id} ${twin}`;
      context.screen.write(
        `note: ${whoIs(twin, job.names[twin])} has the same name. If they are the same person: ${command}\n`,
      );
    } else if (given !== '' && !values.json) {
      const command = `${invocation} faces appearances ${shellWord(job.name)} ${shellWord(given)}`;
      context.screen.write(`To see where this person appears: ${command}\n`);
    }
    return exit.ok;
  });
};

const merge: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.merge, args);
  const [job, ...words] = positionals;
  const names = values.into === undefined ? words : [...words, values.into];
  if (job === undefined || names.length === 0) {
    throw usageErrors.USAGE('faces merge needs a clustering and at least two clusters, by id or name');
  }
  return withJob(context, job, async ({ client, job, jobKey }) => {
    const cluster_ids = [...new Set(names.flatMap((word) => clustersMeant(job, word)))];
    if (cluster_ids.length < 2) throw usageErrors.USAGE('faces merge needs at least two clusters');
    const target = values.into === undefined ? {} : { target_cluster_id: clusterMeant(job, values.into) };
    return correct(client, job, { ...jobKey, merges: [{ cluster_ids, ...target }] }, values.json, context);
  });
};

export const move: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.move, args);
  const [job, ...entry_ids] = positionals;
  const { from, to } = values;
  if (job === undefined || entry_ids.length === 0) {
    throw usageErrors.USAGE(
      'faces move needs JOB and the ids of faces; see: framehound faces show JOB --cluster CLUSTER, or faces show JOB --noise for faces in no cluster',
    );
  }
  return withJob(context, job, async ({ client, job, jobKey }) => {
    const from_cluster_id = from === undefined ? null : clusterMeant(job, from);
    const to_cluster_id = to === undefined ? null : clusterMeant(job, to);
    if (from_cluster_id !== null && from_cluster_id === to_cluster_id)
      throw usageErrors.USAGE('--from and --to must be different clusters');
    const moves = [{ from_cluster_id, to_cluster_id, entry_ids: [...new Set(entry_ids)] }];
    return correct(client, job, { ...jobKey, moves }, values.json, context);
  });
};

async function correct(
  client: Client,
  { name, names, cluster_ids }: FaceClusterJob,
  request: Parameters<Client['modifyClusters']>[0],
  json: boolean,
  { out, screen }: Context,
): Promise<number> {
  const answer = await client
    .modifyClusters(request)
    .catch((error: unknown) => Promise.reject(asTyped(error)));
  if (json) out(`${JSON.stringify(answer)}\n`);
  else {
    for (const line of correctionLines(answer, names)) out(`${line}\n`);
    const newMove = answer.moves.find(({ to }) => !cluster_ids.includes(to));
    if (newMove) screen.write(`To name it: ${invocation} faces name ${shellWord(name)} ${newMove.to} NAME\n`);
    screen.write(`To undo this: ${invocation} faces undo ${shellWord(name)}\n`);
  }
  return exit.ok;
}

/** The same error without the field of the request, which nobody has typed. */
function asTyped(error: unknown): unknown {
  const field = /^(?:merges|moves)\[\d+\][\w.[\]]*: /;
  if (!(error instanceof Error) || !field.test(error.message)) return error;
  return usageErrors.USAGE(error.message.replace(field, ''));
}

const undo: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.undo, args);
  const job = only(positionals, 'faces undo needs the name of one clustering');
  return withJob(context, job, async ({ client, job, jobKey }) => {
    const after = await client.undoClusters(jobKey);
    const clusters = after.num_clusters - job.num_clusters;
    if (values.json) context.out(`${JSON.stringify(after)}\n`);
    else {
      const split = clusters > 0 ? ` (${counted(clusters, 'cluster')} more than before)` : '';
      context.out(`The last correction was undone${split}\n${jobLine(after)}\n`);
    }
    return exit.ok;
  });
};

// `framehound faces delete JOB`: removes a clustering, or one person of it.

const remove: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.delete, args);
  const name = only(
    positionals,
    'faces delete needs the name of one clustering; add --person to delete one person of it only',
  );
  requireConsent(values, context);
  const { cache, home } = folders(context.values);
  return withService(context, 0, async ({ client }) => {
    const job = jobNamed(await client.faceClusters({ cache_dir: cache }), name);
    const jobKey = { cache_dir: cache, cluster_job_name: job.name };
    const who = values.person === undefined ? null : clustersMeant(job, values.person);
    const what = await described(client, job, jobKey, who);
    if (values['dry-run']) {
      context.out(values.json ? `${JSON.stringify({ dry_run: true, ...what.counts })}\n` : `${what.text}\n`);
      return exit.ok;
    }
    if (!values.yes) {
      context.screen.write(`${what.text}\n`);
      if (!(await agreed(context, 'Delete this permanently?'))) return exit.cancelled;
    }
    const answers: DeletePeopleAnswer[] = [];
    const parts = who?.map((cluster_id) => ({ cluster_id })) ?? [{}];
    for (const part of parts) answers.push(await client.deletePeople({ ...jobKey, ...part }));
    // Pages that an earlier version made hold pictures of faces.
    await rm(join(home, 'found'), { recursive: true, force: true });
    const answer = summed(answers);
    context.out(values.json ? `${JSON.stringify(answer)}\n` : `${printable(answer.message)}\n`);
    return exit.ok;
  });
};

async function described(
  client: Client,
  job: FaceClusterJob,
  jobKey: { readonly cache_dir: string; readonly cluster_job_name: string },
  cluster_ids: readonly string[] | null,
) {
  if (cluster_ids === null) {
    const { total_entries, num_clusters } = job;
    const text = `${printable(job.name)}: the whole clustering, ${counted(num_clusters, 'cluster')} of ${facesText(total_entries)}`;
    return { text, counts: { jobs: 1, clusters: num_clusters, faces: total_entries } };
  }
  const page = { limit: 0, offset: 0, include_entry_ids: false };
  const { clusters } = await client.clusterFaces({ ...jobKey, cluster_ids, ...page });
  const size = clusters.reduce((sum, cluster) => sum + cluster.size, 0);
  const who = clusters.map(({ cluster_id, name }) => whoIs(cluster_id, name)).join(', ');
  const text = `${printable(job.name)}: ${who} with ${facesText(size)}`;
  return { text, counts: { jobs: 0, clusters: clusters.length, faces: size } };
}

/** Sums answers about several clusters of one name. */
function summed(answers: readonly DeletePeopleAnswer[]): DeletePeopleAnswer {
  const sum = (of: (answer: DeletePeopleAnswer) => number) =>
    answers.reduce((all, answer) => all + of(answer), 0);
  return {
    deleted_jobs: sum((answer) => answer.deleted_jobs),
    deleted_clusters: sum((answer) => answer.deleted_clusters),
    deleted_faces: sum((answer) => answer.deleted_faces),
    removed_faces: sum((answer) => answer.removed_faces),
    message: answers.map(({ message }) => message).join('\n'),
  };
}

// Clusterings of faces: which of them and which clusters the words of a command mean, and lines about them.

// Finds clusters by id or by name.

/** Throws UNKNOWN_CLUSTER_JOB with what was probably meant. */
export function jobNamed({ jobs }: FaceClusterJobs, name: string): FaceClusterJob {
  const job = jobs.find((candidate) => candidate.name === name);
  if (job) return job;
  const names = jobs.map((candidate) => candidate.name);
  const hint = names.length === 0 ? '' : suggestion(name, names) || '; see: framehound faces list';
  const first = names.length === 0 ? '; to make one: framehound faces analyze JOB PATH' : '';
  throw peopleErrors.UNKNOWN_CLUSTER_JOB(
    `there is no face clustering named ${printable(name)}${printable(hint)}${first}`,
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
  const hint =
    suggestion(word, [...knownNames, ...few]) || `; see: framehound faces show ${shellWord(job.name)}`;
  throw peopleErrors.UNKNOWN_CLUSTER(
    `${printable(job.name)} has no cluster with the id or name ${printable(word)}${printable(hint)}`,
  );
}

/** The clusters of a name, whether its letters are large or small. */
function namesakes({ cluster_ids, names }: ClusterNames, name: string): readonly string[] {
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

// Clusterings of faces as lines for a person.

interface Sample {
  readonly cluster_id: string;
  readonly name: string;
  readonly size: number;
}

/** Columns of a name; a longer one is cut. */
const MOST_NAME = 40;
/** Ranges of one medium before the rest is counted. */
const MOST_RANGES = 12;

function facesText(count: number): string {
  return counted(count, 'face');
}

/** `family: 14 clusters of 812 faces in 32 files, 31 in no cluster, 5 named`. */
export function jobLine(job: FaceClusterJob): string {
  const { name, num_clusters, total_entries, noise_entries, media_hashes, names, face_storage_version } = job;
  const named = Object.values(names).filter((clusterName) => clusterName !== '').length;
  const facts = [
    `${counted(num_clusters, 'cluster')} of ${facesText(total_entries)} in ${counted(media_hashes.length, 'file')}`,
    `${noise_entries} in no cluster`,
    ...(named > 0 ? [`${named} named`] : []),
    ...(face_storage_version < 2 ? ['in an older format that can only be read and named'] : []),
  ];
  return `${printable(name)}: ${facts.join(', ')}`;
}

/** How it came about, and in which direction its eps works. */
function madeLine({ model_key, eps, min_samples }: FaceClusterJob): string {
  return `by ${printable(model_key)}, eps ${shortNumber(eps)} (lower is stricter), at least ${facesText(min_samples)} for a cluster`;
}

function shortNumber(value: number): string {
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
      `  ${printable(media_path)}  (${facesText(count)})`,
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

function whoIs(cluster_id: string, name: string | undefined): string {
  return name ? `${printable(name)} (${printable(cluster_id)})` : printable(cluster_id);
}

/** Effect of merges and moves. `names`: by cluster id. */
function correctionLines({ merges, moves }: ModifyAnswer, names: Readonly<Record<string, string>>): string[] {
  return [
    ...merges.map(({ target_cluster_id: id, cluster_ids, size }) => {
      const others = cluster_ids
        .filter((clusterId) => clusterId !== id)
        .map((otherId) => whoIs(otherId, names[otherId]));
      return `${whoIs(id, names[id])} now has ${facesText(size)}, including those of ${others.join(', ')}`;
    }),
    ...moves.map(({ from, to, moved }) => {
      const origin = from === null ? '' : ` from ${whoIs(from, names[from])}`;
      return `${facesText(moved)} moved${origin} to ${whoIs(to, names[to])}`;
    }),
  ];
}

const actions: Readonly<Record<string, Command>> = {
  analyze,
  list,
  show,
  name,
  merge,
  move,
  recluster,
  undo,
  delete: remove,
  appearances,
};

export const faces: Command = byAction('faces', actions, 'list');
