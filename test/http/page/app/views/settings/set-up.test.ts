import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, update } from '../../../../../../http/page/app/store.ts';
import { downloads, readDownloads } from '../../../../../../http/page/app/views/settings/downloads.ts';
import { isLacking, modelSets, setsOf } from '../../../../../../http/page/app/views/settings/set-up.ts';

type Models = Parameters<typeof modelSets>[0];
const info = (download_gb: number, more: object = {}) => ({
  size_gb: 0.01,
  download_gb,
  license: 'MIT',
  ...more,
});
const things = info(0.145, { kind: 'object-detection', license: 'Apache-2.0; trained on COCO' });
const words = info(0.015, { kind: 'text-recognition' });

/** Nothing is downloaded but what is part of the program. */
function models(more: Record<string, unknown> = {}): Models {
  const nothing = { supported_models: [], downloaded_models: [], model_info: [] };
  return {
    downloaded_models: ['starter'],
    model_info: [{ starter: info(0, { size_gb: 0 }) }, { large: info(0.42) }],
    loaded_model: 'starter',
    advised_models: ['things', 'words', 'parakeet', 'large'],
    sight: { ...nothing, model_info: [{ things }, { words }], things_key: null, words_key: null },
    faces: { ...nothing, detector_key: null, embedder_key: null },
    speech: { ...nothing, model_info: [{ parakeet: info(0.67, { kind: 'speech' }) }], model_key: null },
    ...more,
  } as never;
}
const told = (of: Models) =>
  modelSets(of).map(
    ({ name, missing, unused, bytes }) => `${name} ${missing} ${unused} ${Math.round(bytes / 1e6)}`,
  );

test('a set is what is advised for it; without a model for this machine there is none', () => {
  assert.deepEqual(told(models()), [
    'sight things,words null 160',
    'speech parakeet null 670',
    'visual large null 420',
  ]);
  const [sight] = modelSets(models());
  assert.deepEqual(sight!.licenses, ['Apache-2.0; trained on COCO', 'MIT']);
});

test('faces are those of the npm registry where there are some, else the advised ones', () => {
  const kinds = [info(0.001, { kind: 'face-detector' }), info(0.04, { kind: 'face-embedder' })] as const;
  const model_info = [{ yunet: kinds[0] }, { sface: kinds[1] }, { blaze: kinds[0] }, { dlib: kinds[1] }];
  const advised_models = ['yunet', 'sface'];
  const faces = { ...models().faces, model_info, npm_set: { model_keys: ['blaze', 'dlib'] } };
  const missing = (more: object) =>
    modelSets(models({ advised_models, faces: { ...faces, ...more } })).find(({ name }) => name === 'faces')
      ?.missing;
  assert.deepEqual(missing({}), ['blaze', 'dlib']);
  assert.deepEqual(missing({ npm_set: null }), ['yunet', 'sface']);
  assert.deepEqual(missing({ detector_key: 'yunet', downloaded_models: ['yunet'] }), ['dlib']);
});

test('half of a set is fetched alone, and what is there is told with its size on the disk', () => {
  const sight = { ...models().sight, downloaded_models: ['words'], words_key: 'words' };
  assert.equal(told(models({ sight }))[0], 'sight things null 145');
  const both = { ...sight, downloaded_models: ['words', 'things'], things_key: 'things' };
  assert.equal(told(models({ sight: both }))[0], 'sight  null 20');
  assert.deepEqual(modelSets(models({ sight: both })).map(isLacking), [false, true, true]);
});

test('a visual model that is downloaded has to be brought into use, and is not missed then', () => {
  const downloaded_models = ['starter', 'large'];
  assert.equal(told(models({ downloaded_models }))[2], 'visual  large 10');
  assert.equal(told(models({ downloaded_models, loaded_model: 'large' }))[2], 'visual  null 10');
  // Another one than the advised one does as well.
  const other = [...models().model_info, { other: info(0.16) }];
  const inUse = models({ downloaded_models: ['other'], loaded_model: 'other', model_info: other });
  assert.equal(told(inUse)[2], 'visual  null 10');
});

test('words that are not understood are of the set that knows things, or of the one that knows any description', () => {
  assert.deepEqual(setsOf(['sight', 'siglip2-b16-256-q8']), ['sight', 'visual']);
  assert.deepEqual(setsOf([]), []);
});

// How the page hears of the ends of downloads, with a service that is played here.

const download = (task_id: string) =>
  ({ task_id, keys: [task_id], key: task_id, phase: 'connecting', received: 0, total: 0 }) as const;
const task = (task_id: string) => {
  return { task_id, ended: null, request: { types: ['pull'], pull_models: [task_id] } };
};
const result = (path: string, outcome: string) => ({ path, outcome, error: { message: `${path} fails` } });

test('each end is told once, however many look at the same time; what cannot be asked for hides no other', async (t) => {
  const details: Record<string, object> = {
    done: { error: null, results: [result('done', 'analyzed')] },
    fails: { error: null, results: [result('fails', 'failed')] },
    never: { error: { message: 'The disk is full' }, results: [] },
  };
  t.mock.method(globalThis, 'fetch', async (path: string) => {
    const id = path.split('/').at(-1) ?? '';
    if (id === 'tasks') return Response.json({ tasks: [task('other'), task('waits')] });
    const detail = details[id];
    return detail ? Response.json(detail) : Response.json({ error: 'e', message: 'm' }, { status: 500 });
  });
  // A toast goes by itself after some seconds, as the page counts them.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  update({ session: { kind: 'ticket', token: 'fhs_x', shared: false }, service: 'up', toasts: [] });
  downloads.update({ active: ['waits', 'lost', 'done', 'fails', 'never'].map(download), failed: {} });
  let ends = 0;
  const look = () => readDownloads(() => ends++);
  const looking = [look(), look()];
  // It begins while the list is read, which does not have it yet.
  downloads.update(({ active }) => ({ active: [...active, download('new')] }));
  await Promise.all(looking);
  const { active, failed } = downloads.get();
  assert.deepEqual(active.map(({ task_id }) => task_id).sort(), ['new', 'other', 'waits']);
  assert.deepEqual(
    get().toasts.map(({ text }) => text),
    ['done is downloaded', 'The disk is full'],
  );
  assert.deepEqual(Object.keys(failed), ['fails']);
  assert.equal(ends, 1);
});
