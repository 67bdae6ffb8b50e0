// The events of the service in the API document: what clients emit and what they hear, with the meaning of each field.
// Pure.
import { type TSchema, Type } from 'typebox';
import { measured } from '../../actors/analysis/stages/kind.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import { EVENT_PATH, ProgressEvent, TaskArgument } from '../../events/protocol.ts';
import { described, named } from '../../runtime/schema.ts';
import { explained } from './meanings.ts';
import type { Schema, Shapes } from './schema.ts';

export interface EventDocument {
  readonly name: string;
  readonly sender: 'client' | 'server';
  readonly summary: string;
  readonly payload: Schema;
  /** What the acknowledgement is called with. */
  readonly answer?: Schema;
}

const ofSummaries = 'Of tasks that make summaries.';
const ofClusters = 'Of tasks that group faces.';
const meanings: Readonly<Record<string, string>> = {
  task_id: 'The task it is about.',
  progress:
    'Percentage of the whole task, 0 to 100, never less than before; events of summaries write it as a decimal string.',
  video_path:
    'The file that is being worked on, the one that failed, or the first of `ended_files`; null when it is none of these.',
  done: 'True when the task has ended, however it did; no event of this run follows.',
  type: '`video`: visual analysis; `speech`: transcription; `faces`: finding and clustering faces. A task that does several tells its end as the first of them.',
  is_cluster_job: `${ofClusters} True while a job is clustered, and at the end of it.`,
  cluster_job_name: `${ofClusters} The job.`,
  cluster_progress: `${ofClusters} Percentage of the clustering of the job.`,
  cluster_media_hashes: `${ofClusters} Contents whose faces belong to the job; there when its clustering has ended.`,
  sample_face_naming: `${ofClusters} How names given with samples found their clusters.`,
  summary_stage: ofSummaries,
  summary_node_id: ofSummaries,
  summary_error: ofSummaries,
  ended_files:
    'Files whose work has ended since, and how. Each file is in one event, several in one where very many end; a file that was cancelled is in none.',
  warning:
    'What a person should know of `ended_files`: that a file is sound only, where pictures were asked for; that faces were found in stored previews.',
  error: 'Why the file failed, or with `done` why the task did.',
  error_code: 'Stable code of the error: `FILE_UNREADABLE`.',
  cancelled: 'With `done`: the task was cancelled.',
  interrupted: 'With `done`: the engine ended while the task ran; the task can be resumed.',
  files: 'Files of the task; one that is analysed both for pictures and for speech counts twice.',
  files_done: 'How many of them have a result.',
  surveyed: 'Whether the amount of work in every file is known.',
  file_progress: 'Percentage of `video_path`.',
  elapsed_seconds: 'Since the task began.',
  estimated_remaining_seconds: 'Left out while there is no estimate.',
};

/** Amounts of work are named by the units of each kind of work: `frames` of `grid_frames`. */
function amount(name: string): string {
  const unit = name.replace(/^file_/, '');
  const of = name === unit ? 'the task' : '`video_path`';
  return measured(stageKinds).some(({ unit: { done } }) => done === unit)
    ? `What is done of ${of}.`
    : `What there is to do in ${of}; it grows while files are still being surveyed.`;
}

const Progress = named(
  'ProgressEvent',
  Type.Object(
    Object.fromEntries(
      Object.entries(ProgressEvent.properties as Readonly<Record<string, TSchema>>).map(([name, schema]) => [
        name,
        described(schema, meanings[name] ?? amount(name)),
      ]),
    ),
  ),
);

const error = described(
  Type.Optional(Type.String()),
  'A short phrase that names what is wrong; there when it was refused.',
);
const TaskOfEvent = described(TaskArgument, 'The id of the task, or an object that holds it.');

const taskOf = (shapes: Shapes) => explained(shapes.of(TaskOfEvent), '');

export function eventsDocument(shapes: Shapes): readonly EventDocument[] {
  return [
    {
      name: 'join',
      sender: 'client',
      summary: `Follows a task, over Socket.IO at \`${EVENT_PATH}\`. The failures so far and the last event of every type come first, then all that follow.`,
      payload: taskOf(shapes),
      answer: shapes.of(
        Type.Object({ joined: described(Type.Boolean(), 'Whether events will follow.'), error }),
      ),
    },
    {
      name: 'leave',
      sender: 'client',
      summary: 'Follows the task no longer.',
      payload: taskOf(shapes),
      answer: shapes.of(
        Type.Object({ left: described(Type.Boolean(), 'Whether it was followed until now.'), error }),
      ),
    },
    {
      name: 'progress',
      sender: 'server',
      summary:
        'The state of a task, at most one in 110 ms for each task and type; or files that ended, in `ended_files`; or one file that failed: then `video_path` and `error` are there and `done` is false.',
      payload: shapes.of(Progress),
    },
  ];
}
