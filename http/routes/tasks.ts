// Tasks: those that run or wait, those that ended and those that can go on; and the routes that start
// analyses, exports of clips and proxies.
import { Type } from 'typebox';
import { type Accepted, AnalyzeRequest } from '../../actors/analysis/contract.ts';
import { TaskId, taskIdMeaning } from '../../actors/analysis/schemas.ts';
import { TaskDetail, TaskSnapshot } from '../../actors/analysis/tasks/contract.ts';
import { type ClipSpec, ClipsAnswer, ClipsRequest } from '../../actors/exporter/clips/contract.ts';
import { proxyErrors } from '../../actors/exporter/proxies/contract.ts';
import { CacheDir, ContentHash } from '../../actors/index/store/contract.ts';
import { mediaFields } from '../../actors/search/media/contract.ts';
import { absolute, pathComplaint } from '../../runtime/paths.ts';
import { defaulted, described, field, Message, offsetOf } from '../../runtime/schema.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

// The answers of routes that have a task accepted, which may have to wait for its turn, or stop one.

export const AcceptedTask = {
  message: Message,
  task_id: TaskId,
  queue_position: Type.Optional(
    described(
      Type.Integer({ minimum: 1 }),
      'Position in the queue, 1 for the next task; omitted if the task is running.',
    ),
  ),
};

const StillStopping = Type.Object({
  message: Message,
  still_stopping: field(
    'True while the task is still stopping. Repeat the request, or wait for the last event of the task.',
    Type.Boolean(),
  ),
});

/** `begun` and `waits` are what is said of a task that runs, and of one that does not yet. */
export function accepted(task: Accepted, begun: string, waits: string) {
  return { message: task.queue_position === undefined ? begun : waits, ...task };
}

const Id = Type.Object({ task_id: field(taskIdMeaning, Type.String({ minLength: 1, maxLength: 64 })) });

export const listTasks = route({
  method: 'GET',
  path: '/api/v1/tasks',
  id: 'listTasks',
  tag: 'Tasks',
  summary: 'List all tasks, newest first',
  description:
    'The list includes tasks started from the command line with the same home folder. A queued task has ' +
    'its position in `queue_position` and the running task in `waits_for`. The records of the latest 200 ' +
    'ended tasks and the latest 200 interrupted tasks are kept; tasks of watch folders are counted ' +
    'separately.',
  answers: { 200: Type.Object({ tasks: field('The tasks, newest first.', Type.Array(TaskSnapshot)) }) },
  handle: async (_, { tasks }) => reply(200, { tasks: await tasks.list() }),
});

export const getTask = route({
  method: 'GET',
  path: '/api/v1/tasks/{task_id}',
  id: 'getTask',
  tag: 'Tasks',
  summary: 'Get a task with the results of its files',
  description:
    'A task is `interrupted` if the engine ended while it was running. Its results so far are still ' +
    'available. When a task is resumed, the result of an earlier run remains until the file is reached ' +
    'again.',
  params: Id,
  query: Type.Object({
    offset: offsetOf('results'),
    limit: defaulted(
      described(Type.Integer({ minimum: 0, maximum: 10_000 }), 'Maximum number of results.'),
      1000,
    ),
  }),
  answers: { 200: TaskDetail, 404: ErrorBody },
  handle: async ({ params, query }, { tasks }) => {
    const { offset, limit } = query;
    return reply(200, await tasks.get(params.task_id, { offset, limit }));
  },
});

export const resumeTask = route({
  method: 'POST',
  path: '/api/v1/tasks/{task_id}/resume',
  id: 'resumeTask',
  tag: 'Tasks',
  summary: 'Resume a task',
  description:
    'Runs the same request again with the same id. Stored results are not recomputed, and files in ' +
    'quarantine are skipped and reported, unless `force` is set. If the task is an analysis, a running ' +
    'analysis is asked to stop first, as with POST /analyze. An export, proxy or download is queued ' +
    'while another one is running. Clips that were already written are not cut again, and downloads ' +
    'continue with what is already there.',
  params: Id,
  body: Type.Object({
    force: defaulted(
      described(Type.Boolean(), 'Whether to try files in quarantine again. Stored results are kept.'),
      false,
    ),
  }),
  answers: {
    202: Type.Object(AcceptedTask),
    404: ErrorBody,
    409: ErrorBody,
    503: ErrorBody,
  },
  handle: async ({ params, body, signal }, { tasks }) => {
    const { force } = body;
    const task = await tasks.resume(params.task_id, { whenBusy: 'replace', signal, force });
    return reply(202, accepted(task, 'The task was resumed', 'The task is queued'));
  },
});

