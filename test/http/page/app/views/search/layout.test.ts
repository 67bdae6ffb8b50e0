import assert from 'node:assert/strict';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { Moment } from '../../../../../../actors/search/moments/contract.ts';
import { without } from '../../../../../../http/page/app/views/search/chosen.ts';
import { datesOf } from '../../../../../../http/page/app/views/search/filters.ts';
import {
  layoutOf,
  nextTile,
  rowOfTile,
  rowsBetween,
} from '../../../../../../http/page/app/views/search/grid.ts';
import { byFilm, byRank, filesOf } from '../../../../../../http/page/app/views/search/group-head.ts';
import { choose, search } from '../../../../../../http/page/app/views/search/state.ts';
import { fileAddress } from '../../../../../../http/page/app/views/search/tile.ts';

const moment = (hash_str: string, time_seconds: number, kind: Moment['kind'] = 'video'): Moment => ({
  moment_id: `${hash_str}@${time_seconds}`,
  hash_str,
  media_path: `/films/${hash_str}.mp4`,
  kind,
  time_seconds,
  start_seconds: time_seconds,
  end_seconds: time_seconds + 1,
  reasons: [{ kind: 'seen', rank: 1 }],
});
const many = (count: number, films: number) =>
  Array.from({ length: count }, (_, i) => moment(`h${i % films}`, Math.floor(i / films)));

test('films come by their best match, their matches by time, stills together by rank', () => {
  const found = [
    moment('b', 9),
    moment('s2', 0, 'image'),
    moment('a', 1),
    moment('b', 2),
    moment('s1', 0, 'image'),
  ];
  const ordered = byFilm(found);
  assert.deepEqual(
    ordered.moments.map(({ moment_id }) => moment_id),
    ['b@2', 'b@9', 's2@0', 's1@0', 'a@1'],
  );
  assert.deepEqual(
    ordered.groups.map(({ kind, hash_str, from, to }) => [kind, hash_str, from, to]),
    [
      ['film', 'b', 0, 2],
      ['stills', '', 2, 4],
      ['film', 'a', 4, 5],
    ],
  );
  assert.equal(filesOf(ordered), 4);
  assert.deepEqual(byRank(found).moments, found);
});

test('many stills show a few among films, and all where there are no films', () => {
  const stills = Array.from({ length: 30 }, (_, i) => moment(`s${i}`, 0, 'image'));
  const found = [...stills, moment('a', 1)];
  const shape = ({ groups }: ReturnType<typeof byFilm>) =>
    groups.map(({ kind, from, to, foldedCount }) => [kind, from, to, foldedCount]);
  assert.deepEqual(shape(byFilm(found, false)), [
    ['stills', 0, 12, 18],
    ['film', 12, 13, 0],
  ]);
  assert.deepEqual(shape(byFilm(found, true))[0], ['stills', 0, 30, 0]);
  assert.deepEqual(shape(byFilm(stills, false)), [['stills', 0, 30, 0]]);
});

test('one, a range and several matches are chosen from the one that was selected', () => {
  const found = many(6, 1);
  const chosen = () => found.flatMap(({ moment_id }, i) => (search.get().chosen.has(moment_id) ? [i] : []));
  search.update({ selected: found[1]!.moment_id, chosen: new Set() });
  choose(found, 4, false);
  assert.deepEqual(chosen(), [1, 4]);
  choose(found, 1, false);
  assert.deepEqual(chosen(), [4]);
  choose(found, 3, true);
  assert.deepEqual(chosen(), [1, 2, 3, 4]);
});

test('a file that is dragged out has an address, whatever stands in its name', () => {
  for (const path of ['/a b/ü?.mp4', '/take #2 100%.mov'])
    assert.equal(fileURLToPath(fileAddress(path), { windows: false }), path);
  const path = 'C:\\films\\#1.mp4';
  assert.equal(fileURLToPath(fileAddress(path), { windows: true }), path);
});

test('what shares a moment with what is alike is left out', () => {
  const found = [moment('a', 1), moment('a', 8), moment('b', 1)];
  const ids = without(found, [{ hash_str: 'a', start_seconds: 0, end_seconds: 2 }]).map(
    (one) => one.moment_id,
  );
  assert.deepEqual(ids, ['a@8', 'b@1']);
  assert.equal(without(found, []), found);
});

