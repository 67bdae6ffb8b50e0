// Summaries in folders that are damaged, swapped or older than this program.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { databaseFile } from '../../../../actors/index/store/names.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { countsOf, type Harness, indexActor, someFootage, store } from '../handlers.ts';
import { append, begin, commit, list, readNode, summarise, sweep, tree } from './trees.ts';

/** A folder with one summary, closed. */
async function spoilt(
  t: TestContext,
  kind: string,
  result: Parameters<typeof summarise>[3] = {},
  before: (index: Harness, cache_dir: string) => Promise<unknown> = async () => {},
) {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const stored = await summarise(index, cache_dir, 'aa', { nodes: tree(40), ...result });
  await before(index, cache_dir);
  await index.close();
  spoil(cache_dir, kind);
  return { cache_dir, index: await indexActor(t), ...stored };
}

/** Flips a bit of every record whose key has this text. */
function spoil(cache_dir: string, kind: string): void {
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  const found = [...everyKey(environment)].filter((key) => key.includes(kind));
  assert.ok(found.length > 0, kind);
  environment.transact((writes) => {
    for (const key of found) {
      const bytes = Uint8Array.from(writes.get(key)!);
      bytes[bytes.length >> 1]! ^= 0x10;
      writes.put(key, bytes);
    }
  });
  void environment.close();
}

function* everyKey(environment: Environment): Iterable<string> {
  const kinds = [
    '',
    '-detail',
    '-node',
    '-evidence',
    '-name',
    '-open',
    '-member',
    '-collection',
    '-collection-name',
  ];
  for (const kind of kinds) yield* environment.keys(`summary${kind}/`);
}

const isDamage = (error: unknown) =>
  storeErrors.STORE_DAMAGED.is(error) && error.message.includes('records.mdb');

test('a damaged node is an error that names it, is left out of its parent, and hides nothing else', async (t) => {
  const { cache_dir, index } = await spoilt(t, '/2');
  await assert.rejects(
    readNode(index, cache_dir, 'aa', '2'),
    (error) => isDamage(error) && /summary-node\/aa\/\w+\/2/.test((error as Error).message),
  );
  const { node, children, unreadable } = await readNode(index, cache_dir, 'aa');
  assert.deepEqual(node?.child_ids, ['1', '2', '3', '4']);
  assert.deepEqual(
    children.map(({ node_id }) => node_id),
    ['1', '3', '4'],
  );
  assert.deepEqual(unreadable, ['2']);
  assert.equal((await readNode(index, cache_dir, 'aa', '3')).node?.node_id, '3');
  assert.equal((await list(index, cache_dir, ['aa'])).summaries.length, 1);
});

test('damaged evidence is an error only where it is asked for', async (t) => {
  const { cache_dir, index, analysis_id } = await spoilt(t, 'summary-evidence/');
  const leaf = tree(40).find(({ child_ids }) => child_ids.length === 0)!.node_id;
  assert.ok((await readNode(index, cache_dir, 'aa', leaf)).node);
  await assert.rejects(readNode(index, cache_dir, 'aa', leaf, analysis_id, true), isDamage);
});

test('a damaged summary is left out of lists by its content, can be removed, and gives way to a new one', async (t) => {
  const collection = { name: 'All', description: '' };
  const { cache_dir, index, analysis_id, collection_id } = await spoilt(t, 'summary/aa', { collection });
  await summarise(index, cache_dir, 'bb');
  const { summaries, unreadable } = await list(index, cache_dir, ['aa', 'bb']);
  assert.deepEqual([summaries.map(({ hash_str }) => hash_str), unreadable], [['bb'], ['aa']]);
  await assert.rejects(readNode(index, cache_dir, 'aa'), isDamage);
  const counted = await index.call('count_summaries', { cache_dir, after: null, limit: 9 });
  assert.equal(counted.summaries, 1);
  const summary = { hash_str: 'aa', analysis_id };
  const request = { cache_dir, summaries: [summary], collections: [collection_id!] };
  assert.deepEqual(await index.call('remove_summaries', request), {
    removed: [true],
    collections: [collection_id],
  });
  await summarise(index, cache_dir, 'aa');
  assert.equal((await list(index, cache_dir, ['aa'])).summaries.length, 1);
  // What nobody could find any more goes when the content is forgotten.
  await index.call('remove_media', { cache_dir, hashes: ['aa', 'bb'] });
  await sweep(index, cache_dir);
  await index.close();
  const environment = Environment.open(databaseFile(cache_dir), 'read');
  assert.deepEqual([...everyKey(environment)], []);
  await environment.close();
});