export const cancelTask = route({
  method: 'POST',
  path: '/api/v1/tasks/{task_id}/cancel',
  id: 'cancelTask',
  tag: 'Tasks',
  summary: 'Stop a task',
  description:
    'Like POST /analyze/cancel, but stops only this task, even if another one has started since. ' +
    'Finished work is kept, and the task can be resumed. A queued task ends immediately. Returns 200 ' +
    'even if the task is no longer running, and 409 if it is running in another process.',
  params: Id,
  answers: {
    200: Type.Object({ message: Message }),
    202: StillStopping,
    404: ErrorBody,
    409: ErrorBody,
  },
  handle: async ({ params }, { tasks }) => {
    const { stopped, task_id } = await tasks.cancel(params.task_id);
    if (!stopped) return reply(202, { message: 'The task is still stopping', still_stopping: true });
    return reply(200, { message: task_id === null ? 'The task is not running' : 'The task has stopped' });
  },
});

export const taskRoutes: readonly Route[] = [listTasks, getTask, resumeTask, cancelTask];

// Starts and stops analyses.

export const analyze = route({
  method: 'POST',
  path: '/api/v1/analyze',
  id: 'analyze',
  tag: 'Analysis',
  summary: 'Start an analysis',
  description:
    'The service checks the whole request before it does anything. Only one analysis runs at a time: a ' +
    'running analysis is asked to stop, and the response is 409 until it has stopped. Join the event ' +
    'room `task_id` to follow the task, or poll GET /tasks/{task_id}. Events and results use normalized ' +
    'paths, without `..` and duplicate separators. Returns 400 if none of the files is a film, picture ' +
    'or sound. If a file does not exist, cannot be read or fails, the task reports that as the result of ' +
    'the file and continues with the others.',
  body: AnalyzeRequest,
  answers: {
    202: Type.Object({ message: Message, task_id: TaskId }),
    400: ErrorBody,
    409: ErrorBody,
    501: ErrorBody,
    503: ErrorBody,
  },
  handle: async ({ body, signal }, { tasks }) => {
    const { task_id } = await tasks.start(body, { whenBusy: 'replace', signal });
    return reply(202, { message: 'Analysis started', task_id });
  },
});

export const cancelAnalysis = route({
  method: 'POST',
  path: '/api/v1/analyze/cancel',
  id: 'cancelAnalysis',
  tag: 'Analysis',
  summary: 'Stop the running analysis',
  description:
    'Finished work is kept, and the task can be resumed. Returns 200 even if no analysis is running.',
  answers: { 200: Type.Object({ message: Message }), 202: StillStopping },
  handle: async (_, { tasks }) => {
    const { stopped, task_id } = await tasks.cancel();
    if (!stopped) return reply(202, { message: 'The analysis is still stopping', still_stopping: true });
    return reply(200, { message: task_id === null ? 'No analysis is running' : 'The analysis has stopped' });
  },
});

export const analyzeRoutes: readonly Route[] = [analyze, cancelAnalysis];

// Clips of films and sound, as files for editing programs.

