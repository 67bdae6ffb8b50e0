import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cores } from '../../../../actors/faces/clustering/cores.ts';
import { Nearest } from '../../../../actors/faces/clustering/dbscan.ts';
import { seeded } from '../../../seeded.ts';

test('whatever the order of the pairs, all cores that are neighbours are joined', () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = seeded(seed);
    const count = 30;
    const pairs: [number, number][] = [];
    for (let i = 0; i < count; i++) for (let j = 0; j < i; j++) if (random() < 0.08) pairs.push([i, j]);
    const order = pairs.map((pair) => [random(), pair] as const).sort((a, b) => a[0] - b[0]);
    const cores = new Cores(new Int32Array(count).fill(1), 4);
    for (const [, [i, j]] of order) cores.meet(i, j);
    const degrees = new Int32Array(count).fill(1);
    for (const pair of pairs) for (const i of pair) degrees[i]! += 1;
    assert.deepEqual(cores.counts, degrees);
    assert.deepEqual(
      [...cores.isCore],
      [...degrees].map((degree) => (degree >= 4 ? 1 : 0)),
    );
    for (const [i, j] of pairs) {
      if (cores.isCore[i] && cores.isCore[j]) assert.equal(cores.groups.find(i), cores.groups.find(j));
    }
    for (const i of degrees.keys()) {
      const known = pairs.flatMap(([a, b]) => (a === i ? [b] : b === i ? [a] : []));
      const kept = cores.pending.of(i).sort((a, b) => a - b);
      assert.deepEqual(kept, cores.isCore[i] ? [] : known.sort((a, b) => a - b));
    }
  }
});

test('a million pairs of the same face are kept in memory for a few neighbours of each', () => {
  const count = 1500;
  const cores = new Cores(new Int32Array(count).fill(1), 5);
  for (let i = 0; i < count; i++) for (let j = 0; j < i; j++) cores.meet(i, j);
  assert.ok(cores.counts.every((neighbours) => neighbours === count));
  assert.ok(cores.pending.size <= count * 4, `${cores.pending.size} places`);
});

test('the nearest core is that of the exact cosines, in whatever order cores are offered and however they were rounded', () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = seeded(seed);
    const error = 0.01;
    // Many equal ones, and many within the error of each other.
    const cosines = Array.from(
      { length: 20 },
      () => Math.round(random() * 40) / 40 + (random() < 0.5 ? 0.004 : 0),
    );
    const nearest = new Nearest(1, error, (_, core) => cosines[core]!);
    const order = [...cosines.keys()].sort(() => random() - 0.5);
    for (const core of order) nearest.offer(0, core, cosines[core]! + (random() * 2 - 1) * error);
    assert.equal(nearest.core[0], cosines.indexOf(Math.max(...cosines)), `seed ${seed}`);
  }
});
