import assert from 'node:assert/strict';
import test from 'node:test';
import type { NodeAnswer } from '../../../../actors/summarizer/stored/contract.ts';
import { inReadingOrder } from '../../../../actors/summarizer/stored/reading.ts';
import { tree } from '../../index/summaries/trees.ts';

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