export const exportClips = route({
  method: 'POST',
  path: '/api/v1/export/clips',
  id: 'exportClips',
  tag: 'Export',
  summary: 'Export clips of films and sound',
  description:
    'Cuts clips and writes them to `output_dir`. Returns 200 when all clips are done, with a result for ' +
    'each clip in the order of the request. A clip that fails has the reason in `error`, and the other ' +
    'clips continue. `precise` cuts at the picture boundaries nearest to start and end (halves are ' +
    'rounded up), so adjacent clips share no picture. Pictures are re-encoded as H.264 and sound as AAC, ' +
    'in mp4 (sound alone in m4a), with the times, rotation, pixel aspect, bit depth and colours of the ' +
    'source. `smart` produces the same pictures at the same times, but re-encodes only the groups of ' +
    'pictures that contain a cut. It supports progressive H.264 with 8 bits and 4:2:0, with closed ' +
    'groups between the cuts. Every such clip is verified before it gets its name; if it cannot be made, ' +
    'the clip is precise, with `mode_used` and the reason in `mode_reason`. `copy` copies the packets ' +
    'unchanged into a container like that of the source, starting at the keyframe before the start; ' +
    '`start_seconds_actual` and `end_seconds_actual` say where the clip really starts and ends. Existing ' +
    'files are never overwritten: if a name is taken, the new file gets `-2`, `-3` and so on. If the ' +
    'client disconnects, complete clips are kept and incomplete ones are deleted. Pictures are encoded by x264 ' +
    '(`crf 17`, a keyframe every second) or, for 8-bit 4:2:0, by a device, whose output is checked; sound has ' +
    '128 kb/s a channel. Subtitles, chapters and timecode are left out. With `task` set, the ' +
    'export becomes a task that can run beside an analysis: GET /tasks/{task_id} has a result for each ' +
    'clip, with `clip.output_path` or the reason in `error`; POST /tasks/{task_id}/cancel stops it, and ' +
    'POST /tasks/{task_id}/resume cuts the missing clips. While another export or a proxy is running as ' +
    'a task, this task is `queued`. Repeating the request meanwhile returns the same task. Returns 503 ' +
    'if 100 tasks are queued.',
  body: Type.Object({
    ...ClipsRequest.properties,
    task: defaulted(
      described(
        Type.Boolean(),
        'Return 202 with the id of a task immediately. The task continues if the client disconnects.',
      ),
      false,
    ),
  }),
  answers: {
    200: ClipsAnswer,
    202: Type.Object(AcceptedTask),
    400: ErrorBody,
    503: ErrorBody,
  },
  handle: async ({ body, signal }, { clips: exporter, tasks }) => {
    const { task: isTask, ...fields } = body;
    const request = { ...fields, clips: fields.clips.map(plain) };
    if (!isTask) return reply(200, await exporter.export(request, signal));
    const task = await tasks.begin('clips', request, { signal });
    return reply(202, accepted(task, 'Export started', 'The export is queued'));
  },
});

/** A clip of a path that is not absolute fails by itself, and the others go on. */
function plain(clip: ClipSpec, i: number): ClipSpec {
  const { media_path } = clip;
  if (pathComplaint(media_path) !== null) return clip;
  return { ...clip, media_path: absolute(`clips[${i}].media_path`, media_path) };
}

export const clipRoutes: readonly Route[] = [exportClips];

// Proxies: films and sound that a browser plays, made of those it cannot play.

export const makeProxy = route({
  method: 'POST',
  path: '/api/v1/media/proxy',
  id: 'makeProxy',
  tag: 'Media',
  summary: 'Make a film or sound playable in a browser',
  description:
    'Makes a proxy of a file whose `playable_type` (see /media/link) the browser cannot play. Returns ' +
    '200 if the proxy exists, and otherwise 202 with the id of the task that makes it. Repeating the ' +
    'request meanwhile returns the same task. The proxy has 8-bit H.264 and AAC in mp4 (sound alone in ' +
    'm4a), with a keyframe every second and every picture at its original time, so picture n of the ' +
    'proxy is picture n of the film. Rotation is kept, as is the default audio track, with at most two ' +
    'channels, mixed with those recorded with it. Proxies are stored in the analysis folder by content, within the limit of the setting ' +
    '`proxies_gb`; the least recently used ones are removed first. Get the bytes with /media/link and ' +
    '`proxy`. Returns 404 if the analysis folder does not know the media, or if the file is not at its ' +
    'known path. While an export or the proxy of another file is running as a task, this task is ' +
    '`queued`. Returns 503 if 100 tasks are queued.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
    max_side: defaulted(
      described(
        Type.Integer({ minimum: 160, maximum: 7680 }),
        'Longest side of the pictures in pixels. Pictures are never enlarged. An existing larger proxy is ' +
          'used as it is.',
      ),
      1280,
    ),
  }),
  answers: {
    200: Type.Object({
      ready: field('Whether the proxy is ready.', Type.Literal(true)),
      hash_str: ContentHash,
    }),
    202: Type.Object({ ...AcceptedTask, hash_str: ContentHash }),
    400: ErrorBody,
    404: ErrorBody,
    503: ErrorBody,
    507: ErrorBody,
  },
  handle: async ({ body, signal }, { search, proxies, tasks }) => {
    const { cache_dir, max_side } = body;
    const { path, hash_str, kind } = await search.mediaFile(body, signal);
    if (kind === 'image') throw proxyErrors.PROXY_OF_STILL(`${path}: is a still; stills have no proxies`);
    const request = { cache_dir, hash_str, max_side };
    if (await proxies.find(request)) return reply(200, { ready: true as const, hash_str });
    const task = await tasks.begin('proxy', { ...request, media_path: path }, { signal });
    const answer = accepted(task, 'The proxy is being made', 'The proxy is queued');
    return reply(202, { ...answer, hash_str });
  },
});

export const proxyRoutes: readonly Route[] = [makeProxy];
