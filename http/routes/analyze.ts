// Starts and stops analyses.
import { Type } from 'typebox';
import { AnalyzeRequest } from '../../actors/analysis/contract.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

export const analyze = route({
  method: 'POST',
  path: '/api/v1/analyze',
  id: 'analyze',
  tag: 'Analysis',
  summary: 'Start an analysis',
  description:
    'The whole request is checked before anything happens. One task runs at a time: a task that is running is asked to ' +
    'stop, and while it has not stopped the answer is 409. Join the event room `task_id` to follow the task, or ask ' +
    'for it with GET /tasks/{task_id}. Events and results name files by the plain form of their paths, without `..` and ' +
    'doubled separators. 400 when none of the files is film, picture or sound. A file that is not there, cannot be read or fails ends as a result of the task, ' +
    'which goes on with the others.',
  body: AnalyzeRequest,
  answers: {
    202: Type.Object({ message: Type.String(), task_id: Type.String() }),
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
  summary: 'Stop the analysis that is running',
  description:
    'What is finished stays; the task can be resumed. When nothing runs, the answer is 200 as well.',
  answers: {
    200: Type.Object({ message: Type.String() }),
    202: Type.Object({ message: Type.String(), still_stopping: Type.Boolean() }),
  },
  handle: async (_, { tasks }) => {
    const { stopped, task_id } = await tasks.cancel();
    if (!stopped) return reply(202, { message: 'The analysis is still stopping', still_stopping: true });
    return reply(200, { message: task_id === null ? 'No analysis is running' : 'The analysis has stopped' });
  },
});

export const analyzeRoutes: readonly Route[] = [analyze, cancelAnalysis];
