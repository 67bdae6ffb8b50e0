import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyOf } from '../../../actors/embedder/actor.ts';
import type { VisualRow } from '../../../actors/models/contract.ts';
import { siglipRow } from './tiny.ts';

test('a family that no code runs is named', () => {
  const row = { ...siglipRow('siglip'), family: 'dino' } as VisualRow;
  assert.throws(() => familyOf(row), { code: 'MODEL_INVALID', message: /"dino"; there is .*siglip/ });
});
