// analyze: begins an analysis of files and folders as a task.
import { Type } from 'typebox';
import { visualModelErrors } from '../../../actors/search/models/contract.ts';
import { defaulted, described, oneOf } from '../../../runtime/schema.ts';
import type { Operations } from '../../client/addresses.ts';
import { isOf } from '../../client/error.ts';
import type { InputOf } from '../../client/shape.ts';
import { Cursor, startOf } from '../arguments.ts';
import { mediaUnder } from '../folders.ts';
import { oneLine } from '../text.ts';
import { argumentErrors, type Call, tool } from '../tool.ts';
import { refuseWhileBusy } from './task.ts';

/** Files of one task. */
const MOST_FILES = 5_000;

export const analyze = tool({
  name: 'analyze',
  title: 'Analyse media',
  description:
    'Starts to analyse media files, or all media in folders, and returns the id of the task immediately: ask task for its ' +
    'progress. Stored results are not recomputed. pictures: what is seen (find_moments); speech: transcripts; ' +
    'faces: people; summary: chapters. Refused while another analysis runs; downloads and exports run beside it. Long footage takes minutes to hours; start nothing that was not requested.',
  input: Type.Object({
    paths: described(
      Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { minItems: 1, maxItems: 1000 }),
      'Absolute paths of files or folders on the machine of the service.',
    ),
    what: defaulted(
      described(
        Type.Array(oneOf('pictures', 'speech', 'faces', 'summary'), { minItems: 1, maxItems: 4 }),
        'What is looked for (["pictures"]).',
      ),
      ['pictures'],
    ),
    language: defaulted(
      described(
        Type.String({ minLength: 1, maxLength: 40 }),
        'Of speech: english, de, pt-BR; auto finds out.',
      ),
      'auto',
    ),
    clustering: defaulted(
      described(Type.String({ minLength: 1, maxLength: 200 }), 'Of faces: name of the clustering.'),
      'people',
    ),
    cursor: Cursor,
  }),
  effect: 'adds',
  run: async ({ paths, what, language, clustering, cursor }, call) => {
    const start = startOf(cursor);
    const { files, left } = await mediaUnder(paths, { start, most: MOST_FILES }, call);
    if (files.length === 0) {
      const none = start > 0 ? `they contain only ${start} files` : 'they contain no media';
      throw argumentErrors.BAD_ARGUMENT(`paths: ${none}`, { field: 'paths' });
    }
    const has = (one: (typeof what)[number]) => what.includes(one);
    const request = {
      cache_dir: call.cacheDir,
      ...(has('pictures') && { visual_media_paths: files }),
      ...(has('speech') && { transcription_jobs: files.map((path) => ({ path, language })) }),
      ...(has('faces') && {
        face_clustering_jobs: [{ cluster_job_name: clustering, face_media_paths: files }],
      }),
      ...(has('summary') && { summary_requests: files.map((path) => ({ path, replace_existing: true })) }),
    };
    const task_id = await begun(request, call);
    const id = oneLine(task_id, 64);
    const rest = left
      ? ` The folders hold more files: when it has ended, call again with cursor "${start + MOST_FILES}".`
      : '';
    const text = `Task ${id} has started on ${files.length} files (${what.join(', ')}).${rest} Ask task {"id": "${id}", "wait_seconds": 45}.`;
    return { text };
  },
});

/** Seconds to wait for the visual model, which loads when the service starts. */
const MOST_WAIT = 15;

/** What is busy is not asked again as it is: the service would stop a task that has begun meanwhile. */
async function begun(request: InputOf<Operations['analyze']>, call: Call): Promise<string> {
  for (let waited = 0; ; waited++) {
    await refuseWhileBusy(call);
    try {
      return (await call.client.analyze(request, { signal: call.callOptions.signal })).task_id;
    } catch (error) {
      const loads = isOf(visualModelErrors.MODELS_LOADING, error);
      if (!loads || waited === MOST_WAIT) throw error;
      await call.wait(1);
    }
  }
}
