import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { Check } from 'typebox/value';
import { indexContract } from '../../../../actors/index/contract.ts';
import {
  type FilterOperator,
  filterErrors,
  type MetadataFilter,
} from '../../../../actors/index/facets/contract.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { databaseFile, pathKey } from '../../../../actors/index/store/names.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { type Harness, indexActor } from '../handlers.ts';
import { FakeClusterings } from '../people/clusterings.ts';
import { record } from './media.ts';

const make = (operator: FilterOperator, ...values: string[]): MetadataFilter => ({
  facet_id: 'source.camera_make',
  operator,
  values,
});
const canon = make('is_any_of', 'Canon');

async function ask(index: Harness, cache_dir: string, names: string[], ...filters: MetadataFilter[]) {
  const reply = await index.call('passing', { cache_dir, names, filters });
  assert.ok(Check(indexContract.messages.passing.reply, reply));
  return reply.passing;
}

async function remembered(t: TestContext, ...media: ReturnType<typeof record>[]) {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  for (const one of media) await index.call('remember', { cache_dir, media: one });
  return { index, cache_dir };
}

const three = [
  record('aa', '/f/a.mp4', { camera_make: 'Canon' }),
  record('bb', '/f/b.mp4', { camera_make: 'Sony' }),
  record('cc', '/f/c.mp4'),
];

test('files pass by path and by hash, in the order in which they were named', async (t) => {
  const { index, cache_dir } = await remembered(t, ...three);
  const names = ['/f/b.mp4', '/f/a.mp4', 'aa', 'bb', '/f/a.mp4'];
  assert.deepEqual(await ask(index, cache_dir, names, canon), [false, true, true, false, true]);
  assert.deepEqual(await ask(index, cache_dir, [], canon), []);
  assert.deepEqual(
    await ask(index, cache_dir, names),
    names.map(() => true),
  );
});

test('a filter on a facet that no longer exists is ignored', async (t) => {
  const { index, cache_dir } = await remembered(t, ...three);
  const withdrawn: MetadataFilter = { facet_id: 'camera.movement', operator: 'is_any_of', values: ['fixed'] };
  assert.deepEqual(await ask(index, cache_dir, ['aa', 'bb'], withdrawn), [true, true]);
  assert.deepEqual(await ask(index, cache_dir, ['aa', 'bb'], withdrawn, canon), [true, false]);
});

test('every filter has to hold', async (t) => {
  const { index, cache_dir } = await remembered(t, ...three);
  const names = ['aa', 'bb', 'cc'];
  const in_f: MetadataFilter = { facet_id: 'file.folder', operator: 'is_any_of', values: ['/f'] };
  const in_g: MetadataFilter = { facet_id: 'file.folder', operator: 'is_any_of', values: ['/g'] };
  assert.deepEqual(await ask(index, cache_dir, names, canon, in_f), [true, false, false]);
  assert.deepEqual(await ask(index, cache_dir, names, canon, in_g), [false, false, false]);
  assert.deepEqual(await ask(index, cache_dir, names, make('is_any_of', 'Canon', 'Sony')), [
    true,
    true,
    false,
  ]);
});

test('a file of which nothing is known passes everything', async (t) => {
  const { index, cache_dir } = await remembered(t, ...three);
  for (const filter of [canon, make('is_not', 'Canon')])
    assert.deepEqual(await ask(index, cache_dir, ['/f/new.mp4', 'dd', '/f'], filter), [true, true, true]);
});

test('a file that is known not to have a value passes as in a search', async (t) => {
  const { index, cache_dir } = await remembered(t, ...three);
  assert.deepEqual(await ask(index, cache_dir, ['/f/c.mp4', 'cc'], canon), [false, false]);
  assert.deepEqual(await ask(index, cache_dir, ['/f/c.mp4', 'cc'], make('is_not', 'Canon')), [true, true]);
});

test('a file whose record is damaged passes, by path and by hash', async (t) => {
  const { index, cache_dir } = await remembered(t, ...three);
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  t.after(() => environment.close());
  const damage = (key: string) => environment.transact((writes) => writes.put(key, Buffer.from('no record')));
  damage('media/bb');
  assert.deepEqual(await ask(index, cache_dir, ['/f/b.mp4', 'bb', '/f/a.mp4'], canon), [true, true, true]);
  damage(pathKey('/f/b.mp4'));
  assert.deepEqual(await ask(index, cache_dir, ['/f/b.mp4', 'bb', '/f/a.mp4'], canon), [true, true, true]);
  assert.deepEqual(
    await ask(index, cache_dir, ['cc'], canon),
    [false],
    'the others are filtered all the same',
  );
});

