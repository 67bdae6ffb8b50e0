import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  marked,
  rowsOf,
  type SummaryBranch,
  secondsIn,
  stepped,
  type TreeStep,
} from '../../../../../../http/page/app/views/summaries/state.ts';

const twig = (node_id: string, is_leaf = true) => ({
  node_id,
  text_preview: node_id,
  is_leaf,
  search_range: [0, 1] as const,
});
const branch = (
  node_id: string,
  parent_id: string | null,
  children: readonly ReturnType<typeof twig>[],
): SummaryBranch => ({
  node_id,
  parent_id,
  text: node_id,
  is_leaf: children.length === 0,
  search_range: [0, 1],
  children,
});
const root = branch('root', null, [twig('a', false), twig('b')]);
const known = new Map([['a', branch('a', 'root', [twig('a1'), twig('a2')])]]);
const ids = (open: readonly string[]) => rowsOf(root, known, new Set(open)).map(({ node_id }) => node_id);

test('only what is below open nodes is shown, in order', () => {
  assert.deepEqual(ids([]), ['root']);
  assert.deepEqual(ids(['a']), ['root']);
  assert.deepEqual(ids(['root']), ['root', 'a', 'b']);
  assert.deepEqual(ids(['root', 'a']), ['root', 'a', 'a1', 'a2', 'b']);
  assert.deepEqual(
    rowsOf(root, new Map(), new Set(['root', 'a'])).map(({ level, place, siblings }) => [
      level,
      place,
      siblings,
    ]),
    [
      [1, 1, 1],
      [2, 1, 2],
      [2, 2, 2],
    ],
  );
});

test('arrow keys open, go in, close and go out, and never leave the tree', () => {
  const rows = rowsOf(root, known, new Set(['root', 'a']));
  const step = (from: string, way: TreeStep) => Object.values(stepped(rows, from, way));
  assert.deepEqual(step('a', 'open'), ['a1', false]);
  assert.deepEqual(step('a', 'close'), ['a', true]);
  assert.deepEqual(step('a1', 'close'), ['a', false]);
  assert.deepEqual(step('a1', 'open'), ['a1', false]);
  assert.deepEqual(step('root', 'up'), ['root', false]);
  assert.deepEqual(step('b', 'down'), ['b', false]);
  assert.deepEqual(step('a', 'last'), ['b', false]);
  assert.deepEqual(step('gone', 'down'), ['a', false]);
  assert.deepEqual(stepped(rowsOf(root, known, new Set(['root'])), 'a', 'open'), {
    select: 'a',
    toggle: true,
  });
});

test('words are marked by code points, and the text stays as it is', () => {
  assert.deepEqual(marked('🎬 the road', [[6, 10]]), [
    { text: '🎬 the ', isMarked: false },
    { text: 'road', isMarked: true },
  ]);
  const range = fc.tuple(fc.nat(30), fc.nat(30));
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(range), (text, ranges) => {
      const parts = marked(text, ranges);
      assert.equal(parts.map((part) => part.text).join(''), text);
    }),
  );
});

test('pictures of a range lie in it, and a short one has as many as it has seconds', () => {
  assert.deepEqual(secondsIn([10, 12], 6), [10, 11]);
  assert.deepEqual(secondsIn([0, 60], 3), [10, 30, 50]);
  fc.assert(
    fc.property(fc.nat(10_000), fc.integer({ min: 1, max: 5000 }), (start, length) => {
      for (const second of secondsIn([start, start + length], 6))
        assert.ok(second >= start && second < start + length);
    }),
  );
});
