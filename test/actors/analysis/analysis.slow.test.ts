import assert from 'node:assert/strict';
import { appendFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { analysisErrors } from '../../../actors/analysis/contract.ts';
import { storeErrors } from '../../../actors/index/store/contract.ts';
import { until } from '../../until.ts';
import { world } from './fakes.ts';

const outcomes = (results: readonly { path: string; outcome: string }[]) =>
  results.map(({ path, outcome }) => `${path.split('/').at(-1)} ${outcome}`).sort();

test('every grid frame of every film is stored once and in order', async () => {
  const w = await world([
    { name: 'a', frames: 11 },
    { name: 'b', frames: 3 },
    { name: 'c', frames: 30 },
  ]);
  const report = await w.run();
  assert.deepEqual(outcomes(report.results), ['a analyzed', 'b analyzed', 'c analyzed']);
  for (const [name, frames] of [
    ['a', 11],
    ['b', 3],
    ['c', 30],
  ] as const) {
    const expected = Array.from({ length: frames }, (_, i) => i);
    assert.deepEqual(w.committed.get(name)?.frames, expected);
    assert.deepEqual(w.committed.get(name)?.sums, expected);
  }
  assert.equal(report.progress.frames, 44);
  assert.equal(w.pool.free, w.pool.count);
  await w.end();
});

test('stills share batches and films fill theirs', async () => {
  const stills = Array.from({ length: 21 }, (_, i) => ({ name: `s${i}`, frames: 1, kind: 'image' as const }));
  const w = await world(stills);
  await w.run();
  assert.equal(w.committed.size, 21);
  // 21 pictures in batches of 4 are 6 batches at best; the end of the list may cost one more.
  assert.ok(w.batches.length <= 7, `${w.batches.length} batches`);
  await w.end();
});

test('a second run does only what is missing, and force redoes it', async () => {
  const w = await world([{ name: 'a', frames: 5 }]);
  await w.run();
  const late = w.add({ name: 'b', frames: 2 });
  const again = await w.run(undefined, false, [...w.paths, late]);
  assert.deepEqual(outcomes(again.results), ['a stored', 'b analyzed']);
  assert.deepEqual(w.decoded, ['a', 'b']);
  const { probing } = w.state;
  const before = probing.all;
  assert.deepEqual(outcomes((await w.run(undefined, true)).results), ['a analyzed']);
  // What is known of it may be of an earlier state that nothing tells from this one.
  assert.equal(probing.all, before + 1);
  await w.end();
});

test('the same content under two names is analysed once', async () => {
  const w = await world([
    { name: 'a', frames: 9, content: 'same' },
    { name: 'b', frames: 9, content: 'same' },
  ]);
  assert.deepEqual(
    outcomes((await w.run()).results)
      .map((text) => text.split(' ')[1])
      .sort(),
    ['analyzed', 'stored'],
  );
  assert.equal(w.decoded.length, 1);
  await w.end();
});

test('of many copies of the same content only one is analysed at a time', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const w = await world(
    names.map((name) => ({ name, frames: 3, content: 'same' })),
    { decoders: 4 },
  );
  assert.ok((await w.run(undefined, true)).results.every(({ outcome }) => outcome === 'analyzed'));
  assert.equal(w.state.mostOpen, 1);
  await w.end();
});

test('a batch larger than the slots still fills, for films and for stills', async () => {
  const stills = Array.from({ length: 90 }, (_, i) => ({ name: `s${i}`, frames: 1, kind: 'image' as const }));
  const w = await world([{ name: 'film', frames: 60 }, ...stills], { batch: 200 });
  assert.ok((await w.run()).results.every(({ outcome }) => outcome === 'analyzed'));
  assert.equal(w.committed.size, 91);
  await w.end();
});

test('a file that fails costs nothing but itself and says why', async () => {
  const w = await world([
    { name: 'good', frames: 7 },
    { name: 'bad', frames: 7, failAt: 5, error: 'decode' },
    { name: 'sound', frames: 7, kind: 'audio' },
    { name: 'gaps', frames: 6, missing: [1, 4] },
  ]);
  const { results, progress } = await w.run(undefined, false, [...w.paths, join(w.folder, 'gone')]);
  assert.deepEqual(outcomes(results), [
    'bad failed',
    'gaps analyzed',
    'gone failed',
    'good analyzed',
    'sound no_picture',
  ]);
  const errors = Object.fromEntries(results.map(({ path, error }) => [path.split('/').at(-1), error?.code]));
  assert.equal(errors['bad'], 'DECODE_FAILED');
  assert.equal(errors['gone'], 'FILE_NOT_FOUND');
  assert.equal(results.find(({ path }) => path.endsWith('gaps'))?.missing_frames, 2);
  assert.equal(progress.frames, 11);
  assert.equal(w.pool.free, w.pool.count);
  await w.end();
});

