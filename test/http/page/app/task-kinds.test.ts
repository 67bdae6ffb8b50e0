import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAnalysis as ofService, stageKinds } from '../../../../actors/analysis/stages/kinds.ts';
import { isAnalysis } from '../../../../http/page/app/task-kinds.ts';

test('the page takes for an analysis what the service does', () => {
  for (const { type } of stageKinds) assert.equal(isAnalysis([type]), ofService([type]), type);
  assert.deepEqual([isAnalysis(['video', 'speech']), ofService(['video', 'speech'])], [true, true]);
});