test('a damaged collection is named, and repaired by the next summary that is put into it, with its members', async (t) => {
  const collection = { name: 'All', description: 'first' };
  const { cache_dir, index, collection_id } = await spoilt(t, 'summary-collection/', { collection });
  const collections = () => index.call('list_collections', { cache_dir, after: null, limit: 9 });
  assert.deepEqual((await collections()).unreadable, [collection_id]);
  await summarise(index, cache_dir, 'bb', { collection: { name: 'all', description: 'second' } });
  assert.deepEqual((await collections()).collections, [
    { collection_id, name: 'all', description: 'second', members: 2 },
  ]);
});

test('a damaged member is told by its content, and removed with its collection', async (t) => {
  const collection = { name: 'All', description: '' };
  const { cache_dir, index, collection_id, analysis_id } = await spoilt(t, 'summary-member/', { collection });
  const request = { cache_dir, collection_id: collection_id!, after: null, limit: 9 };
  const { members, unreadable } = await index.call('list_members', request);
  assert.deepEqual([members, unreadable], [[], [{ hash_str: 'aa', analysis_id }]]);
  const removal = { cache_dir, summaries: unreadable, collections: [collection_id!] };
  assert.deepEqual((await index.call('remove_summaries', removal)).collections, [collection_id]);
});

test('an interrupted summary that is damaged is begun anew', async (t) => {
  const interrupted = async (index: Harness, cache_dir: string) => {
    const { stage } = await begin(index, cache_dir, 'bb');
    await append(index, stage, tree(40).slice(0, 5));
    await index.call('abort_summary', { stage, keep: true });
  };
  const record = await spoilt(t, 'summary-open/', {}, interrupted);
  const anew = await begin(record.index, record.cache_dir, 'bb');
  assert.equal(anew.stored_nodes, 0);
  await append(record.index, anew.stage, tree(40));
  await commit(record.index, anew.stage, 'bb');
  const node = await spoilt(t, 'summary-node/bb', {}, interrupted);
  const first = await begin(node.index, node.cache_dir, 'bb');
  assert.equal(first.stored_nodes, 5);
  const read = { stage: first.stage, after: null, limit: 9 };
  await assert.rejects(node.index.call('kept_nodes', read), isDamage);
  await assert.rejects(node.index.call('kept_nodes', read), storeErrors.STAGE_LOST.is);
  const again = await begin(node.index, node.cache_dir, 'bb');
  assert.equal(again.stored_nodes, 0);
  await append(node.index, again.stage, tree(40));
  await commit(node.index, again.stage, 'bb');
});

test('a folder of an older program has no summaries, and takes them', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  await store(index, cache_dir, 'aa', someFootage(10, 1));
  assert.deepEqual(await list(index, cache_dir, ['aa']), { summaries: [], next: null, unreadable: [] });
  assert.equal((await readNode(index, cache_dir, 'aa')).summary, null);
  const collections = await index.call('list_collections', { cache_dir, after: null, limit: 9 });
  assert.deepEqual(collections, { collections: [], next: null, unreadable: [] });
  assert.deepEqual(await index.call('sweep_summaries', { cache_dir }), { done: true });
  const { media } = await index.call('held_media', { cache_dir, under: null, offset: 0, limit: 9 });
  assert.deepEqual(countsOf(media[0]!, 'summary'), []);
  await summarise(index, cache_dir, 'aa');
  assert.equal((await list(index, cache_dir, ['aa'])).summaries.length, 1);
});

test('a folder that is swapped is read as it is now, and what was open in the other one is lost', async (t) => {
  const parent = temporaryFolder(t);
  const [cache_dir, other] = [join(parent, 'analysis'), join(parent, 'other')];
  const index = await indexActor(t);
  await summarise(index, cache_dir, 'aa', { one_line: 'of the first' });
  await summarise(index, other, 'aa', { one_line: 'of the second' });
  await index.close();
  const now = await indexActor(t);
  const open = await begin(now, cache_dir, 'bb');
  await append(now, open.stage, tree(10));
  renameSync(cache_dir, join(parent, 'away'));
  renameSync(other, cache_dir);
  const lost = (error: unknown) => storeErrors.STORE_REPLACED.is(error) || storeErrors.STAGE_LOST.is(error);
  await assert.rejects(append(now, open.stage, tree(10)), lost);
  const { summaries } = await list(now, cache_dir, ['aa']);
  assert.equal(summaries[0]?.one_line_summary, 'of the second');
  await assert.rejects(commit(now, open.stage, 'bb'), lost);
  assert.equal((await begin(now, cache_dir, 'bb')).stored_nodes, 0);
});
