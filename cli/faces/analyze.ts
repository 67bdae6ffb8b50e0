// `framehound faces analyze JOB PATH...`: finds the faces of films and stills, and clusters them into people.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { TaskRequest, WorkResult } from '../../actors/analysis/contract.ts';
import { ReclusterRequest } from '../../actors/faces/people/requests/contract.ts';
import { storeErrors } from '../../actors/index/store/contract.ts';
import { isOf } from '../../http/client/error.ts';
import { nullable } from '../../runtime/schema.ts';
import { counted } from '../../runtime/text.ts';
import { folders } from '../../settings.ts';
import { numberArgument } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { type Command, invocation, usageErrors } from '../context.ts';
import { type MediaTask, type More, runMediaTask } from '../media-task.ts';
import { type Service, withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { clusterRows, jobLine, madeLine, type Sample, whoIs } from './clusters.ts';

type FaceJob = NonNullable<TaskRequest['face_clustering_jobs']>[number];

/** For a clustering that is new: two pictures are enough for a person who looks at the groups. */
export const newClustering = { eps: 0.48, min_samples: 2 } as const;
const MOST_PICTURES = 3;

export const analyze: Command = async (args, context) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: commandTable.faces.actions.analyze.options,
  });
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
async function jobBefore({ client }: Service, cacheDir: string, name: string) {
  const { jobs } = await client.faceClusters({ cache_dir: cacheDir }).catch((error: unknown) => {
    if (isOf(storeErrors.STORE_UNAVAILABLE, error)) return { jobs: [] };
    throw error;
  });
  return jobs.find((job) => job.name === name) ?? null;
}

export function epsOf(text: string | undefined): number | null {
  return text === undefined ? null : numberArgument('--eps', text, ReclusterRequest.properties.eps);
}

export function minSamplesOf(text: string | undefined): number | null {
  return text === undefined
    ? null
    : numberArgument('--min-samples', text, ReclusterRequest.properties.min_samples);
}

/** `NAME=FILE`; several of one name are pictures of one person. The file may hold a = itself. */
export function samplesOf(texts: readonly string[]): { name: string; face_paths: string[] }[] {
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
export function tellsClusters(
  { client }: Service,
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

/** Facts of a closing step that are shown here. */
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
