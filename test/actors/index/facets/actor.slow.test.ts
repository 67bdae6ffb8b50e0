import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { Check } from 'typebox/value';
import { indexContract } from '../../../../actors/index/contract.ts';
import {
  type FacetReport,
  type FacetScope,
  filterErrors,
  type MetadataFilter,
} from '../../../../actors/index/facets/contract.ts';
import { ringLength } from '../../../../actors/index/store/changes.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { putMedia } from '../../../../actors/index/store/media.ts';
import { databaseFile } from '../../../../actors/index/store/names.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { everything, type Harness, indexActor, someFootage, store } from '../handlers.ts';
import { record } from './media.ts';

const model_key = 'model';
const paths = (...hashes: (string | null)[]): FacetScope => ({ mode: 'paths', hashes });
const global = (media_type: 'visual' | 'speech' | 'any' = 'visual'): FacetScope => ({
  mode: 'global',
  media_type,
  model_key,
});

const countsOf = ({ facets }: FacetReport, id: string) =>
  Object.fromEntries(
    facets.find((one) => one.id === id)?.options.map(({ value, count }) => [value, count]) ?? [],
  );

async function ask(index: Harness, cache_dir: string, scope: FacetScope, filters: MetadataFilter[] = []) {
  const report = await index.call('facets', { cache_dir, scope, filters });
  assert.ok(Check(indexContract.messages.facets.reply, report));
  return report;
}

async function remembered(t: TestContext, ...media: ReturnType<typeof record>[]) {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  for (const one of media) await index.call('remember', { cache_dir, media: one });
  return { index, cache_dir };
}

test('files in scope are counted by content, and those without a hash or without metadata are missing', async (t) => {
  const { index, cache_dir } = await remembered(
    t,
    record('aa', '/f/a.mp4', { camera_make: 'Canon' }),
    record('aa', '/g/copy.mov', { camera_make: 'Canon' }),
    record('bb', '/f/b.mp4', { camera_make: 'Sony' }),
    record('cc', '/f/c.mp4'),
  );
  const report = await ask(index, cache_dir, paths('aa', 'aa', 'bb', null, 'dd'));
  assert.deepEqual([report.scope_count, report.indexed_count], [5, 3]);
  assert.deepEqual(countsOf(report, 'source.camera_make'), { Canon: 1, Sony: 1 });
  // One content at two paths stands in both folders and has both endings.
  assert.deepEqual(countsOf(report, 'file.folder'), { '/f': 2, '/g': 1 });
  assert.deepEqual(countsOf(report, 'file.extension'), { mp4: 2, mov: 1 });
});

test('keywords and people of XMP are options, and filter whether one or all of them are asked for', async (t) => {
  const xmp = (keywords: string[], people: string[]) => ({ xmp: { keywords, people, sidecars: [] } });
  const { index, cache_dir } = await remembered(
    t,
    record('aa', '/f/a.jpg', xmp(['harbour', 'night'], ['Ann'])),
    record('bb', '/f/b.mp4', xmp(['harbour'], [])),
    record('cc', '/f/c.mp4'),
  );
  const all = paths('aa', 'bb', 'cc');
  const report = await ask(index, cache_dir, all);
  assert.deepEqual(countsOf(report, 'description.keyword'), { harbour: 2, night: 1 });
  assert.deepEqual(countsOf(report, 'description.person'), { Ann: 1 });
  const passing = async (operator: MetadataFilter['operator'], ...values: string[]) => {
    const filters = [{ facet_id: 'description.keyword', operator, values }];
    return (await index.call('passing', { cache_dir, names: ['aa', 'bb', 'cc'], filters })).passing;
  };
  assert.deepEqual(await passing('include_any_of', 'harbour', 'night'), [true, true, false]);
  assert.deepEqual(await passing('include_all_of', 'harbour', 'night'), [true, false, false]);
  // Other XMP beside the file: the facets follow.
  await index.call('remember', { cache_dir, media: record('aa', '/f/a.jpg', xmp(['dawn'], [])) });
  assert.deepEqual(countsOf(await ask(index, cache_dir, all), 'description.keyword'), {
    dawn: 1,
    harbour: 1,
  });
});

test('a global scope is what is loaded: nothing, then what is stored, and never its speech', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  await store(index, cache_dir, 'aa', someFootage(8, 1));
  await store(index, cache_dir, 'bb', someFootage(8, 2));
  await index.call('remember', { cache_dir, media: record('cc', '/f/c.mp4') });
  assert.equal(
    (await ask(index, cache_dir, { mode: 'global', media_type: 'any', model_key: null })).scope_count,
    0,
  );
  await assert.rejects(ask(index, cache_dir, global()), storeErrors.NOT_LOADED.is);
  await index.load({ cache_dir, model_key, hashes: ['aa'] });
  assert.equal((await ask(index, cache_dir, global())).indexed_count, 1);
  await index.load({ cache_dir, model_key, hashes: null });
  for (const [type, count] of [
    ['visual', 2],
    ['any', 2],
    ['speech', 0],
  ] as const) {
    assert.equal((await ask(index, cache_dir, global(type))).scope_count, count, type);
  }
});

