import assert from 'node:assert/strict';
import test from 'node:test';
import {
  nameClusters,
  type ReferencedPerson,
} from '../../../../../actors/analysis/stages/faces/sample-naming.ts';

const confidence = { same: 0.5, margin: 0.1 };
const clusters = { ids: ['c0', 'c1', 'c2'], names: ['', '', 'Zoe'] };
const person = (name: string, ...rows: number[][]): ReferencedPerson => ({
  name,
  rows: rows.map((row) => Float32Array.from(row)),
  reason: null,
});

test('a person is named where the samples are like one cluster and like no other', () => {
  const { assignments, unassigned } = nameClusters([person('Ann', [0.9, 0.2, 0.1])], clusters, confidence);
  assert.deepEqual(assignments, [{ name: 'Ann', cluster_id: 'c0', similarity: 0.9, runner_up: 0.2 }]);
  assert.deepEqual(unassigned, []);
});

test('why nobody is named, by a word each', () => {
  const table: [ReferencedPerson[], Record<string, string>][] = [
    [[person('Ann', [0.49, 0.2, 0.1])], { Ann: 'no_match' }],
    [[person('Ann', [0.5, 0.2, 0.1])], {}],
    [[person('Ann', [0.8, 0.75, 0.1])], { Ann: 'ambiguous' }],
    [[person('Ann', [0.7, 0.8, 0.1])], {}],
    [[person('Ann', [0.1, 0.2, 0.9])], { Ann: 'cluster_already_named' }],
    [[person('Zoe', [0.1, 0.2, 0.9])], {}],
    [[person('Ann', [0.9, 0, 0]), person('Bob', [0.85, 0, 0])], { Ann: 'ambiguous', Bob: 'ambiguous' }],
    [[person('Ann', [0.9, 0, 0]), person('Bob', [0.6, 0, 0])], { Bob: 'ambiguous' }],
    [[person('Ann', [0.9, 0, 0]), person('Bob', [0, 0.9, 0])], {}],
    // The mean of the pictures counts, not the best of them.
    [[person('Ann', [0.9, 0.1, 0], [0.0, 0.1, 0])], { Ann: 'no_match' }],
    [[{ name: 'Ann', rows: [], reason: 'multiple_faces' }], { Ann: 'multiple_faces' }],
  ];
  for (const [people, reasons] of table) {
    const { unassigned, assignments } = nameClusters(people, clusters, confidence);
    assert.deepEqual(Object.fromEntries(unassigned.map(({ name, reason }) => [name, reason])), reasons);
    assert.equal(assignments.length + unassigned.length, people.length);
  }
});

test('one cluster has no runner-up, and none at all is like nobody', () => {
  const one = { ids: ['c0'], names: [''] };
  const [named] = nameClusters([person('Ann', [0.6])], one, confidence).assignments;
  assert.equal(named?.runner_up, null);
  const none = nameClusters([person('Ann', [])], { ids: [], names: [] }, confidence);
  assert.deepEqual(none.unassigned, [{ name: 'Ann', reason: 'no_match' }]);
});

test('who is asked for first does not matter', () => {
  const people = [person('Ann', [0.9, 0, 0]), person('Bob', [0.85, 0, 0]), person('Eve', [0, 0.9, 0])];
  const sorted = (of: readonly ReferencedPerson[]) =>
    nameClusters(of, clusters, confidence)
      .unassigned.map(({ name, reason }) => `${name} ${reason}`)
      .sort();
  assert.deepEqual(sorted(people), sorted(people.toReversed()));
});
