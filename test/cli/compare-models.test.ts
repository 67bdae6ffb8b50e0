import assert from 'node:assert/strict';
import test from 'node:test';
import { storeErrors } from '../../actors/index/store/contract.ts';
import { models } from '../../cli/commands/models.ts';
import {
  agreementOf,
  compared,
  compareModels,
  comparisonText,
  type Place,
  savedSearches,
  total,
} from '../../cli/compare-models.ts';
import { usageErrors } from '../../cli/context.ts';
import { systemClock } from '../../runtime/clock.ts';
import { savedRequest } from '../http/body-needs.ts';
import { fakeHome } from './fake-context.ts';

const place = (rank: number, film: string, start: number, end = start + 5): Place => ({
  ...{ rank, hash_str: film, media_path: `/${film}.mp4` },
  ...{ time_seconds: start, start_seconds: start, end_seconds: end },
});

test('places agree that share a second of a film, each with one of the other model', () => {
  const one = [place(1, 'a', 0, 10), place(2, 'b', 3), place(3, 'c', 0)];
  assert.deepEqual(agreementOf(one, one, 10), { first: 10, agree: 3, of: 3 });
  // Two scenes of the other model lie in one of this one.
  const other = [place(1, 'a', 0), place(2, 'a', 5), place(3, 'b', 8)];
  assert.deepEqual(agreementOf(one, other, 10), { first: 10, agree: 1, of: 3 });
  assert.deepEqual(agreementOf(one, other, 1), { first: 1, agree: 1, of: 1 });
  assert.deepEqual(agreementOf([], [], 10), { first: 10, agree: 0, of: 0 });
});

test('only what the other model has nowhere among its first fifty is told as found by one alone', () => {
  const many = Array.from({ length: 60 }, (_, i) => place(i + 1, `m${i}`, 0));
  const late = [...many.slice(10), ...many.slice(0, 10)].map((one, i) => ({ ...one, rank: i + 1 }));
  const { only, agreement } = compared('x', many.slice(0, 50), late.slice(0, 50));
  assert.deepEqual(
    only.map((places) => places.map(({ rank }) => rank)),
    [Array.from({ length: 10 }, (_, i) => i + 1), []],
  );
  assert.deepEqual(agreement, [
    { first: 10, agree: 0, of: 10 },
    { first: 50, agree: 40, of: 50 },
  ]);
  const twice = [compared('x', many, many), compared('y', many, [])];
  assert.deepEqual(total(twice)[0], { first: 10, agree: 10, of: 20 });
});

test('saved searches count that pictures answer', () => {
  const save = (name: string, more: object) => ({
    ...{ search_id: name, name, created_at: 0 },
    request: { ...savedRequest('/c'), query: undefined, ...more } as never,
  });
  const kept = savedSearches([
    save('words', { query: 'red car' }),
    save('picture', { image_data: 'AAAA', kinds: ['seen'] }),
    save('speech', { query: 'hello', kinds: ['said'] }),
    save('filters', { metadata_filter_request: { filters: [] } }),
  ]);
  assert.deepEqual(
    kept.map(({ name }) => name),
    ['words', 'picture'],
  );
});

/** A library of three films; each model finds what its vectors are of. */
function library(stored: Readonly<Record<string, readonly string[]>>) {
  const asked: object[] = [];
  let key = '';
  const visual = (keys: readonly string[]) => keys.map((model_key) => ({ model_key, frames: 1, stored: 0 }));
  const media = Object.entries(stored).map(([hash_str, keys]) => ({ hash_str, visual: visual(keys) }));
  const client = {
    listLibrary: async () => ({ total: media.length, media }),
    loadModel: async ({ model_key }: { model_key: string }) => {
      key = model_key;
      return {};
    },
    loadAnalysisData: async () => ({}),
    searchMoments: async (request: { query: string }) => {
      asked.push({ key, ...request });
      if (request.query === 'broken') throw storeErrors.STORE_DAMAGED('it is damaged');
      const found = key === 'one' ? ['a', 'b'] : ['b', 'a'];
      return {
        moments: (request.query === 'alone' ? [key] : found).map((film, at) => place(at + 1, film, 0)),
      };
    },
    libraryDisk: async () => ({
      analysis: { models: [{ model_key: 'one', vectors: 30, bytes: 2_000_000 }] },
    }),
  };
  const analyse = (model: string) => `analyze --model ${model}`;
  return { asked, asking: { client: client as never, clock: systemClock, cache_dir: '/c', analyse } };
}

test('media with vectors of both models alone are searched, and a search that fails says why', async () => {
  const { asked, asking } = library({ a: ['one', 'two'], b: ['two', 'one'], c: ['one'] });
  const searches = ['red car', 'alone', 'broken'].map((query) => ({ name: query, request: { query } }));
  const comparison = await compareModels(asking, ['one', 'two'], searches);
  assert.deepEqual([comparison.media, comparison.models[0].media, comparison.models[1].media], [2, 3, 2]);
  assert.equal(asked.length, 8, 'a search of each model runs once before it is measured');
  for (const one of asked as { metadata_filter_request: unknown; kinds: unknown }[]) {
    const scope = { mode: 'paths', hash_strs: ['a', 'b'] };
    assert.deepEqual([one.metadata_filter_request, one.kinds], [{ scope, filters: [] }, ['seen']]);
  }
  assert.deepEqual(comparison.agreement[0], { first: 10, agree: 2, of: 3 });
  const text = comparisonText(comparison, ['0.40 GB', '']);
  assert.match(text, /^Searched: 2 files with vectors of both models\n/);
  assert.match(text, /size +0\.40 GB +built in\n/);
  assert.match(text, /vectors +3 files, 30 s, 2\.0 MB +2 files/);
  assert.match(text, /red car +2 of 2 +2 of 2\n/);
  assert.match(text, /all searches +2 of 3/);
  assert.match(text, /\nalone\n {2}only one\n {5}1\. 00:00:00 {2}\/one\.mp4\n {2}only two\n/);
  assert.match(text, /broken: not searched: it is damaged/);
});

test('a model without vectors is an error with the command that makes them', async () => {
  const search = [{ name: 'x', request: { query: 'x' } }];
  const none = compareModels(library({ a: ['one'] }).asking, ['one', 'two'], search);
  await assert.rejects(none, /has vectors of two\. To make them .*: analyze --model two$/);
  const apart = compareModels(library({ a: ['one'], b: ['two'] }).asking, ['one', 'two'], search);
  await assert.rejects(apart, /vectors of both models.*analyze --model two$/);
});

test('two different visual models are needed, and something to search for', async (t) => {
  const visual = (key: string) => ({ row: { key, kind: 'visual' }, builtIn: true, downloaded: false });
  const list = async () => ({ models: [visual('one'), visual('two')], problems: [] });
  const context = fakeHome(t).context({ installation: async () => ({ models: { list } }) as never });
  for (const [words, said] of [
    [['one'], /needs the keys of two models/],
    [['one', 'one', 'x'], /two different models/],
    [['one', 'two'], /no saved searches of this analysis folder/],
  ] as const)
    await assert.rejects(models(['compare', ...words], context), (error: Error) => {
      assert.ok(usageErrors.USAGE.is(error));
      assert.match(error.message, said);
      return true;
    });
  await assert.rejects(models(['compare', 'one', 'tow', 'x'], context), /did you mean two\?/);
});
