import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { databaseFile } from '../../../../actors/index/store/names.ts';
import { keptForMs } from '../../../../actors/index/store/spans.ts';
import { summaryErrors } from '../../../../actors/index/summaries/contract.ts';
import { foldName, plainName } from '../../../../actors/index/summaries/fold-name.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../footage.ts';
import { countsOf, indexActor } from '../handlers.ts';
import { append, begin, commit, list, readNode, summarise, sweep, tree } from './trees.ts';

test('a summary is seen by nobody until it is committed, then read node by node as it was written', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const nodes = tree(40);
  const { stage, stored_nodes } = await begin(index, cache_dir, 'aa');
  assert.equal(stored_nodes, 0);
  await append(index, stage, nodes);
  assert.deepEqual((await list(index, cache_dir, ['aa'])).summaries, []);
  assert.equal((await readNode(index, cache_dir, 'aa')).summary, null);
  const { analysis_id, collection_id } = await commit(index, stage, 'aa');
  assert.equal(collection_id, null);
  const { summaries } = await list(index, cache_dir, ['aa', 'bb']);
  assert.equal(summaries.length, 1);
  const [held] = summaries;
  assert.equal(held?.analysis_id, analysis_id);
  assert.equal(held?.media_path, '/footage/aa.mp4');
  assert.equal(held?.nodes, nodes.length);
  for (const { evidence, ...node } of nodes) {
    const read = await readNode(index, cache_dir, 'aa', node.node_id, analysis_id, true);
    assert.deepEqual(read.node, node);
    assert.deepEqual(read.evidence, evidence);
    assert.deepEqual(
      read.children.map(({ node_id }) => node_id),
      node.child_ids,
    );
  }
  assert.equal((await readNode(index, cache_dir, 'aa')).node?.node_id, '0', 'null is the root');
  assert.equal((await readNode(index, cache_dir, 'aa', '9.9')).node, null);
  assert.equal((await readNode(index, cache_dir, 'aa', null, 'x')).summary, null);
});

test('several summaries of one content lie side by side by name, and the one stored last is the first to be read', async (t) => {
  // A clock that goes backwards does not change which one is the last.
  let now = 2_000_000_000_000;
  const [index, cache_dir] = [await indexActor(t, { now: () => --now }), temporaryFolder(t)];
  for (const name of ['one', 'two', 'three']) await summarise(index, cache_dir, 'aa', { name });
  const { summaries } = await list(index, cache_dir, ['aa']);
  assert.deepEqual(
    summaries.map(({ analysis_name }) => analysis_name),
    ['one', 'two', 'three'],
  );
  assert.equal((await readNode(index, cache_dir, 'aa')).summary?.analysis_name, 'three');
  const page = await index.call('list_summaries', { cache_dir, hashes: ['aa'], after: null, limit: 2 });
  assert.equal(page.summaries.length, 2);
  const rest = { cache_dir, hashes: ['aa'], after: page.next, limit: 2 };
  assert.deepEqual(
    (await index.call('list_summaries', rest)).summaries.map(({ analysis_name }) => analysis_name),
    ['three'],
  );
});

test('a name that is taken is refused, in any case, unless it is replaced; the old one is read until the commit', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const { analysis_id } = await summarise(index, cache_dir, 'aa', { name: 'Straße', one_line: 'old' });
  for (const name of ['straße', 'STRASSE', ' Straße '])
    await assert.rejects(
      begin(index, cache_dir, 'aa', { name }),
      (error) => summaryErrors.SUMMARY_NAME_TAKEN.is(error) && error.message.includes('replace_existing'),
    );
  await summarise(index, cache_dir, 'bb', { name: 'Straße' });
  const { stage } = await begin(index, cache_dir, 'aa', { name: 'STRASSE', replace: true });
  await append(index, stage, tree(20));
  assert.equal((await list(index, cache_dir, ['aa'])).summaries[0]?.one_line_summary, 'old');
  assert.ok((await readNode(index, cache_dir, 'aa', '1', analysis_id)).node);
  const now = await commit(index, stage, 'aa', { one_line: 'new' });
  const { summaries } = await list(index, cache_dir, ['aa']);
  assert.deepEqual(
    summaries.map(({ one_line_summary, analysis_name }) => [one_line_summary, analysis_name]),
    [['new', 'STRASSE']],
  );
  assert.notEqual(
    now.analysis_id,
    analysis_id,
    'what points at the old tree finds nothing, and never another tree',
  );
  assert.equal((await readNode(index, cache_dir, 'aa', '1', analysis_id)).summary, null);
  await sweep(index, cache_dir);
  assert.equal(
    treeRecords(cache_dir),
    tree(20).length + tree(10).length,
    'the old tree is gone from the disk',
  );
});

