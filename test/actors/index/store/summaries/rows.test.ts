import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isWhole,
  noNodes,
  type TreeNode,
  withNode,
  withoutNode,
} from '../../../../../actors/index/store/summaries/rows.ts';
import { shuffled, tree } from '../../summaries/trees.ts';

const sumsOf = (nodes: readonly TreeNode[]) => nodes.reduce(withNode, noNodes);

test('property: a whole tree is one in any order, and with any node replaced by itself', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 2, max: 6 }),
      fc.integer(),
      (seconds, width, seed) => {
        const nodes = shuffled(tree(seconds, width), seed);
        const whole = sumsOf(nodes);
        assert.ok(isWhole(whole));
        const one = nodes[Math.abs(seed) % nodes.length]!;
        assert.deepEqual(withNode(withoutNode(whole, one), one), whole);
      },
    ),
  );
});

const nodes = tree(40);
const [root, child] = [nodes[0]!, nodes[1]!];
const grandchild = nodes.find(({ level }) => level === 2)!;
const without = (one: TreeNode) => nodes.filter((node) => node !== one);

const broken: Record<string, readonly TreeNode[]> = {
  'nothing at all': [],
  'a child that is missing': without(child),
  'a leaf that is missing': without(nodes.at(-1)!),
  'no root': without(root),
  'two roots': [...nodes, { ...root, node_id: 'other', child_ids: [] }],
  'a child of a parent that does not list it': [...nodes, { ...grandchild, node_id: 'more' }],
  'a child that is listed twice': [
    ...without(root),
    { ...root, child_ids: [...root.child_ids, child.node_id] },
  ],
  'a child that names another parent': [
    ...without(grandchild),
    { ...grandchild, parent_id: nodes.at(-1)!.node_id },
  ],
  'a level that is left out': [...without(grandchild), { ...grandchild, level: 3 }],
  'two nodes that are each the child of the other': [
    ...nodes,
    { node_id: 'a', parent_id: 'b', level: 1, child_ids: ['b'] },
    { node_id: 'b', parent_id: 'a', level: 2, child_ids: ['a'] },
  ],
};

for (const [what, bad] of Object.entries(broken)) {
  test(`no whole tree: ${what}`, () => assert.equal(isWhole(sumsOf(bad)), false));
}
