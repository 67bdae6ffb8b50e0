import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Environment } from '../../../../actors/index/store/environment.ts';
import type { NewSummaryNode } from '../../../../actors/index/summaries/contract.ts';
import { draws } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../footage.ts';
import { indexActor } from '../handlers.ts';
import { append, begin, commit, list, readNode, shuffled, summarise, tree } from './trees.ts';

test('property: whatever the tree and the order in which it came, every node reads as it was given', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  let name = 0;
  const shape = fc.record({
    seconds: fc.integer({ min: 1, max: 300 }),
    width: fc.integer({ min: 2, max: 9 }),
    least: fc.integer({ min: 1, max: 20 }),
    seed: fc.integer(),
    text: fc.string({ unit: 'grapheme', maxLength: 300 }),
    interrupted: fc.integer({ min: 0, max: 100 }),
  });
  const check = async ({
    seconds,
    width,
    least,
    seed,
    text,
    interrupted,
  }: typeof shape extends fc.Arbitrary<infer T> ? T : never) => {
    const nodes = tree(seconds, width, least).map((node, i) => ({
      ...node,
      text: `${text.toWellFormed()}${i}`,
    }));
    const result = { name: `n${name++}` };
    const coming = shuffled(nodes, seed);
    const cut = Math.floor((coming.length * interrupted) / 100);
    const first = await begin(index, cache_dir, 'aa', result);
    await append(index, first.stage, coming.slice(0, cut));
    await index.call('abort_summary', { stage: first.stage, keep: true });
    const { stage, stored_nodes } = await begin(index, cache_dir, 'aa', result);
    assert.equal(stored_nodes, cut);
    await append(index, stage, coming.slice(cut));
    const { analysis_id } = await commit(index, stage, 'aa');
    const wanted = new Map(nodes.map(({ evidence: _, ...node }) => [node.node_id, node]));
    // From the root down every node is met once, and the children of each cover it exactly.
    const met: string[] = [];
    for (const open: (string | null)[] = [null]; open.length > 0; ) {
      const { node, children } = await readNode(index, cache_dir, 'aa', open.pop() ?? null, analysis_id);
      assert.ok(node);
      met.push(node.node_id);
      assert.deepEqual(node, wanted.get(node.node_id));
      assert.deepEqual(
        children,
        node.child_ids.map((id) => wanted.get(id)),
      );
      const bounds = children.flatMap(({ range }) => range);
      if (bounds.length > 0) assert.deepEqual([bounds[0], bounds.at(-1)], node.range);
      for (let i = 1; i + 1 < bounds.length; i += 2) assert.equal(bounds[i], bounds[i + 1]);
      open.push(...node.child_ids);
    }
    assert.deepEqual(met.sort(), [...wanted.keys()].sort());
  };
  await fc.assert(fc.asyncProperty(shape, check), { numRuns: draws(40) });
});

/** Records that are read while `work` runs, one by one and in ranges. */
async function readsOf(
  t: TestContext,
  work: () => Promise<unknown>,
): Promise<{ single: number; ranged: number }> {
  const read = { single: 0, ranged: 0 };
  const { get, someEntries, entries } = Environment.prototype;
  const one = t.mock.method(Environment.prototype, 'get', function (this: Environment, key: string) {
    read.single++;
    return get.call(this, key);
  });
  const some = t.mock.method(
    Environment.prototype,
    'someEntries',
    function (this: Environment, ...request: Parameters<Environment['someEntries']>) {
      const found = someEntries.apply(this, request);
      read.ranged += found.length;
      return found;
    },
  );
  const all = t.mock.method(Environment.prototype, 'entries', function* (this: Environment, prefix: string) {
    for (const entry of entries.call(this, prefix)) {
      read.ranged++;
      yield entry;
    }
  });
  try {
    await work();
    return read;
  } finally {
    for (const mock of [one, some, all]) mock.mock.restore();
  }
}

/** As wide as nodes of an outline are, at most. */
function largeTree(leaves: number): NewSummaryNode[] {
  return tree(leaves * 4, 12, 4);
}

test('one node is read with its children and without any other, however large the tree', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  const nodes = largeTree(3000);
  await summarise(index, cache_dir, 'aa', { nodes });
  for (const { node_id, child_ids } of [nodes[0]!, nodes[1]!, nodes.at(-1)!]) {
    const read = await readsOf(t, () => readNode(index, cache_dir, 'aa', node_id, null, true));
    const besides = 5; // Format, summary, detail, media, evidence.
    assert.ok(read.single <= child_ids.length + 1 + besides, `${node_id}: ${read.single}`);
    assert.equal(read.ranged, 0);
  }
});

test('a page of a list reads what it answers and no more, whatever else there is', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  const collection = { name: 'All', description: '' };
  for (let i = 0; i < 60; i++) {
    await summarise(index, cache_dir, 'aa', { name: `n${i}`, collection, nodes: tree(40) });
    await summarise(index, cache_dir, (0xb00 + i).toString(16), { collection, nodes: tree(4) });
  }
  const page = await readsOf(t, () => list(index, cache_dir, ['aa'], 10));
  assert.deepEqual([page.single <= 2, page.ranged], [true, 10]);
  const others = await readsOf(t, () => list(index, cache_dir, ['b01', 'b02', 'cc']));
  assert.deepEqual([others.single <= 4, others.ranged], [true, 2]);
  const collections = await readsOf(t, () =>
    index.call('list_collections', { cache_dir, after: null, limit: 10 }),
  );
  assert.deepEqual([collections.single <= 2, collections.ranged], [true, 1], 'members are counted, not read');
  const {
    collections: [all],
  } = await index.call('list_collections', { cache_dir, after: null, limit: 10 });
  assert.equal(all?.members, 120);
  const request = { cache_dir, collection_id: all!.collection_id, after: null, limit: 7 };
  const members = await readsOf(t, () => index.call('list_members', request));
  assert.deepEqual([members.single <= 9, members.ranged], [true, 7]);
});

test('a content that an older program forgot has no summaries, and has them again when it is known again', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  const collection = { name: 'All', description: '' };
  const { collection_id } = await summarise(index, cache_dir, 'aa', { collection });
  await index.close();
  const environment = Environment.open(`${cache_dir}/records.mdb`, 'write');
  environment.transact((writes) => writes.remove('media/aa'));
  await environment.close();
  const later = await indexActor(t);
  assert.deepEqual((await list(later, cache_dir, ['aa'])).summaries, []);
  assert.equal((await readNode(later, cache_dir, 'aa')).summary, null);
  const members = { cache_dir, collection_id: collection_id!, after: null, limit: 9 };
  assert.deepEqual((await later.call('list_members', members)).members, []);
  await later.call('remember', { cache_dir, media: mediaRecord('aa') });
  assert.equal((await list(later, cache_dir, ['aa'])).summaries.length, 1);
});