/** Records of nodes that lie on the disk, whoever they belong to. */
function treeRecords(cache_dir: string): number {
  const environment = Environment.open(databaseFile(cache_dir), 'read');
  const count = environment.count('summary-node/');
  void environment.close();
  return count;
}

test('what was appended before an interruption is taken up node by node, and dropped when the settings differ', async (t) => {
  const cache_dir = temporaryFolder(t);
  const nodes = tree(100);
  const first = await indexActor(t);
  const { stage } = await begin(first, cache_dir, 'aa');
  await append(first, stage, nodes.slice(0, 7));
  await first.close();
  const second = await indexActor(t);
  const again = await begin(second, cache_dir, 'aa');
  assert.equal(again.stored_nodes, 7);
  const page = await second.call('kept_nodes', { stage: again.stage, after: null, limit: 4 });
  const rest = await second.call('kept_nodes', { stage: again.stage, after: page.next, limit: 4 });
  const ids = [...page.nodes, ...rest.nodes].map(({ node_id }) => node_id);
  assert.deepEqual(
    ids,
    nodes
      .slice(0, 7)
      .map(({ node_id }) => node_id)
      .sort(),
  );
  assert.equal(rest.next, null);
  // One of them is made again: it takes the place of the first.
  await append(second, again.stage, nodes.slice(6));
  await commit(second, again.stage, 'aa');
  assert.equal((await list(second, cache_dir, ['aa'])).summaries[0]?.nodes, nodes.length);
  const third = await begin(second, cache_dir, 'bb');
  await append(second, third.stage, nodes.slice(0, 3));
  await second.call('abort_summary', { stage: third.stage, keep: true });
  assert.equal((await begin(second, cache_dir, 'bb', { settings: 'others' })).stored_nodes, 0);
  const dropped = await begin(second, cache_dir, 'bb', { settings: 'others' });
  await append(second, dropped.stage, nodes.slice(0, 3));
  await second.call('abort_summary', { stage: dropped.stage, keep: false });
  assert.equal((await begin(second, cache_dir, 'bb', { settings: 'others' })).stored_nodes, 0);
});

test('an interrupted summary that nobody takes up for two weeks is swept', async (t) => {
  let now = 1e12;
  const [index, cache_dir] = [await indexActor(t, { now: () => now }), temporaryFolder(t)];
  const { stage } = await begin(index, cache_dir, 'aa');
  await append(index, stage, tree(40));
  await index.call('abort_summary', { stage, keep: true });
  await sweep(index, cache_dir);
  now += keptForMs - 1;
  const other = await begin(index, cache_dir, 'bb');
  await index.call('abort_summary', { stage: other.stage, keep: false });
  const kept = await begin(index, cache_dir, 'aa');
  assert.equal(kept.stored_nodes, tree(40).length);
  await index.call('abort_summary', { stage: kept.stage, keep: true });
  now += keptForMs + 1;
  assert.ok((await sweep(index, cache_dir)) > 1);
  assert.equal((await begin(index, cache_dir, 'aa')).stored_nodes, 0);
});

