// The tasks, analyses, exports and downloads of models: those that run or wait, those that ended and those that can go on.
import { Type } from 'typebox';
import { TaskDetail, TaskSnapshot } from '../../actors/analysis/contract.ts';
import { defaulted, described } from '../../runtime/schema.ts';
import { AcceptedTask, accepted } from '../request/accepted.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const TaskId = Type.Object({ task_id: Type.String({ minLength: 1, maxLength: 64 }) });

export const listTasks = route({
  method: 'GET',
  path: '/api/v1/tasks',
  id: 'listTasks',
  tag: 'Tasks',
  summary: 'All tasks, newest first',
  description:
    'Tasks started from the command line with the same home folder are among them. One that waits its turn is `queued`, ' +
    'with its place in `queue_position` and the task that runs there in `waits_for`. The records of the latest 200 tasks ' +
    'that ended are kept, and those of the latest 200 that were interrupted; tasks of watched folders are counted apart.',
  answers: { 200: Type.Object({ tasks: Type.Array(TaskSnapshot) }) },
  handle: async (_, { tasks }) => reply(200, { tasks: await tasks.list() }),
});

export const getTask = route({
  method: 'GET',
  path: '/api/v1/tasks/{task_id}',
  id: 'getTask',
  tag: 'Tasks',
  summary: 'One task with the results of its files',
  description:
    'A task whose engine ended while it ran is `interrupted`; the results it had are still there. While a resumed task ' +
    'has not come to a file again, the result of its earlier run stands.',
  params: TaskId,
  query: Type.Object({
    offset: defaulted(described(Type.Integer({ minimum: 0 }), 'Results to leave out.'), 0),
    limit: defaulted(
      described(Type.Integer({ minimum: 0, maximum: 10_000 }), 'Results to answer, at most.'),
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
    'The same request is run again under the same id: what is stored is not analysed again, and a file ' +
    'in quarantine is skipped and reported, unless `force`. An analysis that is running is asked to stop first, as by ' +
    'POST /analyze, when the task is one; an export, a proxy, or a download of models, waits its turn while another runs. ' +
    'Clips that it has written are not cut again, and a download goes on from what is there.',
  params: TaskId,
  body: Type.Object({
    force: defaulted(
      described(Type.Boolean(), 'Tries files in quarantine again; what is stored stands.'),
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
    return reply(202, accepted(task, 'The task goes on', 'The task waits its turn'));
  },
});

export const cancelTask = route({
  method: 'POST',
  path: '/api/v1/tasks/{task_id}/cancel',
  id: 'cancelTask',
  tag: 'Tasks',
  summary: 'Stop one task',
  description:
    'As POST /analyze/cancel, but never stops another task that has taken the place of this one. What is finished stays; ' +
    'the task can be resumed. One that waits its turn ends at once. When it does not run any more, the answer is 200 as well; 409 when it runs in another process.',
  params: TaskId,
  answers: {
    200: Type.Object({ message: Type.String() }),
    202: Type.Object({ message: Type.String(), still_stopping: Type.Boolean() }),
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
