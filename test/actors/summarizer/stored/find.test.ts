// How the coordinator searches: steps until it is done, one search at a time, and what of the damage it
// tells.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { indexContract } from '../../../../actors/index/contract.ts';
import type { NodeAnswer } from '../../../../actors/summarizer/stored/contract.ts';
import type { SummariesParts } from '../../../../actors/summarizer/stored/lists.ts';
import { inReadingOrder } from '../../../../actors/summarizer/stored/reading.ts';
import { createSummaries } from '../../../../actors/summarizer/stored/summaries.ts';
import type { Reply, Request } from '../../../../runtime/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { tree } from '../../index/summaries/trees.ts';

type Asked = Request<typeof indexContract, 'search_summaries'>;
type Found = Reply<typeof indexContract, 'search_summaries'>;

const done: Found = { done: true, matches: [], total: 0, total_is_exact: true, unreadable: [] };
const request = { cache_dir: '/library', query: 'harbour', max_results: 50 };

/** Searches of an index that answers what the test says. */
function summariesOf(answer: (request: Asked) => Found | Promise<Found>) {
  const ask = async (name: string, request: Asked) =>
    name === 'search_summaries' ? answer(request) : { by_path: [], by_hash: [] };
  return createSummaries({ index: { ask }, prober: null } as unknown as SummariesParts);
}

test('the same question is asked until it is done', async () => {
  const seen: Asked[] = [];
  const summaries = summariesOf((request) => {
    seen.push(request);
    return { ...done, done: seen.length === 3, total: 7 };
  });
  const found = await summaries.find(request);
  const rest = { ...request, collection_id: null };
  assert.deepEqual(
    seen,
    [1, 2, 3].map(() => ({ ...rest, hashes: null })),
  );
  assert.deepEqual(found, { matches: [], total: 7, truncated: true, total_is_exact: true });
});

test('a search waits for the one before, and a wait that is cancelled harms nobody', async () => {
  const held = Promise.withResolvers<Found>();
  const order: string[] = [];
  const summaries = summariesOf(async ({ query }) => {
    order.push(query);
    return query === 'first' ? held.promise : done;
  });
  const first = summaries.find({ ...request, query: 'first' });
  const cancel = new AbortController();
  const second = summaries.find({ ...request, query: 'second' }, cancel.signal);
  const third = summaries.find({ ...request, query: 'third' });
  cancel.abort();
  await assert.rejects(second, engineErrors.CANCELLED.is);
  assert.deepEqual(order, ['first']);
  held.resolve({ ...done, done: true });
  await Promise.all([first, third]);
  assert.deepEqual(order, ['first', 'third']);
});

test('a search that fails lets the next one begin', async () => {
  let failed = false;
  const summaries = summariesOf(() => {
    if (failed) return done;
    failed = true;
    throw engineErrors.ACTOR_CRASHED();
  });
  await assert.rejects(summaries.find(request), engineErrors.ACTOR_CRASHED.is);
  assert.equal((await summaries.find(request)).total, 0);
});

test('damage is told where it is among what was asked for', async () => {
  const unreadable = ['aa', 'bb'].map((hash_str) => ({ hash_str, analysis_id: '0'.repeat(24) }));
  const summaries = summariesOf(() => ({ ...done, unreadable }));
  const all = await summaries.find(request);
  assert.equal(all.warning, 'Skipped: a summary of aa is damaged; a summary of bb is damaged');
  const one = await summaries.find({ ...request, hash_strs: ['bb'] });
  assert.equal(one.warning, 'Skipped: a summary of bb is damaged');
  assert.equal('warning' in (await summaries.find({ ...request, hash_strs: ['cc'] })), false);
});

/** Nodes of a tree as they are answered, and which were read. */
function reading(seconds: number, width: number) {
  const nodes = new Map(tree(seconds, width).map((one) => [one.node_id, one]));
  const read: string[] = [];
  const answer = async (id: string): Promise<NodeAnswer> => {
    read.push(id);
    const { child_ids } = nodes.get(id)!;
    const children = child_ids.map((node_id) => ({ node_id }));
    return { node: { node_id: id, children } } as unknown as NodeAnswer;
  };
  return { nodes, read, answer };
}

async function idsOf(order: AsyncIterable<{ answer: NodeAnswer; below: number }>) {
  const ids: string[] = [];
  for await (const { answer, below } of order) ids.push(`${below} ${answer.node.node_id}`);
  return ids;
}

test('every node is read once and comes after its parent and what is before it, whole or down to a level', async () => {
  const { nodes, read, answer } = reading(400, 5);
  // The tree of the tests lists a node, then all that is below it.
  const expected = [...nodes.values()].map(({ node_id, level }) => `${level} ${node_id}`);
  assert.deepEqual(await idsOf(inReadingOrder('0', Infinity, answer)), expected);
  assert.deepEqual(read.toSorted(), [...nodes.keys()].sort(), 'each once');
  const some = await idsOf(inReadingOrder('0', 1, reading(400, 5).answer));
  assert.deepEqual(some, ['0 0', '1 1', '1 2', '1 3', '1 4', '1 5']);
  const part = await idsOf(inReadingOrder('2', 0, reading(400, 5).answer));
  assert.deepEqual(part, ['0 2']);
});

test('few nodes are read ahead of who takes them', async () => {
  const { read, answer } = reading(4000, 1000);
  const order = inReadingOrder('0', Infinity, answer);
  await order.next();
  await order.next();
  assert.ok(read.length > 2 && read.length < 20, `${read.length}`);
  await order.return();
});

test('an error comes at its node, and one of a node that nobody takes is none', async () => {
  const { answer } = reading(40, 4);
  const failing = async (id: string) => (id === '2' ? Promise.reject(new Error('damaged')) : answer(id));
  const seen: string[] = [];
  await assert.rejects(async () => {
    for await (const { answer: one } of inReadingOrder('0', Infinity, failing)) seen.push(one.node.node_id);
  }, /damaged/);
  assert.deepEqual(seen.slice(0, 2), ['0', '1']);
  const left = inReadingOrder('0', Infinity, failing);
  await left.next();
  await left.return();
});
