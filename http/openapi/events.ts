// The events of the service in the API document: what clients emit and what they hear, with the meaning of
// each field.
import { type TSchema, Type } from 'typebox';
import { measured } from '../../actors/analysis/stages/kind.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import { EVENT_PATH, ProgressEvent, TaskArgument } from '../../events/protocol.ts';
import { described, named } from '../../runtime/schema.ts';
import type { Schema, Shapes } from './schema.ts';

export interface EventDocument {
  readonly name: string;
  readonly sender: 'client' | 'server';
  readonly summary: string;
  readonly payload: Schema;
  /** What the acknowledgement is called with. */
  readonly answer?: Schema;
}

const ofSummaries = 'For tasks that make summaries.';
const ofClusters = 'For tasks that cluster faces.';
const meanings: Readonly<Record<string, string>> = {
  task_id: 'Id of the task.',
  progress:
    'Progress of the whole task as a percentage from 0 to 100, which never decreases. Summary events send it as a decimal string.',
  video_path:
    'The file in progress, the file that failed, or the first of `ended_files`; null for events without a file.',
  done: 'True if the task has ended, whatever its outcome. No more events of this run follow.',
  type: 'Type of the work. `video`: visual analysis; `speech`: transcription; `faces`: finding and clustering faces. The last event of a task with several types has the first of them.',
  is_cluster_job: `${ofClusters} True while a clustering runs and when it has ended.`,
  cluster_job_name: `${ofClusters} Name of the clustering.`,
  cluster_progress: `${ofClusters} Progress of the clustering as a percentage.`,
  cluster_media_hashes: `${ofClusters} Hashes of the media whose faces belong to the clustering. Sent when the clustering has ended.`,
  sample_face_naming: `${ofClusters} Which names from sample faces were assigned to clusters.`,
  summary_stage: ofSummaries,
  summary_node_id: ofSummaries,
  summary_error: ofSummaries,
  ended_files:
    'Files whose work has ended since the last such event, with their outcomes. Each file is reported once; cancelled files are not reported.',
  warning:
    'A note about `ended_files` for the user, such as that a file contains only sound although pictures were requested.',
  error: 'Why the file failed or, with `done`, why the task failed.',
  error_code: 'Code of the error, such as `FILE_UNREADABLE`. Codes do not change between versions.',
  cancelled: 'With `done`: whether the task was cancelled.',
  interrupted:
    'With `done`: whether the engine ended while the task was running. Such a task can be resumed.',
  files: 'Number of files in the task. A file that is analysed for both pictures and speech counts twice.',
  files_done: 'Number of files that have a result.',
  surveyed: 'Whether the amount of work is known for every file.',
  file_progress: 'Progress of the file in `video_path` as a percentage.',
  elapsed_seconds: 'Seconds since the task started.',
  estimated_remaining_seconds:
    'Estimated number of seconds until the task ends; omitted while there is no estimate.',
};

/** Amounts of work are named by the units of each kind of work: `frames` of `grid_frames`. */
function amount(name: string): string {
  const unit = name.replace(/^file_/, '');
  const of = name === unit ? 'the task' : '`video_path`';
  return measured(stageKinds).some(({ unit: { done } }) => done === unit)
    ? `Amount of work done for ${of}.`
    : `Total amount of work for ${of}. It grows while files are still being surveyed.`;
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
  'A short phrase that says why the request was refused; omitted on success.',
);
const TaskOfEvent = described(TaskArgument, 'The id of the task, or an object that contains it.');

export function eventsDocument(shapes: Shapes): readonly EventDocument[] {
  return [
    {
      name: 'join',
      sender: 'client',
      summary: `Follows a task, over Socket.IO at \`${EVENT_PATH}\`. First the server sends the failures so far and the last event of every type, then all new events.`,
      payload: shapes.of(TaskOfEvent),
      answer: shapes.of(
        Type.Object({ joined: described(Type.Boolean(), 'Whether events will follow.'), error }),
      ),
    },
    {
      name: 'leave',
      sender: 'client',
      summary: 'Stops following a task.',
      payload: shapes.of(TaskOfEvent),
      answer: shapes.of(
        Type.Object({ left: described(Type.Boolean(), 'Whether the task was being followed.'), error }),
      ),
    },
    {
      name: 'progress',
      sender: 'server',
      summary:
        'Reports the state of a task (at most once every 110 ms for each task and type), files that ended (in `ended_files`), or a file that failed (with `video_path` and `error`, while `done` is false).',
      payload: shapes.of(Progress),
    },
  ];
}