test('a file that was replaced is filtered by what was remembered of it last', async (t) => {
  const { index, cache_dir } = await remembered(t, ...three);
  assert.deepEqual(await ask(index, cache_dir, ['/f/b.mp4'], canon), [false]);
  await index.call('remember', { cache_dir, media: record('dd', '/f/b.mp4', { camera_make: 'Canon' }) });
  assert.deepEqual(await ask(index, cache_dir, ['/f/b.mp4', 'dd', 'bb'], canon), [true, true, false]);
  const other = await indexActor(t);
  await other.call('remember', { cache_dir, media: record('ee', '/f/b.mp4', { camera_make: 'Sony' }) });
  assert.deepEqual(await ask(index, cache_dir, ['/f/b.mp4', 'dd'], canon), [false, true]);
});

test('a filter that cannot be understood is refused by the name its client gave it, also where nothing is known', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const wrong: [MetadataFilter, (typeof filterErrors)[keyof typeof filterErrors]][] = [
    [{ facet_id: 'no.such', operator: 'is_any_of', values: ['x'] }, filterErrors.UNKNOWN_FACET],
    [make('greater_than', 'x'), filterErrors.WRONG_OPERATOR],
    [make('is_any_of'), filterErrors.WRONG_VALUES],
  ];
  for (const [filter, row] of wrong) {
    await assert.rejects(ask(index, cache_dir, ['/f/a.mp4'], canon, filter), (error: Error) => {
      assert.ok(row.is(error));
      assert.match(error.message, /metadata_filter_request\.filters\[1\]/);
      return true;
    });
    await assert.rejects(ask(index, cache_dir, [], filter), row.is);
  }
});

test('a facet of people is unknown here, though a search knows it', async (t) => {
  const clusterings = new FakeClusterings();
  clusterings.store('cast', [['aa', 1, 'c1']], { c1: 'Anna' }, []);
  const [index, cache_dir] = [await indexActor(t, { clusterings: () => clusterings }), temporaryFolder(t)];
  await index.call('remember', { cache_dir, media: record('aa', '/f/a.mp4') });
  const anna: MetadataFilter = { facet_id: 'people.cast', operator: 'include_any_of', values: ['Anna'] };
  const scope = { mode: 'paths', hashes: ['aa'] } as const;
  const { facets } = await index.call('facets', {
    cache_dir,
    scope: { ...scope, hashes: ['aa'] },
    filters: [anna],
  });
  assert.ok(facets.some(({ id }) => id === 'people.cast'));
  for (const facet_id of ['people.cast', 'people.face_count'])
    await assert.rejects(ask(index, cache_dir, ['aa'], { ...anna, facet_id }), filterErrors.UNKNOWN_FACET.is);
});

test('in a folder that is not there yet everything passes, and it is not made; what comes later filters', async (t) => {
  const [index, cache_dir] = [await indexActor(t), join(temporaryFolder(t), 'not')];
  assert.deepEqual(await ask(index, cache_dir, ['/f/a.mp4', 'aa'], canon), [true, true]);
  assert.ok(!existsSync(cache_dir));
  const other = await indexActor(t);
  await other.call('remember', { cache_dir, media: record('bb', '/f/b.mp4', { camera_make: 'Sony' }) });
  assert.deepEqual(await ask(index, cache_dir, ['/f/b.mp4', '/f/a.mp4'], canon), [false, true]);
});

test('a folder that cannot be reached is told, and nobody is let through or left out', async (t) => {
  const [index, parent] = [await indexActor(t), temporaryFolder(t)];
  const away = join(parent, 'disk', 'analysis');
  await assert.rejects(ask(index, away, ['/f/a.mp4'], canon), storeErrors.STORE_UNAVAILABLE.is);
  assert.ok(!existsSync(join(parent, 'disk')));
});

test('nothing is written, and a folder that cannot be written is enough', async (t) => {
  const { index: writer, cache_dir } = await remembered(t, ...three);
  await writer.close();
  const names = () => readdirSync(cache_dir).filter((name) => !name.endsWith('-lock'));
  const look = () => names().map((name) => [name, readFileSync(join(cache_dir, name)).toString('base64')]);
  const before = look();
  const index = await indexActor(t);
  chmodSync(databaseFile(cache_dir), 0o444);
  chmodSync(cache_dir, 0o555);
  try {
    assert.deepEqual(await ask(index, cache_dir, ['aa', '/f/b.mp4', '/f/new.mp4'], canon), [
      true,
      false,
      true,
    ]);
    await index.close();
    assert.deepEqual(look(), before);
  } finally {
    chmodSync(cache_dir, 0o755);
  }
  if (process.getuid?.() === 0) t.diagnostic('run as root, where permissions do not hold');
});

test('a question that is cancelled stops', async (t) => {
  const { index, cache_dir } = await remembered(t, ...three);
  const request = { cache_dir, names: ['aa'], filters: [canon] };
  await assert.rejects(
    index.call('passing', request, () => true),
    engineErrors.CANCELLED.is,
  );
});