test('a result says what is wrong with a file that is analysed all the same', async () => {
  const warnings = { probe: 'its clock restarts', xmp: 'a.xmp is damaged' };
  const w = await world([
    { name: 'a', frames: 2, warnings },
    { name: 'b', frames: 2 },
  ]);
  const { results } = await w.run();
  const told = results.map(({ path, media_warning }) => [path.split('/').at(-1), media_warning]).sort();
  assert.deepEqual(told, [
    ['a', 'its clock restarts; a.xmp is damaged'],
    ['b', undefined],
  ]);
  await w.end();
});

test('a file of which parts are missing is analysed, and its result says so', async () => {
  const w = await world([
    { name: 'film', frames: 7, damaged: [2, 5] },
    { name: 'still', frames: 1, kind: 'image', damaged: [0] },
    { name: 'whole', frames: 3 },
  ]);
  const { results } = await w.run();
  const warnings = results.map(({ path, media_warning }) => [path.split('/').at(-1), media_warning]);
  assert.deepEqual(Object.fromEntries(warnings), {
    film: 'the file is damaged or incomplete, and parts of 2 frames are missing',
    still: 'the file is damaged or incomplete, and parts of the picture are missing',
    whole: undefined,
  });
  assert.ok(results.every(({ outcome }) => outcome === 'analyzed'));
  await w.end();
});

test('a stage whose actor crashed is tried again once', async () => {
  const w = await world([
    { name: 'once', frames: 6, failAt: 3, failures: 1, error: 'crash' },
    { name: 'twice', frames: 6, failAt: 3, failures: 2, error: 'crash' },
  ]);
  const { results } = await w.run();
  assert.deepEqual(outcomes(results), ['once analyzed', 'twice failed']);
  assert.deepEqual(w.committed.get('once')?.frames, [0, 1, 2, 3, 4, 5]);
  await w.end();
});

test('an embedder that lost its model in a crash is given it again', async () => {
  const hold = Promise.withResolvers<void>();
  const w = await world([{ name: 'a', frames: 9 }]);
  w.state.hold = hold.promise;
  const running = w.run();
  await until(() => w.decoded.length > 0);
  w.state.loaded = false;
  hold.resolve();
  assert.deepEqual(outcomes((await running).results), ['a analyzed']);
  assert.equal(w.pool.free, w.pool.count);
  await w.end();
});

test('a cancelled task keeps what is finished and the next one goes on with the rest', async () => {
  const w = await world([
    { name: 'short', frames: 2 },
    { name: 'long', frames: 100_000 },
  ]);
  const stop = new AbortController();
  const running = w.run(stop.signal);
  const ended = () => w.events.some((event) => event.type === 'result');
  await until(() => ended() && w.batches.length >= 5);
  stop.abort();
  const report = await running;
  assert.equal(report.cancelled, true);
  assert.deepEqual(outcomes(report.results), ['long cancelled', 'short analyzed']);
  const cut = report.results.find(({ outcome }) => outcome === 'cancelled')!;
  assert.equal(cut.error?.message, `${cut.path}: was not finished`);
  const { frames, grid_frames, percentage } = report.progress;
  assert.deepEqual([frames, grid_frames], [2, 100_002], 'what is left is still to be done');
  assert.ok(percentage < 1, `${percentage} %`);
  await until(() => w.pool.free === w.pool.count);
  const next = await w.run(undefined, false, [w.paths[0]!]);
  assert.deepEqual(outcomes(next.results), ['short stored']);
  await w.end();
});

test('a file that changes while it is analysed is analysed again as what it has become', async () => {
  const hold = Promise.withResolvers<void>();
  const w = await world([{ name: 'grows', frames: 3 }]);
  w.state.hold = hold.promise;
  const running = w.run();
  await until(() => w.decoded.length > 0);
  appendFileSync(w.paths[0]!, 'more');
  utimesSync(w.paths[0]!, 1, 1);
  hold.resolve();
  const { results } = await running;
  assert.equal(results[0]?.error?.code, 'FILE_CHANGED');
  assert.equal(w.committed.size, 0);
  assert.deepEqual(outcomes((await w.run()).results), ['grows analyzed']);
  await w.end();
});

test('a folder that takes nothing more ends the task with one reason and keeps what is stored', async () => {
  const w = await world([{ name: 'a', frames: 3 }]);
  await w.run();
  const later = ['b', 'c', 'd'].map((name) => w.add({ name, frames: 50 }));
  w.state.full = true;
  await assert.rejects(w.run(undefined, false, [...w.paths, ...later]), storeErrors.STORE_FULL.is);
  assert.deepEqual([...w.committed.keys()], ['a']);
  await until(() => w.pool.free === w.pool.count);
  w.state.full = false;
  assert.ok((await w.run(undefined, false, later)).results.every(({ outcome }) => outcome === 'analyzed'));
  await w.end();
});

test('only one task runs at a time, and one without files is refused', async () => {
  const w = await world([{ name: 'a', frames: 3 }]);
  const first = w.run();
  await assert.rejects(w.run(), analysisErrors.ANOTHER_TASK.is);
  await first;
  await assert.rejects(w.run(undefined, false, []), analysisErrors.NO_FILES.is);
  await w.end();
});
