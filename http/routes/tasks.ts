// The tasks, analyses, exports and downloads of models: those that run or wait, those that ended and those
// that can go on.
import { Type } from 'typebox';
import { taskIdMeaning } from '../../actors/analysis/schemas.ts';
import { TaskDetail, TaskSnapshot } from '../../actors/analysis/tasks/contract.ts';
import { Message } from '../../runtime/answer.ts';
import { defaulted, described, field } from '../../runtime/schema.ts';
import { AcceptedTask, accepted, StillStopping } from '../request/accepted.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

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
    offset: defaulted(described(Type.Integer({ minimum: 0 }), 'Number of results to skip.'), 0),
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
