import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Correction } from '../../../../actors/index/people/clustering-state.ts';
import { applyCorrections } from '../../../../actors/index/people/corrections.ts';
import { idBytes, idOf, idText } from '../../../../actors/index/people/entry-id.ts';
import {
  type EarlierClusters,
  type Reconciled,
  reconcile,
} from '../../../../actors/index/people/reconcile.ts';
import { draws } from '../../../shared.ts';
import { seeded } from '../footage.ts';

/** Ids whose order has nothing to do with the order of entries. */
function idAt(entry: number): string {
  const random = seeded(entry * 31 + 7);
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
const idsOf = (entries: readonly number[]) =>
  Uint8Array.from(Buffer.concat(entries.map((entry) => idOf(idAt(entry))!)));
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

const away = { anchorsOf: () => [] };
const none: EarlierClusters = {
  ...{ clusters: new Int32Array(0), cluster_ids: [], names: {}, lost: [], next: 1 },
  ...away,
};

function before(
  result: Reconciled,
  names = result.names,
  more: Partial<EarlierClusters> = {},
): EarlierClusters {
  const { clusters, cluster_ids, lost, next } = result;
  return { clusters, cluster_ids, names, lost, next, ...away, ...more };
}

const first = (raw: readonly number[]) =>
  reconcile(idsOf(upTo(raw.length)), Int32Array.from(raw), { ...none, clusters: nobody(raw.length) }, []);
const nobody = (count: number) => new Int32Array(count).fill(-1);

/** Labels of some entries, and corrections that speak of them. */
const scenes = fc.array(fc.integer({ min: -1, max: 4 }), { minLength: 1, maxLength: 40 }).chain((raw) => {
  const face = fc.integer({ min: 0, max: raw.length - 1 }).map(idAt);
  const anchors = fc.uniqueArray(face, { minLength: 1, maxLength: 4 });
  const then = fc.record({ id: fc.constantFrom('c1', 'c2', 'c3'), anchors });
  const correction: fc.Arbitrary<Correction> = fc.oneof(
    fc.record({
      kind: fc.constant('merge' as const),
      clusters: fc.array(then, { minLength: 2, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('move' as const),
      faces: fc.uniqueArray(face, { minLength: 1, maxLength: 3 }),
      from: then,
      to: then,
    }),
  );
  const names = fc.dictionary(fc.constantFrom('c1', 'c2', 'c3', 'c4'), fc.constantFrom('Ada', 'Ben'));
  return fc.record({
    raw: fc.constant(raw),
    earlier: fc.array(fc.integer({ min: -1, max: 3 }), { minLength: raw.length, maxLength: raw.length }),
    corrections: fc.array(correction, { maxLength: 4 }),
    names,
  });
});

const earlierOf = (earlier: readonly number[], names: Record<string, string>): EarlierClusters => ({
  clusters: Int32Array.from(earlier),
  cluster_ids: ['c1', 'c2', 'c3', 'c4'],
  names,
  lost: [],
  next: 5,
  ...away,
});

/** The id of the cluster of each entry, by the id of the entry. */
function clusterOf(result: Reconciled, ids: Uint8Array): Map<string, string> {
  return new Map(
    Array.from(result.clusters, (cluster, at) => [idText(ids, at), result.cluster_ids[cluster] ?? 'noise']),
  );
}

test('to cluster again with the same labels changes nothing', () => {
  fc.assert(
    fc.property(scenes, ({ raw, earlier, corrections, names }) => {
      const ids = idsOf(upTo(raw.length));
      const labels = Int32Array.from(raw);
      const one = reconcile(ids, labels, earlierOf(earlier, names), corrections);
      const two = reconcile(ids, labels, before(one), corrections);
      assert.deepEqual(two.clusters, one.clusters);
      assert.deepEqual([two.cluster_ids, two.names, two.next], [one.cluster_ids, one.names, one.next]);
      assert.deepEqual(two.lost, one.lost);
      assert.deepEqual(two.report.lost_names, []);
      assert.equal(two.report.kept_clusters, two.cluster_ids.length);
    }),
    { numRuns: draws(500) },
  );
});

test('the order of entries changes nothing', () => {
  fc.assert(
    fc.property(scenes, fc.integer(), ({ raw, earlier, corrections, names }, seed) => {
      const random = seeded(seed);
      const order = upTo(raw.length).map((entry) => ({ entry, key: random() }));
      order.sort((a, b) => a.key - b.key);
      const shuffled = order.map(({ entry }) => entry);
      const run = (entries: readonly number[]) => {
        const ids = idsOf(entries);
        const labels = Int32Array.from(entries, (entry) => raw[entry]!);
        const known = earlierOf(
          entries.map((entry) => earlier[entry]!),
          names,
        );
        const result = reconcile(ids, labels, known, corrections);
        const { cluster_ids, sizes, lost, next, report } = result;
        return { of: clusterOf(result, ids), names: result.names, cluster_ids, sizes, lost, next, report };
      };
      assert.deepEqual(run(shuffled), { ...run(upTo(raw.length)), of: run(shuffled).of });
      const [a, b] = [run(upTo(raw.length)).of, run(shuffled).of];
      for (const [id, cluster] of a) assert.equal(b.get(id), cluster);
    }),
    { numRuns: draws(300) },
  );
});

test('no entry is lost, sizes add up, and an id is given once', () => {
  fc.assert(
    fc.property(scenes, ({ raw, earlier, corrections, names }) => {
      const ids = idsOf(upTo(raw.length));
      const { clusters, cluster_ids, sizes, next, report } = reconcile(
        ids,
        Int32Array.from(raw),
        earlierOf(earlier, names),
        corrections,
      );
      assert.equal(clusters.length, ids.length / idBytes);
      assert.equal(new Set(cluster_ids).size, cluster_ids.length);
      assert.equal(
        sizes.reduce((sum, size) => sum + size, report.noise),
        raw.length,
      );
      assert.ok(sizes.every((size, at) => size === clusters.filter((own) => own === at).length && size > 0));
      assert.ok(cluster_ids.every((id) => Number(id.slice(1)) < next));
    }),
  );
});

test('a cluster keeps its id while most of its faces stay, and new ids were never given before', () => {
  const one = first([0, 0, 0, 0, 1, 1, 1, -1]);
  assert.deepEqual(
    [one.cluster_ids, one.sizes],
    [
      ['c1', 'c2'],
      [4, 3],
    ],
  );
  const split = reconcile(idsOf(upTo(8)), Int32Array.from([2, 2, 2, 5, 1, 1, 1, 5]), before(one), []);
  assert.deepEqual(
    [split.cluster_ids, split.sizes],
    [
      ['c1', 'c2', 'c3'],
      [3, 3, 2],
    ],
  );
  const joined = reconcile(idsOf(upTo(8)), Int32Array.from([0, 0, 0, 0, 0, 0, 0, 0]), before(split), []);
  assert.deepEqual(joined.cluster_ids, ['c1']);
  const again = reconcile(idsOf(upTo(8)), Int32Array.from([0, 0, 0, 1, 2, 2, 2, 1]), before(joined), []);
  assert.deepEqual(again.cluster_ids, ['c1', 'c4', 'c5']);
});

test('a moved face follows whom it was given to, also when nothing else of that person is left', () => {
  const ids = idsOf(upTo(7));
  const then = (id: string, ...entries: number[]) => ({ id, anchors: entries.map(idAt) });
  const move: Correction = { kind: 'move', faces: [idAt(2)], from: then('c1', 0, 1), to: then('c2', 4, 5) };
  const follows = applyCorrections(ids, Int32Array.from([0, 0, 0, 0, 1, 1, 1]), [move]);
  assert.deepEqual([...follows.labels], [0, 0, 1, 0, 1, 1, 1]);
  const alone = applyCorrections(ids, Int32Array.from([0, 0, 0, 0, -1, -1, -1]), [move]);
  assert.deepEqual([alone.labels[2] !== 0, alone.labels[2]! >= 0, alone.conflicts], [true, true, []]);
  const joined = applyCorrections(ids, Int32Array.from([0, 0, 0, 0, 0, 0, 0]), [move]);
  assert.deepEqual(joined.conflicts, [
    'A face moved from c1 to c2 is together with c1 again, because both are now one cluster',
  ]);
});
