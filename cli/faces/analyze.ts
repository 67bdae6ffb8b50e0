// `framehound faces analyze JOB PATH...`: finds the faces of films and stills, and clusters them into people.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { TaskRequest } from '../../actors/analysis/contract.ts';
import { storeErrors } from '../../actors/index/store/contract.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, usageErrors } from '../context.ts';
import { runMediaTask } from '../media-task.ts';
import { numberArgument } from '../question.ts';
import type { Service } from '../service.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { tellsClusters } from './clustered.ts';

type FaceJob = NonNullable<TaskRequest['face_clustering_jobs']>[number];

/** Those of the API, for a job that is new. */
const defaults = { eps: 0.48, min_samples: 5 } as const;
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
    const { eps, min_samples } = (await jobBefore(service, cacheDir, name)) ?? defaults;
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
    if (storeErrors.STORE_UNAVAILABLE.is(error)) return { jobs: [] };
    throw error;
  });
  return jobs.find((job) => job.name === name) ?? null;
}

export function epsOf(text: string | undefined): number | null {
  return text === undefined ? null : numberArgument('--eps', text, 0, 2, false);
}

export function minSamplesOf(text: string | undefined): number | null {
  return text === undefined ? null : numberArgument('--min-samples', text, 1, 1e9, true);
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