test('nodes that make no whole tree are not committed, and stay to be taken up', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const nodes = tree(40);
  const { stage } = await begin(index, cache_dir, 'aa');
  await append(index, stage, nodes.slice(0, -1));
  await assert.rejects(commit(index, stage, 'aa'), summaryErrors.NOT_A_TREE.is);
  await assert.rejects(append(index, stage, nodes.slice(-1)), storeErrors.STAGE_LOST.is);
  const again = await begin(index, cache_dir, 'aa');
  assert.equal(again.stored_nodes, nodes.length - 1);
  await append(index, again.stage, nodes.slice(-1));
  await commit(index, again.stage, 'aa');
  const empty = await begin(index, cache_dir, 'bb');
  await assert.rejects(commit(index, empty.stage, 'bb'), summaryErrors.NOT_A_TREE.is);
  const other = await begin(index, cache_dir, 'bb');
  await assert.rejects(commit(index, other.stage, 'cc'), engineErrors.INVALID_MESSAGE.is);
});

test('a node that cannot be is refused by its id, and nothing of its message is kept', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const { stage } = await begin(index, cache_dir, 'aa');
  const [root, leaf] = [tree(10)[0]!, tree(10)[1]!];
  const hint = {
    limitation: 'x',
    affected_range: [3, 3] as [number, number],
    evidence_ids: [],
    suggested_follow_up: 'y',
  };
  const bad = [
    { ...leaf, range: [5, 5] as [number, number] },
    { ...root, evidence: leaf.evidence },
    { ...leaf, level: 0 },
    { ...leaf, verification_hints: [hint] },
  ];
  for (const node of bad) {
    const refused = (error: unknown) =>
      engineErrors.INVALID_MESSAGE.is(error) && error.message.includes(node.node_id);
    await assert.rejects(append(index, stage, [root, node]), refused);
  }
  assert.deepEqual((await index.call('kept_nodes', { stage, after: null, limit: 9 })).nodes, []);
});

test('a collection is found by its name in any case, and keeps its name and description', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const collection = { name: ' Caf\u00e9 Stories', description: 'first' };
  const { collection_id } = await summarise(index, cache_dir, 'aa', { collection });
  const again = { name: 'CAFE\u0301 stories', description: 'second' };
  assert.equal((await summarise(index, cache_dir, 'bb', { collection: again })).collection_id, collection_id);
  const byId = { collection_id: collection_id! };
  await summarise(index, cache_dir, 'bb', { name: 'two', collection: byId });
  await summarise(index, cache_dir, 'cc', { collection: null });
  const { collections } = await index.call('list_collections', { cache_dir, after: null, limit: 10 });
  assert.deepEqual(collections, [{ collection_id, name: 'Café Stories', description: 'first', members: 3 }]);
  const members = { cache_dir, collection_id: collection_id!, after: null, limit: 2 };
  const page = await index.call('list_members', members);
  const rest = await index.call('list_members', { ...members, after: page.next });
  assert.deepEqual(
    [...page.members, ...rest.members].map(({ hash_str, analysis_name }) => [hash_str, analysis_name]),
    [
      ['aa', 'general'],
      ['bb', 'general'],
      ['bb', 'two'],
    ],
  );
  assert.equal((await index.call('list_members', { ...members, collection_id: 'none' })).collection, null);
  const unknown = summarise(index, cache_dir, 'dd', { collection: { collection_id: 'f'.repeat(24) } });
  await assert.rejects(unknown, summaryErrors.UNKNOWN_COLLECTION.is);
  // A replaced one changes its collection with everything else.
  await summarise(index, cache_dir, 'aa', { replace: true });
  assert.equal(
    (await index.call('list_collections', { cache_dir, after: null, limit: 10 })).collections[0]?.members,
    2,
  );
});

