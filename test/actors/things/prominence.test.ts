import assert from 'node:assert/strict';
import test from 'node:test';
import type { Thing } from '../../../actors/things/contract.ts';
import { prominenceOf } from '../../../actors/things/prominence.ts';

test('large before small, whole before cut off, certain before uncertain', () => {
  const of = (score: number, ...box: Thing['box']) => prominenceOf({ score, box });
  assert.equal(of(1, 0.2, 0.2, 0.5, 0.5), 1);
  assert.ok(of(0.8, 0.2, 0.2, 0.4, 0.4) > of(0.8, 0.2, 0.2, 0.2, 0.2));
  assert.ok(of(0.6, 0.2, 0.2, 0.3, 0.3) > of(0.8, 0, 0.2, 0.3, 0.3), 'cut off on the left');
  assert.ok(of(0.8, 0.2, 0.7, 0.3, 0.3) < of(0.8, 0.2, 0.6, 0.3, 0.3), 'cut off below');
  assert.ok(of(0.8, 0, 0, 1, 1) > of(0.8, 0.2, 0.2, 0.3, 0.3), 'what fills the picture is not');
  assert.ok(of(0.8, 0.2, 0.2, 0.3, 0.3) > of(0.6, 0.2, 0.2, 0.3, 0.3));
});