test('what changes in the folder changes the answer, also when another index writes it', async (t) => {
  const { index, cache_dir } = await remembered(t, record('aa', '/f/a.mp4'), record('bb', '/f/b.mp4'));
  const folders = async () => countsOf(await ask(index, cache_dir, paths('aa', 'bb', 'cc')), 'file.folder');
  assert.deepEqual(await folders(), { '/f': 2 });
  const other = await indexActor(t);
  await other.call('remember', { cache_dir, media: record('aa', '/g/copy.mp4') });
  assert.deepEqual(await folders(), { '/f': 2, '/g': 1 });
  // Another content at the path of the copy: the first is left at its other path.
  await index.call('remember', { cache_dir, media: record('cc', '/g/copy.mp4') });
  assert.deepEqual(await folders(), { '/f': 2, '/g': 1 });
  const report = await ask(index, cache_dir, paths('aa'));
  assert.deepEqual(countsOf(report, 'file.folder'), { '/f': 1 });
  await other.call('remember', { cache_dir, media: record('bb', '/f/b.mp4', { camera_make: 'Sony' }) });
  assert.deepEqual(countsOf(await ask(index, cache_dir, paths('bb')), 'source.camera_make'), { Sony: 1 });
});

test('more changes than are told, and changes whose record is damaged, are found by reading everything', async (t) => {
  const { index, cache_dir } = await remembered(t, record('aa', '/f/a.mp4'));
  const extensions = async (hash: string) =>
    countsOf(await ask(index, cache_dir, paths(hash)), 'file.extension');
  assert.deepEqual(await extensions('aa'), { mp4: 1 });
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  t.after(() => environment.close());
  environment.transact((writes) => {
    for (let i = 0; i <= ringLength; i++) {
      putMedia(writes, record(`b${i.toString(16)}`, `/f/${i}.mov`), environment);
    }
  });
  assert.deepEqual(await extensions('b0'), { mov: 1 });
  environment.transact((writes) => writes.put('changes', Buffer.from('not a record')));
  await index.call('remember', { cache_dir, media: record('cc', '/f/c.mkv') });
  assert.deepEqual(await extensions('cc'), { mkv: 1 });
  await index.call('remember', { cache_dir, media: record('dd', '/f/d.avi') });
  assert.deepEqual(await extensions('dd'), { avi: 1 });
});

test('a damaged record is missing and named, and the rest is counted', async (t) => {
  const { index, cache_dir } = await remembered(t, record('aa', '/f/a.mp4'), record('bb', '/f/b.mp4'));
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  t.after(() => environment.close());
  environment.transact((writes) => writes.put('media/aa', Buffer.from('not a record of media')));
  const report = await ask(index, cache_dir, paths('aa', 'bb'));
  assert.deepEqual([report.scope_count, report.indexed_count, report.unreadable], [2, 1, ['aa']]);
  assert.deepEqual(countsOf(report, 'technical.media_kind'), { video: 1 });
});

test('a search ranks only what passes its filters, and refuses a filter that cannot be understood', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const footage = someFootage(8, 1);
  await store(index, cache_dir, 'aa', footage);
  await store(index, cache_dir, 'bb', footage);
  await index.call('remember', { cache_dir, media: record('bb', '/elsewhere/b.mp4') });
  await index.load({ cache_dir, model_key, hashes: null });
  const found = async (filters: MetadataFilter[], hashes: string[] | null = null) => {
    const { matches } = await index.call('search', {
      cache_dir,
      model_key,
      text: footage.slice(0, 32),
      picture: null,
      text_weight: 1,
      exclude: null,
      scope: { ...everything, hashes, filters },
      max_results: 10,
    });
    return [...new Set(matches.map(({ hash_str }) => hash_str))].sort();
  };
  const there: MetadataFilter = { facet_id: 'file.folder', operator: 'is_any_of', values: ['/elsewhere'] };
  assert.deepEqual(await found([]), ['aa', 'bb']);
  assert.deepEqual(await found([there]), ['bb']);
  assert.deepEqual(await found([{ ...there, operator: 'is_not' }]), ['aa']);
  assert.deepEqual(await found([there], ['aa']), []);
  await assert.rejects(
    found([{ ...there, facet_id: 'x' }]),
    (error) =>
      filterErrors.UNKNOWN_FACET.is(error) &&
      error.details['field'] === 'metadata_filter_request.filters[0].facet_id',
  );
});

test('a folder that cannot be reached is told, and a cancelled count keeps nothing', async (t) => {
  const { index, cache_dir } = await remembered(t, record('aa', '/f/a.mp4'));
  const request = { scope: paths('aa'), filters: [] };
  await assert.rejects(
    index.call('facets', { cache_dir: '/no/such/folder', ...request }),
    storeErrors.STORE_UNAVAILABLE.is,
  );
  await assert.rejects(
    index.call('facets', { cache_dir, ...request }, () => true),
    engineErrors.CANCELLED.is,
  );
  assert.equal((await ask(index, cache_dir, paths('aa'))).indexed_count, 1);
});