test('summaries are removed by name, a collection when it is asked for and empty, and their trees from the disk', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const collection = { name: 'All', description: '' };
  const one = await summarise(index, cache_dir, 'aa', { collection, nodes: tree(12_000) });
  const two = await summarise(index, cache_dir, 'bb', { collection });
  const named = (hash_str: string, { analysis_id }: { analysis_id: string }) => ({ hash_str, analysis_id });
  const emptied = [one.collection_id!];
  const gone = await index.call('remove_summaries', {
    cache_dir,
    summaries: [named('aa', one), named('aa', two), named('aa', { analysis_id: 'x' })],
    collections: emptied,
  });
  assert.deepEqual(gone, { removed: [true, false, false], collections: [] });
  assert.ok((await sweep(index, cache_dir)) > 1, 'a large tree does not go in one step');
  await summarise(index, cache_dir, 'aa', { nodes: tree(8) });
  const rest = { cache_dir, summaries: [named('bb', two)], collections: emptied };
  assert.deepEqual(await index.call('remove_summaries', rest), { removed: [true], collections: emptied });
  assert.deepEqual(
    (await index.call('list_collections', { cache_dir, after: null, limit: 9 })).collections,
    [],
  );
  const counted = await index.call('count_summaries', { cache_dir, after: null, limit: 9 });
  assert.deepEqual([counted.summaries, counted.nodes], [1, tree(8).length]);
  await sweep(index, cache_dir);
  assert.equal(treeRecords(cache_dir), tree(8).length);
  assert.ok(counted.bytes > 500 && counted.bytes < 5000, String(counted.bytes));
});

test('what is forgotten of a content goes with its summaries, also those that are interrupted', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const collection = { name: 'All', description: '' };
  for (const hash of ['aa', 'bb']) await summarise(index, cache_dir, hash, { collection });
  const open = await begin(index, cache_dir, 'aa', { name: 'open' });
  await append(index, open.stage, tree(10));
  const forget = () => index.call('remove_media', { cache_dir, hashes: ['aa'] });
  await assert.rejects(
    forget(),
    (error) => storeErrors.MEDIA_IN_WORK.is(error) && /\(open\)/.test(error.message),
  );
  await index.call('abort_summary', { stage: open.stage, keep: true });
  const held = { cache_dir, under: null, offset: 0, limit: 9 };
  assert.deepEqual(
    (await index.call('held_media', held)).media.map((one) => countsOf(one, 'summary').length),
    [1, 1],
  );
  await forget();
  assert.deepEqual((await list(index, cache_dir, ['aa'])).summaries, []);
  assert.equal(
    (await index.call('list_collections', { cache_dir, after: null, limit: 9 })).collections[0]?.members,
    1,
  );
  await sweep(index, cache_dir);
  assert.equal(treeRecords(cache_dir), tree(10).length, 'only that of the other content is left');
  await index.call('remember', { cache_dir, media: mediaRecord('aa') });
  assert.equal((await begin(index, cache_dir, 'aa', { name: 'open' })).stored_nodes, 0);
});

test('a path that moves takes its summaries with it', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const { analysis_id } = await summarise(index, cache_dir, 'aa');
  const moves = [{ from: '/footage/aa.mp4', to: '/elsewhere/aa.mp4', volume: null }];
  await index.call('move_paths', { cache_dir, moves });
  const { summary } = await readNode(index, cache_dir, 'aa', null, analysis_id);
  assert.equal(summary?.media_path, '/elsewhere/aa.mp4');
});

test('names that differ in case, composition or blanks around them are the same', () => {
  const same = [
    ['Dailies', ' dailies ', 'DAILIES'],
    ['Caf\u00e9', 'CAFE\u0301', 'cafe\u0301'],
    ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
    ['Οδός', 'ΟΔΌΣ'],
    ['ﬁlm', 'FILM'],
  ];
  for (const names of same) assert.equal(new Set(names.map(foldName)).size, 1, names.join(', '));
  const others = ['a', 'b', 'a b', 'ab', 'ä', 'é', '片', 'فيلم'];
  assert.equal(new Set(others.map(foldName)).size, others.length);
});

test('property: to fold twice changes nothing, and what is kept is the name as it was given', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      assert.equal(foldName(foldName(name)), foldName(name));
      assert.equal(foldName(plainName(name)), foldName(name));
      assert.equal(plainName(name), name.toWellFormed().normalize('NFC').trim());
    }),
  );
});