test('the line of dates has every month, or every year of many', () => {
  const bars = datesOf([
    { value: '2024-02', count: 2 },
    { value: '2023-12', count: 1 },
    { value: '1990-01', count: 0 },
  ]);
  assert.deepEqual(
    bars.map(({ value, count }) => `${value} ${count}`),
    ['2023-12 1', '2024-01 0', '2024-02 2'],
  );
  const years = datesOf([
    { value: '2010-05', count: 2 },
    { value: '2010-07', count: 1 },
    { value: '2020-01', count: 4 },
  ]);
  assert.deepEqual(
    [years.length, years[0], years[10]],
    [11, { value: '2010', count: 3 }, { value: '2020', count: 4 }],
  );
  assert.deepEqual(datesOf([]), []);
});

const measures = fc.record({
  width: fc.integer({ min: 0, max: 4000 }),
  side: fc.integer({ min: 60, max: 500 }),
});
const grids = fc.record({ count: fc.integer({ min: 1, max: 300 }), films: fc.integer({ min: 1, max: 40 }) });

test('every tile lies in one row, rows follow each other and do not touch, and fit the width', () => {
  fc.assert(
    fc.property(grids, measures, ({ count, films }, measure) => {
      const { groups } = byFilm(many(count, films));
      const { rows, columns, tileWidth, height } = layoutOf(groups, measure);
      const tiles = rows.filter(({ kind }) => kind === 'tiles');
      assert.deepEqual(
        tiles.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i)),
        Array.from({ length: count }, (_, i) => i),
      );
      for (const [at, row] of rows.entries()) {
        assert.ok(row.top + row.height <= (rows[at + 1]?.top ?? height));
        assert.ok(row.kind === 'head' || row.to - row.from <= columns);
      }
      assert.ok(columns * tileWidth <= Math.max(measure.width, 1) + 0.001);
      for (let tile = 0; tile < count; tile++) {
        const row = rows[rowOfTile(rows, tile)]!;
        assert.ok(row.kind === 'tiles' && row.from <= tile && tile < row.to);
      }
    }),
  );
});

test('films share a row as far as their matches fit beside each other, each under its own name', () => {
  const found = [moment('a', 0), moment('b', 0), moment('b', 1), moment('c', 0), ...many(5, 1)];
  const { rows } = layoutOf(byFilm([...found, moment('d', 0)]).groups, { width: 4 * 108, side: 100 });
  assert.deepEqual(
    rows.map(({ kind, groups, from, to }) => [
      kind,
      groups.map(({ group, columns }) => [group, columns]),
      ...[from, to],
    ]),
    [
      ...[
        ['head', [0, 1, 2].map((group) => [group, group === 1 ? 2 : 1]), 0, 4],
        ['tiles', [], 0, 4],
      ],
      ...[
        ['head', [[3, 4]], 4, 9],
        ['tiles', [], 4, 8],
        ['tiles', [], 8, 9],
      ],
      ...[
        ['head', [[4, 4]], 9, 10],
        ['tiles', [], 9, 10],
      ],
    ],
  );
});

test('of 10,000 matches only those in sight are drawn, wherever one is', () => {
  const { groups } = byFilm(many(10_000, 200));
  const { rows, height, columns } = layoutOf(groups, { width: 1256, side: 150 });
  for (let top = 0; top < height; top += 997) {
    const [first, last] = rowsBetween(rows, top - 120, top + 700 + 120);
    assert.ok((last - first) * columns <= 96, `${(last - first) * columns} tiles at ${top}`);
    for (const [at, row] of rows.entries()) {
      const isInSight = row.top + row.height > top - 120 && row.top < top + 820;
      assert.equal(at >= first && at < last, isInSight);
    }
  }
});

test('arrows lead from tile to tile, over the lines of films, and stop at the edges', () => {
  const { groups } = byFilm([...many(5, 1), moment('x', 0), moment('x', 1)]);
  const layout = layoutOf(groups, { width: 3 * 100 + 2 * 8, side: 100 });
  assert.equal(layout.columns, 3);
  const from = (tile: number, ...directions: Parameters<typeof nextTile>[2][]) =>
    directions.reduce((at, direction) => nextTile(layout, at, direction, 7), tile);
  assert.equal(from(-1, 'right'), 0);
  assert.equal(from(0, 'left'), 0);
  assert.equal(from(1, 'down'), 4);
  assert.equal(from(2, 'down'), 4);
  assert.equal(from(4, 'down'), 6);
  assert.equal(from(6, 'down'), 6);
  assert.equal(from(6, 'up'), 4);
  assert.equal(from(1, 'up'), 1);
  assert.deepEqual([from(3, 'last'), from(3, 'first'), nextTile(layout, -1, 'down', 0)], [6, 0, -1]);
});
