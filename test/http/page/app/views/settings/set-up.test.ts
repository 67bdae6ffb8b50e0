import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, update } from '../../../../../../http/page/app/store.ts';
import {
  advanced,
  downloads,
  readDownloads,
  wholeOf,
} from '../../../../../../http/page/app/views/settings/downloads.ts';
import { isLacking, modelSets, setsOf } from '../../../../../../http/page/app/views/settings/set-up.ts';

type Models = Parameters<typeof modelSets>[0];
const info = (download_gb: number, more: object = {}) => ({
  size_gb: 0.01,
  download_gb,
  license: 'MIT',
  ...more,
});
const choice = (kind: string, keys: string[], download_bytes: number, more: object = {}) => ({
  ...{ kind, model_keys: keys, missing_keys: keys, download_bytes, is_advised: true, is_measured: true },
  ...more,
});

/** Nothing is downloaded but what is part of the program. */
function models(more: Record<string, unknown> = {}): Models {
  const nothing = { supported_models: [], downloaded_models: [], model_info: [] };
  return {
    downloaded_models: ['starter'],
    model_info: [{ starter: info(0, { size_gb: 0 }) }, { large: info(0.42) }],
    loaded_model: 'starter',
    setup: [
      choice('things', ['things'], 145e6),
      choice('speech', ['whisper'], 140e6),
      choice('speech', ['parakeet'], 670e6, { is_advised: false, is_measured: false }),
      choice('descriptions', ['large'], 420e6, { is_measured: false }),
    ],
    sight: { ...nothing, model_info: [{ things: info(0.145, { license: 'Apache-2.0; trained on COCO' }) }] },
    faces: nothing,
    speech: { ...nothing, model_info: [{ whisper: info(0.14) }, { parakeet: info(0.67) }] },
    ...more,
  } as never;
}
const told = (of: Models) =>
  modelSets(of).map(
    ({ kind, missing_keys, unused, bytes, isLarger }) =>
      `${kind} ${missing_keys} ${unused} ${Math.round(bytes / 1e6)}${isLarger ? ' larger' : ''}`,
  );

test('the sets are those of the service, with their licences', () => {
  assert.deepEqual(told(models()), [
    'things things null 145',
    'speech whisper null 140',
    'speech parakeet null 670 larger',
    'descriptions large null 420',
  ]);
  assert.deepEqual(modelSets(models())[0]!.licenses, ['Apache-2.0; trained on COCO']);
});

test('what is there is told with its size on the disk, and is not lacking', () => {
  const setup = [choice('things', ['things'], 0, { missing_keys: [] }), ...models().setup.slice(1)];
  const [things, speech] = modelSets(models({ setup }));
  assert.equal(told(models({ setup }))[0], 'things  null 10');
  assert.deepEqual([things!, speech!].map(isLacking), [false, true]);
});

test('a visual model that is downloaded has to be brought into use, and is not missed then', () => {
  const setup = [choice('descriptions', ['large'], 0, { missing_keys: [] })];
  assert.deepEqual(told(models({ setup })), ['descriptions  large 10']);
  assert.ok(isLacking(modelSets(models({ setup }))[0]!));
  // Another one than the one of the list does as well.
  for (const loaded_model of ['large', 'other', null])
    assert.deepEqual(told(models({ setup, loaded_model })), ['descriptions  null 10']);
});

test('words that are not understood are of the sets that know things and words, or of the one that knows any description', () => {
  assert.deepEqual(setsOf(['sight', 'siglip2-b16-256-q8']), ['things', 'words', 'descriptions']);
  assert.deepEqual(setsOf([]), []);
});

test('the progress is that of all models of a download, also when the page is loaded anew', () => {
  const size = (bytes: number, isThere = false) => ({ bytes, isThere });
  const sizes = new Map([
    ['a', size(100)],
    ['b', size(200)],
    ['c', size(300)],
  ]);
  const of = (key: string, received: number, total: number) => ({
    ...({ task_id: 't', keys: ['a', 'b', 'c'], phase: 'receiving', samples: [], rate: null } as const),
    ...{ key, received, total },
  });
  assert.deepEqual(wholeOf(of('a', 0, 0), sizes), { received: 0, total: 600 });
  assert.deepEqual(wholeOf(of('b', 50, 220), sizes), { received: 150, total: 620 });
  // Nothing has been heard yet; the list says that the first one is there.
  const anew = new Map([...sizes, ['a', size(100, true)]]);
  assert.deepEqual(wholeOf(of('a', 0, 0), anew), { received: 100, total: 600 });
});

test('the rate is that of the last seconds, without what was there before', () => {
  const stand = (received: number, phase: 'connecting' | 'receiving' = 'receiving') =>
    ({ key: 'a', phase, received, total: 100e6 }) as const;
  let now: Parameters<typeof advanced>[0] = download('a');
  const rates = [
    [stand(40e6, 'connecting'), 0],
    [stand(40e6), 500],
    [stand(45e6), 1000],
    [stand(50e6), 2000],
    [stand(60e6), 12_500],
  ] as const;
  const told = rates.map(([one, at]) => {
    now = advanced(now, one, at);
    return now.rate;
  });
  assert.deepEqual(told, [null, null, 5e6, 5e6, 10e6 / 10.5]);
});

// How the page hears of the ends of downloads, with a service that is played here.

const download = (task_id: string) => {
  const nothing = { phase: 'connecting', received: 0, total: 0, samples: [], rate: null } as const;
  return { ...nothing, task_id, keys: [task_id], key: task_id };
};
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
