// Starts and stops analyses.
import { Type } from 'typebox';
import { AnalyzeRequest } from '../../actors/analysis/contract.ts';
import { TaskId } from '../../actors/analysis/schemas.ts';
import { Message } from '../../runtime/answer.ts';
import { StillStopping } from '../request/accepted.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

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
