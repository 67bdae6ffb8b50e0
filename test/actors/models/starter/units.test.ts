import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unitNames, units } from '../../../../actors/models/starter/units.ts';

test('every unit has ramps that go somewhere, and no more than the graph gives it', () => {
  for (const name of unitNames) {
    assert.ok(units[name].length >= 1 && units[name].length <= 8, name);
    for (const [evidence, from, to] of units[name]) assert.notEqual(from, to, `${name}: ${evidence}`);
  }
});
